def program(a, b, c, k):
    x = a if k else c
    y = b if k else c
    return x == 3, y < 1, x != y


def arguments():
    return 1 + 2j, np.float16(0.5), np.int64(3), 1
