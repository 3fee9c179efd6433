def program(x, z):
    v = x["a"]
    v[z < 1] = z
    return np.sum(v)


def arguments():
    x = {"a": laid("misaligned", "float64", (2,), 1)}
    z = number("float", 0.5)
    return x, z
