def program(x, y):
    return (y if x > 0 else np.float32(0)) * 2


def arguments():
    x = number("float", 0.5)
    y = number("float16", 1.25)
    return x, y
