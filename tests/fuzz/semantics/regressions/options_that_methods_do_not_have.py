def program(x):
    return x.var(correction=0)


def arguments():
    x = laid("C", "float64", (2, 3), 1)
    return (x,)
