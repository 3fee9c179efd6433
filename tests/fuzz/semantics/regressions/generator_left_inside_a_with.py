class Told:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        return 2.0

    def __exit__(self, kind, error, trace):
        self.log.append("none" if kind is None else kind.__name__)


def steps(x, log):
    with Told(log) as k:
        yield x * k
        yield x


def program(x, log):
    for v in steps(x, log):
        break
    return v


def arguments():
    return number("float", 1.5), []
