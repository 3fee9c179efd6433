def program(x, y, n):
    pair = [1.0, 2.0]
    said = []
    for number in (2.5, True):
        try:
            said.append(pair * number)
        except TypeError:
            said.append("no count")
    return x - pair, pair / y, (3.0, 4.0) - x, pair < y, n * pair, pair * n, said


def arguments():
    return number("float64", 1.5), number("float32", 0.5), number("int64", 2)
