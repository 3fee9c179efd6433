def program(x, n):
    b = None
    for _ in range(n):
        b = x * 2
    b * 2
    return x


def arguments():
    return 0.5, 0
