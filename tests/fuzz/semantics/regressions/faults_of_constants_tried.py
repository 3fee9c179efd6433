def program(x, d):
    try:
        x = x * d[None]
    except TypeError:
        x = x * 2.0
    try:
        x = x * ord(2)
    except TypeError:
        x = x * 3.0
    try:
        x = x * "ab".index("c")
    except ValueError:
        x = x + 1.0
    try:
        x = -[x]
    except TypeError:
        x = x + 2.0
    try:
        x = abs([x])
    except TypeError:
        x = x + 3.0
    try:
        return max("a", 2)
    except TypeError:
        return ~3 * x


def arguments():
    return 1.5, (1.0, 2.5)
