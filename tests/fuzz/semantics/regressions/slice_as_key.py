def program(x, k):
    d = {"a": x}
    try:
        d[1:k] = 2.0
    except TypeError:
        d["b"] = x * 2
    return d, d.pop(slice(1), x)


def arguments():
    return number("float", 0.5), 2
