"""Lines of ARPA files as bytes, in native code: written, and read if they are plain."""

from __future__ import annotations

import numpy as np

from anadrome.ngram.lexicon import find_slot

_MINUS, _PLUS, _POINT, _ZERO, _NINE, _E = 45, 43, 46, 48, 57, 101
_SPACE, _TAB, _LINE_FEED = 32, 9, 10

NUMERAL = 24
"""No number takes more bytes."""


def put_digits(out: np.ndarray, at: int, number: int, count: int) -> int:
    """Write a number with so many digits; the place after it."""
    i = at + count
    while i > at:
        i -= 1
        out[i] = _ZERO + number % 10
        number = number // 10
    return at + count


def put_number(out: np.ndarray, at: int, value: float) -> int:
    """Write a number with nine digits, which single precision needs to come back."""
    if value == 0.0:
        out[at] = _ZERO
        return at + 1
    if value < 0.0:
        out[at] = _MINUS
        at += 1
        value = -value
    if value > 999999.0:
        out[at] = 105  # inf
        out[at + 1] = 110
        out[at + 2] = 102
        return at + 3
    exponent = 0
    if value < 0.0001:
        while value < 1.0:
            value *= 10.0
            exponent += 1
    digits = 9  # after the point
    scale = 1000000000.0
    bound = 1.0
    while value >= bound:
        bound *= 10.0
        scale /= 10.0
        digits -= 1
    while bound > 0.00015 and value < bound * 0.1:
        bound *= 0.1
        scale *= 10.0
        digits += 1
    rounded = int(value * scale + 0.5)
    unit = int(scale)
    whole = rounded // unit
    rest = rounded - whole * unit
    length = 1
    bound_whole = 10
    while whole >= bound_whole:
        bound_whole *= 10
        length += 1
    at = put_digits(out, at, whole, length)
    if rest > 0:
        while rest % 10 == 0:
            rest = rest // 10
            digits -= 1
        out[at] = _POINT
        at = put_digits(out, at + 1, rest, digits)
    if exponent > 0:
        out[at] = _E
        out[at + 1] = _MINUS
        at = put_digits(out, at + 2, exponent, 2)
    return at


def put_lines(
    ids: np.ndarray,
    probs: np.ndarray,
    backoffs: np.ndarray,
    content: np.ndarray,
    begin: np.ndarray,
    out: np.ndarray,
) -> int:
    """Write n-grams (G, n) as lines; their length. `backoffs` may be empty."""
    count, order = ids.shape
    at = 0
    for i in range(count):
        at = put_number(out, at, float(probs[i]))
        for k in range(order):
            out[at] = _TAB if k == 0 else _SPACE
            at += 1
            word = int(ids[i, k])
            for j in range(int(begin[word]), int(begin[word + 1])):
                out[at] = content[j]
                at += 1
        if len(backoffs) > 0:
            out[at] = _TAB
            at = put_number(out, at + 1, float(backoffs[i]))
        out[at] = _LINE_FEED
        at += 1
    return at


def take_number(text: np.ndarray, at: int, cursor: np.ndarray) -> float:
    """The plain number at a place; the cursor is after it, or -1 if it is not plain."""
    sign = 1.0
    if int(text[at]) == _MINUS:
        sign = -1.0
        at += 1
    number = 0
    digits = 0
    scale = 1.0
    point = False
    b = int(text[at])
    while (b >= _ZERO and b <= _NINE) or b == _POINT:
        if b == _POINT:
            if point:
                digits = 99
            point = True
        else:
            digits += 1
            if digits <= 17:
                number = number * 10 + b - _ZERO
            if point:
                scale *= 10.0
        at += 1
        b = int(text[at])
    if b == _E:
        at += 1
        up = int(text[at]) != _MINUS
        if int(text[at]) == _MINUS or int(text[at]) == _PLUS:
            at += 1
        exponent = 0
        first = at
        while int(text[at]) >= _ZERO and int(text[at]) <= _NINE:
            exponent = exponent * 10 + int(text[at]) - _ZERO
            at += 1
        if up or at == first or exponent > 60:
            digits = 99
            exponent = 0
        for _ in range(exponent):
            scale *= 10.0
    cursor[0] = at
    if digits == 0 or digits > 17:
        cursor[0] = -1
    return sign * number / scale


def take_lines(
    text: np.ndarray,
    at: int,
    content: np.ndarray,
    begin: np.ndarray,
    slots: np.ndarray,
    ids: np.ndarray,
    probs: np.ndarray,
    backoffs: np.ndarray,
) -> int:
    """Read n-grams (G, n) from lines with known words; the place after them.

    -1 if anything is not quite as expected, from numbers with many digits to words
    that nobody knows. The text ends with a line end.
    """
    count, order = ids.shape
    cursor = np.zeros(1, np.int64)
    end = len(text)
    for i in range(count):
        if at >= end:
            return -1
        probs[i] = take_number(text, at, cursor)
        at = int(cursor[0])
        if at < 0:
            return -1
        for k in range(order):
            if int(text[at]) != _SPACE and int(text[at]) != _TAB:
                return -1
            at += 1
            first = at
            code = 0
            b = int(text[at])
            while b > 32:
                code = (code & 36028797018963967) * 97 + b
                at += 1
                b = int(text[at])
            if at == first:
                return -1
            slot = find_slot(content, begin, slots, text, first, at, code)
            word = int(slots[slot])
            if word < 0:
                return -1
            ids[i, k] = word
        backoffs[i] = 0.0
        if int(text[at]) == _TAB or int(text[at]) == _SPACE:
            backoffs[i] = take_number(text, at + 1, cursor)
            at = int(cursor[0])
            if at < 0:
                return -1
        if int(text[at]) != _LINE_FEED:
            return -1
        at += 1
    return at
