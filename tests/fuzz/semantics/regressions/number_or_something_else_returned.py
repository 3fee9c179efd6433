def program(x, k):
    if k > 5:
        return [x, k]
    return np.arctan2(x, 2.0) if k > 3 else -1 / x


def arguments():
    return number("float", 2.0), 1
