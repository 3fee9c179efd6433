def program(x, items):
    try:
        s = items[7]
    except IndexError:
        s = np.float32(0)
        for k in range(3):
            s = k
    return x + s


def arguments():
    return number("float", 0.5), [1]
