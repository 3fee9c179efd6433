POINT = 4180


def program(x, y, m, s):
    v18 = m
    v20 = 0.0
    for e21 in v18:
        v20 += e21
    v31 = {"p": v20, "q": v20}
    v20[::2] -= v18 @ v31["p"]
    return 0.8
