def program(w):
    two = float("nan") in [float("nan")]
    nan = float("nan")
    one = nan in [nan]
    return np.sum(w) + two + 2 * one, [nan] == [nan], [nan].count(nan)


def arguments():
    w = laid("C", "float64", (3,), 1)
    return (w,)
