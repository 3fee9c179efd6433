def program(w):
    pairs = zip(w, itertools.cycle([1.0, 2.0]))
    a = next(pairs)
    b = next(pairs, (7.0, 1.0))
    sums = itertools.accumulate(w)
    total = 0.0
    for q in sums:
        total = total + q
        if total > 3.0:
            break
        total = total + next(sums, 0.5)
    return a[0] * a[1] + b[0] * b[1], total, sum(map(np.sum, (v * 2 for v in w)))


def arguments():
    return (laid("C", "float64", (3,), 7),)
