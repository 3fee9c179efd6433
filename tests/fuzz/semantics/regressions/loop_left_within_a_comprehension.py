def escape(c):
    z = 0j
    for n in range(9):
        if abs(z) > 2:
            return n + 1 - np.log2(np.log(abs(z)))
        z = z * z + c
    return 9


def program(a, b):
    return np.sum(np.array([[escape(complex(x, y)) for x in (a, b)] for y in (a, b)]))


def arguments():
    a = number("float", -1.9)
    b = number("float", 0.6)
    return a, b
