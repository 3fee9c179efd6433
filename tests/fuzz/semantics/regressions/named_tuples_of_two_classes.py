from typing import NamedTuple


class Leaf(NamedTuple):
    value: float


class Node(NamedTuple):
    weights: list
    child: object


def walked(tree, x):
    match tree:
        case Leaf(value=v):
            return v * x
        case Node(weights=w, child=c):
            return w[0] * walked(c, x)


def program(x, n):
    tree = Leaf(x)
    for _ in range(n):
        tree = Node([x, 2.0], tree)
    total = walked(Node([x], Node([3.0], Leaf(2.0))), x)
    while isinstance(tree, Node):
        total += tree.weights[0]
        tree = tree.child
    last = Leaf(x) if n else (x,)
    return total * tree.value, tree, last, isinstance(last, Leaf)


def arguments():
    return number("float", 1.5), number("int", 2)
