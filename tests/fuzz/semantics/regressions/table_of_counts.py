import collections


def program(x, n):
    c = collections.Counter({"a": 3, "b": n})
    c.update("abz")
    del c["q"]
    d = collections.deque([x, 2.0])
    d.rotate(n)
    e = collections.deque()
    e.rotate(1)
    f = collections.defaultdict(float, a=x)
    f["b"] += 2 * x
    same = c == {"a": 4, "b": n + 1, "z": 1}, d == collections.deque([x, 2.0])
    same += isinstance(c, dict), type(d) is collections.deque, f == {"a": x, "b": 2 * x}
    return c["a"] * x + d[0], c.most_common(2), same, dict(f), d.index(2.0)


def arguments():
    return number("float", 1.3), 2
