def program(a, c, k):
    if k > 3:
        c = a
    v = 9 if k < 5 else [1, 2]
    v -= c
    x = 0.5 if k else None
    return v, round(x, 1)


def arguments():
    return np.int16(3), 1, 2
