def program(x, n):
    a = x.T + 1
    rows = []
    for k in range(n):
        rows.append(x.T * k)
    return a.ravel("K"), rows[0].flatten("A"), a.strides, a.flags.f_contiguous


def arguments():
    x = laid("C", "float64", (2, 3), 1)
    return x, 2
