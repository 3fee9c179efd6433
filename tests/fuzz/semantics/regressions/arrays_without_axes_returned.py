def program(pair, box, mixed):
    mixed[1] *= 2
    return pair, box, mixed, mixed[1], mixed[0]


def arguments():
    s = laid("C", "float64", (), 1)
    t = laid("C", "float64", (), 2)
    return (laid("C", "float64", (2,), 3), s), Box(s, 2.0), [t, number("float", 1.0)]
