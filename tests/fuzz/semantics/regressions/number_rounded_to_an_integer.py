def program(x):
    return round(np.abs(x)), round(x, 1), round(3, 1)


def arguments():
    return (number("float64", 2.5),)
