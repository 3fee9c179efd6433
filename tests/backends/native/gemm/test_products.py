"""Matrix products of every shape, stride and layout, against NumPy."""

import numpy as np
import pytest

from anadrome.backends.native.gemm import gemm_library
from anadrome.backends.native.runtime.threads import thread_pool

DTYPES = [np.float32, np.float64]
SIZES = (1, 2, 3, 5, 8, 9, 16, 31, 33, 64, 100, 257, 400)


def _matrix(rng, rows, columns, layout, dtype):
    if layout == "rows":
        return rng.normal(size=(rows, columns)).astype(dtype)
    if layout == "columns":
        return rng.normal(size=(columns, rows)).astype(dtype).T
    if layout == "padded":
        return rng.normal(size=(rows, columns + 3)).astype(dtype)[:, 1 : columns + 1]
    if layout == "backwards":
        return rng.normal(size=(rows, columns)).astype(dtype)[::-1, ::-1]
    return rng.normal(size=(2 * rows, 3 * columns)).astype(dtype)[::2, ::3]


LAYOUTS = ("rows", "columns", "padded", "backwards", "scattered")


def _tolerance(dtype, depth):
    return 64 * np.finfo(dtype).eps * np.sqrt(depth + 1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_of_random_shapes_and_layouts(dtype, target):
    rng = np.random.default_rng(5)
    library = gemm_library(dtype, target)
    for _ in range(150):
        m, n, k = (int(rng.choice(SIZES)) for _ in range(3))
        a, b, c = (
            _matrix(rng, *shape, rng.choice(LAYOUTS), dtype)
            for shape in ((m, k), (k, n), (m, n))
        )
        accumulate = bool(rng.integers(2))
        expected = a.astype(np.float64) @ b.astype(np.float64)
        if accumulate:
            expected += c
        else:
            c[...] = np.nan
        library.multiply(a, b, c, accumulate)
        np.testing.assert_allclose(c, expected, rtol=0, atol=_tolerance(dtype, k))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_row_is_the_same_in_thin_and_in_tall_products(dtype, target):
    library = gemm_library(dtype, target)
    rng = np.random.default_rng(11)
    for depth in (1, 15, 17, 31, 32, 33, 97, 128, 200, 767, 769, 1023, 1025, 2000):
        columns = int(rng.choice([1, 31, 64, 600, 1025])) if depth != 128 else 64
        layout = str(rng.choice(LAYOUTS))
        accumulate = bool(rng.integers(2))
        a = _matrix(rng, 70, depth, layout, dtype)
        b = _matrix(rng, depth, columns, "padded", dtype)
        tall = rng.normal(size=(70, columns)).astype(dtype)
        begun = tall.copy()
        library.multiply(a, b, tall, accumulate)
        for rows in (8, 15, 16, 17, 32, 33):
            thin = begun[:rows].copy()
            library.multiply(a[:rows], b, thin, accumulate)
            np.testing.assert_array_equal(thin, tall[:rows])


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_column_is_the_same_alone_and_among_others(dtype, target):
    library = gemm_library(dtype, target)
    rng = np.random.default_rng(13)
    for depth in (1, 7, 16, 31, 64, 67):
        a = _matrix(rng, 2, depth, "rows", dtype)
        b = _matrix(rng, depth, 21, "columns", dtype)
        for accumulate in (False, True):
            begun = rng.normal(size=(2, 21)).astype(dtype)
            together = begun.copy()
            library.multiply(a, b, together, accumulate)
            for k in range(21):
                alone = begun[:, k : k + 1].copy()
                library.multiply(a[:1], b[:, k : k + 1], alone[:1], accumulate)
                assert alone[0, 0] == together[0, k]


@pytest.mark.parametrize("dtype", DTYPES)
def test_few_columns_beside_whole_panels(dtype, target):
    library = gemm_library(dtype, target)
    rng = np.random.default_rng(14)
    width = library.shape.width
    for beside in (1, 2, 4, 5, width - 1):
        columns, depth = 4 * width + beside, int(rng.choice([3, 64, 401, 900]))
        for rows in (70, 1042):
            a = _matrix(rng, rows, depth, "columns", dtype)
            b = _matrix(rng, depth, columns, str(rng.choice(LAYOUTS)), dtype)
            for accumulate in (False, True):
                whole = np.full((rows + 2, columns + 2), 7, dtype)
                begun = rng.normal(size=(rows, columns)).astype(dtype)
                c = whole[1:-1, 1:-1]
                c[...] = begun
                library.multiply(a, b, c, accumulate)
                expected = a.astype(np.float64) @ b + accumulate * begun
                tolerance = _tolerance(dtype, depth)
                np.testing.assert_allclose(c, expected, rtol=0, atol=tolerance)
                thin = begun[:9].copy()
                library.multiply(a[:9], b, thin, accumulate)
                np.testing.assert_array_equal(thin, c[:9])
                c[...] = 7
                assert (whole == 7).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_shallow_products(dtype, target):
    library = gemm_library(dtype, target)
    rng = np.random.default_rng(12)
    for depth in (1, 2, 15, 16, 17, 64, 95, 96, 97):
        rows = int(rng.choice([1, 15, 17, 100, 300]))
        columns = int(rng.choice([1, 31, 1023, 1025, 3000]))
        a = _matrix(rng, depth, rows, "padded", dtype).T
        b = _matrix(rng, depth, columns, "rows", dtype)
        for accumulate in (False, True):
            c = rng.normal(size=(rows, columns)).astype(dtype)
            expected = a.astype(np.float64) @ b + accumulate * c
            library.multiply(a, b, c, accumulate)
            tolerance = _tolerance(dtype, depth)
            np.testing.assert_allclose(c, expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("rows", range(1, 27))
def test_nothing_outside_the_result_is_written(rows, target):
    library = gemm_library(np.float32, target)
    rng = np.random.default_rng(rows)
    a = rng.normal(size=(rows, 40)).astype(np.float32)
    b = rng.normal(size=(40, 2 * rows + 5)).astype(np.float32)
    whole = np.full((rows + 2, 2 * rows + 9), 7, np.float32)
    inner = whole[1:-1, 2:-2]
    library.multiply(a, b, inner)
    np.testing.assert_allclose(inner, a @ b, atol=1e-4)
    whole[1:-1, 2:-2] = 7
    assert (whole == 7).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_empty_products(dtype, target):
    library = gemm_library(dtype, target)
    for m, n in ((0, 3), (3, 0), (0, 0)):
        library.multiply(
            np.ones((m, 4), dtype), np.ones((4, n), dtype), np.ones((m, n))
        )
    out = np.ones((3, 5), dtype)
    none = np.ones((3, 0), dtype), np.ones((0, 5), dtype)
    library.multiply(*none, out, accumulate=True)
    assert (out == 1).all()
    library.multiply(*none, out)
    assert (out == 0).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_packed_products(dtype, target):
    rng = np.random.default_rng(6)
    library = gemm_library(dtype, target)
    for layout in LAYOUTS:
        for m, n, k in ((1, 300, 70), (3, 64, 33), (8, 256, 64), (37, 45, 801)):
            a = _matrix(rng, m, k, "rows", dtype)
            b = _matrix(rng, k, n, layout, dtype)
            out = np.ones((m, n), dtype)
            library.multiply_packed(a, library.pack(b), out, accumulate=True)
            expected = 1 + a.astype(np.float64) @ b
            tolerance = _tolerance(dtype, k)
            np.testing.assert_allclose(out, expected, rtol=0, atol=tolerance)


def test_stacks_of_products(target):
    rng = np.random.default_rng(7)
    library = gemm_library(np.float64, target)
    a = rng.normal(size=(9, 30, 20))
    b = rng.normal(size=(9, 25, 20)).transpose(0, 2, 1)
    out = np.empty((9, 30, 25))
    library.multiply(a, b, out)
    np.testing.assert_allclose(out, a @ b, atol=1e-12)
    one = np.broadcast_to(b[0], (9, 20, 25))
    library.multiply(a, one, out)
    np.testing.assert_allclose(out, a @ b[0], atol=1e-12)
    library.multiply(a[:0], b[:0], out[:0])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(300, 200, 500), (1, 900, 700), (20, 999, 64)])
def test_the_number_of_threads_changes_no_bit(dtype, shape, target):
    m, n, k = shape
    rng = np.random.default_rng(8)
    library, pool = gemm_library(dtype, target), thread_pool()
    before = pool.thread_count
    for layout in ("rows", "columns"):
        a = _matrix(rng, m, k, "rows", dtype)
        b = _matrix(rng, k, n, layout, dtype)
        results = []
        try:
            for threads in (1, 2, 3, 5):
                pool.resize(threads)
                out = np.empty((m, n), dtype)
                library.multiply(a, b, out)
                results.append(out)
        finally:
            pool.resize(before)
        for other in results[1:]:
            np.testing.assert_array_equal(other, results[0])


def test_a_row_does_not_depend_on_its_neighbours(target):
    rng = np.random.default_rng(9)
    library = gemm_library(np.float32, target)
    a = rng.normal(size=(40, 700)).astype(np.float32)
    packed = library.pack(rng.normal(size=(700, 90)).astype(np.float32))
    whole = np.empty((40, 90), np.float32)
    library.multiply_packed(a, packed, whole)
    for first, last in ((0, 1), (3, 5), (10, 27), (39, 40)):
        part = np.empty((last - first, 90), np.float32)
        library.multiply_packed(a[first:last], packed, part)
        np.testing.assert_array_equal(part, whole[first:last])


def test_infinities_and_nans_come_through(target):
    library = gemm_library(np.float64, target)
    a = np.array([[1.0, np.inf], [np.nan, 2.0], [0.0, 1.0]])
    b = np.array([[1.0, 0.0, 2.0], [3.0, 1.0, 4.0]])
    out = np.empty((3, 3))
    library.multiply(a, b, out)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(out, a @ b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("m", "n", "k"),
    [(70, 64, 10), (500, 65, 1000), (64, 63, 900), (600, 33, 41), (450, 600, 400)],
)
def test_factors_that_many_strips_read(dtype, m, n, k, target):
    rng = np.random.default_rng(14)
    library = gemm_library(dtype, target)
    for left in LAYOUTS:
        for right in LAYOUTS:
            a = _matrix(rng, m, k, left, dtype)
            b = _matrix(rng, k, n, right, dtype)
            for accumulate in (False, True):
                c = rng.normal(size=(m, n)).astype(dtype)
                expected = a.astype(np.float64) @ b + accumulate * c
                library.multiply(a, b, c, accumulate)
                tolerance = _tolerance(dtype, k)
                np.testing.assert_allclose(c, expected, rtol=0, atol=tolerance)


def test_a_factor_too_large_to_be_packed_at_once(target):
    # Its depth is taken in pieces, of blocks as deep as without them.
    library = gemm_library(np.float32, target)
    rng = np.random.default_rng(15)
    for depth in (10329, 10000):
        a = rng.normal(size=(700, depth)).astype(np.float32)
        b = rng.normal(size=(depth, 450)).astype(np.float32)
        tall = np.empty((700, 450), np.float32)
        library.multiply(a, b, tall)
        thin = np.empty((20, 450), np.float32)
        library.multiply(a[:20], b, thin)
        np.testing.assert_array_equal(thin, tall[:20])
        some = rng.integers(0, 700, 3)
        expected = a[some].astype(np.float64) @ b
        tolerance = _tolerance(np.float32, depth)
        np.testing.assert_allclose(tall[some], expected, rtol=0, atol=tolerance)


def test_packing_among_threads(target):
    rng = np.random.default_rng(16)
    library = gemm_library(np.float32, target)
    for depth, columns in ((1, 1), (70, 700), (700, 70), (333, 333)):
        for layout in LAYOUTS:
            b = _matrix(rng, depth, columns, layout, np.float32)
            found = library.pack(b).reshape(-1, depth, library.shape.width)
            padded = np.zeros((depth, len(found) * library.shape.width), np.float32)
            padded[:, :columns] = b
            expected = padded.reshape(depth, len(found), -1).swapaxes(0, 1)
            np.testing.assert_array_equal(found, expected)
