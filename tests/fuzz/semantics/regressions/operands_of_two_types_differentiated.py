def program(x, pairs):
    total = 0.0
    for k, (word, count) in enumerate(pairs):
        total += count * x**k
    return total


def arguments():
    return number("float", 0.5), [("a", 1), ("b", 2), ("c", 4)]
