def steps(x, out, n):
    for k in range(n):
        out.append(x * k)
        yield x + k
    if n > 2:
        raise ValueError


def program(x, n, out):
    try:
        out.extend(steps(x, out, n))
    except ValueError:
        out.append(-1.0)
    l = [1.0]
    l += (v * len(l) for v in [x, 2.0])
    d = {}
    d.update((len(d), v) for v in [x, 3.0])
    return out, l, d


def arguments():
    return number("float", 1.5), 3, []
