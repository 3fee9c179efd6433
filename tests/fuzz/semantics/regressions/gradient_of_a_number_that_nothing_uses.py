def program(w, x, y, k):
    items = []
    items.append(x)
    items.append(x * 2)
    items.append(x * 3)
    max(items)
    if k == k:
        return y[1], k
    return 2.0


def arguments():
    y = laid("C", "float64", (3,), 1), laid("C", "float16", (1, 3), 2)
    return (
        laid("C", "float64", (0,), 3),
        number("float32", 2.0),
        y,
        number("uint8", 200),
    )
