def program(x, n):
    try:
        found = range(n).index(7)
    except ValueError:
        found = -1
    return range(2**62).index(3) + x, range(5).count(x), found


def arguments():
    return number("float64", 1.25), 4
