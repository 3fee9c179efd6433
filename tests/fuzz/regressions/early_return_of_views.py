POINT = 4135


def program(x, y, m, s):
    v14 = m
    if s < 5.0:
        if y[0] > 4.0:
            return v14.T[0:1]
    w22 = m
    for i23, e24 in enumerate(w22):
        w27 = w22[1:]
        if s > -5.0:
            return w27
    return m[:1]
