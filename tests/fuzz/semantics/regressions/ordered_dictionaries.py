from collections import OrderedDict


def program(x, n):
    kept = OrderedDict(b=x, a=2.0)
    kept["c"] = x * x
    kept.move_to_end("b")
    kept.move_to_end("c", last=False)
    key, value = kept.popitem(last=False)
    kept.update({"q": x * n})
    same = kept == {"a": 2.0, "b": x, "q": x * n}, kept == OrderedDict(b=x, a=2.0)
    return list(kept.values()), key, value, same, kept.get("z", 3.0), list(kept)


def arguments():
    return number("float", 1.5), number("int", 3)
