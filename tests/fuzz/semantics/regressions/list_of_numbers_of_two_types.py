def program(z):
    return z[0], z[1]


def arguments():
    z = [number("uint8", 3), number("float", -0.75)]
    return (z,)
