def program(a, s):
    b = a * s
    np.put(b, [0, 2, 3], [s, 2 * s])
    np.place(b, b > 3, [s, s * s])
    np.putmask(b, b < s, [1.0, s, 3.0])
    b.put([1], s**2)
    b[0, 0].fill(7)
    return b * a


def arguments():
    return laid("F", "float64", (2, 3), 3), 1.5
