def program(x, k):
    v = np.broadcast_to(x, x.shape)
    v = v if k else x
    v += 1
    return v


def arguments():
    x = laid("C", "float64", (2, 3), 1)
    return x, 1
