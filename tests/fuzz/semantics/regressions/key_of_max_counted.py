def program(x):
    calls = []

    def key(q):
        calls.append(1)
        return q

    v = max(x, key=key)
    return len(calls) * v


def arguments():
    x = laid("C", "float64", (3,), 1)
    return (x,)
