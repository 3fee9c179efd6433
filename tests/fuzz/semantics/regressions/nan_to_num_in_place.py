def program(x, y):
    same = np.nan_to_num(x, copy=False)
    same[0] += 3.0
    seen = y.view()
    seen[0] = 5.0
    return x, same, np.nan_to_num(x, True, 7.0), y * 2


def arguments():
    return np.array([1.5, np.nan, 2.0]), laid("F", "float64", (2, 3), 4)
