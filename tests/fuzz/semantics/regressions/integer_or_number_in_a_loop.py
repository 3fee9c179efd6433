def program(x, y):
    v = y[1] if not x else x
    for _ in range(3):
        z = v if x < 5 else 0.7
    return z * 1.5


def arguments():
    x = number("int8", 1)
    y = [number("complex", 0.5 + 1j), number("float16", 2.0)]
    return x, y
