def program(x, n):
    y = [q if q > 0 else 0.0 for q in x]
    z = y[1:] + y
    w = z * 2
    w.reverse()
    d = {k: v for k, v in enumerate(y)}
    return z[0] * n, w[0], sum(y), max(y), d[1] + n, dict(d)[0], y.pop(), y[1:]


def arguments():
    x = [1, -1, 2]
    n = number("int32", 3)
    return x, n
