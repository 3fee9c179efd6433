class Node:
    def __init__(self, value):
        self.value = value
        self.children = []


def total(node):
    return node.value + sum(2 * total(c) for c in node.children)


def program(x, n):
    root = current = Node(x)
    for k in range(n):
        current.children.append(Node(x * k))
        if k % 2:
            current = current.children[-1]
    return total(root)


def arguments():
    return number("float", 1.3), 4
