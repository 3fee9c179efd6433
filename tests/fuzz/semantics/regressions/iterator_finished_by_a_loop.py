def program(x):
    g = iter([x, 2.0])
    for q in g:
        pass
    return q, list(g)


def arguments():
    x = number("float", 0.5)
    return (x,)
