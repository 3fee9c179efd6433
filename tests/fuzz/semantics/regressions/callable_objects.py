class Line:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return self.w * x


def program(x):
    line = Line(x)
    return callable(line), callable(x), callable(Line), callable([line]), line(2.0)


def arguments():
    return (number("float", 1.5),)
