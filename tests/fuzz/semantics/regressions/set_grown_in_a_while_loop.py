def program(x):
    done = set()
    while len(done) < len(x):
        k = min((k for k in range(len(x)) if k not in done), key=lambda k: x[k])
        done.add(k)
    return x[k] * len(done)


def arguments():
    x = laid("C", "float64", (3,), 1)
    return (x,)
