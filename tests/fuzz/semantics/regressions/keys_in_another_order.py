def program(x, n):
    d = {"a": x, "b": 2.0}
    for k in range(n):
        first = d.pop("a")
        d["a"] = first * 2
    if n == 2:
        d["c"], d["d"] = x, 3.0
    elif n == 1:
        d["d"], d["c"] = x, 3.0
    else:
        d["c"] = d["d"] = 0.5
    e = {"p": x, "q": 1.0} if n > 1 else {"q": x, "p": 2.0}
    return list(d), [v * 2 for v in d.values()], [v * x for v in e.values()]


def arguments():
    return number("float", 0.5), 1
