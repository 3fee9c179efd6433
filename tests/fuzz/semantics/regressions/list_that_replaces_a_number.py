def program(v, n):
    items = 1.5
    for k in range(n):
        items = [q if q > 0 else True for q in v]
    return items[0] + k


def arguments():
    return np.array([-1.0, 2.0]), 3
