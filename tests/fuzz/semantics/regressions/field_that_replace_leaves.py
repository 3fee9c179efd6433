import dataclasses


@dataclasses.dataclass
class Pair:
    a: float
    n: int = 2
    z: float = dataclasses.field(init=False, default=0.5)

    def __post_init__(self):
        self.z = self.a * self.n


def program(x):
    p = dataclasses.replace(Pair(x), n=3)
    try:
        dataclasses.replace(p, z=1.0)
    except ValueError:
        x = x * 2
    return p.z, x


def arguments():
    return (number("float", 1.5),)
