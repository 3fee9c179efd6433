def program(w, n):
    with contextlib.suppress(IndexError):
        with contextlib.suppress(KeyError):
            v = w.copy()
            raise IndexError(3)
    m = v != 0
    k = 0
    while k < n:
        k += 1
        m[::-1] += v
    if n < 0:
        w[0] = 7
        [1] + (2,)
    return m, k


def arguments():
    return laid("C", "uint8", (3,), 1), number("int64", 0)
