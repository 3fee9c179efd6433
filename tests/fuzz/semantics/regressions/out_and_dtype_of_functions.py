def program(a, b):
    found = np.zeros(3)
    np.sum(b, axis=0, out=found)
    np.maximum.reduce(b, axis=0)
    less = np.less(a, 0.5, dtype=bool)
    return (
        found,
        less,
        np.r_[np.float32(2.0), 1],
        np.array(b, order="F"),
        np.squeeze(b[:1, :1]),
    )


def arguments():
    return laid("C", "float64", (3,), 5), laid("C", "float64", (2, 3), 6)
