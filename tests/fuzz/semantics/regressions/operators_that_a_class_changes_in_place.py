class Gauge:
    def __init__(self, level):
        self.level = level

    def __imod__(self, other):
        self.level = self.level % other
        return self

    def __ior__(self, other):
        self.level = self.level * other
        return self

    def __ifloordiv__(self, other):
        self.level = self.level - other
        return self


def program(x):
    gauge = Gauge(x)
    same = gauge
    gauge |= 3.0
    gauge %= 4.0
    gauge //= 0.25
    return same.level, gauge.level


def arguments():
    return (number("float", 1.5),)
