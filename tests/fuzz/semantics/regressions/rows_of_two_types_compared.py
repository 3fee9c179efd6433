def program(x):
    steps = zip(range(3), itertools.cycle([1.0, 2.0]))
    least = min(steps)
    return least[0], least[1], x


def arguments():
    return (number("float", 0.5),)
