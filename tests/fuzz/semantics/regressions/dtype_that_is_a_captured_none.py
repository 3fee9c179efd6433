OPTIONS = {"dtype": None}
KINDS = [None]


def program(x, k):
    d = None if k else np.float32
    return np.sin(x, **OPTIONS), np.add(x, 1, dtype=KINDS[0]), np.exp(x, dtype=d)


def arguments():
    x = laid("C", "float16", (2, 3), 1)
    return x, 1
