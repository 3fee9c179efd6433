def program(y, z):
    y[0][0] = 3
    y[1][0] = 2
    z.append(2)
    return y[1], z[0]


def arguments():
    y = [laid("C", "uint8", (2, 2), 1), laid("C", "float64", (4,), 2)]
    z = [number("complex128", 0.5 + 1j), number("bool", False)]
    return y, z
