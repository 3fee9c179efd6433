def steps(x, n):
    for k in range(n):
        yield x + k


def program(x, n, out):
    gen = steps(x, 1)
    out.append(next(gen))
    for k in range(n):
        try:
            out.append(next(gen))
        except TypeError:
            out.append(0.0)
        except StopIteration:
            gen = steps(x, 2)
    return out


def arguments():
    return number("float", 1.5), 3, []
