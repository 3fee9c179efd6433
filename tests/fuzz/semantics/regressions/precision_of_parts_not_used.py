def program(x, y):
    return x.s


def arguments():
    x = Box(laid("C", "float16", (), 1), laid("C", "float64", (2,), 1))
    inner = (number("uint8", 200), number("float16", -0.75))
    return x, [inner, number("float", 0.0)]
