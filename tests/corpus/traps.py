"""Programs that catch a differentiating compiler rather than a Python interpreter."""

import numpy as np
from corpus.registry import add, program

TRICKY = ["tricky"]
WRITES = ["tricky", "writes"]


def vector(rng):
    return (rng.normal(size=4),)


def two_vectors(rng):
    return rng.normal(size=4), rng.normal(size=4)


def point(rng):
    return rng.normal(), rng.normal()


def matrix(rng):
    return (rng.normal(size=(3, 4)),)


@program(lambda rng: (rng.normal(),), tags=TRICKY)
def identity(x):
    return x


@program(point, tags=TRICKY)
def unused_argument(x, y):
    return x * x


@program(two_vectors, tags=TRICKY)
def gradients_would_alias_each_other(x, y):
    return (x + y).sum()


@program(two_vectors, tags=TRICKY)
def gradient_would_alias_the_argument(x, y):
    return x @ y


@program(vector, tags=TRICKY)
def argument_used_under_two_names(x):
    y = x
    z = y
    return (x * y * z).sum()


@program(vector, tags=TRICKY)
def same_array_passed_twice(x):
    f = lambda a, b: (a * np.sin(b)).sum()
    return f(x, x) + f(x, x * 2)


@program(point, tags=TRICKY)
def part_of_the_value_is_constant(x, y):
    a = x * 0
    b = y - y
    return x * y + a + b + 5


@program(point, tags=TRICKY)
def powers_zero_one_two(x, y):
    return x**0 + y**1 + x**2 + 2.0**y


@program(lambda rng: (0.0, rng.normal()), tags=TRICKY)
def derivative_at_zero(x, y):
    return x * x * y + np.sin(x) + x**3 + np.exp(x) * y


@program(lambda rng: (np.zeros(3), rng.normal(size=3)), tags=TRICKY)
def product_of_array_with_zeros(x, y):
    return np.prod(x + y) + (x * y).prod() + (x**2).sum() + x @ y


@program(vector, tags=TRICKY)
def detour_through_integers(x):
    n = int(np.round(np.abs(x).sum() * 0 + 3))
    k = int(x[0] > 100)
    return x[k] * n + float(n) * x[1] ** n


@program(vector, tags=TRICKY)
def dead_code_with_bad_derivative(x):
    unused = np.sqrt(x * 0.0)
    also = np.log(np.abs(x)) / x
    return (x * x).sum() if len(unused) and len(also) else 0.0


@program(vector, tags=TRICKY)
def dead_loop(x):
    y = x
    for _ in range(3):
        y = np.exp(y)
    return (x**3).sum()


@program(vector, tags=TRICKY)
def loop_state_becomes_active_late(x):
    s = 0.0
    k = 0
    for i in range(4):
        if i == 2:
            s = x[0]
        s = s * 2.0 + k
        k = k + 1
    return s * s


@program(vector, tags=TRICKY)
def loop_state_becomes_passive(x):
    s = x[0]
    t = 0.0
    for i in range(4):
        t = t + s * x[i]
        if i == 1:
            s = 3.0
    return t


@program(vector, tags=TRICKY)
def residuals_change_shape(x):
    y = x
    total = 0.0
    while len(y) > 0:
        total += np.prod(y)
        y = np.sin(y[:-1]) * y[1:]
    return total


@program(vector, tags=TRICKY)
def inner_trip_count_varies(x):
    total = 0.0
    for i in range(5):
        v = x[i % 4]
        for _ in range((i * 2) % 5):
            v = np.sin(v) + 0.1
        total += v * i
    return total


@program(vector, tags=TRICKY)
def different_branch_every_iteration(x):
    h = x
    for i in range(5):
        if i % 3 == 0:
            h = np.tanh(h)
        elif i % 3 == 1:
            w = h * h
            h = w + h[::-1]
        else:
            h = h / (1 + w)
    return h.sum()


@program(vector, tags=TRICKY)
def function_in_carried_state(x):
    f = np.sin
    s = x[0]
    for v in x:
        s = f(s) + v
        f = np.cos if s > 0 else (lambda u: u * v)
    return s


@program(vector, tags=TRICKY)
def closure_chain_in_carried_state(x):
    f = lambda u: u
    for v in x:
        f = (lambda g, w: lambda u: g(u) * w + u)(f, v)
    return f(x[0])


@program(vector, tags=TRICKY)
def containers_in_carried_state(x):
    state = {"sum": 0.0, "seen": []}
    for v in x:
        state = {"sum": state["sum"] * 0.5 + v * v, "seen": state["seen"] + [v]}
    return state["sum"] * state["seen"][2]


@program(vector, tags=TRICKY)
def optional_in_carried_state(x):
    previous = None
    total = 0.0
    for v in x:
        if previous is not None:
            total += v * previous
        previous = None if v > 1.0 else v
    return total + (x**2).sum()


@program(vector, tags=TRICKY)
def tuple_of_changing_kind_in_carried_state(x):
    node = ("leaf", x[0])
    for v in x[1:]:
        node = ("pair", node, v * v)
    total = 1.0
    while node[0] == "pair":
        total = total * 0.5 + node[2]
        node = node[1]
    return total * node[1]


@program(vector, tags=TRICKY)
def string_and_number_in_carried_state(x):
    mode, s = "add", 0.5
    for v in x:
        if mode == "add":
            s, mode = s + v * v, "mul"
        else:
            s, mode = s * v, "add"
    return s


@program(vector, tags=TRICKY)
def value_needed_only_by_shape(x):
    big = np.exp(x)
    y = np.ones_like(big) * x[0]
    return y.sum() + np.zeros(big.shape).sum() + big.size * x[1]


@program(vector, tags=TRICKY)
def name_reused_for_everything(x):
    x = x * x
    x = x.sum()
    x = [x, x * 2]
    x = {"v": x[0] * x[1]}
    x = x["v"]
    return x


@program(vector, tags=TRICKY)
def result_is_an_intermediate_overwritten_later(x):
    y = x.sum()
    result = y
    y = y * y
    z = y + result
    result = z * result
    return result


@program(vector, tags=WRITES)
def result_is_read_from_buffer_before_more_writes(x):
    y = x * x
    result = y[0] * y[1]
    y[0] = 0.0
    y += 5.0
    return result


@program(vector, tags=WRITES)
def returned_element_of_buffer(x):
    y = np.zeros(4)
    y[:] = x
    y[1:] *= y[:-1]
    return y[3]


@program(vector, tags=WRITES)
def buffer_kept_by_closure_returned_from_function(x):
    def make():
        data = x + 1.0

        def put(i, v):
            data[i] = v

        def get(i):
            return data[i] * data[i - 1]

        return put, get

    put, get = make()
    put(0, x[1] ** 2)
    before = get(1)
    put(1, before)
    return get(1) + get(2) * before


@program(vector, tags=WRITES)
def buffer_written_between_two_reads_in_one_expression(x):
    y = x * 1.0

    def bump():
        y[0] += 1.0
        return y[0]

    return y[0] * bump() + y[0] * bump()


@program(vector, tags=WRITES)
def order_of_evaluation_of_arguments(x):
    log = []

    def note(v):
        log.append(v)
        return v * len(log)

    f = lambda a, b, c: a * b - c
    return f(note(x[0]), note(x[1]), note(x[2])) + log[0] * log[2]


@program(vector, tags=WRITES)
def short_circuit_skips_a_write(x):
    y = x * 1.0

    def touch(i):
        y[i] *= 3.0
        return True

    if x[0] < 100 or touch(0):
        pass
    if x[0] < 100 and touch(1):
        pass
    return (y**2).sum()


@program(vector, tags=WRITES)
def buffer_copied_in_each_iteration(x):
    y = np.zeros(4)
    kept = []
    for i in range(4):
        y = y.copy()
        y[i] = x[i] * x[i - 1]
        kept.append(y)
    return sum([(k * x).sum() * (i + 1) for i, k in enumerate(kept)])


@program(matrix, tags=WRITES)
def buffer_rows_written_in_odd_order(a):
    b = np.zeros((3, 4))
    for i in [2, 0, 1, 0]:
        b[i] = a[i] * b[(i + 1) % 3] + a[i]
    return (b**2).sum()


@program(matrix, tags=WRITES)
def buffer_indexed_by_computed_position(a):
    b = np.zeros(4)
    for row in a:
        k = int(np.argmax(row))
        b[k] += row[k] ** 2
        b[k - 1] *= row[0]
    return b.sum() + (a**2).sum()


@program(vector, tags=WRITES)
def shadow_of_slice_cleared_only_where_written(x):
    y = x * x
    z = y.sum()
    y[1] = x[0]
    u = y.sum()
    y[1:3] = x[2]
    return z * u * y.sum()


@program(two_vectors, tags=WRITES)
def self_assignment(x, y):
    z = x * y
    z[:] = z
    z[0] = z[0]
    z[1:] = z[:-1] + 0.0
    return (z * x).sum()


@program(vector, tags=WRITES)
def in_place_on_result_of_reduction(x):
    m = x.reshape(2, 2).sum(axis=0)
    m *= m
    s = x.reshape(2, 2).max(axis=1)
    s += m
    return (s * m).sum()


@program(vector, tags=WRITES)
def in_place_on_broadcast_operand(x):
    y = np.ones((3, 4))
    y *= x
    y += x[:3, None]
    y[0] *= y[1]
    return (y**2).sum()


@program(vector, tags=WRITES)
def in_place_on_matmul_result(x):
    m = np.outer(x, x)
    v = m @ x
    v -= x
    v[v > 0] *= 2.0
    return v @ v


@program(point, tags=TRICKY)
def derivative_of_constant_branch_is_zero(x, y):
    if x > 1000:
        return 1.0
    z = 3.0 if y > 1000 else y
    return z * x


@program(point, tags=TRICKY)
def nested_conditional_with_shared_tail(x, y):
    z = x
    for _ in range(3):
        if z > 0:
            if y > 0:
                z = z - 0.7
                continue
            z = z * 0.5
        z = z + y * 0.3
    return z * z


@program(point, tags=TRICKY)
def inner_function_differentiates_by_hand(x, y):
    def slope(f, t, h=1e-2):
        return (f(t + h) - f(t - h)) / (2 * h)

    return slope(lambda t: x * slope(lambda u: u * t * t, y), x)


@program(point, tags=TRICKY)
def names_of_keywords_and_gradients(x, y):
    bx, by, dx, dy, d = x, y, x * y, x + y, 2.0
    saved, tape, pullback = bx * by, dx * dy, d
    return saved + tape * pullback


@program(vector, tags=TRICKY)
def long_straight_line(x):
    a, b, c, d = x
    e = a * b
    f = e + c
    g = np.sin(f) * d
    h = g * g - e
    i = h / (1 + f * f)
    j = i + g
    k = j * e
    l = k - h * i
    m = np.tanh(l) + j
    return m * f + k


@program(
    lambda rng: (rng.normal(size=(2, 2)), rng.normal(size=2), rng.normal()), tags=TRICKY
)
def mixed_kinds_of_arguments(m, v, s):
    return s * (v @ m @ v) + s**2 + m[0, 0]


@program(lambda rng: (3, rng.normal(size=3), "sum", [1, 0], True), tags=TRICKY)
def arguments_that_are_not_differentiable(n, x, how, order, flag):
    y = x[order] * n
    if flag and how == "sum":
        return (y**2).sum()
    return y[0]


@program(
    lambda rng: (
        {"w": [rng.normal(size=2), (rng.normal(), 4)], "n": 3, "name": "net"},
    ),
    tags=TRICKY,
)
def deeply_nested_argument(p):
    w, (scale, k) = p["w"]
    return (w * scale).sum() * p["n"] + w[0] ** k


@program(lambda rng: ([rng.normal(size=2)], [], ()), tags=TRICKY)
def empty_containers_as_arguments(xs, nothing, none):
    return sum([(x**2).sum() for x in xs]) + len(nothing) + sum(none)


def make_late(k):
    scale = 1.0

    def f(x):
        return x.sum() * scale * k

    scale = k + 1.0
    return f


add("traps.captured_cell_changed_before_the_call", make_late(2.0), vector, tags=TRICKY)


@program(
    lambda rng: (rng.normal(size=(3, 2)), np.array(1)),
    wrt=(0,),
    tags=[*TRICKY, "writes"],
)
def row_picked_by_an_array_without_axes(a, i):
    b = a.copy()
    row = b[i]
    row += 10.0 * a[0]
    return (b**2).sum() + row.prod() + b[: int(i)].sum()
