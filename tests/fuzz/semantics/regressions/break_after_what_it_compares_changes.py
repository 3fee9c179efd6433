def program(M, x):
    r = np.array([x, 1.0])
    for i in range(20):
        last = r
        r = M @ r * 0.3 + x
        if np.abs(r - last).sum() < 1e-2:
            break
    return r.sum() + i


def arguments():
    return laid("C", "float64", (2, 2), 1), number("float", 0.45)
