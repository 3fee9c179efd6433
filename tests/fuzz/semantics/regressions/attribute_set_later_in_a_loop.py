class Tree:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None

    def insert(self, key):
        if key < self.key:
            if self.left is None:
                self.left = Tree(key)
            else:
                self.left.insert(key)
        elif self.right is None:
            self.right = Tree(key)
        else:
            self.right.insert(key)

    def walk(self, depth):
        s = self.key * depth
        if self.left:
            s += self.left.walk(depth + 1)
        if self.right:
            s += self.right.walk(depth + 1)
        return s


def program(x, y):
    tree = Tree(x)
    for v in [y, 0.33, 0.59, x * y, 0.5, y + 1]:
        tree.insert(v)
    return tree.walk(1)


def arguments():
    return number("float", 1.34), number("float", 1.77)
