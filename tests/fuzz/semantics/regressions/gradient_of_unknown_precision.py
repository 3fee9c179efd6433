def program(x, h, axes, pair):
    return (
        np.sum(np.flip(x, axes) * 2)
        + np.sum(np.sum(h, pair))
        + np.sum(np.transpose(x, axes))
    )


def arguments():
    x, h = laid("C", "float32", (2, 3), 1), laid("C", "float16", (2, 3), 2)
    return x, h, (1, 0), (0, 1)
