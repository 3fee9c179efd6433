class O:
    def __init__(self, k):
        self.k = k


class M:
    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        pass


def program(x):
    o = O(x)
    with M():
        if x != 0.3:
            return (0.5, x, o)
    return [1.0, 2.0 * x]


def arguments():
    return (number("float", 0.3),)
