def program(w, x, z):
    z["a"] -= 1
    both = [[w, z], [w, z["b"]]]
    total = sum(z.values())
    return x * len(both), total


def arguments():
    w = laid("C", "float64", (4,), 1)
    z = {"a": laid("C", "int8", (), 1), "b": laid("C", "uint8", (2,), 1)}
    return w, 1.25, z
