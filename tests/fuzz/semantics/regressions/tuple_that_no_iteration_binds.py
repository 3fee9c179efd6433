def program(w, z):
    pairs = enumerate(w)
    found = any(q > 0 for q in pairs)
    first = next(itertools.starmap(max, zip(range(0), z)), 0.5)
    rest = (q for q in zip(w) if np.sum(q) > first)
    return np.sum(w) + first * z[0] + next(rest, 7.0), found


def arguments():
    return laid("C", "float64", (0,), 1), [number("float", 0.5), number("float", 2.0)]
