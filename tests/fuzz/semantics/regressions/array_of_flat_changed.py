def program(x):
    v = np.array(x.flat)
    v.sort()
    return v, x


def arguments():
    x = laid("C", "float64", (2, 3), 1)
    return (x,)
