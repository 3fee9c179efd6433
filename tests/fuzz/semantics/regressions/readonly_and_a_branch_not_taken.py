def program(w, z):
    if z <= 0.3:
        w[0] += 1
    return z * 2


def arguments():
    w = laid("readonly", "float64", (2,), 1)
    z = number("float", 0.5)
    return w, z
