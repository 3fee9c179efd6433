def program(x):
    d = collections.deque([1.0], maxlen=4)
    d.extend(v * len(d) for v in [x, 2.0, 3.0])
    d.extend(d)
    return list(d)


def arguments():
    return (number("float", 1.5),)
