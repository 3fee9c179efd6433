"""Words of a text as numbers, in native code: a hash table over the bytes of UTF-8."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import anadrome as ad
from anadrome.ngram.tables import BOS, EOS, SPECIALS, UNK

_SPACE, _TAB, _LINE_FEED, _RETURN = 32, 9, 10, 13

# What becomes of `<s>`, `</s>` and `<unk>` in a text, and of other unknown words.
REFUSE, SKIP, ACCEPT_UNKNOWN = 0, 1, 2


@functools.cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function in native code, compiled once."""
    return ad.jit(function)


def find_slot(
    content: np.ndarray,
    begin: np.ndarray,
    slots: np.ndarray,
    text: np.ndarray,
    first: int,
    last: int,
    code: int,
) -> int:
    """The slot of the word `text[first:last]` with a hash, or the free one for it."""
    mask = len(slots) - 1
    size = last - first
    at = (code + code // 32768) & mask
    number = int(slots[at])
    while number >= 0:
        start = int(begin[number])
        if int(begin[number + 1]) - start == size:
            k = 0
            while k < size and int(content[start + k]) == int(text[first + k]):
                k += 1
            if k == size:
                return at
        at = (at + 1) & mask
        number = int(slots[at])
    return at


def number_words(
    content: np.ndarray,
    begin: np.ndarray,
    slots: np.ndarray,
    text: np.ndarray,
    cursor: np.ndarray,
    out: np.ndarray,
    pad: int,
    special: int,
    learn: bool,
) -> int:
    """Write the numbers of the words of a text of whole lines; 0 if all was read.

    A line has `pad` times `<s>` before its words and `</s>` after them. `cursor` is the
    place in the text, the length of the output and the number of words known; the
    function goes on from there if it stopped for want of room, which gives 1. It gives
    2 for a special word, whose place is the cursor's.
    """
    at = int(cursor[0])
    n = int(cursor[1])
    known = int(cursor[2])
    room = len(slots) // 2
    code = 0
    first = at
    result = 0
    i = at
    end = len(text)
    while i < end:
        b = int(text[i])
        if b > 32 or (b != _SPACE and b != _LINE_FEED and b != _TAB and b != _RETURN):
            # At most 62 bits, whatever comes.
            code = (code & 36028797018963967) * 97 + b
        else:
            if first < i:
                slot = find_slot(content, begin, slots, text, first, i, code)
                number = int(slots[slot])
                if number < 0:
                    number = 0
                    if learn:
                        if known >= room:
                            result = 1
                            break
                        number = known
                        slots[slot] = number
                        start = int(begin[number])
                        for k in range(i - first):
                            content[start + k] = text[first + k]
                        begin[number + 1] = start + i - first
                        known += 1
                    out[n] = number
                    n += 1
                elif number > EOS or (number == UNK and special == ACCEPT_UNKNOWN):
                    out[n] = number
                    n += 1
                elif special != SKIP:
                    result = 2
                    break
            if b == _LINE_FEED:
                out[n] = EOS
                n += 1
                if i + 1 < end:
                    for _ in range(pad):
                        out[n] = BOS
                        n += 1
            code = 0
            first = i + 1
        i += 1
    cursor[0] = first
    cursor[1] = n
    cursor[2] = known
    return result


def fill_slots(
    content: np.ndarray, begin: np.ndarray, slots: np.ndarray, known: int
) -> None:
    """Put words into a table that has none."""
    for number in range(known):
        code = 0
        for i in range(int(begin[number]), int(begin[number + 1])):
            code = (code & 36028797018963967) * 97 + int(content[i])
        mask = len(slots) - 1
        at = (code + code // 32768) & mask
        while int(slots[at]) >= 0:
            at = (at + 1) & mask
        slots[at] = number


class Lexicon:
    """Words and their numbers, which may become more; `<unk>`, `<s>`, `</s>` first."""

    def __init__(
        self,
        content: np.ndarray | None = None,
        begin: np.ndarray | None = None,
        *,
        native: bool = True,
    ) -> None:
        if content is None or begin is None:
            spelt = [word.encode() for word in SPECIALS]
            content = np.frombuffer(b"".join(spelt), np.uint8)
            begin = np.cumsum([0, *map(len, spelt)])
        self.native = native
        self.known = len(begin) - 1
        self.content, self.begin = content, begin
        self._fill(2 * self.known)

    def _run(self, function: Callable[..., Any], *args: Any) -> Any:
        return (compiled(function) if self.native else function)(*args)

    def _fill(self, words: int) -> None:
        """Make a table with room for so many words."""
        self.slots = np.full(1 << max(4, (2 * words - 1).bit_length()), -1, np.int32)
        self._run(fill_slots, self.content, self.begin, self.slots, self.known)

    def number(
        self, text: bytes, pad: int, special: int, learn: bool
    ) -> tuple[np.ndarray, int]:
        """The numbers of the words of whole lines, each with `pad` times `<s>` first.

        And where the first special word is that is refused, -1 for none.
        """
        piece = np.frombuffer(text, np.uint8)
        lines = text.count(b"\n")
        out = np.empty(len(text) // 2 + lines * (pad + 2) + pad + 2, np.int32)
        out[:pad] = BOS
        cursor = np.array([0, pad, self.known])
        if learn:
            self._reserve(len(text))
        while True:
            result = self._run(
                number_words,
                self.content,
                self.begin,
                self.slots,
                piece,
                cursor,
                out,
                pad,
                special,
                learn,
            )
            self.known = int(cursor[2])
            if result != 1:
                break
            self._fill(4 * self.known)
            self._reserve(len(text))
        place = int(cursor[0]) if result else -1
        return out[: int(cursor[1])], place

    def _reserve(self, size: int) -> None:
        """Make room for so many more bytes, and as many words as the table takes."""
        used = int(self.begin[self.known])
        if len(self.content) < used + size:
            grown = np.empty(2 * used + size, np.uint8)
            grown[:used] = self.content[:used]
            self.content = grown
        room = len(self.slots) // 2
        if len(self.begin) <= room:
            begin = np.zeros(room + 1, np.int64)
            begin[: self.known + 1] = self.begin[: self.known + 1]
            self.begin = begin

    def words(self) -> tuple[np.ndarray, np.ndarray]:
        """The words as one piece of UTF-8, and where each begins in it (V + 1,)."""
        begin = self.begin[: self.known + 1].copy()
        return self.content[: int(begin[-1])].copy(), begin
