def program(w, x, z):
    z.append(w)
    z[2] += x
    return z[1] * z[1] + np.sum(z[2])


def arguments():
    w = laid("C", "float64", (2,), 1)
    x = number("float", 0.5)
    z = [number("uint8", 200), number("float", 0.25)]
    return w, x, z
