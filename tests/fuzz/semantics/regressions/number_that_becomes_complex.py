def program(c, v, n):
    z, w = 0j, v
    for k in range(n):
        z = z * z + c
        c = c + z
        w = w * (1 + 0.5j) + v
    return np.real(c) + np.imag(z) + np.sum(np.abs(w))


def arguments():
    return number("float", 0.3), laid("C", "float64", (3,), 2), 3
