def program(x, a, k):
    try:
        b = x[k] and a - a
        if b:
            a -= 0.3 * b * a
        1.0 / (a - a)
    except Exception:
        return 2.0 * a
    return b


def arguments():
    x = laid("C", "float64", (3,), 733)
    a = number("float", -0.75)
    k = number("int", 2)
    return x, a, k
