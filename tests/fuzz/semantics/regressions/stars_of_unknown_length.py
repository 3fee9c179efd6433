def program(x):
    length = np.hypot(*(x - 1.0)) + math.atan2(*x[:2]) + max(0.5, *x)
    try:
        return length + np.add(*x[:1])
    except TypeError:
        return length


def arguments():
    x = laid("C", "float64", (2,), 1)
    return (x,)
