"""Lists and tuples as people use them."""

import numpy as np
from corpus.registry import add, program

WRITES = ["writes"]
TRICKY = ["writes", "tricky"]


def vector(rng):
    return (rng.normal(size=4),)


def matrix(rng):
    return (rng.normal(size=(3, 4)),)


def matrix_and_vector(rng):
    return rng.normal(size=(3, 4)), rng.normal(size=4)


def floats(rng):
    return ([rng.normal() for _ in range(4)],)


@program(vector, tags=WRITES)
def append_in_loop_and_sum(x):
    squares = []
    for v in x:
        squares.append(v * v)
    return sum(squares) * squares[0]


@program(matrix_and_vector, tags=WRITES)
def append_arrays_and_stack(a, w):
    hs = []
    h = np.zeros(4)
    for row in a:
        h = np.tanh(h * w + row)
        hs.append(h)
    return (np.stack(hs) * a).sum()


@program(matrix, tags=WRITES)
def append_and_concatenate(a):
    parts = []
    for i, row in enumerate(a):
        parts.append(row[: i + 1] ** 2)
    flat = np.concatenate(parts)
    return (flat * np.arange(len(flat))).sum()


@program(vector, tags=WRITES)
def append_and_make_array(x):
    out = []
    for i in range(3):
        out.append([x[i], x[i + 1] ** 2])
    return np.array(out).prod(axis=1).sum()


@program(vector, tags=WRITES)
def append_in_branch(x):
    pos, neg = [], []
    for v in x:
        if v > 0:
            pos.append(v)
        else:
            neg.append(v * v)
    return sum(pos) + 2 * sum(neg) + len(pos) * x[0]


@program(vector, tags=WRITES)
def append_inside_closure(x):
    log = []

    def note(v):
        log.append(np.sin(v))
        return v * 2

    y = note(x[0]) * note(x[1])
    return y + log[0] * log[1]


class Recorder:
    def __init__(self):
        self.items = []

    def add(self, v):
        self.items.append(v)
        return self

    def total(self):
        return sum(self.items)


@program(vector, tags=WRITES)
def append_inside_method(x):
    r = Recorder()
    for v in x:
        r.add(v**2)
    r.add(x[0]).add(x[1] * x[2])
    return r.total() * r.items[-1]


@program(vector, tags=WRITES)
def append_in_while(x):
    seq = [x[0], x[1]]
    while len(seq) < 6:
        seq.append(0.5 * seq[-1] + seq[-2] * x[2])
    return seq[-1]


@program(vector, tags=WRITES)
def extend_and_insert(x):
    items = [x[0]]
    items.extend([x[1], x[2] * x[3]])
    items.insert(0, x[3])
    items.insert(-1, x[0] ** 2)
    total = 0.0
    for k, v in enumerate(items):
        total += (k + 1) * v * v
    return total


@program(matrix, tags=WRITES)
def extend_with_array_rows(a):
    items = []
    for row in a:
        items.extend(row[:2])
    return sum([v * k for k, v in enumerate(items)]) * items[0]


@program(vector, tags=WRITES)
def pop_from_end_and_front(x):
    items = [v * v for v in x]
    last = items.pop()
    first = items.pop(0)
    return last * first + sum(items)


@program(vector, tags=WRITES)
def list_as_stack(x):
    stack = [x[0], x[1], x[2], x[3]]
    while len(stack) > 1:
        b = stack.pop()
        a = stack.pop()
        stack.append(np.sin(a) * b + a)
    return stack[0]


@program(vector, tags=WRITES)
def list_as_queue(x):
    queue = [x[0], x[1], x[2]]
    out = 0.0
    for k in range(5):
        v = queue.pop(0)
        out += v * v
        queue.append(v * x[3])
    return out + sum(queue)


@program(floats, tags=WRITES)
def indexed_store(xs):
    ys = [0.0] * 4
    for i in range(4):
        ys[i] = xs[i] ** 2
        ys[i - 1] = ys[i - 1] + xs[i]
    return ys[0] * ys[1] + ys[2] * ys[3]


@program(floats, tags=["writes", "arguments"])
def store_into_list_argument(xs):
    xs[1] = xs[0] * xs[2]
    xs[0] += xs[1]
    return xs[0] * xs[1] * xs[3]


@program(vector, tags=WRITES)
def store_slice_of_list(x):
    items = [x[0], x[1], x[2], x[3]]
    items[1:3] = [x[3] ** 2, x[0] * x[1], 1.0]
    return sum([v * (i + 1) for i, v in enumerate(items)])


@program(floats)
def list_slices(xs):
    return sum(xs[1:]) * sum(xs[:2]) + sum(xs[::-2]) * xs[-1]


@program(floats)
def concatenation_and_multiplication(xs):
    ys = xs + [xs[0] * xs[1]] * 2
    zs = [xs[2]] * 3 + ys[-2:]
    return sum(ys) * sum(zs)


@program(vector)
def concatenation_in_loop(x):
    seq = []
    for v in x:
        seq = seq + [v * v + len(seq)]
    return np.array(seq) @ x


@program(vector, tags=WRITES)
def list_of_lists(x):
    table = [[0.0] * 2 for _ in range(2)]
    for i in range(2):
        for j in range(2):
            table[i][j] = x[i] * x[2 + j]
    table[0][1] += table[1][0]
    return table[0][0] * table[0][1] + table[1][1] ** 2


@program(matrix)
def list_of_lists_to_array(a):
    rows = [[a[i, j] * a[j, i] for j in range(3)] for i in range(3)]
    return np.linalg.norm(np.array(rows)) ** 2


@program(vector, tags=WRITES)
def dynamic_programming_table(x):
    n = 4
    best = [[0.0 for _ in range(n)] for _ in range(n)]
    for i in range(n):
        best[i][i] = x[i]
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            best[i][j] = np.logaddexp(best[i + 1][j], best[i][j - 1]) * x[i]
    return best[0][n - 1]


@program(floats)
def sum_with_start(xs):
    return sum(xs, 1.0) * sum([v * v for v in xs], xs[0])


@program(matrix)
def sum_of_list_of_arrays(a):
    return (sum([row**2 for row in a]) * a[0]).sum()


@program(floats)
def max_min_of_list(xs):
    return max(xs) * min(xs) + max(xs[0], xs[1]) ** 2 - min(xs[2], 10.0)


@program(floats)
def sorted_list(xs):
    s = sorted(xs)
    t = sorted(xs, reverse=True)
    return s[0] * t[1] + s[2] ** 2


@program(floats, tags=WRITES)
def sort_and_reverse_methods(xs):
    ys = [v * v for v in xs]
    ys.sort()
    zs = list(ys)
    zs.reverse()
    return sum([a * b * k for k, (a, b) in enumerate(zip(ys, zs))]) + zs[0]


@program(floats)
def list_copy_and_constructor(xs):
    a = list(xs)
    b = xs.copy()
    c = xs[:]
    a.append(xs[0] ** 2)
    return len(a) * b[1] + sum(a) * c[2]


@program(floats)
def list_of_zip_enumerate_range(xs):
    pairs = list(zip(xs, xs[1:]))
    numbered = list(enumerate(xs))
    order = list(range(3, -1, -1))
    return sum([a * b for a, b in pairs]) + numbered[2][1] * xs[order[0]]


@program(floats)
def tuple_operations(xs):
    t = tuple(xs)
    u = t[:2] + (t[2] * t[3],)
    a, b, c = u
    return a * b + c + len(u) * u[-1]


@program(vector)
def tuple_as_carried_state(x):
    state = (0.0, 1.0)
    for v in x:
        a, b = state
        state = (b * v, a + np.sin(v))
    return state[0] * state[1]


@program(vector)
def tuple_returned_and_indexed(x):
    def stats(v):
        return v.mean(), (v**2).mean()

    s = stats(x)
    m, q = stats(x * x)
    return s[0] * m + s[1] / (1 + q)


@program(floats)
def membership_and_index_of_constants(xs):
    names = ["a", "b", "c", "d"]
    total = 0.0
    for name in ["d", "b", "z"]:
        if name in names:
            total += xs[names.index(name)] ** 2
        if name not in names:
            total *= xs[0]
    return total


@program(lambda rng: ([rng.normal(size=2), rng.normal(size=3)], [rng.normal(), 2]))
def heterogeneous_lists(arrays, mixed):
    total = 0.0
    for a in arrays:
        total += (a ** mixed[1]).sum()
    return total * mixed[0]


@program(lambda rng: ([[rng.normal()], [], [rng.normal(), rng.normal()]],))
def ragged_lists(groups):
    total = 1.0
    for group in groups:
        part = 0.5
        for v in group:
            part += v * v
        total *= part
    return total


@program(lambda rng: ([rng.normal(size=(2, 3)), rng.normal(size=(1, 3))],))
def ragged_batches(batches):
    loss, count = 0.0, 0
    for batch in batches:
        for x in batch:
            loss += np.tanh(x).sum() ** 2
            count += 1
    return loss / count


@program(vector, tags=TRICKY)
def list_alias(x):
    a = [x[0], x[1]]
    b = a
    b.append(x[2])
    a[0] = x[3] ** 2
    return sum(b) * b[0]


@program(vector, tags=TRICKY)
def inner_list_alias(x):
    rows = [[x[0]]] * 2
    rows[0].append(x[1])
    rows[1][0] = x[2] * x[3]
    return sum(rows[0]) * rows[0][0] + len(rows[1]) * x[0]


@program(vector, tags=TRICKY)
def appended_list_is_changed_later(x):
    table = []
    row = [x[0]]
    table.append(row)
    row.append(x[1] * x[2])
    table.append([v * x[3] for v in row])
    return sum(table[0]) * sum(table[1])


@program(vector, tags=TRICKY)
def list_changed_while_indexed(x):
    items = [x[0], x[1], x[2], x[3]]
    i = 0
    while i < len(items):
        if items[i] < 0:
            items.pop(i)
        else:
            items[i] = items[i] ** 2
            i += 1
    return sum(items) + x.sum() ** 2


@program(vector, tags=TRICKY)
def list_grows_while_iterated(x):
    items = [x[0], x[1]]
    total = 0.0
    for v in items:
        total += v * v
        if len(items) < 5:
            items.append(v * x[len(items) % 4])
    return total


@program(vector, tags=TRICKY)
def helper_appends_to_callers_list(x):
    def collect(values, into):
        for v in values:
            into.append(v**2)

    found = []
    collect(x[:2], found)
    collect(x[2:], found)
    return found[0] * found[3] + sum(found)


@program(vector, tags=TRICKY)
def overwritten_element_was_used(x):
    items = [x[0], x[1]]
    y = items[0] * items[1]
    items[0] = y
    z = items[0] * items[1]
    items[1] = z * z
    return items[0] * items[1]


@program(vector, tags=TRICKY)
def empty_list_cases(x):
    nothing = []
    total = sum(nothing)
    for v in nothing:
        total += v
    return total + (x**2).sum() + len(nothing)


@program(vector, tags=TRICKY)
def list_truth_value_steers(x):
    todo = [x[0], x[1]]
    total = 0.0
    while todo:
        v = todo.pop()
        total = total * v + v
        if total > 1 and len(todo) == 1:
            todo.append(x[2])
    return total + x[3] ** 2


@program(vector, tags=TRICKY)
def list_element_replaced_by_other_type(x):
    items = [x[0], x]
    items[0] = items[1] * 2
    items[1] = items[0][3]
    return items[0].sum() * items[1]


def make_buffer(n):
    def delayed(x):
        line = [0.0] * n
        out = 0.0
        for v in x:
            line.append(v)
            out = out * 0.5 + line.pop(0) ** 2 + v
        return out

    return delayed


add("lists.delay_1", make_buffer(1), vector, tags=WRITES)
add("lists.delay_2", make_buffer(2), vector, tags=WRITES)


@program(lambda rng: (rng.permutation(5) + rng.uniform(0.2, 0.4, size=5),))
def items_removed_one_by_one(x):
    held = [v * v for v in x]
    total = 0.0
    while len(held) > 2:
        worst = max(held)
        held.remove(worst)
        total = 0.5 * total + worst * held[0]
    return total
