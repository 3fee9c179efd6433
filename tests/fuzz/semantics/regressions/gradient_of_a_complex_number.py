def program(z, x):
    return x * x + z.real


def arguments():
    z = number("complex", 1j)
    x = number("float", 1.5)
    return z, x
