def program(x, n, k):
    try:
        np.uint8(n) - k
    except OverflowError:
        x = x * 2.0
    np.int8(n) + 300
    return x


def arguments():
    return 1.5, 3, -2
