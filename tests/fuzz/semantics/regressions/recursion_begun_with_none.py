def counted(x, n, seen=None):
    if seen is None:
        seen = {0: x, 1: x * x}
    if n not in seen:
        seen[n] = counted(x, n - 1, seen) * 0.5 + counted(x, n - 2, seen)
    return seen[n]


def gathered(x, n, total=None):
    if total is None:
        total = np.zeros(2)
    if n == 0:
        return np.sum(total)
    total *= x
    total[0] += x[1]
    return gathered(x, n - 1, total)


def program(x, y, n):
    return counted(x, n) * gathered(y, n)


def arguments():
    return number("float", 1.5), laid("C", "float64", (2,), 1), number("int", 4)
