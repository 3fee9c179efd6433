class Ends:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, kind, error, trace):
        self.log.append(kind.__name__ if kind else "out")
        return kind is not None


def program(x):
    log = []
    with Ends(log):
        with Ends(log):
            (1).nothing
        a, b = [1]
        log.append("never")
    return len(log) * x


def arguments():
    return (number("float", 1.5),)
