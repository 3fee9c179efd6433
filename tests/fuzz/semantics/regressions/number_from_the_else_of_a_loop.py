def program(w):
    for q in w:
        v = q
        break
    else:
        v = 0.0
    return v


def arguments():
    w = laid("C", "float64", (0,), 1)
    return (w,)
