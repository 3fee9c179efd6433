class Scaled:
    def __init__(self, k):
        self.k = k

    def __getattr__(self, name):
        if name == "w":
            return 2.0
        if name.startswith("times"):
            return self.k * int(name[5:])
        raise AttributeError(name)


class Sub(Scaled):
    def f(self, x):
        return self.w * x + self.times3


class Proxy:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


def program(x):
    o = Proxy(Sub(x))
    total = o.f(x) * o.w + o.k
    s = Sub(x)
    if x > 0:
        s.w = x * x
    total = total + s.w * x
    del s.k
    try:
        s.k
    except AttributeError:
        total = total * 3
    return total


def arguments():
    return (number("float64", 1.25),)
