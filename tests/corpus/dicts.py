"""Dictionaries and sets."""

import numpy as np
from corpus.registry import program

WRITES = ["writes"]
TRICKY = ["writes", "tricky"]


def vector(rng):
    return (rng.normal(size=4),)


def params(rng):
    return (
        {"W": rng.normal(size=(3, 4)), "b": rng.normal(size=3), "scale": rng.normal()},
        rng.normal(size=4),
    )


def nested_params(rng):
    layer = lambda m, n: {"W": rng.normal(size=(m, n)), "b": rng.normal(size=m)}
    return {"enc": layer(3, 2), "dec": layer(2, 3)}, rng.normal(size=2)


@program(params)
def dict_of_parameters(p, x):
    h = np.tanh(p["W"] @ x + p["b"])
    return p["scale"] * h.sum()


@program(nested_params)
def nested_dict_of_parameters(p, x):
    h = np.tanh(p["enc"]["W"] @ x + p["enc"]["b"])
    dec = p["dec"]
    return ((dec["W"] @ h + dec["b"]) ** 2).sum()


@program(nested_params)
def nested_dict_in_loop(p, x):
    h = x
    for name in ["enc", "dec", "enc"]:
        layer = p[name]
        h = np.tanh(layer["W"] @ h + layer["b"])
    return h.sum()


@program(nested_params)
def l2_penalty_over_nested_dict(p, x):
    total = x.sum() ** 2
    for layer in p.values():
        for name, value in layer.items():
            if name != "b":
                total += 0.5 * (value**2).sum()
    return total


@program(lambda rng: ({"layers": [rng.normal(size=(2, 2)), rng.normal(size=(2, 2))]},))
def dict_holding_list_of_arrays(p):
    m = np.eye(2)
    for w in p["layers"]:
        m = np.sin(m @ w)
    return m.sum()


@program(vector)
def dict_literal(x):
    d = {"a": x[0] * x[1], "b": x[2], 3: x[3]}
    return d["a"] * d["b"] + d[3] ** 2


@program(vector)
def dict_constructor_and_zip(x):
    d = dict(u=x[0], v=x[1] ** 2)
    e = dict(zip("abcd", x))
    return d["u"] * d["v"] + e["c"] * e["d"]


@program(vector, tags=WRITES)
def dict_stores(x):
    d = {}
    d["first"] = x[0]
    d["second"] = d["first"] * x[1]
    d["first"] = d["second"] + x[2]
    return d["first"] * d["second"]


@program(vector, tags=WRITES)
def dict_stores_in_loop(x):
    memo = {0: x[0], 1: x[1]}
    for n in range(2, 6):
        memo[n] = memo[n - 1] * 0.5 + memo[n - 2] * x[2]
    return memo[5] * len(memo)


@program(vector, tags=WRITES)
def dict_get_with_default(x):
    counts = {}
    for i, v in enumerate(x):
        key = "even" if i % 2 == 0 else "odd"
        counts[key] = counts.get(key, 0.0) + v * v
    return counts["even"] * counts["odd"]


@program(vector)
def dict_get_missing(x):
    d = {"a": x[0]}
    bias = d.get("b")
    y = d.get("a", 1.0) ** 2
    if bias is not None:
        y = y + bias
    return y * x[1]


@program(vector, tags=WRITES)
def dict_update(x):
    d = {"a": x[0], "b": x[1]}
    d.update({"b": x[2] * x[3], "c": x[0] ** 2})
    d.update(a=d["a"] * 2)
    return d["a"] * d["b"] + d["c"]


@program(vector, tags=WRITES)
def dict_setdefault_and_pop(x):
    d = {"a": [x[0]]}
    d.setdefault("a", []).append(x[1])
    d.setdefault("b", []).append(x[2] * x[3])
    b = d.pop("b")
    return sum(d["a"]) * b[0] + d.pop("z", x[0])


@program(vector)
def dict_membership(x):
    d = {"w": x[0], "b": x[1]}
    y = x[2]
    if "b" in d:
        y = y * d["b"]
    if "c" not in d:
        y = y + d["w"] ** 2
    return y


@program(vector)
def dict_merge_operator(x):
    d = {"a": x[0], "b": x[1]} | {"b": x[2], "c": x[3]}
    return d["a"] * d["b"] * d["c"]


@program(params)
def dict_comprehension(p, x):
    q = {k: v * 2 for k, v in p.items() if k != "scale"}
    return (q["W"] @ x + q["b"]).sum() * len(q) + p["scale"]


@program(lambda rng: ({"a": rng.normal(size=2), "b": rng.normal(size=2)},))
def gradient_step_on_dict(p):
    grads = {k: 2 * v for k, v in p.items()}
    new = {k: p[k] - 0.1 * grads[k] for k in p}
    return sum([(v**3).sum() for v in new.values()])


@program(lambda rng: ({"a": rng.normal(size=2), "b": rng.normal(size=2)},))
def items_sorted_by_key(p):
    s = 0.5
    for k, v in sorted(p.items(), reverse=True):
        s = np.tanh(s * v.sum()) + s
    return s


@program(lambda rng: ({"x": rng.normal(), "y": rng.normal()},))
def list_of_keys_and_values(p):
    keys = list(p.keys())
    values = list(p.values())
    return p[keys[0]] * values[1] + sum(values) ** 2


@program(vector)
def dict_with_tuple_and_integer_keys(x):
    arc = {(0, 1): x[0], (0, 2): x[1], (1, 2): x[2]}
    s = 0.0
    for (i, j), w in arc.items():
        s += w**2 * (i + 2 * j) * arc[(0, 1)]
    return s * x[3]


@program(lambda rng: (rng.normal(size=4), {0: [1, 2], 1: [2], 2: [3], 3: []}))
def adjacency_dict(x, neighbours):
    total = 0.0
    for node, others in neighbours.items():
        for other in others:
            total += x[node] * np.sin(x[other])
    return total


@program(params)
def dict_inside_branch(p, x):
    if x[0] > 0:
        d = {"h": p["W"] @ x}
    else:
        d = {"h": p["b"] * x[1], "extra": p["scale"]}
    return (d["h"] ** 2).sum() + d.get("extra", 0.0) * x[2]


@program(params)
def dict_inside_closure(p, x):
    def layer(name):
        return p[name].sum() * x[0]

    return layer("W") * layer("b") + p["scale"]


class Registry:
    def __init__(self):
        self.table = {}

    def put(self, name, value):
        self.table[name] = value

    def __getitem__(self, name):
        return self.table[name]

    def total(self):
        s = 0.0
        for name, value in self.table.items():
            s += value * len(name)
        return s


@program(vector, tags=WRITES)
def dict_inside_method(x):
    r = Registry()
    r.put("one", x[0] * x[1])
    r.put("three", x[2])
    r.put("one", r["one"] + x[3])
    return r.total() * r["three"]


@program(vector)
def dict_of_functions(x):
    ops = {"sin": np.sin, "square": lambda v: v * v, "neg": lambda v: -v}
    y = x
    for name in ["square", "sin", "neg"]:
        y = ops[name](y)
    return y.sum()


@program(vector, tags=TRICKY)
def dict_alias(x):
    d = {"a": x[0]}
    e = d
    e["a"] = x[1] * x[2]
    e["b"] = d["a"]
    return d["a"] * d["b"] + len(d) * x[3]


@program(vector, tags=TRICKY)
def dict_copy_is_shallow(x):
    d = {"a": x * 1.0, "s": x[0]}
    e = d.copy()
    e["s"] = x[1]
    e["a"][0] = x[2] ** 2
    return (d["a"] ** 2).sum() * d["s"] * e["s"]


@program(vector, tags=TRICKY)
def helper_writes_into_callers_dict(x):
    def forward(v, cache):
        cache["h"] = np.tanh(v)
        cache["out"] = cache["h"] ** 2

    cache = {}
    forward(x, cache)
    forward(cache["out"] + x, cache)
    return (cache["h"] * cache["out"]).sum()


@program(params, tags=["writes", "tricky", "arguments"])
def key_overwritten_in_argument(p, x):
    before = p["b"].sum()
    p["b"] = p["W"] @ x
    p["b"] += p["scale"]
    return before * (p["b"] ** 2).sum()


@program(lambda rng: (rng.normal(size=4), {0, 2}))
def set_membership_steers(x, keep):
    s = 0.0
    for i, v in enumerate(x):
        if i in keep:
            s += v * v
        else:
            s *= v
    return s


@program(vector, tags=WRITES)
def set_grows_in_loop(x):
    seen = set()
    s = 0.0
    for i in [0, 1, 0, 3, 1]:
        if i in seen:
            s = s * x[i]
            continue
        seen.add(i)
        s += x[i] ** 2
    return s * len(seen)


@program(vector)
def set_operations(x):
    a = {0, 1, 2}
    b = {i + 1 for i in range(3)}
    s = 0.0
    for i in sorted(a & b):
        s += x[i] ** 2
    for i in sorted(a ^ b):
        s *= x[i]
    return s + len(a | b)


@program(lambda rng: (rng.normal(size=4), [(0, 1), (0, 2), (1, 3), (2, 3)]))
def breadth_first_walk(x, edges):
    seen, queue, total = {0}, [(0, 1.0)], 0.0
    while queue:
        node, weight = queue.pop(0)
        total += weight * x[node]
        for a, b in edges:
            if a == node and b not in seen:
                seen.add(b)
                queue.append((b, weight * x[node]))
    return total
