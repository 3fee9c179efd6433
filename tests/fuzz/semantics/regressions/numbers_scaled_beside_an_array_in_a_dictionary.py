def program(d, v):
    d["v"] = v
    for name in d:
        d[name] *= 3
    return d["a"] * d["b"] + np.sum(d["v"])


def arguments():
    d = {"a": np.float64(1.68), "b": 0.99}
    return d, laid("C", "float64", (3,), 2)
