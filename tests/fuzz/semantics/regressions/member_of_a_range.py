def program(x):
    return x if 63 in range(5) else x * x


def arguments():
    x = number("float", 1.5)
    return (x,)
