"""Writing through views and second names."""

import numpy as np
from corpus.registry import add, program

WRITES = ["writes"]
TRICKY = ["writes", "tricky"]
ARGUMENTS = ["writes", "tricky", "arguments"]


def vector(rng):
    return (rng.normal(size=4),)


def two_vectors(rng):
    return rng.normal(size=4), rng.normal(size=4)


def matrix(rng):
    return (rng.normal(size=(3, 4)),)


def square(rng):
    return (rng.normal(size=(3, 3)),)


def matrix_and_vector(rng):
    return rng.normal(size=(3, 4)), rng.normal(size=4)


@program(matrix_and_vector, tags=TRICKY)
def write_through_row_view(a, w):
    b = a * 1.0
    row = b[1]
    row += w
    row[0] = w[1] * w[2]
    return (b**2).sum()


@program(matrix, tags=TRICKY)
def write_through_column_view(a):
    b = a * a
    col = b[:, 2]
    col *= a[:, 0]
    col[1:] -= col[:-1]
    return (b**2).sum()


@program(matrix, tags=TRICKY)
def write_through_transpose(a):
    b = a * 1.0
    t = b.T
    t[0] = a[0, 1] ** 2
    t[1:3, 1] *= a[2, :2]
    return (b**2).sum()


@program(matrix, tags=TRICKY)
def write_through_reshape(a):
    b = a * 1.0
    flat = b.reshape(-1)
    flat[5] = a[0, 0] * a[2, 3]
    flat[::4] *= 2.0
    return (b**3).sum()


@program(matrix, tags=TRICKY)
def write_through_ravel(a):
    b = a * 1.0
    v = b.ravel()
    for i in range(1, len(v)):
        v[i] += 0.1 * v[i - 1] ** 2
    return (b**2).sum()


@program(matrix, tags=TRICKY)
def reshape_of_transpose_is_a_copy(a):
    b = a * 1.0
    c = b.T.reshape(-1)
    c[0] = 100.0
    c *= a.ravel()
    return (b**2).sum() + c[1:].sum()


@program(matrix, tags=TRICKY)
def flatten_is_a_copy(a):
    b = a * 1.0
    c = b.flatten()
    c *= c
    b[0] = c[:4] * b[1]
    return b.sum() + c.sum()


@program(vector, tags=TRICKY)
def write_through_slice_of_slice(x):
    y = x * 1.0
    inner = y[1:][::2][:1]
    inner[0] = x[0] * x[3]
    inner += x[2]
    return (y**2).sum()


@program(vector, tags=TRICKY)
def write_through_reversed_view(x):
    y = x * 1.0
    r = y[::-1]
    r[0] = x[0] * x[1]
    r[1:] *= r[:-1]
    return (y**2).sum()


@program(matrix, tags=TRICKY)
def write_through_newaxis_and_squeeze(a):
    b = a * 1.0
    wide = b[:, None, :]
    wide[0, 0] *= a[1]
    thin = wide.squeeze(1)
    thin[2, 3] = a[0, 0] ** 2
    return np.sin(b).sum()


@program(matrix, tags=TRICKY)
def write_through_swapaxes_and_diagonal_view(a):
    b = a * 1.0
    s = np.swapaxes(b, 0, 1)
    s[3] += s[0]
    m = b[:, :3]
    m.reshape(-1)[:] = 0.0
    np.einsum("ii->i", m)[:] = a[0, :3]
    return (b**2).sum()


@program(matrix, tags=TRICKY)
def read_view_after_base_is_written(a):
    b = a * 1.0
    row = b[0]
    b[0, 1] = a[2, 2] ** 2
    b *= 2
    return (row * a[1]).sum()


@program(matrix, tags=TRICKY)
def view_taken_before_and_after(a):
    b = a * 1.0
    before = b[1:]
    s = (before**2).sum()
    b[1:] *= a[0]
    after = b[1:]
    return s + (before * after).sum()


@program(vector, tags=TRICKY)
def name_alias(x):
    y = x * 1.0
    z = y
    z[0] = x[1] * x[2]
    y[1] *= z[0]
    return (y * z).sum()


@program(two_vectors, tags=TRICKY)
def conditional_alias(x, y):
    a = x * 1.0
    d = y * 1.0
    b = a if x[0] > 0 else d
    b[0] = x[1] * y[1]
    b += 1.0
    return (a**2).sum() + (d**3).sum()


@program(two_vectors, tags=TRICKY)
def conditional_alias_by_statement(x, y):
    a, d = x * 1.0, y * 1.0
    if x.sum() > y.sum():
        b = a[1:]
    else:
        b = d[:3]
    b *= x[0] + y[0]
    b[0] = 2 * x[3]
    return (a * d).sum()


@program(two_vectors, tags=TRICKY)
def alias_chosen_in_loop(x, y):
    a, d = x * 1.0, y * 1.0
    for i in range(4):
        target = a if i % 2 == 0 else d
        target[i] = target[i - 1] * x[i]
    return (a * d).sum() + a[0]


@program(vector, tags=TRICKY)
def alias_or_copy_depending_on_branch(x):
    a = x * 1.0
    b = a if x[0] > 0 else a.copy()
    b[1] = x[0] * x[2]
    return (a**2).sum() + (b**3).sum()


@program(two_vectors, tags=TRICKY)
def swap_buffers_in_loop(x, y):
    a = x * 1.0
    b = np.zeros(4)
    for _ in range(3):
        for i in range(4):
            b[i] = 0.5 * (a[i - 1] + a[(i + 1) % 4]) * y[i]
        a, b = b, a
    return (a**2).sum() + b.sum()


@program(vector, tags=TRICKY)
def ping_pong_with_odd_number_of_steps(x):
    old, new = x * 1.0, np.zeros(4)
    for k in range(3):
        new[1:] = np.sin(old[:-1])
        new[0] = old[-1] * k
        old, new = new, old
    return old @ new


@program(lambda rng: (rng.uniform(1, 2, size=4),), tags=TRICKY)
def swap_buffers_in_while(x):
    a, b = x * 1.0, x * 0.5
    n = 0
    while a.sum() > 1.5:
        b[:] = a * 0.8
        b[n % 4] *= 0.5
        a, b = b, a
        n += 1
    return (a * b).sum()


def write_squares(out, x):
    for i in range(len(out)):
        out[i] = x[i] ** 2


def scale_into(out, factor):
    out *= factor


def shift(a):
    a[1:] = a[:-1]


@program(vector, tags=TRICKY)
def helper_writes_argument_and_returns_nothing(x):
    y = np.zeros(4)
    write_squares(y, x)
    scale_into(y, x[0])
    return (y * x).sum()


@program(matrix, tags=TRICKY)
def helper_writes_into_view_argument(a):
    b = a * 1.0
    write_squares(b[0], a[1])
    scale_into(b[:, 1], a[2, 2])
    shift(b[2])
    return (b**2).sum()


@program(matrix, tags=TRICKY)
def helper_writes_in_loop(a):
    b = a * 1.0
    for i in range(3):
        scale_into(b[i], a[i, 0])
        shift(b[i])
    return (b * a).sum()


@program(two_vectors, tags=ARGUMENTS)
def helper_writes_own_argument(x, y):
    scale_into(x, y)
    write_squares(y, x)
    return (x * y).sum()


@program(vector, tags=TRICKY)
def helper_called_with_same_array_twice(x):
    y = x * 1.0
    write_squares(y, y)
    write_squares(y[1:], y[:-1])
    return y.sum()


@program(two_vectors, tags=TRICKY)
def helper_returns_its_argument(x, y):
    def bump(a, v):
        a[0] += v
        return a

    z = x * 1.0
    u = bump(z, y[0] * y[1])
    v = bump(bump(u, y[2]), y[3])
    v *= 2
    return (z**2).sum()


@program(matrix, tags=TRICKY)
def helper_returns_view(a):
    def middle(m):
        return m[1:2, 1:3]

    b = a * 1.0
    middle(b)[...] = a[0, :2] * a[2, 2:]
    c = middle(b)
    c += a[0, 0]
    return (b**2).sum()


@program(two_vectors, tags=TRICKY)
def arrays_in_list_changed_through_name(x, y):
    a = x * 1.0
    items = [a, y * 1.0]
    a[0] = x[1] ** 2
    items[1] *= x[0]
    items[0] += items[1]
    return (a**2).sum()


@program(vector, tags=TRICKY)
def same_array_twice_in_list(x):
    a = x * 1.0
    items = [a, a]
    items[0][1] = x[0] * x[2]
    items[1] *= x[3]
    return sum([(v**2).sum() for v in items])


@program(two_vectors, tags=TRICKY)
def loop_over_list_changes_arrays(x, y):
    rows = [x * 1.0, y * 1.0]
    for row in rows:
        row[0] *= row[1]
        row += x
    return (rows[0] * rows[1]).sum()


@program(matrix, tags=TRICKY)
def loop_over_rows_changes_matrix(a):
    b = a * 1.0
    for row in b:
        row -= row.mean()
        row[0] *= row[1]
    return (b**3).sum()


@program(matrix_and_vector, tags=TRICKY)
def loop_over_zipped_rows_changes_matrix(a, w):
    b = np.zeros((3, 4))
    for out, row, v in zip(b, a, w):
        out[:] = row * v
        out[0] = row[1] ** 2
    return (b * a).sum()


@program(matrix, tags=TRICKY)
def loop_over_transposed_rows_changes_matrix(a):
    b = a * 1.0
    for i, col in enumerate(b.T):
        col *= a[0, i]
        col[1:] += col[:-1]
    return (b**2).sum()


@program(two_vectors, tags=TRICKY)
def arrays_in_dict_changed_through_name(x, y):
    a = x * 1.0
    d = {"a": a, "b": y * 1.0}
    d["a"][0] = x[1] * x[2]
    a += d["b"]
    for key in d:
        d[key] *= y[0]
    return (a * d["b"]).sum()


class Box:
    def __init__(self, data):
        self.data = data

    def halve(self):
        self.data *= 0.5

    def first(self):
        return self.data[:2]


@program(two_vectors, tags=TRICKY)
def array_in_attribute_changed_through_name(x, y):
    a = x * 1.0
    box = Box(a)
    a[0] = y[0] * y[1]
    box.data[1] += a[0]
    box.halve()
    return (a**2).sum() * box.data[3]


@program(vector, tags=TRICKY)
def two_objects_share_one_array(x):
    a = x * 1.0
    left, right = Box(a), Box(a)
    left.data[0] = x[2] ** 2
    right.halve()
    right.first()[1] *= x[3]
    return (left.data * x).sum()


@program(vector, tags=TRICKY)
def method_returns_view_that_is_written(x):
    box = Box(x * x)
    head = box.first()
    head += box.data[2:]
    box.data = box.data * 2
    head *= 100.0
    return (box.data**2).sum()


@program(vector, tags=TRICKY)
def attribute_rebound_then_written(x):
    a = x * 1.0
    box = Box(a)
    box.data = x * x
    box.data[0] = 3 * x[1]
    return (a * box.data).sum()


@program(two_vectors, tags=TRICKY)
def alias_through_tuple_unpacking(x, y):
    a, b = x * 1.0, y * 1.0
    pair = (a, b)
    p, q = pair
    p[0] = q[1] ** 2
    q *= p[2]
    return (pair[0] * pair[1]).sum() + a[0]


@program(vector, tags=TRICKY)
def alias_through_closure(x):
    a = x * 1.0

    def look():
        return a[0] * a[1]

    before = look()
    a[0] = x[2] ** 2
    return before * look()


@program(vector, tags=TRICKY)
def closure_writes_captured_view(x):
    a = x * 1.0
    tail = a[2:]

    def damp(rate):
        tail[:] = tail * rate
        return tail.sum()

    s = damp(x[0]) + damp(x[1])
    return s * (a**2).sum()


@program(vector, tags=TRICKY)
def closure_captures_name_rebound_to_new_buffer(x):
    a = x * 1.0

    def bump():
        a[0] += 1.0
        return a.sum()

    s = bump()
    a = x * x
    t = bump()
    return s * t + a[0]


@program(vector, tags=TRICKY)
def alias_survives_break(x):
    a = x * x
    b = a
    for i in range(4):
        b[i] += x[i]
        if i == 2:
            b = a * 2
            break
    b[0] = x[3]
    return (a * b).sum()


@program(vector, tags=TRICKY)
def rebinding_breaks_alias_in_loop(x):
    a = x * 1.0
    b = a
    for i in range(3):
        b[i] = x[i + 1] ** 2
        b = b * 1.5
    return (a * b).sum()


@program(matrix, tags=TRICKY)
def row_alias_moves_through_loop(a):
    b = a * 1.0
    row = b[0]
    for i in range(1, 3):
        row[:] = row + b[i] * a[i, 0]
        row = b[i]
    row *= 3.0
    return (b**2).sum()


@program(vector, tags=TRICKY)
def asarray_is_alias_and_array_is_copy(x):
    a = x * 1.0
    b = np.asarray(a)
    c = np.array(a)
    b[0] = x[1] * x[2]
    c[1] = 5.0 * x[0]
    return (a * b * c).sum()


@program(vector, tags=TRICKY)
def fancy_read_is_a_copy(x):
    a = x * 1.0
    picked = a[[0, 1]]
    picked *= 10.0
    masked = a[x > 0]
    masked += 1.0
    a[0] = picked[1]
    return (a**2).sum() + masked.sum()


@program(square, tags=TRICKY)
def split_and_write(a):
    b = a * 1.0
    top, bottom = b[:1], b[1:]
    bottom -= top
    top[0, 0] = bottom[1, 1] ** 2
    left, right = np.split(b, [1], axis=1)
    right *= left
    return (b**2).sum()


@program(vector, tags=TRICKY)
def operator_on_alias_both_sides(x):
    a = x * 1.0
    b = a
    a += b
    a *= a
    b -= a[::-1]
    return (a * x).sum()


@program(matrix, tags=TRICKY)
def nested_list_of_views(a):
    b = a * 1.0
    views = [[b[0], b[1]], [b[:, 0]]]
    views[0][1] *= 2
    views[1][0][2] = a[1, 1] ** 2
    for group in views:
        for v in group:
            v += a[0, 0]
    return (b**2).sum()


@program(vector, tags=TRICKY)
def default_buffer_reused(x):
    scratch = np.zeros(4)
    results = []
    for scale in (1.0, 2.0):
        np.multiply(x, scale, out=scratch)
        scratch[0] = x[3] ** 2
        results.append(scratch.copy())
    return (results[0] * results[1] * scratch).sum()


@program(vector, tags=TRICKY)
def broadcast_view_is_read_before_base_changes(x):
    a = x * 1.0
    grid = np.broadcast_to(a, (2, 4))
    s = (grid**2).sum()
    a[0] = x[1]
    return s + (grid * x).sum()


@program(lambda rng: (rng.normal(size=(2, 3)), rng.normal(size=3)), tags=ARGUMENTS)
def argument_row_written_through_view(a, w):
    row = a[1]
    row *= w
    w[0] = row.sum()
    return (a**2).sum() * w[0]


def make_accumulator():
    def accumulate(x):
        log = []
        state = np.zeros(2)
        for v in x:
            state[0] += v
            state[1] = state[0] * v
            log.append(state if v > 0 else state.copy())
        return sum([s[0] * s[1] for s in log])

    return accumulate


add("aliasing.accumulator", make_accumulator(), vector, tags=TRICKY)


@program(lambda rng: (rng.normal(size=(2, 3)),))
def another_shape_of_columns_that_were_stored(x):
    v = x.copy()
    for k in range(1, v.shape[1]):
        v[:, k] = 2 * v[:, k] + v[:, k - 1]
    w = v.ravel()
    w[:] *= 2
    return np.sum(v * v)


@program(lambda rng: (rng.normal(size=(2, 3)), rng.normal()))
def another_shape_of_columns_and_a_number_that_grows(x, s):
    v = x.copy()
    for column in v.T:
        column[...] = 2 * column
        s -= v
    return np.sum(v.reshape(3, 2) ** 2) + np.sum(s)
