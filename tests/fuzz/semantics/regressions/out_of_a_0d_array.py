def program(w):
    np.maximum(w, 0.5, out=w)
    return w * 2


def arguments():
    w = laid("C", "float64", (), 1)
    return (w,)
