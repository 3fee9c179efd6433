def program(a, b, c):
    p = 2 if c else 1.5
    q = 2.0 if c else 1j
    return a * p, np.add(b, p), b * q, np.floor_divide(b, q), a + (True if c else 3)


def arguments():
    a = laid("C", "int8", (2,), 1)
    b = laid("C", "float64", (2,), 2)
    c = number("int", 1)
    return a, b, c
