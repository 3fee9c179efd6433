def program(x):
    return list(itertools.accumulate([])), x * x


def arguments():
    x = number("float", 1.5)
    return (x,)
