"""Dictionaries of tokens that span characters, learnt from text by dictionary coders.

Section 8.2.3 of the thesis: a dictionary that cuts a text into few tokens. Spaces and
line ends are characters like any other, and every character of the text is a token.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path

import numpy as np

import anadrome as ad
from anadrome.text.errors import CorpusError, EmptyCorpus, InvalidVocabulary
from anadrome.text.lz78 import parse_phrases, parse_phrases_native
from anadrome.text.matcher import Matcher
from anadrome.text.merging import LIMIT, merge_stream, merge_stream_native
from anadrome.text.vocabulary import load_json

_FORMAT = "anadrome dictionary 1"
_SMALL = 20000  # texts for which compiling would take longer than learning


class DictionaryTooLarge(CorpusError):
    """More tokens than can be learnt from a text."""


@dataclass(frozen=True)
class Dictionary:
    """Tokens, all characters of the text among them, the most frequent first.

    Counts are those in the text as the coder left it.
    """

    tokens: tuple[str, ...]
    counts: tuple[int, ...]
    coder: str

    @cached_property
    def characters(self) -> tuple[str, ...]:
        """The tokens of one character, in the order of their code points."""
        return tuple(sorted(token for token in self.tokens if len(token) == 1))

    @cached_property
    def longer(self) -> tuple[str, ...]:
        """The other tokens, the most frequent first."""
        return tuple(token for token in self.tokens if len(token) > 1)

    @cached_property
    def matcher(self) -> Matcher:
        """What finds the tokens in a text; characters come first."""
        number = self._numbers
        longer = [[number[c] for c in token] for token in self.longer]
        return Matcher(len(self.characters), longer)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {c: i for i, c in enumerate(self.characters)}

    def segment(self, text: str) -> list[str]:
        """The text in as few tokens as can be; a character not known is one by itself.

        Of several such ways the one with the longest last token, then the longest one
        before it, and so on.
        """
        names = [*self.characters, *self.longer]
        out: list[str] = []
        run: list[int] = []
        for c in [*text, None]:
            number = None if c is None else self._numbers.get(c)
            if number is not None:
                run.append(number)
                continue
            if run:
                out.extend(names[t] for t in self._shortest(np.array(run)))
                run = []
            if c is not None:
                out.append(c)
        return out

    def _shortest(self, stream: np.ndarray) -> np.ndarray:
        first, tokens = self.matcher.arcs(stream)
        walk = _shortest_native if len(stream) > _SMALL else shortest_path
        return walk(first, tokens, self.matcher.lengths)

    def inspect(self, count: int | None = None) -> Iterator[str]:
        """The rank, count and spelling of tokens as in table 8.1: spaces as `·`."""
        pairs = list(zip(self.tokens, self.counts))[:count]
        for rank, (token, times) in enumerate(pairs, start=1):
            yield f"{rank}\t{times}\t{visible(token)}"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the dictionary as JSON."""
        record = {
            "format": _FORMAT,
            "coder": self.coder,
            "tokens": self.tokens,
            "counts": self.counts,
        }
        Path(path).write_text(json.dumps(record) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Dictionary:
        """The dictionary that `save` wrote."""
        record = load_json(path, _FORMAT)
        tokens, counts = record.get("tokens"), record.get("counts")
        if not (
            isinstance(tokens, list)
            and isinstance(counts, list)
            and all(isinstance(t, str) and t for t in tokens)
            and len(tokens) == len(counts) == len(set(tokens)) > 0
            and all(isinstance(n, int) and n >= 0 for n in counts)
        ):
            raise InvalidVocabulary("there is no whole dictionary here", path=path)
        made = cls(tuple(tokens), tuple(counts), str(record.get("coder")))
        for token in made.longer:
            for c in token:
                if c not in made._numbers:
                    raise InvalidVocabulary(
                        f"{c!r} in the token {token!r} is no token by itself", path=path
                    )
        return made


def visible(token: str) -> str:
    """A token with its spaces and line ends to be seen."""
    return token.replace(" ", "·").replace("\n", "⏎").replace("\t", "⇥")


def shortest_path(
    first: np.ndarray, tokens: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """The fewest tokens that spell a stream, by the arcs that `Matcher.arcs` gave."""
    N = len(first) - 1
    steps, best = np.zeros(N + 1, np.int64), np.zeros(N + 1, np.int64)
    for i in range(1, N + 1):
        steps[i] = N + 1
        for n in range(first[i - 1], first[i]):
            before = steps[i - lengths[tokens[n]]] + 1
            if before <= steps[i]:  # the longest comes last
                steps[i] = before
                best[i] = tokens[n]
    path = np.zeros(steps[N], np.int64)
    i, k = N, steps[N]
    while i > 0:
        k -= 1
        path[k] = best[i]
        i -= lengths[best[i]]
    return path


_shortest_native = ad.jit(shortest_path)


# Learning -----------------------------------------------------------------------------


def learn_dictionary(
    text: str, size: int, coder: str = "adapted", *, within_words: bool = False
) -> Dictionary:
    """A dictionary of `size` tokens, learnt from a text by one of the `CODERS`.

    `within_words` is pre-tokenisation: white space ends a word, and no token goes on
    behind it. The text alone decides what is learnt: among equals, the order of code
    points and of merges does.
    """
    if coder not in CODERS:
        raise CorpusError(
            f"there is no coder {coder!r}", help="there are " + ", ".join(CODERS)
        )
    if not text:
        raise EmptyCorpus("there is no text to learn a dictionary from")
    alphabet, stream = _number_characters(text)
    if size < len(alphabet):
        raise CorpusError(
            f"a dictionary of {size:,} tokens has no room for the {len(alphabet):,} "
            "characters of the text",
            help="ask for more tokens",
        )
    if size > LIMIT // 2:
        raise DictionaryTooLarge(f"a dictionary has at most {LIMIT // 2:,} tokens")
    if within_words:
        spaces = np.array([chr(point).isspace() for point in alphabet])
        spelt = _learn_within(stream, spaces, CODERS[coder], size)
    else:
        spelt = CODERS[coder](stream, len(alphabet), size, -1)
    if len(spelt) < size:
        raise DictionaryTooLarge(
            f"the text allows no more than {len(spelt):,} tokens, not {size:,}",
            help="ask for fewer tokens, or give more text",
        )
    found = [(text[i : i + length], count) for i, length, count in spelt]
    found.sort(key=lambda pair: (-pair[1], pair[0]))
    return Dictionary(
        tuple(token for token, _ in found), tuple(count for _, count in found), coder
    )


def _number_characters(text: str) -> tuple[np.ndarray, np.ndarray]:
    """The code points (A,) of a text in their order, and which each character is (N,).

    Counting them is several times as fast as `np.unique`, which sorts the text.
    """
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32)
    number = np.zeros(int(points.max()) + 1, np.int64)
    number[points] = 1
    alphabet = np.flatnonzero(number)
    number[alphabet] = np.arange(len(alphabet))
    return alphabet, number[points]


Spelt = list[tuple[int, int, int]]
"""Tokens by a place in the text, a length, and a count."""

Coder = Callable[[np.ndarray, int, int, int], Spelt]
"""Learns from a stream of symbols, how many kinds there are, and how many tokens are
wanted; the last number is a symbol that no longer token may hold, -1 for none."""


def _learn_within(
    stream: np.ndarray, spaces: np.ndarray, coder: Coder, size: int
) -> Spelt:
    """What a coder learns if there is a wall behind the `spaces` (A,) and the text."""
    wall = len(spaces)
    ends = np.append(np.flatnonzero(spaces[stream]) + 1, len(stream))
    walled = np.insert(stream, ends, wall)
    place = np.insert(np.arange(len(stream)), ends, -1)
    spelt = coder(walled, wall + 1, size + 1, wall)
    return [(int(place[i]), n, count) for i, n, count in spelt if walled[i] != wall]


def _merged(unmerge: bool) -> Coder:
    def learn(stream: np.ndarray, symbols: int, size: int, wall: int) -> Spelt:
        run = merge_stream_native if len(stream) > _SMALL else merge_stream
        capacity = 1 << min(17, len(stream).bit_length())
        _, _, sample, length, count, live, made = run(
            stream, symbols, size, unmerge, 8 * size + 1000, capacity, wall
        )
        kept = np.flatnonzero(live[:made])
        return list(
            zip(sample[kept].tolist(), length[kept].tolist(), count[kept].tolist())
        )

    return learn


def _lz78(stream: np.ndarray, symbols: int, size: int, wall: int) -> Spelt:
    """The characters, and of the phrases those with which most phrases begin."""
    run = parse_phrases_native if len(stream) > _SMALL else parse_phrases
    capacity = 1 << int(2 * len(stream) + 2).bit_length()
    place, length, count, _ = run(stream, symbols, capacity, wall)
    _, where = np.unique(stream, return_index=True)
    times = np.bincount(stream, minlength=symbols)
    longer = np.flatnonzero(length > 1)
    order = longer[np.lexsort((place[longer], length[longer], -count[longer]))]
    chosen = order[: size - symbols]
    return [
        *((int(i), 1, int(n)) for i, n in zip(where, times)),
        *zip(place[chosen].tolist(), length[chosen].tolist(), count[chosen].tolist()),
    ]


CODERS: dict[str, Coder] = {
    "adapted": _merged(unmerge=True),
    "bpe": _merged(unmerge=False),
    "lz78": _lz78,
}
"""What learns dictionaries: byte-pair encoding that un-merges (algorithm 3 of the
thesis), without un-merging, and the phrases of Ziv and Lempel (1978)."""
