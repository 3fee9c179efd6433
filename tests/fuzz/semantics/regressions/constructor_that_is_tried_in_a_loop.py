class Positive:
    def __init__(self, v):
        if v < 0:
            raise ValueError("negative")
        self.v = v


def program(x):
    out = []
    for v in (x, -x, 2.0):
        try:
            out.append(Positive(v).v)
        except ValueError:
            out.append(v * 10)
    return out


def arguments():
    return (number("float", 1.5),)
