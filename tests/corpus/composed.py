"""Every construct in every surrounding: snippets of statements put into contexts.

A snippet reads the vector `x` (4,) and the matrix `a` (3, 4) and leaves a number in
`r`. A context is a function with a hole where the snippet goes. Each pair of them is
a program named `composed.<context>.<snippet>`, whose source stands in `linecache` just
as if it had been typed into a notebook.
"""

import functools
import linecache
import math
import textwrap

import numpy as np
from corpus.registry import add

CONTEXTS = {
    "alone": """
        def f(x, a):
            {snippet}
            return r
    """,
    "loop": """
        def f(x, a):
            total = 0.0
            for step in range(3):
                {snippet}
                total = total + r * (step + 1)
                x = x * 0.9 + 0.1 * np.sin(x)
            return total
    """,
    "while_loop": """
        def f(x, a):
            total, tries = 0.0, 0
            while True:
                tries += 1
                if tries == 2:
                    continue
                if tries > 3:
                    break
                {snippet}
                total += r * tries
                x = x * 0.9
            return total
    """,
    "branch": """
        def f(x, a):
            if x[0] > 0:
                {snippet}
                r = r * x[0]
            else:
                x = x * 1.5
                {snippet}
            return r * 2.0
    """,
    "branch_in_loop": """
        def f(x, a):
            total = 0.5
            for step in range(3):
                if step == 1 and x[1] > 0:
                    continue
                elif step < 2:
                    {snippet}
                    total = total * 0.5 + r
                    if total > 1e3:
                        return total
                else:
                    total = total * x[0] + x[1]
            return total
    """,
    "captured": """
        def f(x, a):
            def inner(scale):
                {snippet}
                return r * scale
            return inner(2.0) + inner(x[0])
    """,
    "helper": """
        def f(x, a):
            def helper(x, a):
                {snippet}
                return r
            return sum([helper(x * s, a) * s for s in (1.0, 0.7)])
    """,
    "method": """
        class Holder:
            def __init__(self, x, a):
                self.x = x
                self.a = a

            def run(self):
                x, a = self.x, self.a
                {snippet}
                self.last = r
                return r

        def f(x, a):
            holder = Holder(x, a)
            first = holder.run()
            holder.x = holder.x * 0.8
            return first * holder.last + holder.run()
    """,
    "recursion": """
        def f(x, a):
            def descend(n, x):
                if n == 0:
                    return x[0]
                {snippet}
                return r * 0.5 + descend(n - 1, x * 0.9)
            return descend(2, x)
    """,
    "try_block": """
        def f(x, a):
            r, done = 0.0, 0
            try:
                {snippet}
                {{}}["missing"]
                r = 100.0
            except KeyError:
                r = r * x[0] + r
            finally:
                done += 1
            return r * done
    """,
}

READING = {
    "if_else": """
        if x[1] > 0:
            r = x[0] * x[1]
        else:
            r = x[2] - x[3] ** 2
    """,
    "elif_chain": """
        if x[0] > 1:
            r = x[0]
        elif x[0] > 0:
            r = x[0] ** 2 * x[1]
        elif x[0] > -1:
            r = np.sin(x[0]) * x[2]
        else:
            r = x[3] * x[0]
    """,
    "ternary_and_boolean": """
        u = x[0] if x[1] > 0 and not x[2] > 1 else x[3] * 2
        r = u * (x[1] or 1.0)
    """,
    "chained_comparison": """
        r = x.sum() ** 2
        if -1 < x[0] < 1 < x[1] + 3:
            r = r * x[0]
    """,
    "for_range_step": """
        r = 1.0
        for i in range(3, -1, -2):
            r = r * x[i] + x[i - 1]
    """,
    "for_rows": """
        r = 0.0
        for row in a:
            r = np.tanh(r + row @ x)
    """,
    "for_zip_enumerate": """
        r = 0.0
        for i, (row, v) in enumerate(zip(a, x)):
            r += row[i] * v * (i + 1)
    """,
    "for_reversed": """
        r = 0.1
        for v in reversed(x):
            r = r * v + v
    """,
    "nested_for": """
        r = 0.0
        for i in range(3):
            for j in range(i + 1):
                r += a[i, j] * x[j] ** 2
    """,
    "while_data": """
        r = abs(x[0]) + 3.0
        while r > 1:
            r = r * 0.55 + 0.01 * x[1]
    """,
    "break": """
        r = 0.0
        for v in x:
            r += v * v
            if r > 1.0:
                break
    """,
    "continue": """
        r = 0.0
        for i, v in enumerate(x):
            if i == 1:
                continue
            r += v**2 * (i + 1)
    """,
    "loop_else": """
        r = 1.0
        for v in x:
            r = r * 0.5 + v * v
            if r > 1.5:
                break
        else:
            r = r * x[0] + 1
    """,
    "break_out_of_two_loops": """
        r, stop = 0.0, False
        for row in a:
            for v in row:
                r += v * v * x[0]
                if abs(r) > 1:
                    stop = True
                    break
            if stop:
                break
        r = r + x[1] ** 2
    """,
    "unpacking": """
        (p, q), *rest = (x[0], x[1]), x[2], x[3]
        p, q = q * p, p
        r = p * q + rest[0] * rest[-1]
    """,
    "augmented_scalars": """
        r = x[0]
        r += x[1]
        r *= x[2]
        r -= x[3]
        r /= 2 + x[0] ** 2
        r **= 2
    """,
    "slices": """
        r = (x[1:] * x[:-1]).sum() + (a[::2, -2:] ** 2).sum() * x[-1]
    """,
    "masks": """
        m = x > 0
        r = (x[m] ** 2).sum() + x[~m].sum() + (a[a > 0] ** 2).sum() * x[0]
    """,
    "integer_arrays": """
        r = (x[[0, 2, 2]] * x[[1, 1, 3]]).sum() + (a[[0, 2], [1, 1]] * x[:2]).prod()
    """,
    "ellipsis_newaxis": """
        r = (x[:, None] * x[None, :] * a[..., 0][:1]).sum() + a[..., 1] @ x[:3]
    """,
    "list_append": """
        items = []
        for v in x:
            items.append(v * v)
        r = sum(items) * items[0]
    """,
    "list_stack_and_queue": """
        items = [x[0], x[1]]
        items.insert(0, x[2] * x[3])
        items.extend([x[1], x[0]])
        r = items.pop() * items.pop(0) + sum(items)
    """,
    "list_of_arrays": """
        rows = [row * x for row in a]
        rows[1] = rows[0] * rows[2]
        r = np.stack(rows).sum() + len(rows)
    """,
    "list_slices_and_sums": """
        items = [x[0], x[1]] * 2 + [x[2]]
        r = sum(items[1:]) * items[-1] + sum(items[::2], x[3])
    """,
    "dict_stores": """
        d = {"p": x[0]}
        d["q"] = d["p"] * x[1]
        d["p"] += x[2]
        r = d["p"] * d["q"] + d.get("z", x[3])
    """,
    "dict_iteration": """
        d = {"one": x[0], "three": x[1] * x[2]}
        d.update(two=x[3])
        r = 1.0
        for key, value in d.items():
            r = r * 0.5 + value * len(key)
    """,
    "set_steers": """
        seen, r = set(), 0.0
        for i in [0, 2, 0, 3]:
            r = r * x[i] if i in seen else r + x[i]
            seen.add(i)
    """,
    "comprehensions": """
        squares = {i: v * v for i, v in enumerate(x) if i != 1}
        r = sum(v for v in squares.values()) * sum([u * v for u in x for v in a[:, 0]])
    """,
    "lambda_call": """
        f1 = lambda u, scale=2.0: u * scale + x[0]
        r = f1(x[1]) * f1(x[2], scale=x[3])
    """,
    "closure_with_late_binding": """
        gain = x[0]
        amplify = lambda u: u * gain
        r = amplify(x[1])
        gain = gain * x[2]
        r = r * amplify(x[3]) + gain
    """,
    "nested_def_with_loop": """
        def norm(v):
            s = 0.0
            for u in v:
                s += u * u
            return np.sqrt(s)
        r = norm(x) * norm(x[1:]) + norm(a[0])
    """,
    "higher_order": """
        r = sum(map(lambda u: u * x[0], x))
        r += functools.reduce(lambda p, q: p * q + p, x)
        r += max(x, key=lambda u: -u) * sorted(x, key=lambda u: u)[1]
    """,
    "partial_and_star_arguments": """
        def mix(u, *rest, scale=1.0, **more):
            return u * sum(rest) * scale + sum(more.values())
        half = functools.partial(mix, scale=0.5)
        r = mix(*x) + half(x[0], x[1], extra=x[2] * x[3])
    """,
    "recursive_def": """
        def go(i):
            return 1.0 if i == 4 else x[i] * go(i + 1) + np.cos(x[i])
        r = go(0)
    """,
    "early_return_in_callee": """
        def first_large(values, limit):
            for v in values:
                if v > limit:
                    return v * v
            return limit * values[0]
        r = first_large(x, 0.5) + first_large(x, 10.0)
    """,
    "f_string_and_assert": """
        label = f"{x[0]:.1f}/{len(x)}"
        assert label.endswith("4"), label
        r = x[0] * x[1] + x[2]
    """,
    "try_taken": """
        try:
            r = x[0] * x[1]
            r = r * x[7]
        except IndexError:
            r = r + x[2]
        else:
            r = 0.0
        finally:
            r = r * x[3]
    """,
    "exception_from_callee": """
        def root(u):
            if u < 0:
                raise ValueError("negative")
            return math.sqrt(1 + u)
        r = 0.0
        for v in x:
            try:
                r += root(v)
            except ValueError:
                r += v * v
    """,
    "walrus": """
        r = (s := x[0] * x[1]) * s
        if (t := x[2] + s) > 0:
            r += t * x[3]
    """,
    "array_methods": """
        b = a.T.reshape(3, 4) * a.mean(axis=1, keepdims=True)
        r = b.sum(axis=0).dot(x) + a.copy().ravel().max() * x.prod() + x.std()
    """,
    "products": """
        r = (a @ x) @ (a @ x) + np.einsum("ij,j->", a, x) + np.outer(x, x)[0, 1]
    """,
    "linear_algebra": """
        s = a @ a.T + 2 * np.eye(3)
        r = np.linalg.solve(s, a @ x).sum() + np.log(np.linalg.det(s))
        r += np.linalg.norm(x)
    """,
    "where_clip_sort": """
        r = np.where(x > 0, x, x**2).sum() + np.clip(x, -1.0, 1.0).sum() * x[0]
        r += np.sort(x)[0] * np.maximum(x, a[0]).sum() + np.cumsum(x)[2]
    """,
    "complex_numbers": """
        z = np.exp(1j * x[0]) * (x[1] + 2j)
        r = z.real * z.imag + abs(z) ** 2
    """,
    "class_with_operators": """
        class Pair:
            def __init__(self, u, v):
                self.u, self.v = u, v
            def __add__(self, other):
                return Pair(self.u + other.u, self.v * other.v)
            def __call__(self, t):
                return self.u * t + self.v
        r = (Pair(x[0], x[1]) + Pair(x[2], x[3]))(x[0])
    """,
    "undefined_on_other_path": """
        r = x[0] * x[1]
        if x[2] > 0:
            bonus = x[3] ** 2
        if x[2] > 0:
            r = r + bonus
    """,
    "loop_variable_afterwards": """
        r = 0.0
        for i, v in enumerate(x[1:]):
            r = r * 0.5 + v
        r = r * v + i * x[0]
    """,
    "type_changes": """
        r = 0
        item = None
        for v in x:
            item = v if item is None else item * v + v
            r = r + item
    """,
}

WRITING = {
    "store_element": """
        y = np.zeros(4)
        for i in range(4):
            y[i] = x[i] ** 2 + y[i - 1]
        r = (y * x).sum()
    """,
    "store_slice_and_mask": """
        y = x * 1.0
        y[1:3] = x[:2] * x[3]
        y[x > 0] *= 2.0
        r = (y**2).sum()
    """,
    "store_row": """
        b = a * 1.0
        b[0, :] *= x
        b[:, 1] = x[:3] ** 2
        b[-1] += b[0]
        r = (b**2).sum()
    """,
    "augmented_array": """
        y = x * x
        z = y
        y += x
        y *= y
        r = (z * x).sum()
    """,
    "overwritten_operand": """
        y = x * 1.0
        z = np.sin(y) * y
        y[:] = z * x
        y[0] = 3.0
        r = (y * z).sum()
    """,
    "row_view": """
        b = a * 1.0
        row = b[1]
        row += x
        row[0] = x[1] * x[2]
        r = (b**2).sum()
    """,
    "transpose_and_reshape_views": """
        b = a * 1.0
        b.T[1] *= x[:3]
        b.reshape(-1)[::5] = x[0]
        r = (b**2).sum()
    """,
    "conditional_alias": """
        y, z = x * 1.0, x * x
        target = y if x[2] > 0 else z
        target[0] = x[1] * x[3]
        target *= 2.0
        r = (y * z).sum()
    """,
    "swapped_buffers": """
        old, new = x * 1.0, np.zeros(4)
        for _ in range(3):
            new[1:] = np.sin(old[:-1])
            new[0] = old[3] * x[0]
            old, new = new, old
        r = old @ new + old.sum()
    """,
    "callee_writes_argument": """
        def fill(out, values):
            for i in range(len(out)):
                out[i] += values[i] ** 2
        b = a * 1.0
        fill(b[0], x)
        fill(b[:, 1], x)
        r = (b**2).sum()
    """,
    "array_in_list": """
        y = x * 1.0
        held = [y, x * x]
        held[0][1] = x[0] * x[2]
        held[1] += y
        y[0] *= x[3]
        r = (held[0] * held[1]).sum()
    """,
    "array_in_dict": """
        d = {"h": np.zeros(4)}
        for i, v in enumerate(x):
            d["h"][i] = v * d["h"].sum() + v
        r = (d["h"] ** 2).sum()
    """,
    "rows_written_by_loop": """
        b = a * 1.0
        for row in b:
            row -= row.mean()
            row[0] = row[1] * x[0]
        r = (b**2).sum()
    """,
    "add_at": """
        y = np.zeros(3)
        np.add.at(y, np.array([0, 2, 0, 1]), x * x)
        r = (y**2).sum()
    """,
    "out_argument": """
        y = np.empty(4)
        np.multiply(x, x, out=y)
        np.tanh(y, out=y)
        y.sort()
        r = (y * np.arange(4.0)).sum()
    """,
    "attributes": """
        class State:
            def __init__(self):
                self.h = 0.0
                self.log = []
            def step(self, v):
                self.h = np.tanh(self.h + v)
                self.log.append(self.h)
        state = State()
        for v in x:
            state.step(v)
        state.h *= 2.0
        r = state.h * sum(state.log)
    """,
    "nonlocal": """
        count, level = 0, x[0]
        def push(v):
            nonlocal count, level
            count += 1
            level = level * 0.5 + v * v
        for v in x:
            push(v)
        r = level * count
    """,
    "closure_writes_buffer": """
        y = x * 1.0
        def damp(rate):
            y[1:] *= rate
            return y.sum()
        r = damp(x[0]) * damp(x[1]) + y[2]
    """,
}


def compose(context: str, snippet: str) -> str:
    """The source of a context with the snippet in its hole."""
    lines = []
    for line in textwrap.dedent(context).strip("\n").splitlines():
        if line.strip() == "{snippet}":
            hole = line[: line.index("{")]
            body = textwrap.dedent(snippet).strip("\n")
            lines.append(textwrap.indent(body, hole))
        else:
            lines.append(line.replace("{{", "{").replace("}}", "}"))
    return "\n".join(lines) + "\n"


def define(name: str, source: str):
    """The function `f` of a source text that `inspect` can find again."""
    filename = f"<{name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace = {"np": np, "math": math, "functools": functools, "__name__": __name__}
    exec(compile(source, filename, "exec"), namespace)
    return namespace["f"]


def sampler(rng):
    return rng.normal(size=4), rng.normal(size=(3, 4))


for _context, _template in CONTEXTS.items():
    for _snippets, _tags in (
        (READING, ["composed"]),
        (WRITING, ["composed", "writes"]),
    ):
        for _snippet, _body in _snippets.items():
            _name = f"composed.{_context}.{_snippet}"
            add(_name, define(_name, compose(_template, _body)), sampler, tags=_tags)
