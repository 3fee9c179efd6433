def program(x, n):
    sums = [0] * n
    for i, v in enumerate([1, x, 3, n]):
        sums[i % n] += v

    def kept(*given):
        return list(given)

    both = tuple(sums)
    return (
        kept(*sums),
        kept(*[v * 2 for v in sums]),
        both,
        both[1:],
        [v + 1 for v in both],
    )


def arguments():
    return number("float", 0.75), 3
