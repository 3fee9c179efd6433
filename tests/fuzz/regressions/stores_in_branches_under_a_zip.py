POINT = 4390


def program(x, y, m, s):
    v2 = s
    for e13, e14 in zip(x[::2], m.T):
        if v2 > -0.4:
            y[...] = m.sum(axis=1)
        else:
            x[::2] -= 1.5
        v2 += -1
    return x * y[0]
