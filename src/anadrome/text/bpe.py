"""Byte-pair encoding: words cut into frequent pieces, and joined again exactly.

A word is spelt `▁word`; merges never cross its start. A character that the learner
did not see is written as its UTF-8 bytes, `<0xE2><0x82><0xAC>`, so that every text can
be cut with a closed set of pieces and comes back as it was. A literal `▁` in the text
is spelt in bytes too, and no merge may spell a byte piece.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from os import PathLike
from pathlib import Path

from anadrome.text.errors import InvalidVocabulary
from anadrome.text.vocabulary import load_json

WORD_START = "\u2581"
"""The first symbol of every word."""

BYTE_PIECES = tuple(f"<0x{byte:02X}>" for byte in range(256))

_BYTE_OF = {piece: byte for byte, piece in enumerate(BYTE_PIECES)}
_FORMAT = "anadrome bpe 1"
_CACHED_WORDS = 1 << 18

Pair = tuple[str, str]


class BytePairEncoding:
    """An alphabet and a list of merges, the most frequent first."""

    def __init__(self, alphabet: Iterable[str], merges: Sequence[Pair]) -> None:
        self.alphabet = tuple(sorted(set(alphabet) - {WORD_START}))
        self.merges = tuple(merges)
        self._rank = {pair: rank for rank, pair in enumerate(self.merges)}
        self._known = frozenset(self.alphabet)
        self._cache: dict[str, tuple[str, ...]] = {}
        if len(self._rank) != len(self.merges):
            raise InvalidVocabulary("the same merge occurs twice")
        symbols = {WORD_START, *self.alphabet}
        for left, right in self.merges:
            if left not in symbols or right not in symbols:
                raise InvalidVocabulary(
                    f"the merge {left!r} {right!r} uses a piece that no merge made"
                )
            symbols.add(left + right)
        clash = {s.removeprefix(WORD_START) for s in symbols} & _BYTE_OF.keys()
        if clash:
            raise InvalidVocabulary(f"{min(clash)!r} is reserved for a byte")

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BytePairEncoding)
            and self.alphabet == other.alphabet
            and self.merges == other.merges
        )

    def __hash__(self) -> int:
        return hash((self.alphabet, self.merges))

    @classmethod
    def learn(
        cls,
        counts: Mapping[str, int],
        merges: int,
        *,
        min_count: int = 2,
        min_character_count: int = 1,
    ) -> BytePairEncoding:
        """The encoding with (at most) so many merges, learnt from counts of words.

        The pair with the highest count is merged first, ties in alphabetical order,
        so the result depends on the counts alone. Pairs rarer than `min_count` are not
        merged; characters rarer than `min_character_count` are spelt in bytes.
        """
        characters: Counter[str] = Counter()
        for word, count in counts.items():
            for character in word:
                characters[character] += count
        del characters[WORD_START]
        alphabet = {c for c, n in characters.items() if n >= min_character_count}
        return cls(alphabet, _learn_merges(counts, alphabet, merges, min_count))

    @property
    def pieces(self) -> tuple[str, ...]:
        """Every piece that can occur, in a fixed order: what a vocabulary holds."""
        merged = (left + right for left, right in self.merges)
        return tuple(dict.fromkeys([*BYTE_PIECES, WORD_START, *self.alphabet, *merged]))

    def segment(self, words: Iterable[str]) -> list[str]:
        """The pieces of a list of words."""
        cache = self._cache
        pieces: list[str] = []
        for word in words:
            found = cache.get(word)
            if found is None:
                found = self._segment_word(word)
                if len(cache) >= _CACHED_WORDS:
                    cache.clear()
                cache[word] = found
            pieces.extend(found)
        return pieces

    def join(self, pieces: Iterable[str]) -> list[str]:
        """The words that the pieces spell; the inverse of `segment`.

        Pieces that `segment` would never give (half a character in bytes, no start of
        a word) are joined as well as they can be.
        """
        words: list[list[str]] = []
        for piece in pieces:
            if piece.startswith(WORD_START):
                words.append([piece[1:]])
            elif words:
                words[-1].append(piece)
            else:
                words.append([piece])
        return [_join_word(word) for word in words]

    def encode(self, text: str) -> list[str]:
        """The pieces of a text; `decode` gives back every text exactly."""
        return self.segment(text.split(" ")) if text else []

    def decode(self, pieces: Iterable[str]) -> str:
        """The text that the pieces spell."""
        return " ".join(self.join(pieces))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the alphabet and the merges as JSON."""
        record = {
            "format": _FORMAT,
            "alphabet": self.alphabet,
            "merges": [list(pair) for pair in self.merges],
        }
        # Plain ASCII, because a text may hold lone surrogates.
        text = json.dumps(record, ensure_ascii=True)
        Path(path).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> BytePairEncoding:
        """The encoding that `save` wrote."""
        record = load_json(path, _FORMAT)
        alphabet, merges = record.get("alphabet"), record.get("merges")
        if not isinstance(alphabet, list) or not isinstance(merges, list):
            raise InvalidVocabulary("there are no merges here", path=path)
        return cls(alphabet, [(left, right) for left, right in merges])

    def _segment_word(self, word: str) -> tuple[str, ...]:
        """The pieces of one word: the merges, applied strictly in their order."""
        symbols: list[str | None] = list(_spell(word, self._known))
        size = len(symbols)
        before = list(range(-1, size - 1))
        after = list(range(1, size + 1))
        rank = self._rank
        queue = []
        for i in range(size - 1):
            found = rank.get((symbols[i], symbols[i + 1]))  # type: ignore[arg-type]
            if found is not None:
                queue.append((found, i))
        heapq.heapify(queue)
        while queue:
            now, i = heapq.heappop(queue)
            left = symbols[i]
            j = after[i]
            if left is None or j >= size or (left, symbols[j]) != self.merges[now]:
                continue
            merged = left + symbols[j]  # type: ignore[operator]
            symbols[i], symbols[j] = merged, None
            k = after[j]
            after[i] = k
            # A pair that an earlier merge would have joined came too late for it.
            if k < size:
                before[k] = i
                found = rank.get((merged, symbols[k]))  # type: ignore[arg-type]
                if found is not None and found > now:
                    heapq.heappush(queue, (found, i))
            h = before[i]
            if h >= 0:
                found = rank.get((symbols[h], merged))  # type: ignore[arg-type]
                if found is not None and found > now:
                    heapq.heappush(queue, (found, h))
        return tuple(s for s in symbols if s is not None)


def _spell(word: str, alphabet: frozenset[str] | set[str]) -> list[str]:
    """The symbols of a word before any merge."""
    symbols = [WORD_START]
    for character in word:
        if character in alphabet:
            symbols.append(character)
        else:
            spelt = character.encode("utf-8", "surrogatepass")
            symbols.extend(BYTE_PIECES[byte] for byte in spelt)
    return symbols


def _join_word(pieces: list[str]) -> str:
    if not any(piece in _BYTE_OF for piece in pieces):
        return "".join(pieces)
    out: list[str] = []
    spelt = bytearray()
    for piece in [*pieces, ""]:
        byte = _BYTE_OF.get(piece)
        if byte is not None:
            spelt.append(byte)
            continue
        if spelt:
            out.append(_decode_bytes(bytes(spelt)))
            spelt.clear()
        out.append(piece)
    return "".join(out)


def _decode_bytes(spelt: bytes) -> str:
    try:
        return spelt.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return spelt.decode("utf-8", "replace")


def _learn_merges(
    counts: Mapping[str, int], alphabet: set[str], merges: int, min_count: int
) -> list[Pair]:
    """The merges, found with counts that are kept up to date.

    Only the words that hold a merged pair are visited. The queue holds counts that may
    be out of date; an entry is believed when it agrees with the table.
    """
    words = [_spell(word, alphabet) for word in counts]
    weights = list(counts.values())
    pair_counts: dict[Pair, int] = defaultdict(int)
    where: dict[Pair, set[int]] = defaultdict(set)
    for index, (symbols, weight) in enumerate(zip(words, weights)):
        for pair in pairwise(symbols):
            pair_counts[pair] += weight
            where[pair].add(index)
    queue = [(-count, pair) for pair, count in pair_counts.items()]
    heapq.heapify(queue)
    learnt: dict[Pair, None] = {}
    while queue and len(learnt) < merges:
        negative, pair = heapq.heappop(queue)
        count = pair_counts.get(pair, 0)
        if count != -negative:
            continue
        if count < min_count:
            break
        merged = pair[0] + pair[1]
        if pair in learnt or not _may_merge(pair, merged):
            continue
        learnt[pair] = None
        changed: dict[Pair, int] = defaultdict(int)
        for index in where.pop(pair):
            symbols = words[index]
            weight = weights[index]
            rewritten = _merge_in(symbols, pair, merged)
            if len(rewritten) == len(symbols):
                continue
            for old in pairwise(symbols):
                changed[old] -= weight
            for new in pairwise(rewritten):
                changed[new] += weight
                if merged in new:
                    where[new].add(index)
            words[index] = rewritten
        for other, change in changed.items():
            if change:
                pair_counts[other] += change
                heapq.heappush(queue, (-pair_counts[other], other))
    return list(learnt)


def _merge_in(symbols: list[str], pair: Pair, merged: str) -> list[str]:
    """The symbols with every occurrence of the pair merged, from left to right."""
    left, right = pair
    out: list[str] = []
    i, last = 0, len(symbols) - 1
    while i <= last:
        symbol = symbols[i]
        if symbol == left and i < last and symbols[i + 1] == right:
            out.append(merged)
            i += 2
        else:
            out.append(symbol)
            i += 1
    return out


def _may_merge(pair: Pair, merged: str) -> bool:
    """Whether a merge keeps the byte pieces recognisable."""
    left, right = pair
    spelt = merged.removeprefix(WORD_START)
    return left not in _BYTE_OF and right not in _BYTE_OF and spelt not in _BYTE_OF
