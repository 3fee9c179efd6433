class Node:
    def __init__(self, value):
        self.value = value
        self.next = None


def program(x, n):
    a = Node(x)
    a.next = Node(2.0)
    for k in range(n):
        if a.next.next is None:
            a.next.next = a
        else:
            a.next.next.value += x * k
    return a.next.value * a.value


def arguments():
    return number("float", 1.3), 3
