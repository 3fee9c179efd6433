@dataclass
class Named:
    cls: float
    owner: float = 2.0


def total(*args, **keywords):
    return sum(args) + sum(keywords.values())


def program(x, text):
    made = [Named(cls=x), Named(x, owner=3.0)]
    for k in range(len(made)):
        made[k].cls *= made[k].owner
    digits = int(text, 2) + int("ff", base=16) + int()
    shown = "{:.2f} {name} {owner}".format(1.5, name=text, owner=digits)
    counts = dict(items=x, self=x, function=2.0)
    counts.update(key=x, name=3.0)
    print(shown, str(b"ab", "ascii"), complex(1, imag=2), bool())
    return total(made[0].cls, node=made[1].cls, it=digits, **counts) * x


def arguments():
    x = number("float", 0.75)
    text = "101"
    return x, text
