def program(y, z):
    for k in range(3):
        total = z.sum()
        z = k - y
    return total


def arguments():
    return number("uint8", 0), laid("C", "float64", (2, 3), 239)
