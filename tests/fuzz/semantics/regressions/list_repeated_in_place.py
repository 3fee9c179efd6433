def program(x, n):
    parts = [x[1], x[0]]
    parts[0] *= n
    return x[1][2] * x[0][0]


def arguments():
    return [[1.0, 2.0], [3.0]], 3
