def program(d, k):
    d["b"] += 1.0
    return np.sum(d[["a", "b"][k]])


def arguments():
    d = {"a": number("float", 0.25), "b": laid("C", "float64", (2,), 1)}
    k = number("int", 0)
    return d, k
