"""NumPy as people use it: methods, broadcasting, joining, linear algebra."""

import numpy as np
from corpus.registry import add, program


def vector(rng):
    return (rng.normal(size=4),)


def positive(rng):
    return (rng.uniform(0.5, 2.0, size=4),)


def matrix(rng):
    return (rng.normal(size=(3, 4)),)


def cube(rng):
    return (rng.normal(size=(2, 3, 4)),)


def square(rng):
    return (rng.normal(size=(3, 3)),)


def matrix_and_vector(rng):
    return rng.normal(size=(3, 4)), rng.normal(size=4)


def system(rng):
    return rng.normal(size=(3, 3)) + 4 * np.eye(3), rng.normal(size=3)


@program(matrix, tags=["float32"])
def reduction_methods(a):
    return a.sum() * a.mean() + a.max() * a.min() + a.prod(axis=0).sum() + a.std()


@program(cube, tags=["float32"])
def reductions_over_axes(a):
    s = a.sum(axis=0).mean(axis=1) * a.max(axis=(0, 2))
    return (s * a.min(axis=-1).sum(axis=0)).sum() + a.var(axis=1).sum()


@program(matrix, tags=["float32"])
def reductions_keep_dimensions(a):
    centred = a - a.mean(axis=1, keepdims=True)
    return (centred / a.std(axis=0, keepdims=True)).sum(axis=0)[1] ** 2 + centred[0, 0]


@program(matrix, tags=["float32"])
def reduction_functions(a):
    return np.sum(a, axis=1).prod() + np.mean(a * a) + np.max(a) * np.ptp(a) + np.var(a)


@program(matrix, tags=["float32"])
def shape_methods(a):
    b = a.T.reshape(2, 6).transpose()
    c = a.reshape(-1, 2).swapaxes(0, 1).flatten()
    return (b.ravel() * c).sum() + a.reshape((4, 3))[1, 1] ** 2


@program(cube, tags=["float32"])
def transpose_and_moveaxis(a):
    t = a.transpose(2, 0, 1)
    m = np.moveaxis(a, 0, -1)
    return (t.reshape(4, -1) @ m.reshape(-1, 2)[:6]).sum() + (t[0] ** 2).sum()


@program(matrix, tags=["float32"])
def shape_properties(a):
    n, m = a.shape
    return (a / a.size).sum() ** 2 * a.ndim + len(a) * a[n - 1, m - 1]


@program(matrix)
def copy_astype_and_item(a):
    b = a.copy().astype(np.float64)
    return b[0, 1].item() * b.sum() + float(a[2, 2]) ** 2 + b.astype(float)[1, 1]


@program(matrix, tags=["float32"])
def squeeze_expand_repeat_tile(a):
    e = np.expand_dims(a, 1)
    r = np.repeat(a[0], 3).reshape(4, 3)
    t = np.tile(a[:, 0], 4)
    return (
        (e.squeeze() * r.T).sum()
        + (t * r.ravel()).sum()
        + a.repeat(2, axis=0)[1, 2] ** 2
    )


@program(matrix_and_vector, tags=["float32"])
def dot_products(a, w):
    return a.dot(w) @ np.dot(a, w) + np.inner(w, w) + np.vdot(a[0], w) + w.dot(w * 2)


@program(cube, tags=["float32"])
def batched_matmul(a):
    g = a @ a.swapaxes(1, 2)
    return np.matmul(g, a).sum() + (a[0] @ a[1].T @ a[0])[0, 0]


@program(matrix_and_vector, tags=["float32"])
def vector_matrix_products(a, w):
    return (a @ w) @ a @ w + (a[:, 0] @ a).sum()


@program(matrix_and_vector, tags=["float32"])
def outer_and_kron(a, w):
    o = np.outer(w, a[0])
    return (
        (o**2).sum() + np.kron(a[0, :2], w[:2]).prod() + np.multiply.outer(w, w)[1, 2]
    )


@program(matrix_and_vector, tags=["float32"])
def einsum_forms(a, w):
    y = np.einsum("ij,j->i", a, w)
    g = np.einsum("ij,kj->ik", a, a)
    return np.einsum("i,i", y, y) + np.einsum("ii", g) + np.einsum("ij->", a) ** 2


@program(cube, tags=["float32"])
def einsum_batched(a):
    s = np.einsum("bij,bkj->bik", a, a)
    return np.einsum("bik,bk->i", s, a[..., 0]).prod() + np.einsum("...j->...", a)[0, 1]


@program(
    lambda rng: (rng.normal(size=(2, 3)), rng.normal(size=(3, 2, 2))), tags=["float32"]
)
def tensordot_forms(a, b):
    t = np.tensordot(a, b, axes=1)
    u = np.tensordot(a, b, axes=([0, 1], [1, 0]))
    return (t**2).sum() + u.prod()


@program(
    lambda rng: (rng.normal(size=3), rng.normal(size=(4, 1)), rng.normal()),
    tags=["float32"],
)
def broadcasting_shapes(x, column, s):
    grid = x + column * s
    grid = grid * x[None, :] - s / (1 + grid**2)
    return np.sin(grid).mean() + (grid**2)[0].sum()


@program(
    lambda rng: (
        rng.normal(size=(1, 3)),
        rng.normal(size=(2, 1)),
        rng.normal(size=(4, 1, 1)),
    ),
    tags=["float32"],
)
def broadcasting_three_ways(a, b, c):
    return (a * b + c * a - b**2 * c).sum() + np.tanh(a + b + c).prod()


@program(lambda rng: (rng.normal(size=3),))
def broadcast_to_and_arrays(x):
    b = np.broadcast_to(x, (2, 3))
    c, d = np.broadcast_arrays(x[:, None], x)
    return (b * np.arange(6.0).reshape(2, 3)).sum() ** 2 + (c * d**2).sum()


@program(matrix, tags=["float32"])
def concatenate_stack(a):
    c = np.concatenate([a, a[:1] ** 2], axis=0)
    d = np.stack([a[0], a[1], a[0] * a[2]], axis=1)
    return (c @ d).sum() + np.concatenate((a[0], a[1, :2])).prod()


@program(matrix)
def stack_helpers(a):
    h = np.hstack([a[:, :2], a**2])
    v = np.vstack([a[0], np.sin(a)])
    c = np.column_stack([a[:, 0], a[:, 1] * a[:, 2]])
    return (
        (h**2).sum() + (v**3).sum() + c.prod(axis=1).sum() + np.append(a[0], 2.0).sum()
    )


@program(matrix, tags=["float32"])
def split_and_recombine(a):
    left, right = np.split(a, 2, axis=1)
    first, *rest = np.array_split(a[0], 3)
    return (left * right).sum() + first.sum() * rest[0][0] + np.hsplit(a, [1])[0].prod()


@program(vector)
def array_from_scalars(x):
    m = np.array([[x[0], -x[1]], [x[1] * x[2], 1.0]])
    v = np.array([np.sin(x[3]), x[0]])
    return (m @ v).prod() + np.array([x[0]] * 3).sum()


@program(vector)
def array_constructors(x):
    z = np.zeros(4) + x
    o = np.ones_like(x) * 2
    f = np.full((2, 2), x[0])
    return (
        (z * o).sum()
        + np.linalg.norm(f) ** 2
        + (np.eye(4) @ x).prod()
        + np.full_like(x, x[1]).sum()
    )


@program(vector)
def arange_linspace_meshgrid(x):
    t = np.linspace(x[0], x[1] + 3.0, 4)
    g, h = np.meshgrid(x[:2], t)
    return (np.arange(4) * x * t).sum() + (g * h**2).sum()


@program(vector, tags=["float32"])
def where_three_arguments(x):
    y = np.where(x > 0, x**2, np.sin(x))
    return (y * np.where([True, False, True, False], x, 1.0)).sum()


@program(vector, tags=["float32"])
def where_guards_bad_values(x):
    safe = np.where(x > 0, x, 1.0)
    return np.where(x > 0, np.sqrt(safe), x * 0.5).sum() * x[0]


@program(vector, tags=["float32"])
def select_and_piecewise_like(x):
    y = np.select([x < -0.5, x < 0.5], [x**2, 2 * x], default=np.cos(x))
    return (y * x).sum()


@program(vector, tags=["float32"])
def clip_maximum_minimum(x):
    return (
        np.clip(x, -0.6, 0.8).sum() * x[0]
        + (np.maximum(x, 0.1) * np.minimum(x, x[::-1])).sum()
        + x.clip(min=0.05).prod()
    )


@program(vector, tags=["float32"])
def absolute_and_sign(x):
    return (np.abs(x) ** 1.5 * np.sign(x)).sum() + abs(x).max() + np.fabs(x[0])


@program(positive, tags=["float32"])
def elementwise_functions_one(x):
    return (np.exp(-x) + np.log(x) * np.sqrt(x) + np.log1p(x) / np.expm1(x)).sum() + (
        np.square(x) * np.reciprocal(x)
        + np.cbrt(x)
        + np.log2(x) * np.log10(x)
        + np.exp2(x)
    ).prod()


@program(lambda rng: (rng.uniform(-0.8, 0.8, size=4),), tags=["float32"])
def elementwise_functions_two(x):
    a = np.sin(x) * np.cos(x) + np.tan(x) + np.arcsin(x) * np.arccos(x) + np.arctan(x)
    b = np.sinh(x) + np.cosh(x) * np.tanh(x) + np.arcsinh(x) + np.arctanh(x)
    return (a * b).sum() + np.arctan2(x, 2.0).sum() + np.hypot(x, 1.0).prod()


@program(lambda rng: (rng.uniform(0.5, 2.0, size=3), rng.uniform(0.5, 2.0, size=3)))
def powers(x, y):
    return (
        x**y + y**2 + 2**x + x**-1 + np.power(x, 3) + x**0.5 + np.float_power(y, x)
    ).sum()


@program(lambda rng: (rng.normal(size=3), rng.normal(size=3)), tags=["float32"])
def logaddexp_and_friends(x, y):
    return np.logaddexp(x, y).sum() * np.logaddexp.reduce(x) + np.add.reduce(x * y)


@program(
    lambda rng: (rng.uniform(2.1, 2.4, size=3), rng.uniform(0.9, 1.0, size=3)),
    tags=["float32"],
)
def rounding_and_modulo(x, y):
    return (
        np.floor(x) * y + np.ceil(y) * x + np.round(x) + x % y + np.fmod(x, y)
    ).sum() + (x // y * y).sum()


@program(vector, tags=["float32"])
def cumulative(x):
    return (np.cumsum(x) * x).sum() + np.cumprod(x)[-1] + (x * x).cumsum()[2] ** 2


@program(matrix, tags=["float32"])
def cumulative_along_axis(a):
    return (
        (np.cumsum(a, axis=1) ** 2).sum()
        + (np.diff(a, axis=0) ** 3).sum()
        + np.diff(a[0], n=2).prod()
    )


@program(vector)
def sort_function(x):
    s = np.sort(x)
    return (s * np.array([3.0, 1.0, 4.0, 1.5])).sum() + (np.sort(-x)[:2] ** 2).sum()


@program(matrix, tags=["float32"])
def sort_along_axis_and_median(a):
    return (
        (np.sort(a, axis=0)[0] ** 2).sum()
        + np.median(a, axis=1).prod()
        + np.median(a[0, :3])
    )


@program(vector, tags=["float32"])
def partition_and_top_k(x):
    top = np.sort(x)[-2:]
    k = np.argpartition(x, 1)[:2]
    return top.prod() + (x[k] ** 2).sum()


@program(matrix, tags=["float32"])
def roll_flip_pad(a):
    r = np.roll(a, 1, axis=1) * np.flip(a, axis=0) + np.roll(a[0], -2)
    p = np.pad(a[0], (1, 2))
    return (
        (r**2).sum() + (p[1:] * p[:-1]).sum() + np.fliplr(a)[0, 0] * np.rot90(a)[1, 1]
    )


@program(matrix, tags=["float32"])
def convolve_correlate(a):
    return (np.convolve(a[0], a[1, :2]) ** 2).sum() + np.correlate(
        a[0], a[2, :3], mode="valid"
    ).prod()


@program(lambda rng: (rng.normal(size=3), rng.normal(size=3)))
def cross_and_interp(x, y):
    c = np.cross(x, y)
    return (c**2).sum() + c @ np.array([1.0, 2.0, 3.0]) * x[0]


@program(matrix)
def average_and_weights(a):
    w = np.exp(a[0])
    return (
        np.average(a, axis=1, weights=w).prod() + np.average(a) ** 2 + np.cov(a)[0, 1]
    )


@program(square, tags=["float32"])
def matrix_construction(a):
    d = np.diag(a[0]) + np.tril(a) @ np.triu(a, 1)
    return (d**2).sum() + np.trace(a @ a) + np.diagonal(a).prod()


@program(system, tags=["float32"])
def linalg_solve_inv_det(a, b):
    x = np.linalg.solve(a, b)
    return x @ x + np.trace(np.linalg.inv(a)) + np.log(np.linalg.det(a @ a.T))


@program(system, tags=["float32"])
def linalg_solve_matrix_right_side(a, b):
    x = np.linalg.solve(a, np.outer(b, b) + a.T)
    return (x**2).sum()


@program(square)
def linalg_cholesky_slogdet(a):
    s = a @ a.T + 2 * np.eye(3)
    c = np.linalg.cholesky(s)
    sign, logdet = np.linalg.slogdet(s)
    return np.log(np.diag(c)).sum() * sign + logdet + c[2, 0] ** 2


@program(matrix, tags=["float32"])
def linalg_norms(a):
    return (
        np.linalg.norm(a)
        + np.linalg.norm(a[0]) * np.linalg.norm(a, axis=1).sum()
        + np.linalg.norm(a[1], 1)
    )


@program(square)
def linalg_eigvalsh(a):
    s = a + a.T + np.diag([0.0, 5.0, 10.0])
    values, vectors = np.linalg.eigh(s)
    return np.sin(values).sum() + (vectors[:, 0] ** 4).sum()


@program(matrix, tags=["float32"])
def linalg_svd_and_pinv(a):
    s = np.linalg.svd(a, compute_uv=False)
    return (s**3).sum() + s[0] / s[-1]


@program(matrix, tags=["float32"])
def linalg_qr(a):
    q, r = np.linalg.qr(a.T)
    return (r[0] * r[1]).sum() + np.abs(np.diag(r)).prod()


@program(square, tags=["float32"])
def linalg_matrix_power_and_multi_dot(a):
    return (
        np.linalg.matrix_power(a * 0.5, 3).sum()
        + np.linalg.multi_dot([a, a.T, a]).trace()
    )


@program(vector)
def fft_power_spectrum(x):
    f = np.fft.fft(x)
    return (np.abs(f) ** 2 * np.arange(4)).sum() + (f[1] * np.conj(f[2])).real


@program(vector)
def real_fft_low_pass(x):
    f = np.fft.rfft(x)
    f = f * np.array([1.0, 0.5, 0.0])
    return (np.fft.irfft(f, n=4) ** 3).sum()


@program(lambda rng: (rng.normal(size=(2, 4)),), tags=["float32"])
def fft_two_dimensions(a):
    f = np.fft.fft2(a)
    return np.fft.ifft2(f * f).real[0].prod() + f.imag[0, 1] ** 2


@program(lambda rng: (rng.normal(size=4), rng.normal(size=3)), tags=["float32"])
def fft_convolution(x, k):
    n = len(x) + len(k) - 1
    y = np.fft.irfft(np.fft.rfft(x, n) * np.fft.rfft(k, n), n)
    return (y**2).sum()


@program(lambda rng: (rng.normal(), rng.normal()), tags=["float32"])
def complex_arithmetic(x, y):
    z = x + 1j * y
    w = z * z + 0.5 / (z + 3.0)
    return w.real * w.imag + abs(z) ** 2


@program(vector, tags=["float32"])
def complex_exponential(x):
    z = np.exp(1j * x)
    return (z.sum() * np.conj(z[0])).real + np.angle(z[1] * 2.0) + np.imag(z).prod()


@program(lambda rng: (rng.normal(), rng.normal()))
def complex_loop(x, y):
    c = complex(x, y) * 0.3
    z = 0j
    for _ in range(4):
        z = z * z + c
    return np.abs(z) ** 2 + z.real


@program(lambda rng: (rng.normal(size=4),), tags=["float32"])
def real_and_imag_properties_of_real(x):
    return (x.real * x).sum() + x.imag.sum() + np.real(x)[0] + np.conj(x)[1] * x[2]


@program(matrix_and_vector, tags=["float32"])
def single_precision_layer(a, w):
    z = a @ w
    return np.tanh(z).sum() + (z * z).mean()


@program(matrix, tags=["float32"])
def single_precision_softmax(a):
    e = np.exp(a - a.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return -np.log(p[:, 1]).mean()


@program(matrix_and_vector, tags=["float32"])
def single_precision_recurrence(a, w):
    h = np.zeros(4, dtype=a.dtype)
    for row in a:
        h = 0.5 * h + np.maximum(row * w, 0.1 * h)
    return np.sqrt(1 + (h**2).sum())


@program(matrix, tags=["float32"])
def methods_in_loop(a):
    h = a
    for k in range(3):
        h = (h.T @ h * 3 / h.size).clip(-5.3, 5.3)
        h = h - h.mean(axis=0)
    return (h**2).sum()


@program(matrix, tags=["float32"])
def methods_in_branch(a):
    if a.sum() > 0:
        return a.T.dot(a).max()
    return a.reshape(4, 3).prod(axis=0).sum()


@program(matrix, tags=["float32"])
def methods_in_closure(a):
    column = lambda j: a.T[j].copy()
    return column(0).dot(column(1)) + column(2).std()


class Whitener:
    def __init__(self, data):
        self.mean = data.mean(axis=0)
        self.scale = data.std(axis=0) + 0.1

    def __call__(self, x):
        return ((x - self.mean) / self.scale).ravel()


@program(matrix, tags=["float32"])
def methods_in_method(a):
    z = Whitener(a)(a * a)
    return z.dot(z) / z.size


@program(vector, tags=["jacobian"])
def vector_result(x):
    return np.cumsum(np.sin(x) * x[::-1])


@program(matrix_and_vector, tags=["jacobian"])
def matrix_result(a, w):
    return np.outer(np.tanh(a @ w), w)


@program(matrix, tags=["tricky"])
def integer_results_have_no_gradient(a):
    k = np.argmax(a, axis=1)
    n = np.count_nonzero(a > 0)
    return (a[:, 1] * k).sum() * n + np.floor(a + 0.0).sum() * 0.5 + a[0, 0] ** 2


@program(vector, tags=["tricky"])
def integer_and_float_mixing(x):
    i = np.arange(4)
    return (x * i // 1 * 0 + x**i + i / (2 + x**2)).sum() * 3 / 2


@program(matrix, tags=["tricky"])
def operands_used_many_times(a):
    b = a + a + a * a - a
    return (b * b + b * a).sum() - (a - a).sum()


@program(vector, tags=["tricky"])
def scalar_array_mixtures(x):
    s = x.sum()
    t = np.float64(2.0) * s
    u = np.array(3.0) * t
    return s * t + u + np.asarray(x[0]) ** 2


@program(vector, tags=["tricky"])
def same_function_through_method_and_module(x):
    return np.sum(x * x) + (x * x).sum() + sum(x * x) + np.add.reduce(x * x)


@program(lambda rng: (rng.normal(size=(2, 2)),), tags=["tricky"])
def transpose_of_square_is_not_identity(a):
    return (a.T @ a - a @ a.T)[0, 0] + (a * a.T).sum()


add("arrays.lambda_logsumexp", lambda x: np.log(np.sum(np.exp(x))), vector)


@program(lambda rng: (rng.normal(size=4), 1))
def axes_that_a_loop_adds(x, n):
    found = x
    for _ in range(n):
        found = np.take(found, np.arange(12).reshape(4, 3) % 4, axis=0)
    return (found.mean(axis=1) ** 2 * found.max(axis=1)).sum()


@program(lambda rng: (rng.normal(size=(3, 3)), 2))
def axes_that_a_loop_removes(x, n):
    found = x @ x
    while found.ndim > 0:
        found = np.tanh(found).mean(axis=-1) * n
    return found**2
