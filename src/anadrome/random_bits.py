"""Random numbers that are a function of seed, stream and position.

The generator is Philox-4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
numbers: as easy as 1, 2, 3", 2011): ten rounds that turn a 128-bit counter into four
32-bit words.  There is no state to carry or to lock, any part of a stream can be made
alone, and the same bits come from NumPy here and from native code.

- The key is the seed; the counter is (block, stream), 64 bits each, low words first.
- Word i of a stream is word i mod 4 of block ⌊i/4⌋.
- float32 draws use one word w, float64 draws the two words w₂ᵢ + 2³²·w₂ᵢ₊₁.
- Uniform draws keep the top 24 (53) bits: multiples of 2⁻²⁴ (2⁻⁵³) in [0, 1).
- Normal draws are the normal quantile of (w + ½)·2⁻³², or of 52 bits for float64, by
  `normal_quantile`, in double precision, rounded once.  It uses only operations that
  IEEE 754 rounds exactly, so that every backend gives the same bits; its relative
  error is below 2⁻²⁹.
- Bernoulli draws are w·2⁻³² < p.

The formulas take an `ops` argument for what operators do not spell, so that native
code can be emitted from the very same text.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
# Keys are made with other Philox keys than numbers are, or a new key might be among
# the numbers that its parent gives.
FOLDED, SPLIT = 0xA0761D6478BD642F, 0xE7037ED1A0B428DB
_WORD = 0xFFFFFFFF
_LN2 = 0.6931471805599453

# error 2^-35.4 on [-3, 3]
QUANTILE_NEAR = (
    2.2960351245987027,
    0.3417169944411805,
    -0.008114948352801046,
    -0.0011825386990059767,
    0.00027585780608008014,
    -1.7984863998672048e-05,
    -2.4716405387013857e-06,
    6.369905995225467e-07,
    -3.364662567442641e-08,
    -7.904998777290959e-09,
    1.5996189519589502e-09,
    -1.799050074990603e-11,
    -2.7775673114843245e-11,
    1.6972435977041e-12,
    2.2833277861684645e-13,
)

# error 2^-29.8 on [-1.56, 2.25]
QUANTILE_FAR = (
    5.430274326011099,
    1.427639012068665,
    0.001781579059486377,
    -0.0012285106090754244,
    0.0004545055532356382,
    -0.00016818758966336502,
    7.768499422739431e-05,
    -4.36026417199987e-05,
    2.6999122393124627e-05,
    -1.4601206221578945e-05,
    4.434247037424406e-06,
    2.7942670017087905e-07,
    -7.032818435202753e-07,
    2.0818204200235872e-07,
    -2.0531962496460565e-08,
)

# 2·atanh(s) = 2s + s·z·(c₀ + c₁z + …) with z = s².
ATANH_TAIL = (2 / 3, 2 / 5, 2 / 7, 2 / 9, 2 / 11, 2 / 13, 2 / 15, 2 / 17, 2 / 19)


class NumpyOps:
    """What the formulas need beyond operators, for NumPy arrays."""

    select = staticmethod(np.where)
    sqrt = staticmethod(np.sqrt)

    @staticmethod
    def bits(x: np.ndarray) -> np.ndarray:
        """The bits of doubles."""
        return x.view(np.int64)

    @staticmethod
    def from_bits(i: np.ndarray) -> np.ndarray:
        """The doubles that bits stand for."""
        return i.view(np.float64)

    @staticmethod
    def shift_right(i: np.ndarray, amount: int) -> np.ndarray:
        """The logical shift."""
        return (i.view(np.uint64) >> np.uint64(amount)).view(i.dtype)

    @staticmethod
    def int_to_float(i: np.ndarray) -> np.ndarray:
        """Integers of less than 2⁵¹ as doubles."""
        return i.astype(np.float64)


def philox(ops: Any, counter: Any, key: Any) -> list[Any]:
    """Four 32-bit words (held in 64 bits) from a counter of four and a key of two."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = (
            ops.shift_right(p1, 32) ^ c1 ^ k0,
            p1 & _WORD,
            ops.shift_right(p0, 32) ^ c3 ^ k1,
            p0 & _WORD,
        )
        k0, k1 = (k0 + KEY_STEPS[0]) & _WORD, (k1 + KEY_STEPS[1]) & _WORD
    return [c0, c1, c2, c3]


def uniform_from_words(ops: Any, low: Any, high: Any | None = None) -> Any:
    """Doubles in [0, 1): 24 bits of one word, or 53 bits of two."""
    if high is None:
        return ops.int_to_float(ops.shift_right(low, 8)) * 2.0**-24
    top = ops.int_to_float(ops.shift_right(high, 6)) * 2.0**-26
    return top + ops.int_to_float(_low_bits(ops, low, high)) * 2.0**-53


def _low_bits(ops: Any, low: Any, high: Any) -> Any:
    """The last 27 of the top 53 bits of two words."""
    return ((high & 63) << 21) | ops.shift_right(low, 11)


def normal_from_words(ops: Any, low: Any, high: Any | None = None) -> Any:
    """Standard normal doubles from one word or from two."""
    if high is None:
        return normal_quantile(ops, (ops.int_to_float(low) + 0.5) * 2.0**-32)
    # Twelve bits of the second word stay unused: 52 and the half fill a double.
    top = ops.int_to_float(high & (2**20 - 1)) * 2.0**32
    fraction = top + ops.int_to_float(low)
    return normal_quantile(ops, (fraction + 0.5) * 2.0**-52)


def normal_quantile(ops: Any, u: Any) -> Any:
    """The z with Φ(z) = u, for 0 < u < 1."""
    x = u * 2.0 - 1.0
    w = -_log(ops, (1.0 - x) * (1.0 + x))
    near = _horner(w - 3.0, QUANTILE_NEAR)
    far = _horner(ops.sqrt(w) - 4.0, QUANTILE_FAR)
    return x * ops.select(w < 6.0, near, far)


def _log(ops: Any, x: Any) -> Any:
    """log(x) for normal positive x, within some 2⁻⁵⁰."""
    bits = ops.bits(x)
    biased = ops.shift_right(bits + (0x3FF0000000000000 - 0x3FE6A09E667F3BCD), 52)
    exponent = biased - 1023
    f = ops.from_bits(bits - (exponent << 52)) - 1.0
    s = f / (f + 2.0)
    z = s * s
    return ops.int_to_float(exponent) * _LN2 + (
        s * 2.0 + s * z * _horner(z, ATANH_TAIL)
    )


def _horner(x: Any, coefficients: tuple[float, ...]) -> Any:
    result = x * coefficients[-1] + coefficients[-2]
    for coefficient in reversed(coefficients[:-2]):
        result = result * x + coefficient
    return result


def random_words(seed: int, stream: int, count: int, first: int = 0) -> np.ndarray:
    """Words first…first+count-1 of a stream, as uint32."""
    begin, end = first // 4, -(-(first + count) // 4)
    block = np.arange(begin, end, dtype=np.uint64)
    high, low = np.uint64(stream >> 32 & _WORD), np.uint64(stream & _WORD)
    shape = np.zeros_like(block)
    counter = (
        block & np.uint64(_WORD),
        block >> np.uint64(32),
        shape + low,
        shape + high,
    )
    key = (np.uint64(seed & _WORD), np.uint64(seed >> 32 & _WORD))
    words = philox(NumpyOps, counter, key)
    flat = np.stack(words, axis=1).astype(np.uint32).ravel()
    return flat[first - 4 * begin :][:count]


def _words_for(
    seed: int, stream: int, count: int, dtype: Any
) -> tuple[np.ndarray, np.ndarray | None]:
    if np.dtype(dtype) == np.float32:
        return random_words(seed, stream, count).astype(np.int64), None
    words = random_words(seed, stream, 2 * count).astype(np.int64)
    return words[0::2].copy(), words[1::2].copy()


def uniform(seed: int, stream: int, count: int, dtype: Any = np.float64) -> np.ndarray:
    """Draws from [0, 1)."""
    words = _words_for(seed, stream, count, dtype)
    return np.asarray(uniform_from_words(NumpyOps, *words), dtype)


def normal(seed: int, stream: int, count: int, dtype: Any = np.float64) -> np.ndarray:
    """Draws from the standard normal distribution."""
    words = _words_for(seed, stream, count, dtype)
    return np.asarray(normal_from_words(NumpyOps, *words), dtype)


def bernoulli(seed: int, stream: int, count: int, p: float) -> np.ndarray:
    """Booleans that are true with probability p."""
    return random_words(seed, stream, count) * 2.0**-32 < p
