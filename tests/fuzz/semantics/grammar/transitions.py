"""Numbers and arrays that begin as one type and become another, in short loops.

These programs are written whole, and are what people write: a total, a mean, a vector
that is scaled. What is random is where each begins, how it goes on, and how often.
"""

from __future__ import annotations

import random

from fuzz.semantics.writer import whole

BEGINNINGS = (
    *("0", "0.0", "1", "True", "np.float32(0)", "np.float64(1)", "np.int8(1)", "None"),
    *("np.arange(3)", "np.zeros(3)", "np.zeros(3, np.float32)", "np.ones(3, int)"),
    *("np.array(0)", "np.array(0.5)", "np.ones(3, bool)", "np.zeros((2, 3))"),
    *("x", "x * 2", "y", "n", "[]", "[0, 1.5]"),
)
STEPS = (
    *("a + x", "a * x", "a + x * y", "a - 1", "a * 1.5", "a / 2", "-a", "a * a"),
    *("np.sin(a)", "a + np.float32(1)", "np.maximum(a, x)", "a + k", "abs(a)"),
    *("x if k else a", "a * np.float64(0.5)", "a + np.arange(3)", "np.asarray(a)"),
    *("np.where(y > 0, a, x)", "a + np.sum(y)", "a // 2", "a % 2", "a + True"),
    *("np.add(a, k)", "a * y[k]", "y[k]", "max(k, 0.5)", "np.float32(0.5) * a"),
    *("np.cumsum(a * np.ones(3))", "a[::-1] if np.ndim(a) else a", "np.full(3, k)"),
    *("(a + 1).astype(np.float32) if np.ndim(a) else a", "round(x) if k else 2"),
    *("a + [k]", "[v + 1 for v in a]", "k / 2 or a", "min(a, x)", "int(k) ** 2"),
)
UPDATES = ("a += x", "a -= 1", "a *= 0.5", "a += k", "a /= 2", "a += y", "a **= 2")
OTHERS = ("b = b + a", "b = b + x", "b = b + np.sum(a)", "b = a", "b = max(b, k)")
EXITS = (
    ("if k == 1:", "continue"),
    ("if k == 2:", "break"),
    ("if np.sum(a) > 2:", "break"),
    ("if n > 1:", "a = b"),
)
XS = (
    *("0.5", "np.float64(0.5)", "np.float32(0.5)", "2", "-1.5"),
    *('laid("C", "float64", (3,), 5)', 'laid("C", "float32", (3,), 5)'),
    'laid("F", "float64", (2, 3), 5)',
)
YS = (
    *('laid("C", "float64", (3,), 7)', 'laid("reversed", "float64", (3,), 7)'),
    *('laid("C", "float32", (3,), 7)', 'laid("C", "int64", (3,), 7)'),
)
RESULTS = ("np.sum(a)", "a", "(a, b)", "[a, b * 2]", "a * 2 + b", "{'a': a, 'b': [b]}")


def _statement(rng: random.Random) -> list[str]:
    pick = rng.randrange(20)
    if pick < 11:
        return [f"{rng.choice('aab')} = {rng.choice(STEPS)}"]
    if pick < 14:
        return [rng.choice(UPDATES)]
    if pick < 17:
        return [rng.choice(OTHERS)]
    head, inner = rng.choice(EXITS)
    return [head, f"    {inner}"]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


@whole("transitions")
def transitions(rng: random.Random) -> str:
    """A function with a loop over numbers or arrays that change their types."""
    lines = [f"a = {rng.choice(BEGINNINGS)}", f"b = {rng.choice(BEGINNINGS)}"]
    if rng.random() < 0.3:
        lines += ["if n > 1:", f"    a = {rng.choice(BEGINNINGS)}"]
    body = [line for _ in range(rng.randint(1, 3)) for line in _statement(rng)]
    loop = [rng.choice(["for k in range(n):", "for k in range(n):", "for k in y[:n]:"])]
    if loop == ["for k in y[:n]:"]:
        body = [line.replace("y[k]", "k") for line in body]
    loop += _indented(body)
    if rng.random() < 0.3:
        loop = ["for j in range(2):", *_indented(loop)]
    if rng.random() < 0.15:
        loop = ["try:", *_indented(loop), "except TypeError:", "    b = a"]
    lines += [*loop, f"return {rng.choice(RESULTS)}"]
    given = rng.choice(XS), rng.choice(YS), rng.choice([0, 1, 2, 3])
    return "\n".join(
        [
            *("def program(x, y, n):", *_indented(lines), "", ""),
            *("def arguments():", f"    x = {given[0]}", f"    y = {given[1]}"),
            *(f"    n = {given[2]}", "    return x, y, n", ""),
        ]
    )
