def program(x, n):
    m = n if n > 1 else x
    rows = []
    for i in range(n):
        for _ in range(2):
            rows = [*rows, i if i < 1 else x]
    return sum([m, m]), max([m, 1]), rows


def arguments():
    x = number("float", 1.5)
    n = number("int", 2)
    return x, n
