def program(x):
    leaf = {"v": x[2], "kids": []}
    tree = {"v": x[0], "kids": [{"v": x[1], "kids": [leaf]}]}

    def total(t):
        return t["v"] + sum(total(k) * 0.5 for k in t["kids"])

    return total(tree)


def arguments():
    return (laid("C", "float64", (3,), 1),)
