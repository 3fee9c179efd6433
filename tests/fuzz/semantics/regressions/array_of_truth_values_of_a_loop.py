def program(x):
    over = [v > 0 for v in x]
    anywhere = np.array([np.any(x > v) for v in x])
    return np.array(over), anywhere, np.sum(over), np.all(over), bool(over)


def arguments():
    x = laid("C", "float64", (3,), 1)
    return (x,)
