def program(w, y):
    for _ in range(2):
        w = w * 1.5
    return y * w.prod()


def arguments():
    return laid("C", "float32", (2,), 1), number("int32", 3)
