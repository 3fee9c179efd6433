def program(x):
    g = iter(())
    s = 0.0
    for q in g:
        s = s + q
        if s > x:
            break
        s = s + next(g, 0.5)
    else:
        s = x * 3
    return s


def arguments():
    return (number("float", 1.5),)
