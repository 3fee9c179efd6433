"""Functions that call themselves."""

import numpy as np
from corpus.registry import add, program


def vector(rng):
    return (rng.normal(size=4),)


def scalar(rng):
    return (rng.normal(),)


def factorial_like(x, n):
    if n == 0:
        return 1.0
    return (x + n) * factorial_like(x, n - 1)


@program(scalar)
def call_factorial_like(x):
    return factorial_like(x, 4)


@program(lambda rng: (rng.normal(), 5))
def power(x, n):
    if n == 0:
        return 1.0
    if n % 2 == 1:
        return x * power(x, n - 1)
    half = power(x, n // 2)
    return half * half


@program(lambda rng: (rng.normal(), rng.normal(), 5))
def fibonacci(a, b, n):
    if n == 0:
        return a
    if n == 1:
        return b
    return fibonacci(a, b, n - 1) + 0.5 * a * fibonacci(a, b, n - 2)


def grown(x, n):
    if n == 0:
        return x
    found = grown(np.sin(x), n - 1)
    for k in range(2):
        found = found + (found * x if k else grown(x, n - 1))
    return found


@program(vector)
def loop_over_what_a_call_returned(x):
    return np.sum(grown(x, 2))


@program(lambda rng: (rng.normal(size=4), 0.5))
def recursion_over_slices(x, acc):
    if len(x) == 0:
        return acc
    return recursion_over_slices(x[1:], acc * 0.5 + x[0] ** 2)


@program(vector)
def divide_and_conquer_sum(x):
    if len(x) == 1:
        return np.sin(x[0])
    mid = len(x) // 2
    return divide_and_conquer_sum(x[:mid]) * 2 + divide_and_conquer_sum(x[mid:])


@program(lambda rng: (rng.uniform(3, 6),))
def data_dependent_depth(x):
    if x < 1:
        return x * x
    return x * data_dependent_depth(x * 0.6)


@program(lambda rng: (rng.normal(), rng.uniform(2.5, 3.5)))
def ternary_recursion(x, y):
    return x * y if y < 1 else np.sin(x + ternary_recursion(x, y - 1))


def is_even(x, n):
    return x * x if n == 0 else is_odd(x, n - 1)


def is_odd(x, n):
    return np.sin(x) if n == 0 else x * is_even(x, n - 1)


@program(scalar)
def mutual_recursion(x):
    return is_even(x, 4) + is_odd(x, 4) * is_even(x, 3)


@program(scalar)
def mutual_recursion_of_closures(x):
    def grow(v, n):
        return v if n == 0 else shrink(v * x, n - 1)

    def shrink(v, n):
        return v * v if n == 0 else grow(np.tanh(v), n - 1)

    return grow(x, 3) + shrink(2.0, 2)


def tree():
    leaf = lambda rng: rng.normal()
    return lambda rng: (((leaf(rng), leaf(rng)), (leaf(rng), (leaf(rng), leaf(rng)))),)


@program(tree())
def nested_tuple_sum(t):
    if isinstance(t, tuple):
        left, right = t
        return np.tanh(nested_tuple_sum(left) * 0.5 + nested_tuple_sum(right))
    return t * t


@program(
    lambda rng: ([rng.normal(), [rng.normal(), [rng.normal()]], [], rng.normal()],)
)
def nested_list_sum(items):
    total = 0.5
    for item in items:
        if isinstance(item, list):
            total *= 1 + nested_list_sum(item)
        else:
            total += item**2
    return total


@program(lambda rng: ({"a": rng.normal(), "b": {"c": rng.normal(size=2), "d": {}}},))
def nested_dict_norm(p):
    total = 0.0
    for value in p.values():
        if isinstance(value, dict):
            total = total + nested_dict_norm(value)
        else:
            total = total + np.sum(value**2)
    return total


class Node:
    def __init__(self, value, left=None, right=None):
        self.value = value
        self.left = left
        self.right = right

    def depth_sum(self, depth=1):
        total = self.value * depth
        if self.left is not None:
            total += self.left.depth_sum(depth + 1) ** 2
        if self.right is not None:
            total += self.right.depth_sum(depth + 1)
        return total


def build(values):
    if len(values) == 0:
        return None
    mid = len(values) // 2
    return Node(values[mid], build(values[:mid]), build(values[mid + 1 :]))


def fold(node):
    if node is None:
        return 0.1
    return np.sin(node.value) * fold(node.left) + fold(node.right) + node.value


@program(vector)
def tree_of_objects(x):
    return fold(build(x))


@program(vector)
def tree_recursion_in_method(x):
    return build(x).depth_sum()


@program(
    lambda rng: (Node(rng.normal(), Node(rng.normal()), Node(rng.normal())),),
    tags=["object"],
)
def tree_as_argument(root):
    return fold(root) * root.left.value


@program(lambda rng: (rng.normal(size=(2, 4)), rng.normal(size=(3, 2))))
def recursive_composition_of_words(w, words):
    def encode(t):
        if isinstance(t, int):
            return words[t]
        left, right = t
        return np.tanh(w @ np.concatenate([encode(left), encode(right)]))

    return encode(((0, 1), (2, 0))).sum()


@program(vector)
def recursive_closure(x):
    def walk(i):
        if i >= len(x):
            return 1.0
        return x[i] * walk(i + 1) + np.cos(x[i])

    return walk(0)


@program(vector)
def recursive_closure_with_accumulator(x):
    def walk(i, acc):
        if i == len(x):
            return acc
        return walk(i + 1, acc * 0.3 + x[i] ** 2)

    return walk(0, x[1])


@program(vector)
def recursion_with_tuple_accumulator(x):
    def walk(values, state):
        if len(values) == 0:
            return state
        a, b = state
        return walk(values[1:], (b * values[0], a + b))

    p, q = walk(x, (1.0, x[0]))
    return p * q


@program(vector, tags=["writes"])
def recursion_writing_into_array(x):
    out = np.zeros(4)

    def fill(i):
        if i == 4:
            return
        out[i] = x[i] ** 2 + out[i - 1]
        fill(i + 1)
        out[i] *= x[0]

    fill(0)
    return (out * x).sum()


def scan_in_place(a, start):
    if start < len(a):
        a[start] += a[start - 1] ** 2
        scan_in_place(a, start + 1)


@program(vector, tags=["writes"])
def recursive_helper_writes_argument(x):
    y = x * 0.5
    scan_in_place(y, 1)
    return y.sum()


@program(vector, tags=["writes"])
def recursion_collecting_into_list(x):
    found = []

    def visit(lo, hi):
        if hi - lo == 1:
            found.append(x[lo])
            return
        mid = (lo + hi) // 2
        visit(mid, hi)
        visit(lo, mid)

    visit(0, 4)
    return sum([v**2 * (k + 1) for k, v in enumerate(found)])


@program(vector)
def merge_sort(x):
    def sort(items):
        if len(items) <= 1:
            return items
        mid = len(items) // 2
        a, b = sort(items[:mid]), sort(items[mid:])
        if a[0] > b[0]:
            a, b = b, a
        return [a[0]] + sort(a[1:] + b)

    s = sort(list(x))
    return s[0] * s[3] + s[1] ** 2


@program(vector)
def quicksort(x):
    def sort(items):
        if len(items) <= 1:
            return items
        pivot = items[0]
        low = [v for v in items[1:] if v < pivot]
        high = [v for v in items[1:] if v >= pivot]
        return sort(low) + [pivot] + sort(high)

    s = sort([v for v in x])
    return sum([v**2 * k for k, v in enumerate(s)])


@program(vector, tags=["writes"])
def memoised_recursion_with_dict(x):
    memo = {}

    def f(n):
        if n < 2:
            return x[n]
        if n not in memo:
            memo[n] = f(n - 1) * x[2] + f(n - 2) * x[3]
        return memo[n]

    return f(5) + f(4)


@program(lambda rng: (rng.normal(size=(3, 3)),))
def determinant_by_minors(a):
    if a.shape[0] == 1:
        return a[0, 0]
    total = 0.0
    for j in range(a.shape[1]):
        minor = np.concatenate([a[1:, :j], a[1:, j + 1 :]], axis=1)
        total += (-1) ** j * a[0, j] * determinant_by_minors(minor)
    return total


@program(lambda rng: (rng.normal(size=3), 2))
def binary_tree_of_calls(x, depth):
    if depth == 0:
        return np.sum(x**2)
    return binary_tree_of_calls(x * 0.5, depth - 1) * binary_tree_of_calls(
        np.sin(x), depth - 1
    )


@program(lambda rng: (rng.normal(), 3))
def ackermann_shaped(x, n):
    def a(m, k, v):
        if m == 0:
            return np.sin(v) + k * x
        if k == 0:
            return a(m - 1, 1, v * 0.5)
        return a(m - 1, k - 1, a(m, k - 1, v))

    return a(1, n, x)


@program(lambda rng: (rng.normal(size=3), rng.normal(size=3)))
def recursion_returns_pair(x, y):
    def both(i):
        if i == 3:
            return 1.0, 0.5
        p, q = both(i + 1)
        return x[i] * q, y[i] + p

    p, q = both(0)
    return p * q


@program(vector)
def recursion_inside_loop(x):
    s = 0.0
    for n, v in enumerate(x):
        s += power(v, n) * v
    return s


@program(vector)
def loop_inside_recursion(x):
    def f(n):
        s = 0.0
        for i in range(n):
            s += x[i] * f(i)
        return s + x[n]

    return f(3)


@program(vector)
def recursion_with_early_exit(x):
    def find(i):
        for j in range(i, len(x)):
            if x[j] > 0.5:
                return x[j] ** 2
            if j == i + 1:
                return find(j) * x[i]
        return x[0]

    return find(0)


@program(scalar)
def recursive_lambda(x):
    f = lambda v, n: v if n == 0 else np.sin(f(v * x, n - 1)) + x
    return f(x, 3)


@program(scalar)
def fixed_point_combinator(x):
    fix = lambda f: lambda n: f(fix(f), n)
    body = lambda rec, n: x if n == 0 else rec(n - 1) * x + n
    return fix(body)(3)


@program(vector)
def continuation_passing(x):
    def total(i, k):
        if i == len(x):
            return k(0.5)
        return total(i + 1, lambda s: k(s * x[i] + x[i] ** 2))

    return total(0, lambda s: s * 2.0)


@program(vector, tags=["tricky"])
def recursion_with_default_that_is_captured(x):
    def f(n, scale=x[0]):
        if n == 0:
            return scale
        return f(n - 1) * scale + f(n - 1, x[n])

    return f(2)


@program(vector, tags=["tricky"])
def recursion_shadows_its_own_parameter(x):
    def f(x, n):
        x = x * 2.0
        if n:
            x = x + f(np.sin(x), n - 1)
        return x

    return f(x[0], 2) * f(x[1], 0)


@program(vector, tags=["tricky", "writes"])
def backtracking(x):
    total = 0.0
    chosen = []

    def extend(start):
        nonlocal total
        if len(chosen) == 2:
            total += x[chosen[0]] * x[chosen[1]] * (chosen[0] + 1)
            return
        for i in range(start, 4):
            chosen.append(i)
            extend(i + 1)
            chosen.pop()

    extend(0)
    return total


def make_tower(height):
    def tower(x):
        def level(n):
            return x if n == 0 else np.exp(-(level(n - 1) ** 2)) + 0.1 * x

        return level(height)

    return tower


add("recursion.tower_0", make_tower(0), scalar)
add("recursion.tower_3", make_tower(3), scalar)
