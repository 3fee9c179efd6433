def program(x, z):
    for q in z:
        z[0] -= q if x >= q else x
    return np.sum(z)


def arguments():
    x = number("int", -2)
    z = laid("C", "float64", (3,), 1)
    return x, z
