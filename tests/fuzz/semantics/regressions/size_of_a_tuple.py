def program(a, b):
    return np.size(a), np.shape(a), np.size(b), a[0] * b


def arguments():
    return (1.5, 2.5), 3.0
