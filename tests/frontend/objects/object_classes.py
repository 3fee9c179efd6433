"""Classes that the programs make objects of."""

from dataclasses import dataclass, field


class P:
    """Without equality of its own."""

    def __init__(self, v, other=None):
        self.v = v
        self.other = other


class E:
    """Equal by value, and hashed by it."""

    def __init__(self, v, tag=0):
        self.v = v
        self.tag = tag

    def __eq__(self, other):
        return isinstance(other, E) and self.v == other.v

    def __hash__(self):
        return hash(self.v)


class T:
    """Equal by tag."""

    def __init__(self, v, tag):
        self.v = v
        self.tag = tag

    def __eq__(self, other):
        if not isinstance(other, T):
            return NotImplemented
        return self.tag == other.tag

    def __lt__(self, other):
        return self.tag < other.tag


@dataclass
class D:
    a: float
    b: float = 2.0


@dataclass(order=True)
class Ordered:
    a: float
    b: float = 0.0


@dataclass(frozen=True)
class F:
    a: float
    k: int = 0


@dataclass
class L:
    items: list = field(default_factory=list)
    scale: float = 1.0


@dataclass
class C:
    a: float
    note: float = field(default=0.0, compare=False)


@dataclass(eq=False)
class N:
    a: float


def three():
    return [P(1.0), P(2.0), P(3.0)]


def shared():
    p = P(1.0)
    return [p, P(2.0), p]
