POINT = 18


def helper(p5):
    p5[...] *= p5


def program(x, y, m, s):
    v11 = x.copy()
    v11, x = x, v11
    helper(v11)
    return x
