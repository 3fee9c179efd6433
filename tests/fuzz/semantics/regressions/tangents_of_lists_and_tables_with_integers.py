def program(x, n, y):
    turned = [1, x, n]
    turned.append(turned.pop(0))
    turned[-1] += x
    sliced = [3, n]
    for _ in range(3):
        sliced[:1] = [x]
        sliced += [y]
    table = {"a": 1.5, "b": x}
    table["b"] = 0
    table[str(n)] = y
    table["q"] = x
    return np.array(turned), np.array(sliced), sum(table.values()), table


def arguments():
    return number("float64", 1.25), 4, 2
