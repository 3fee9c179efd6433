def program(xs, a, k):
    built = []
    for v in xs:
        built.append(v if v > 0 else 0)
    chosen = [1, 2]
    if k:
        chosen = [a, 2]
    return np.array(built), np.sum(chosen), np.array([chosen, chosen])


def arguments():
    return np.array([-1.0, -2.0]), 1.5, 0
