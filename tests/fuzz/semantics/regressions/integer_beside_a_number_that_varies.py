def program(x, k):
    return [3, x][k] * sorted([True, x])[0]


def arguments():
    return number("float", 0.5), 0
