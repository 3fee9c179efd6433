# The gradient of a record without fields is one: a layer without weights.


class Empty:
    def scale(self, x):
        return x * 2


def program(w, x):
    return np.sum(w) * x.a.scale(x.s)


def arguments():
    return laid("C", "float64", (3,), 1), Pair(Empty(), 2.0)
