def mapped(f, tree):
    if isinstance(tree, dict):
        return {k: mapped(f, tree[k]) for k in tree}
    if isinstance(tree, (list, tuple)):
        return type(tree)(mapped(f, t) for t in tree)
    return f(tree)


def leaves_of(tree):
    if isinstance(tree, dict):
        return [leaf for k in sorted(tree) for leaf in leaves_of(tree[k])]
    if isinstance(tree, (list, tuple)):
        return [leaf for t in tree for leaf in leaves_of(t)]
    return [np.ravel(tree)]


def program(x, y):
    tree = {"s": y, "l": [(x, x * y), (x, x)]}
    return np.concatenate(leaves_of(mapped(lambda v: v * v, tree)))


def arguments():
    x = laid("C", "float64", (2,), 1)
    y = number("float", 0.75)
    return x, y
