def program(a, b):
    return a.copy(), a[()], a[...], b[()], b[...], np.conj(2.5), np.conj(b.real)


def arguments():
    return np.float64(1.5), np.bool_(True)
