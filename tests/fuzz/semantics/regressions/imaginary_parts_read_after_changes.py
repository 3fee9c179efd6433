def program(z):
    w = z * 1.5
    w[1] = 2j * z[0]
    w += 1
    i = w.imag + 1
    for k in range(2):
        i = i + w.imag[k] * w.real
    return np.sum(i * i)


def arguments():
    return (laid("C", "complex128", (3,), 1),)
