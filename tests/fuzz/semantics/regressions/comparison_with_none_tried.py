def program(a, b):
    try:
        if a >= b:
            return 1.0
    except TypeError:
        b = b * 2.0
    try:
        for v in a:
            b = b + v
    except TypeError:
        b = b * 3.0
    return b


def arguments():
    return None, 1.5
