def program(n, x):
    v = n if x > 1 else 1.5
    print(v)
    s = 0
    for k in range(n - 3):
        s += x
    return x, f"{v} {s}"


def arguments():
    return number("int", 3), number("float", 2.0)
