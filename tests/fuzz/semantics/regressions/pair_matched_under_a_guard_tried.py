def program(x, n, d, out):
    try:
        for _ in range(n):
            match (n, x):
                case [1, a] if a > 2.0:
                    out.append(a)
                case [2, a] if a > 1.0:
                    out.append(a * 2)
                case [a, b]:
                    out.append(a * b)
            out.append(d[n])
    except KeyError:
        out.append(-1.0)
    return out


def arguments():
    return number("float", 1.5), 1, {1: 2.0}, []
