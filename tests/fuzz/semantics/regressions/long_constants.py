TABLE = tuple(range(300))
PAIRS = tuple((i, i + 1) for i in range(300))


def program(x, word):
    found = 0
    for i, c in enumerate(TABLE):
        if c > 250:
            break
        found += c % 3
    for c in word * 200:
        if c == "a":
            found += 1
    for a, b in PAIRS:
        x = x + a * 1e-3 - b * 1e-3
    else:
        found += 1
    return found, i, np.sum(x)


def arguments():
    return laid("C", "float64", (4,), 1), "aba"
