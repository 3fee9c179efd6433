def program(x, y):
    grown = [1, y]
    if x > 5.0:
        grown.append(x)
    return np.array(grown), x


def arguments():
    return number("float", 0.75), 1
