def program(z):
    *a, b = z
    z.append(b)
    return b * 2


def arguments():
    z = [number("float64", 0.5), number("float", -0.75)]
    return (z,)
