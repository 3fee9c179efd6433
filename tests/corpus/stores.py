"""Writing into arrays in place."""

import numpy as np
from corpus.registry import add, program

WRITES = ["writes"]
ARGUMENTS = ["writes", "arguments"]
TRICKY = ["writes", "tricky"]


def vector(rng):
    return (rng.normal(size=4),)


def two_vectors(rng):
    return rng.normal(size=4), rng.normal(size=4)


def matrix(rng):
    return (rng.normal(size=(3, 4)),)


def matrix_and_vector(rng):
    return rng.normal(size=(3, 4)), rng.normal(size=4)


@program(vector, tags=WRITES)
def store_element(x):
    y = np.zeros(3)
    y[1] = x[0] * x[1]
    y[-1] = x[2]
    return (y**2).sum() * x[3]


@program(vector, tags=WRITES)
def fill_by_loop(x):
    y = np.empty(4)
    for i in range(4):
        y[i] = np.sin(x[i]) * x[i - 1]
    return (y * y).sum()


@program(vector, tags=WRITES)
def recurrence_in_array(x):
    h = np.zeros(5)
    for t in range(4):
        h[t + 1] = np.tanh(h[t] + x[t])
    return h.sum() * h[-1]


@program(matrix_and_vector, tags=WRITES)
def recurrence_of_rows(a, w):
    h = np.zeros((4, 4))
    for t in range(3):
        h[t + 1] = np.tanh(h[t] * w + a[t])
    return (h**2).sum()


@program(two_vectors, tags=WRITES)
def store_slice(x, y):
    z = x * 1.0
    z[1:3] = y[:2] ** 2
    z[::3] = x[0] * y[3]
    return (z * x).sum()


@program(vector, tags=WRITES)
def store_broadcast_scalar(x):
    a = np.ones((2, 3))
    a[:, 1] = x[0]
    a[1] = x[1] * x[2]
    return (a**3).sum() * x[3]


@program(matrix_and_vector, tags=WRITES)
def store_broadcast_row(a, w):
    b = a + 0.0
    b[:2] = w
    b[:, 1:2] = w[:3, None] * a[0, 0]
    return np.sin(b).sum()


@program(vector, tags=WRITES)
def store_whole_array(x):
    y = np.zeros(4)
    y[:] = x * x
    y[...] = y + x
    return (y**2).sum()


@program(vector, tags=WRITES)
def accumulate_element(x):
    y = x * 2.0
    y[0] += x[1] * x[2]
    y[0] *= x[3]
    y[1] -= y[0]
    return (y**2).sum()


@program(matrix_and_vector, tags=WRITES)
def accumulate_row_and_column(a, w):
    b = np.zeros((3, 4))
    b[0, :] += w
    b[:, 1] += a[:, 0] ** 2
    b[1, :] *= a[1]
    b[-1] -= w * b[0]
    return (b**2).sum()


@program(matrix, tags=WRITES)
def scale_rows_in_loop(a):
    b = a * 1.0
    for i in range(3):
        b[i, :] *= a[i, 0]
        b[i] /= 1 + (a[i] ** 2).sum()
    return (b**2).sum()


@program(vector, tags=WRITES)
def store_through_mask(x):
    y = x * x
    y[x > 0] = 0.5
    y[x < -0.5] *= x[0]
    return (y * x).sum()


@program(vector, tags=WRITES)
def store_masked_values(x):
    y = x + 0.0
    m = x > 0
    y[m] = np.sqrt(x[m])
    y[~m] = x[~m] ** 2
    return (y * y * x).sum()


@program(lambda rng: (rng.normal(size=(3, 3)),), tags=WRITES)
def store_through_two_dimensional_mask(a):
    b = a * a
    b[a < 0] = a[a < 0] * 3
    b[np.eye(3, dtype=bool)] += a[0, 1]
    return (b * b).sum()


@program(two_vectors, tags=WRITES)
def store_through_integer_array(x, y):
    z = x * 1.0
    z[[0, 2]] = y[:2] * y[2]
    z[[3, 1]] += x[[0, 0]]
    return (z**2).sum()


@program(two_vectors, tags=TRICKY)
def store_through_repeated_index_last_wins(x, y):
    z = x * 1.0
    z[[1, 1, 2]] = y[:3]
    return (z**2).sum()


@program(two_vectors, tags=TRICKY)
def accumulate_through_repeated_index_counts_once(x, y):
    z = x * x
    z[[1, 1, 3]] += y[:3]
    z[[0, 0]] *= y[:2]
    return (z**2).sum()


@program(lambda rng: (rng.normal(size=5), np.array([0, 2, 0, 1, 2])), tags=WRITES)
def add_at(x, segment):
    total = np.zeros(3)
    np.add.at(total, segment, x * x)
    return np.sin(total).sum()


@program(lambda rng: (rng.normal(size=(4, 2)), np.array([0, 2, 0, 1])), tags=WRITES)
def add_at_rows(x, segment):
    total = np.ones((3, 2))
    np.add.at(total, segment, x)
    np.add.at(total, (segment, 0), x[:, 1] ** 2)
    return (total**2).prod(axis=1).sum()


@program(vector, tags=WRITES)
def fill_method(x):
    y = np.empty(3)
    y.fill(x[0] * x[1])
    y[1] = x[2]
    z = np.full(2, x[3])
    z.fill(0.5)
    return y.prod() + z.sum()


@program(matrix_and_vector, tags=WRITES)
def fill_diagonal(a, w):
    s = a @ a.T
    np.fill_diagonal(s, w[0] ** 2)
    return (s**2).sum() * w[1]


@program(matrix, tags=WRITES)
def put_along_axis(a):
    b = a * a
    idx = np.array([[0], [2], [1]])
    np.put_along_axis(b, idx, a[:, :1] * 3.0, axis=1)
    return (b * b).sum()


@program(two_vectors, tags=WRITES)
def copyto_whole_and_masked(x, y):
    z = np.empty(4)
    np.copyto(z, x * y)
    np.copyto(z, y**2, where=x > 0)
    return (z**2).sum()


@program(vector, tags=WRITES)
def sort_in_place(x):
    y = x * 2.0
    y.sort()
    return (y * np.array([1.0, 4.0, 9.0, 16.0])).sum() * y[0]


@program(matrix, tags=WRITES)
def sort_rows_in_place(a):
    b = a + 1.0
    b.sort(axis=1)
    b[:, :2].sort(axis=0)
    return (b[:, 0] * b[:, -1]).sum() + b[0, 1] ** 2


@program(two_vectors, tags=WRITES)
def out_argument(x, y):
    z = np.empty(4)
    np.multiply(x, y, out=z)
    np.add(z, x, out=z)
    return np.sin(z).sum()


@program(matrix_and_vector, tags=WRITES)
def out_argument_of_product(a, w):
    z = np.zeros(3)
    np.dot(a, w, out=z)
    np.tanh(z, out=z)
    return (z * z).sum()


@program(two_vectors, tags=WRITES)
def out_argument_into_slice(x, y):
    z = np.ones(6)
    np.exp(x, out=z[:4])
    np.multiply(z[2:], y, z[2:])
    return z.sum() * z[5]


@program(two_vectors, tags=WRITES)
def out_argument_in_loop(x, y):
    z = x * 1.0
    for _ in range(3):
        np.multiply(z, y, out=z)
        np.cos(z, out=z)
    return z.sum()


@program(two_vectors, tags=WRITES)
def array_augmented_operators(x, y):
    z = x.copy()
    z += y
    z *= x
    z -= 0.5
    z /= 2 + y**2
    z **= 2
    return z.sum()


@program(two_vectors, tags=ARGUMENTS)
def argument_augmented(x, y):
    x += y * y
    x *= y
    return (x**2).sum()


@program(vector, tags=ARGUMENTS)
def argument_element_stored(x):
    first = x[0]
    x[0] = x[1] * x[2]
    return (x**2).sum() * first


@program(vector, tags=ARGUMENTS)
def argument_elements_accumulated_in_loop(x):
    for i in range(1, 4):
        x[i] += x[i - 1] ** 2
    return x.sum()


@program(matrix, tags=ARGUMENTS)
def argument_rows_changed(a):
    for i in range(1, 3):
        a[i] -= a[i, 0] / (2 + a[0, 0] ** 2) * a[0]
    return (a**2).sum()


@program(matrix_and_vector, tags=ARGUMENTS)
def argument_overwritten_then_read(a, w):
    a[0] = w
    s = (a**2).sum()
    a[:] = 0.0
    return s + a.sum() + w[0]


@program(lambda rng: ([rng.normal(size=3), rng.normal(size=3)],), tags=ARGUMENTS)
def array_in_list_argument_changed(xs):
    xs[0] *= xs[1]
    xs[1][0] = xs[0][1]
    return (xs[0] ** 2).sum() + (xs[1] ** 3).sum()


@program(lambda rng: ({"w": rng.normal(size=3), "b": rng.normal()},), tags=ARGUMENTS)
def dict_argument_changed(p):
    p["w"] += p["b"]
    p["b"] = p["w"][0] ** 2
    return (p["w"] ** 2).sum() * p["b"]


@program(vector, tags=WRITES)
def overwrite_operand_of_nonlinear_op(x):
    y = x * 1.0
    z = y * y
    w = np.sin(y)
    y[:] = 0.0
    return (z * w).sum() + y.sum()


@program(vector, tags=WRITES)
def overwrite_result_of_nonlinear_op(x):
    e = np.exp(x)
    s = e.sum()
    e /= s
    t = np.tanh(e)
    t *= 2
    return (t * x).sum()


@program(vector, tags=WRITES)
def overwrite_same_slot_many_times(x):
    y = np.zeros(1)
    s = 0.0
    for v in x:
        y[0] = v * v + y[0] * 0.5
        s += y[0] * v
        y[0] = np.sin(y[0])
    return s * y[0]


@program(vector, tags=WRITES)
def read_after_write_after_read(x):
    y = x * x
    a = y[1]
    y[1] = y[0] * x[2]
    b = y[1]
    y[0] = a * b
    c = y[0] * y[1]
    y[1] = c
    return a * b * c + (y**2).sum()


@program(matrix_and_vector, tags=WRITES)
def overwrite_operand_of_matmul(a, w):
    b = a + 1.0
    u = b @ w
    b *= 0.5
    v = b @ w
    b[0] = w
    return (u * v).sum() + (b**2).sum()


@program(two_vectors, tags=WRITES)
def overwrite_denominator(x, y):
    d = 2.0 + y * y
    q = x / d
    d += q
    r = x / d
    return (q * r).sum()


@program(lambda rng: (rng.uniform(0.5, 1.5, size=4),), tags=WRITES)
def overwrite_power_base(x):
    y = x * 1.0
    p = y**3
    y **= 0.5
    y *= p
    return y.sum()


@program(vector, tags=WRITES)
def dead_store_is_overwritten(x):
    y = np.zeros(3)
    y[0] = x[0] ** 5
    y[0] = x[1]
    y[1] = x[2]
    y[:] = y * y
    return y.sum() * x[3]


@program(vector, tags=WRITES)
def stores_in_branch(x):
    y = x * 1.0
    if x[0] > 0:
        y[1] = x[0] * x[2]
    else:
        y[2] *= x[0]
        y[:2] = 1.0
    return (y**2).sum()


@program(vector, tags=WRITES)
def stores_in_branch_in_loop(x):
    y = np.zeros(4)
    for i in range(4):
        if x[i] > 0:
            y[i] = x[i] ** 2
        elif i > 0:
            y[i] += y[i - 1] * x[i]
        else:
            y[i] = x[i]
    return (y * x).sum()


@program(vector, tags=WRITES)
def stores_in_while(x):
    y = x * 1.0
    i = 0
    while i < 3:
        y[i + 1] = y[i] * y[i + 1]
        i += 1
    return y.sum()


@program(lambda rng: (rng.uniform(0.4, 1.2, size=4),), tags=WRITES)
def stores_before_break(x):
    y = np.ones(4)
    for i, v in enumerate(x):
        y[i] = v * v
        if y.sum() < 3.6:
            break
        y[i] += v
    return (y**2).sum() * x[0]


@program(vector, tags=WRITES)
def stores_in_closure(x):
    y = np.zeros(4)

    def put(i, v):
        y[i] = v * v

    for i in range(4):
        put(i, x[i] + y[i - 1])
    return y.sum()


@program(two_vectors, tags=WRITES)
def stores_in_closure_called_twice(x, y):
    buffer = x * x

    def blend(rate):
        buffer[1:] += rate * buffer[:-1]
        return buffer.sum()

    a = blend(y[0])
    b = blend(y[1])
    return a * b


class Memory:
    def __init__(self, n):
        self.cells = np.zeros(n)

    def write(self, i, v):
        self.cells[i] = v

    def leak(self, rate):
        self.cells *= rate

    def read(self):
        return (self.cells**2).sum()


@program(two_vectors, tags=WRITES)
def stores_in_method(x, y):
    m = Memory(3)
    for i in range(3):
        m.write(i, x[i] * y[i])
        m.leak(1 + y[3])
    return m.read()


@program(lambda rng: (rng.normal(size=(4, 4)),), tags=WRITES)
def stencil_in_place(a):
    u = a * 1.0
    for i in range(1, 3):
        for j in range(1, 3):
            u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return (u**3).sum()


@program(vector, tags=WRITES)
def prefix_products_in_place(x):
    y = x + 2.0
    for i in range(1, 4):
        y[i] *= y[i - 1]
    return np.log(np.abs(y)).sum() + y[3]


@program(vector, tags=WRITES)
def cumulative_sum_backwards_in_place(x):
    y = x * x
    for i in range(2, -1, -1):
        y[i] += y[i + 1]
    return (y * x).sum()


@program(matrix, tags=WRITES)
def store_element_of_row_in_loop(a):
    b = np.zeros((4, 3))
    for i in range(3):
        for j in range(4):
            b[j][i] = a[i, j] ** 2
    return (b @ a).sum()


@program(vector, tags=WRITES)
def swap_elements(x):
    y = x * x
    y[0], y[3] = y[3], y[0]
    y[1], y[2] = y[2] * x[0], y[1]
    return (y * np.arange(4.0)).sum()


@program(vector, tags=WRITES)
def bubble_sort(x):
    y = x * 1.0
    for i in range(4):
        for j in range(3 - i):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = y[j + 1], y[j]
    return (y * np.array([1.0, 2.0, 5.0, 7.0])).sum() * y[0]


@program(vector, tags=TRICKY)
def swap_slices_without_copy(x):
    y = x * x
    y[:2], y[2:] = y[2:], y[:2]
    return (y * np.array([1.0, 3.0, 5.0, 7.0])).sum()


@program(vector, tags=TRICKY)
def overlapping_slices(x):
    y = x * x
    y[1:] += y[:-1]
    y[:-1] = y[1:] * y[:-1]
    return (y * x).sum()


@program(vector, tags=TRICKY)
def store_reversed_onto_itself(x):
    y = x * 1.0
    y[:] = y[::-1] * y
    y[::-1] += x
    return (y**2 * np.arange(1.0, 5.0)).sum()


@program(vector, tags=TRICKY)
def store_into_freshly_copied_argument(x):
    y = x.copy()
    y[0] = 10.0 * x[1]
    z = np.array(x)
    z[1] = y[0] * x[0]
    w = x[:]
    return (y * z * w).sum()


@program(vector, tags=TRICKY)
def store_of_constant_kills_gradient(x):
    y = x * x
    s = y.sum()
    y[1:3] = 7.0
    return s + (y**2).sum()


@program(vector, tags=TRICKY)
def store_into_integer_array_steers(x):
    counts = np.zeros(4, dtype=int)
    for i, v in enumerate(x):
        counts[i] = 2 if v > 0 else 1
        counts[0] += 1
    return (x**counts).sum()


@program(vector, tags=TRICKY)
def zero_dimensional_buffer(x):
    total = np.zeros(())
    alias = total
    for v in x:
        total += v * v
    alias *= x[0]
    return float(total)


@program(vector, tags=TRICKY)
def scalar_read_is_not_a_view(x):
    y = x * x
    v = y[0]
    v += 5.0
    y[0] *= 2
    return v * y[0] + y.sum()


@program(lambda rng: (rng.normal(size=(2, 3)),), tags=TRICKY)
def store_depends_on_itself_through_function(a):
    def normalise(row):
        return row / (1 + (row**2).sum())

    b = a * 1.0
    b[0] = normalise(b[0])
    b[1] = normalise(b[1] + b[0])
    b[0] = normalise(b[1])
    return (b * a).sum()


@program(vector, tags=TRICKY)
def fresh_buffer_each_iteration(x):
    s = 0.0
    kept = []
    for i in range(3):
        y = np.zeros(2)
        y[0] = x[i]
        y[1] = x[i + 1] * s
        kept.append(y)
        s += y.sum()
    return s * sum([(k**2).sum() for k in kept])


@program(vector, tags=TRICKY)
def one_buffer_for_all_iterations(x):
    y = np.zeros(2)
    kept = []
    for i in range(3):
        y[0] = x[i]
        y[1] += x[i + 1] ** 2
        kept.append(y)
    return sum([(k**2).sum() for k in kept])


def make_writer(width):
    def write(x):
        y = np.zeros(width)
        for i in range(width):
            y[i] = x[i % 4] * (y[i - 1] + 1.0)
        return (y**2).sum()

    return write


add("stores.writer_1", make_writer(1), vector, tags=WRITES)
add("stores.writer_6", make_writer(6), vector, tags=WRITES)
