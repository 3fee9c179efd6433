def program(w, x):
    x += (w,)
    return x[1] * x[2] + w


def arguments():
    w = laid("C", "float64", (1,), 1)
    x = [1, 2]
    return w, x
