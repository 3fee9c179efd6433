def program(x):
    total = 0
    for v in x:
        total += v
    return total


def arguments():
    x = laid("C", "uint8", (3,), 7)
    return (x + np.uint8(100),)
