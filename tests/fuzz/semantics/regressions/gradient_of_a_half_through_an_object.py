class Pair:
    def __init__(self, a, s):
        self.a = a
        self.s = s


def program(w, y, z):
    for i in range(len(w)):
        w[i] = w[i - 1] * np.hypot(-1, y.s)
    z += [y.a]
    return y.a, w[0]


def arguments():
    y = Pair(number("complex128", 0.5), number("float16", 0.5))
    return laid("C", "float64", (3,), 1), y, [number("complex128", 1j)]
