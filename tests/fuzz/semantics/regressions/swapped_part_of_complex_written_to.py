def program(w):
    v = w.real
    v[0] -= 2.0
    w.imag[1] = v[0]
    return w, np.sum(v)


def arguments():
    return (laid("swapped", "complex64", (4,), 882),)
