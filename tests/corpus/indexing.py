"""Reading parts of arrays: slices, masks, integer arrays, ellipsis, newaxis."""

import numpy as np
from corpus.registry import program


def vector(rng):
    return (rng.normal(size=5),)


def matrix(rng):
    return (rng.normal(size=(3, 4)),)


def cube(rng):
    return (rng.normal(size=(2, 3, 4)),)


@program(vector, tags=["float32"])
def basic_slices(x):
    return (x[1:] * x[:-1]).sum() + (x[2:4] ** 2).sum()


@program(vector, tags=["float32"])
def stepped_slices(x):
    return (x[::2] ** 2).sum() + (x[1::2] * x[3::-2]).sum()


@program(vector, tags=["float32"])
def negative_indices(x):
    return x[-1] * x[-2] + (x[-3:] ** 2).sum() * x[-5]


@program(vector, tags=["float32"])
def reversed_slice(x):
    return (x * x[::-1]).sum() + x[::-1][0] ** 3


@program(vector, tags=["float32"])
def slice_of_slice(x):
    return (x[1:][::2][-2:] ** 3).sum()


@program(vector, tags=["tricky"])
def slices_out_of_range(x):
    return (x[2:100] ** 2).sum() + (x[7:9] ** 2).sum() + x[-100:2].prod()


@program(vector, tags=["float32"])
def slice_object_and_variable_bounds(x):
    k = 2
    s = slice(k, None)
    return (x[s] * x[: len(x) - k]).sum()


@program(matrix, tags=["float32"])
def matrix_elements_rows_columns(a):
    return a[0, 1] * a[2, -1] + (a[1] * a[0, :]).sum() + (a[:, 2] ** 2).sum()


@program(matrix, tags=["float32"])
def matrix_blocks(a):
    return (a[:2, 1:3] @ a[1:, ::2]).sum()


@program(matrix, tags=["float32"])
def chained_subscripts(a):
    return a[1][2] * a[0][-1] + a[1:][0][:2].sum() ** 2


@program(cube, tags=["float32"])
def ellipsis(a):
    return (a[..., 0] ** 2).sum() + (a[1, ...] * a[0]).sum() + a[..., 1, 2].prod()


@program(lambda rng: (rng.normal(size=3), rng.normal(size=4)), tags=["float32"])
def newaxis(x, y):
    grid = x[:, np.newaxis] * y[None, :]
    return np.sin(grid).sum() + x[None][0, 1]


@program(matrix, tags=["float32"])
def newaxis_and_ellipsis_and_slice(a):
    d = a[:, None, :] - a[None, ...]
    return (d**2).sum(axis=-1)[0, 1:].prod() + (d[..., None, 0] ** 4).sum()


@program(vector, tags=["float32"])
def boolean_mask(x):
    return (x[x > 0] ** 2).sum() + x[~(x > 0)].sum() ** 3


@program(matrix, tags=["float32"])
def boolean_mask_two_dimensions(a):
    m = (a > -0.5) & (a < 1.0)
    return np.sin(a[m]).sum() * a[0, 0]


@program(matrix, tags=["float32"])
def boolean_mask_on_rows(a):
    keep = np.array([True, False, True])
    return (a[keep] ** 2).sum() + (a[:, a[0] > 0] ** 3).sum()


@program(vector, tags=["float32"])
def mask_from_other_computation(x):
    y = np.cos(x)
    return (y[x > x.mean()] * x[x > x.mean()]).sum()


@program(vector)
def integer_array_with_repeats(x):
    return (x[[0, 2, 2, 4]] * np.array([1.0, 2.0, 3.0, 4.0])).sum() + x[[1, 1]].prod()


@program(
    lambda rng: (rng.normal(size=5), np.array([[0, 1, 1], [4, 4, 4]])), tags=["float32"]
)
def integer_matrix_index(x, idx):
    return (x[idx] ** 2).prod(axis=1).sum()


@program(matrix, tags=["float32"])
def rows_by_list_with_repeats(a):
    b = a[[2, 0, 2]]
    return (b * b[::-1]).sum() + b[0, 0] ** 3


@program(matrix, tags=["float32"])
def paired_integer_arrays(a):
    return (a[[0, 1, 2, 0], [3, 3, 1, 3]] ** 2).sum()


@program(matrix, tags=["float32"])
def broadcast_integer_arrays(a):
    rows = np.array([0, 2])
    cols = np.array([1, 1, 3])
    return np.sin(a[rows[:, None], cols]).sum() + a[np.ix_(rows, cols)].sum() ** 2


@program(cube, tags=["float32"])
def mixed_index_slice_and_array(a):
    return (a[:, [0, 2, 2], 1:3] ** 2).sum() + (a[1, :, [0, 3]] ** 3).sum()


@program(cube, tags=["float32"])
def mixed_index_separated_arrays(a):
    return np.cos(a[[0, 1], :, [2, 2]]).sum() + (a[0, ..., [1]] * a[1, 0, 0]).sum()


@program(cube, tags=["float32"])
def integer_and_newaxis_and_slice(a):
    return (a[0, None, 1:, ::2] ** 2).sum() * a[1, 2, 3]


@program(lambda rng: (rng.normal(size=(6, 3)), np.array([1, 4, 1, 5])))
def embedding_lookup(table, words):
    e = table[words]
    h = np.zeros(3)
    for v in e:
        h = np.tanh(h + v)
    return h.sum() + (e**2).mean()


@program(
    lambda rng: (rng.normal(size=(4, 3)), np.array([0, 2, 1, 1])), tags=["float32"]
)
def pick_target_columns(logits, targets):
    m = logits.max(axis=1, keepdims=True)
    logz = m[:, 0] + np.log(np.exp(logits - m).sum(axis=1))
    return (logz - logits[np.arange(len(targets)), targets]).mean()


@program(vector, tags=["float32"])
def nonzero_and_where_indices(x):
    (idx,) = np.nonzero(x > 0)
    where = np.where(x < 0.2)[0]
    return (x[idx] ** 2).sum() - np.sin(x[where]).sum() + x[0]


@program(matrix, tags=["float32"])
def argmax_gather(a):
    best = a.argmax(axis=1)
    return (a[np.arange(3), best] ** 2).sum() + a[:, 0].sum()


@program(vector)
def argsort_gather(x):
    order = np.argsort(x)
    return (x[order] * np.arange(5.0)).sum() * x[order[0]]


@program(matrix, tags=["float32"])
def take_and_take_along_axis(a):
    order = np.argsort(-a, axis=1)
    top = np.take_along_axis(a, order[:, :2], axis=1)
    return (top**2).sum() + np.take(a, [1, 1], axis=0).prod()


@program(matrix, tags=["float32"])
def diagonal_and_triangle(a):
    s = a @ a.T
    return np.diag(s).prod() + np.tril(s, -1).sum() + np.triu(s)[0].sum() + np.trace(s)


@program(matrix, tags=["float32"])
def index_with_numpy_integers(a):
    i = np.int64(1)
    j = np.array([0, 1, 2])[2]
    return a[i, j] * a[j - i, i] + a[(2, 3)]


@program(vector, tags=["float32"])
def index_by_loop_arithmetic(x):
    s = 0.0
    for i in range(5):
        s += x[i] * x[(i + 2) % 5] * x[i // 2]
    return s


@program(matrix, tags=["float32"])
def slices_in_loop(a):
    s = 0.0
    for k in range(1, 4):
        s += (a[:, :k] ** 2).sum() * a[0, k]
    return s


@program(vector, tags=["float32"])
def sliding_window_in_loop(x):
    s = 0.0
    for i in range(len(x) - 2):
        w = x[i : i + 3]
        s += np.sin(w).sum() * w[1]
    return s


@program(vector, tags=["float32"])
def mask_in_loop(x):
    s = 0.0
    for t in [-0.5, 0.0, 0.5]:
        s += (x[x > t] ** 2).sum()
    return s + x[0]


@program(
    lambda rng: (rng.normal(size=(3, 4)), [[0, 1], [2], [1, 1, 3]]), tags=["float32"]
)
def ragged_integer_lists_in_loop(a, groups):
    s = 0.0
    for row, group in zip(a, groups):
        s += np.prod(row[group])
    return s


@program(matrix, tags=["float32"])
def indexing_inside_branch(a):
    if a[0, 0] > 0:
        b = a[1:, ::2]
    else:
        b = a[:2, [1, 1]]
    return (b**2).sum() * a[2, 3]


@program(matrix, tags=["float32"])
def indexing_inside_closure(a):
    def entry(i, j=0):
        return a[i, j] + a[..., j][i]

    return entry(0) * entry(1, 2) + entry(-1, -1)


class Table:
    def __init__(self, rows):
        self.rows = rows

    def column(self, j):
        return self.rows[:, j]

    def window(self, i, n=2):
        return self.rows[i : i + n, 1:]


@program(matrix, tags=["float32"])
def indexing_inside_method(a):
    t = Table(a)
    return (t.column(-1) * t.column(0)).sum() + (t.window(1) ** 2).sum()


@program(vector, tags=["tricky"])
def array_index_from_integer_array_loop(x):
    s = 0.0
    for i in np.array([3, 0, 3]):
        s = s * x[i] + x[i - 1]
    return s


@program(vector, tags=["tricky"])
def bool_scalar_as_index_arithmetic(x):
    k = int(x[0] > 0) + (x[1] > 0)
    return x[k] ** 2 + k * x[4]


@program(lambda rng: (rng.normal(),), tags=["tricky"])
def zero_dimensional_array_indexing(x):
    a = np.asarray(x)
    return a[()] * a[...].sum() + a[None][0]


@program(matrix, tags=["tricky"])
def empty_selection(a):
    return a[:0].sum() + a[:, []].sum() + a[a > 1e9].sum() + a[1, 1] ** 2


@program(matrix, tags=["tricky"])
def tuple_held_in_variable_as_index(a):
    where = (slice(None), 1)
    corner = (0, -1)
    return (a[where] ** 2).sum() * a[corner]
