def program(y):
    y.c = 1.5
    return y.a * y.c


def arguments():
    y = Box(number("float", -0.75), number("int", 0))
    return (y,)
