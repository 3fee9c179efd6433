"""Numbers in words, in both languages."""

from __future__ import annotations

_ENGLISH = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_ENGLISH_TENS = [
    "-",
    "-",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
]
_ENGLISH_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_FRENCH = [
    "zéro",
    "un",
    "deux",
    "trois",
    "quatre",
    "cinq",
    "six",
    "sept",
    "huit",
    "neuf",
    "dix",
    "onze",
    "douze",
    "treize",
    "quatorze",
    "quinze",
    "seize",
    "dix-sept",
    "dix-huit",
    "dix-neuf",
]
_FRENCH_TENS = ["-", "-", "vingt", "trente", "quarante", "cinquante", "soixante"]


def english_number(n: int) -> str:
    """A number from 0 to 999 in English words: two hundred and thirty-one."""
    _check(n)
    if n >= 100:
        rest = f" and {english_number(n % 100)}" if n % 100 else ""
        return f"{_ENGLISH[n // 100]} hundred{rest}"
    if n < 20:
        return _ENGLISH[n]
    unit = f"-{_ENGLISH[n % 10]}" if n % 10 else ""
    return _ENGLISH_TENS[n // 10] + unit


def english_ordinal(n: int) -> str:
    """An ordinal number in English words: twenty-third."""
    stem, hyphen, last = english_number(n).rpartition("-")
    if last in _ENGLISH_ORDINALS:
        last = _ENGLISH_ORDINALS[last]
    elif last.endswith("y"):
        last = last[:-1] + "ieth"
    else:
        last += "th"
    return stem + hyphen + last


def french_number(n: int, *, feminine: bool = False) -> str:
    """A number from 0 to 999 in French words: deux cent trente et une (pages).

    The traditional spelling: hyphens only within the tens, *cents* and *vingts* only
    at the very end.
    """
    _check(n)
    if n >= 100:
        hundreds, rest = divmod(n, 100)
        head = "cent" if hundreds == 1 else f"{_FRENCH[hundreds]} cent"
        if not rest:
            return head + ("s" if hundreds > 1 else "")
        return f"{head} {french_number(rest, feminine=feminine)}"
    one = "une" if feminine else "un"
    if n < 20:
        return one if n == 1 else _FRENCH[n]
    if n < 70:
        tens, unit = divmod(n, 10)
        if unit == 0:
            return _FRENCH_TENS[tens]
        if unit == 1:
            return f"{_FRENCH_TENS[tens]} et {one}"
        return f"{_FRENCH_TENS[tens]}-{_FRENCH[unit]}"
    if n < 80:
        return "soixante et onze" if n == 71 else f"soixante-{_FRENCH[n - 60]}"
    if n == 80:
        return "quatre-vingts"
    return f"quatre-vingt-{one if n == 81 else _FRENCH[n - 80]}"


def _check(n: int) -> None:
    if not 0 <= n <= 999:
        raise ValueError(f"{n} is not between 0 and 999")
