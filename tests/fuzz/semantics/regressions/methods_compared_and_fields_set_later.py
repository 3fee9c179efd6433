class Scale:
    def __init__(self, k):
        self.k = k

    def __lt__(self, other):
        return self.k < other.k

    def __mul__(self, x):
        return Scale(self.k * getattr(x, "k", x))

    def apply(self, x):
        return self.k * x

    def add(self, x):
        return self.k + x


@dataclass
class Tagged:
    x: float
    count: int = field(default=0, init=False)

    def __post_init__(self):
        self.count = 2


@dataclass
class Named(Tagged):
    name: str = "a"


def program(x, n):
    one, other = Scale(2), Scale(2)
    some = one if n > 5 else other
    same = one.apply == one.apply, one.apply == one.add, one.apply == other.apply
    ordered = sorted([Scale(n), Scale(x)])
    doubled = Scale(n) * 2
    return (
        same,
        some.apply == other.apply,
        ordered[0].k,
        doubled.k,
        Named(x),
        Tagged.count,
    )


def arguments():
    return number("float", 0.75), 3
