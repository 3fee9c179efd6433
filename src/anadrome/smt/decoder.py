"""The decoder: sentences into translations, with their phrases and scores."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TypeVar

import numpy as np

from anadrome.corpora.files import PathName
from anadrome.ngram.model import NgramModel
from anadrome.ngram.tables import Tables
from anadrome.options import Count, NonNegative, OptionError, Positive
from anadrome.smt.bleu_counts import WIDTH, count_matches
from anadrome.smt.cube import Grids, cube_search, make_grids
from anadrome.smt.features import Features
from anadrome.smt.nbest import best_derivations, make_ends, write_targets
from anadrome.smt.options import WORDS, Options, Phrases, Sentence, collect_options
from anadrome.smt.options import make_options as make_room
from anadrome.smt.phrase_table import PhraseTable
from anadrome.smt.search import (
    FULL,
    Hypotheses,
    Limits,
    expand_stack,
    make_hypotheses,
    search,
)
from anadrome.smt.sentences import Array
from anadrome.smt.settling import NgramNetwork, settle
from anadrome.text.errors import MalformedFile

Item = TypeVar("Item")
Made = TypeVar("Made")


@dataclass(frozen=True)
class Searching:
    """Options of the search."""

    stack: Count = 100  # hypotheses that are kept for each number of covered words
    threshold: Positive = 1e-5  # how much less likely than the best they may be
    distortion: int = 6  # how far a jump may go in the source; -1 for any distance
    table_limit: Count = 20  # target phrases that are tried for each source phrase
    pops: NonNegative = 0  # extensions of a stack that cube pruning makes; 0 for all

    @property
    def limits(self) -> Limits:
        """The same for the compiled search."""
        return Limits(self.stack, float(np.log(self.threshold)), self.distortion)


@dataclass(frozen=True)
class UsedPhrase:
    """A phrase of a translation: source words start to end - 1, and their words."""

    start: int
    end: int
    target: tuple[str, ...]
    entry: int  # in the phrase table, -1 for a word that is passed through


@dataclass(frozen=True)
class Derivation:
    """A translation, the phrases that it is made of, and the values of its features."""

    phrases: tuple[UsedPhrase, ...]
    score: float
    values: Array

    @property
    def words(self) -> list[str]:
        """The target words."""
        return [word for phrase in self.phrases for word in phrase.target]

    @property
    def text(self) -> str:
        """The target words with spaces."""
        return " ".join(self.words)

    def alignment(self, table: PhraseTable) -> list[tuple[int, int]]:
        """Word alignment points, from those inside of the phrases."""
        points = []
        at = 0
        for phrase in self.phrases:
            if phrase.entry < 0:
                points += _even(phrase, at)
            else:
                for s, t in table.alignment(phrase.entry).tolist():
                    points.append((phrase.start + s, at + t))
            at += len(phrase.target)
        return sorted(points)


def _even(phrase: UsedPhrase, at: int) -> list[tuple[int, int]]:
    """The points of a phrase that is not in the table: word by word, or all."""
    source, count = range(phrase.start, phrase.end), len(phrase.target)
    if len(source) == count:
        return [(s, at + t) for t, s in enumerate(source)]
    return [(s, at + t) for s in source for t in range(count)]


@dataclass(frozen=True)
class Searched:
    """The hypotheses of a search: how many words each covers, and what became of it."""

    covered: Array  # (H,)
    totals: Array  # (H,) its score with the estimate of the rest
    kept: Array  # (H,) whether it was neither recombined nor pruned
    best: tuple[int, ...]  # the hypotheses of the best translation, from the first on


def check_vocabularies(table: PhraseTable, lm: NgramModel, path: PathName) -> None:
    """Fail if the language model of a file is of another language."""
    if len(table) and not any(word in lm.vocabulary for word in table.target.words):
        raise MalformedFile(
            "the language model knows none of the target words of the phrase table",
            path=path,
            help="it must be of the target language, its words cut the same way",
        )


class Decoder:
    """A phrase table, a language model and weights: what translates."""

    def __init__(
        self,
        table: PhraseTable,
        lm: NgramModel,
        weights: Array | None = None,
        searching: Searching | None = None,
        network: NgramNetwork | None = None,
    ) -> None:
        self.table, self.lm, self.network = table, lm, network
        oriented = table.reordering.shape[1] == 6
        self.features = Features(
            table.scores.shape[1], oriented, neural=network is not None
        )
        self.weights = self.features.default_weights() if weights is None else weights
        self.searching = searching or Searching()
        lm_words = np.array(lm.vocabulary.encode(table.target.words), dtype=np.int64)
        self._phrases = Phrases(
            table.slots,
            table.numbers,
            table.begins,
            table.target_starts,
            table.target_words,
            table.scores,
            table.reordering.rows,
            table.reordering.which,
            lm_words,
            np.full(len(table), np.nan, np.float32),
            len(table.source),
            self._network_numbers(table.target.words),
        )
        self._longest = table.longest
        self._make_room()

    def _make_room(self) -> None:
        self._room: tuple[int, Options] = (0, make_room(0, 1, 0))
        self._hypotheses: Hypotheses | None = None
        self._grids: Grids | None = None
        self._used_rows = 0
        self._capacity = 1 << 16

    def sibling(self) -> Decoder:
        """A decoder of the same tables and weights, for another thread."""
        other = copy.copy(self)
        other._make_room()
        return other

    def _network_numbers(self, words: Sequence[str]) -> Array:
        if self.network is None:
            return np.empty(0, np.int64)
        return self.network.numbers(list(words)).astype(np.int64)

    def translate(self, words: Sequence[str]) -> Derivation | None:
        """The best translation of a sentence, None if there is none."""
        found = self.n_best(words, 1)
        return found[0] if found else None

    def translate_all(
        self, sentences: Iterable[Sequence[str]], threads: int = 1
    ) -> Iterator[Derivation | None]:
        """The best translations of sentences, by as many threads; always the same."""
        return self.share(Decoder.translate, sentences, threads)

    def share(
        self,
        work: Callable[[Decoder, Item], Made],
        items: Iterable[Item],
        threads: int,
    ) -> Iterator[Made]:
        """What work makes of items, in their order, on several threads.

        Each has a decoder of its own; the search lets go of the interpreter.
        """
        if threads <= 1:
            yield from (work(self, item) for item in items)
            return
        free = SimpleQueue[Decoder]()
        for _ in range(threads):
            free.put(self.sibling())

        def run(item: Item) -> Made:
            decoder = free.get()
            try:
                return work(decoder, item)
            finally:
                free.put(decoder)

        with ThreadPoolExecutor(threads) as pool:
            waiting: deque[Future[Made]] = deque()
            try:
                for item in items:
                    waiting.append(pool.submit(run, item))
                    # What is ahead of the reader is bounded: input may be endless.
                    if len(waiting) >= 8 * threads:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for left in waiting:
                    left.cancel()

    def n_best(
        self,
        words: Sequence[str],
        count: int,
        *,
        distinct: bool = True,
        reference: Sequence[str] | None = None,
        numbers: Array | None = None,
    ) -> list[Derivation]:
        """The best translations of a sentence, or derivations if not `distinct`.

        With a reference it is forced decoding: derivations of these target words.
        `numbers` are those of the words in the table, if not those that it finds.
        """
        if not words:
            return [Derivation((), 0.0, np.zeros(self.features.size))]
        sentence = self._sentence(words, reference or ())
        if numbers is not None:
            sentence = sentence._replace(words=numbers)
        options, (paths, sizes, scores, values) = self._decode(
            sentence, count, distinct
        )
        return [
            Derivation(
                tuple(self._used(options, int(o), words) for o in path[:size]),
                float(score),
                value,
            )
            for path, size, score, value in zip(paths, sizes, scores, values)
        ]

    def trace(self, words: Sequence[str]) -> Searched:
        """What the search for the best translation of a sentence tries."""
        sentence = self._sentence(words, ())
        h = self._search(sentence, self._options(sentence))
        used = self._used_rows
        masks, ones = h.masks[:used].copy(), np.zeros(used, np.int64)
        while masks.any():
            ones += masks & 1
            masks >>= 1
        n = len(words)
        last = h.stacks[n, : h.sizes[n]]
        path = [int(last[np.argmax(h.scores[last])])] if len(last) else []
        while path and h.parents[path[-1]] >= 0:
            path.append(int(h.parents[path[-1]]))
        return Searched(
            h.gaps[:used] + ones,
            h.totals[:used].copy(),
            h.places[:used] >= 0,
            tuple(reversed(path)),
        )

    def candidates(
        self, words: Sequence[str], count: int, reference: Sequence[str]
    ) -> tuple[Array, Array]:
        """Features (N, F) of the best translations, and what BLEU is made of (N, 9)."""
        if not words:
            return np.zeros((0, self.features.size)), np.zeros((0, WIDTH))
        wanted = self._sentence(words, reference).reference
        sentence = self._sentence(words, ())
        options, (paths, sizes, _, values) = self._decode(sentence, count, True)
        flat = np.empty(int(-values[:, WORDS].sum()), np.int64)
        starts = np.zeros(len(paths) + 1, np.int64)
        write_targets(sentence, self._phrases, options, paths, sizes, flat, starts)
        return values, count_matches(flat, starts, wanted)

    def _decode(
        self, sentence: Sentence, count: int, distinct: bool
    ) -> tuple[Options, tuple[Array, Array, Array, Array]]:
        """Options of a sentence, and the best derivations over them."""
        options = self._options(sentence)
        h = self._search(sentence, options)
        size = 1 << 14
        while True:
            paths = np.zeros((count, len(sentence.words)), np.int64)
            sizes, scores = np.zeros(count, np.int64), np.zeros(count)
            values = np.zeros((count, self.features.size))
            found = best_derivations(
                sentence,
                self._phrases,
                options,
                h,
                make_ends(size),
                count,
                20 * count if distinct else count,
                distinct,
                paths,
                sizes,
                scores,
                values,
            )
            if found >= 0:
                made = paths[:found], sizes[:found], scores[:found], values[:found]
                return options, made
            size *= 4

    def _sentence(self, words: Sequence[str], reference: Sequence[str]) -> Sentence:
        """The numbers of words; those that the table lacks get numbers beyond it."""
        table = self.table
        new: dict[str, int] = {}

        def number(word: str, add: bool) -> int:
            found = table.target.find(word)
            if found < 0 and add:
                new.setdefault(word, len(table.target) + len(new))
            return new.get(word, found)

        passed = [number(word, True) for word in words]
        return Sentence(
            np.array([table.source.find(w) for w in words], np.int64),
            np.array(passed, np.int64),
            np.array(self.lm.vocabulary.encode(words), np.int64),
            np.array([number(word, False) for word in reference], np.int64),
            self._network_numbers(words),
        )

    def _options(self, sentence: Sentence) -> Options:
        n = len(sentence.words)
        rows, room = self._room
        limit = self.searching.table_limit
        while True:
            if rows < n or not len(room.starts):
                rows = max(n, 64)
                capacity = max(len(room.starts), 64 * (limit + 1))
                room = make_room(rows, self._longest, capacity)
            found = collect_options(
                sentence, self._phrases, self.lm.tables, self.weights, limit, room
            )
            if found >= 0:
                self._room = rows, room
                return room
            capacity = 4 * len(room.starts)
            room = make_room(rows, self._longest, capacity)

    def _search(self, sentence: Sentence, options: Options) -> Hypotheses:
        n = len(sentence.words)
        limits, pops = self.searching.limits, self.searching.pops
        if pops and self.network is not None:
            raise OptionError(
                "cube pruning does not know the network's scores\n"
                "help: leave out the limit of extensions, or the network"
            )
        h, grids = self._hypotheses, self._grids
        given = (sentence, self._phrases, self.lm.tables, self.weights, options, limits)
        while True:
            rows = max(n, 64 if h is None else h.stacks.shape[0] - 1)
            shape = (rows + 1, 2 * limits.stack)
            if h is None or h.stacks.shape != shape or len(h.parents) < self._capacity:
                context = 0 if self.network is None else self.network.order - 1
                h = make_hypotheses(self._capacity, rows, limits.stack, context)
                grids = None
            if pops and grids is None:
                grids = make_grids(self._capacity, self._capacity, rows, limits.stack)
            if self.network is not None:
                used = self._search_with(self.network, *given, h)
            elif pops:
                used = cube_search(*given, pops, h, grids)
            else:
                used = search(*given, h)
            if used != FULL:
                self._hypotheses, self._grids = h, grids
                self._used_rows = used
                return h
            self._capacity *= 4

    def _search_with(
        self,
        network: NgramNetwork,
        sentence: Sentence,
        phrases: Phrases,
        tables: Tables,
        weights: Array,
        options: Options,
        limits: Limits,
        h: Hypotheses,
    ) -> int:
        """As `search`, each stack scored by a network before it is pruned."""
        n, used = len(sentence.words), 0
        for c in range(n + 1):
            if c:
                weight = float(weights[-1])
                settle(network, sentence, phrases, options, weight, limits, h, c)
            if c < n:
                used = expand_stack(
                    sentence, phrases, tables, weights, options, limits, h, c, used
                )
            if used == FULL:
                return FULL
        return used

    def _used(self, options: Options, o: int, words: Sequence[str]) -> UsedPhrase:
        start, end = int(options.starts[o]), int(options.ends[o]) + 1
        entry = int(options.entries[o])
        target = (
            (words[start],) if entry < 0 else tuple(self.table.target_phrase(entry))
        )
        return UsedPhrase(start, end, target, entry)
