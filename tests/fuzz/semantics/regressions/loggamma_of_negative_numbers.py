import scipy.special


def program(x):
    return scipy.special.loggamma(x)


def arguments():
    x = laid("C", "float64", (2, 3), 1)
    return (x,)
