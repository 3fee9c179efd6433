def program(x, z, k, j):
    if k:
        z = x
    y = x if j else np.float64(3)
    return y + z, y * z, z - y, y


def arguments():
    return number("float", 0.5), laid("C", "float64", (2,), 1), 1, 1
