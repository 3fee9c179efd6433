def program(x, z):
    np.copyto(x[0], min(z["a"], 1.0))
    return np.sum(x[1])


def arguments():
    x = (laid("C", "int32", (3,), 1), laid("C", "float64", (0,), 1))
    return x, {"a": number("bool", True), "b": number("complex", 1j)}
