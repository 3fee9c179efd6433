from collections import Counter, defaultdict


def program(x):
    counts = Counter("abracadabra")
    counts.update({"z": 9})
    total = 0.0
    for k, (word, count) in enumerate(counts.most_common(3)):
        total += count * x**k
    groups = defaultdict(list)
    groups.update({"a": [x]})
    groups.setdefault("b", [2.0]).append(x)
    try:
        counts.nothing
    except AttributeError:
        total += 1.0
    return total * sum(groups["b"]), groups.pop("a"), counts.total()


def arguments():
    return (number("float", 0.5),)
