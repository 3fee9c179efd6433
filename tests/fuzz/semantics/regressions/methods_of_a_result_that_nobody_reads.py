def program(x):
    z = np.absolute(x)
    steps = np.arange(np.dot(np.fabs(z), z.conj()))
    return np.sum(z), len(steps)


def arguments():
    return (laid("C", "complex128", (3,), 921),)
