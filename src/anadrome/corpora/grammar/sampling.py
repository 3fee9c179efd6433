"""Sentence pairs, drawn from the grammar, and the splits of the built-in corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from anadrome.corpora.grammar.clauses import Sentence, Words
from anadrome.corpora.grammar.commands import COMMANDS
from anadrome.corpora.grammar.comparisons import COMPARISONS, arithmetic, impersonal
from anadrome.corpora.grammar.conjunctions import CONJUNCTIONS
from anadrome.corpora.grammar.english import join_english
from anadrome.corpora.grammar.euphony import join_french
from anadrome.corpora.grammar.facts import FACTS, price, weather
from anadrome.corpora.grammar.phrases import Dice, Template
from anadrome.corpora.grammar.qualities import (
    QUALITIES,
    description,
    feeling,
    missing,
    nationality,
    need,
    possession,
    profession,
)
from anadrome.corpora.grammar.questions import QUESTIONS
from anadrome.corpora.grammar.relatives import RELATIVES
from anadrome.corpora.grammar.sequences import SEQUENCES
from anadrome.corpora.grammar.statements import (
    STATEMENTS,
    action,
    manner,
    nobody,
    pronoun_place,
)
from anadrome.corpora.grammar.wishes import WISHES, wish
from anadrome.corpora.parallel import ParallelCorpus

_TELLING: tuple[tuple[Template, int], ...] = (
    *STATEMENTS,
    *QUALITIES,
    *WISHES,
    *FACTS,
    *COMPARISONS,
    *RELATIVES,
    *CONJUNCTIONS,
    *SEQUENCES,
)
TEMPLATES: tuple[tuple[Template, int], ...] = (
    *_TELLING,
    *QUESTIONS,
    *COMMANDS,
)
"""Every template with its weight."""

MAX_WORDS = 17
"""No sentence of the training, validation and test sets is longer, on either side."""

MIN_LONG_WORDS, MAX_LONG_WORDS = 18, 40
"""The lengths of the sentences of the long test set, on both sides."""

Pair = tuple[str, str]


def finish(english: Words, french: Words, end: str) -> Pair:
    """The two sentences as one writes them, with a capital and a full stop."""
    source = join_english(english)
    target = join_french(french)
    mark = end if end == "." else " " + end
    return source[0].upper() + source[1:] + end, target[0].upper() + target[1:] + mark


def _pool(templates: tuple[tuple[Template, int], ...]) -> tuple[Template, ...]:
    return tuple(t for t, weight in templates for _ in range(weight))


_POOL = _pool(TEMPLATES)


def count_words(sentence: str) -> int:
    """The words of a sentence: what stands between spaces, but for a lone mark."""
    return sum(1 for word in sentence.split(" ") if word != "?")


_LINKED = tuple(t for t in _pool(_TELLING) if t not in (arithmetic, impersonal))
_BRIEF = _pool(
    (
        *((description, 6), (feeling, 4), (profession, 3), (nationality, 2)),
        *((possession, 4), (missing, 1), (need, 2), (manner, 3), (nobody, 2)),
        *((action, 6), (pronoun_place, 2), (wish, 2), (weather, 3), (price, 1)),
    )
)
"""Templates that often make statements of four words or fewer."""
_TWO, _SEVERAL = 0.15, 0.2
"""How many sentences are two statements of any length, or several brief ones."""
_LEAST = 3
"""Statements of so many words can always be found."""
_REFERRING = frozenset(["they", "them", "their"])
_LINKS = (
    (", and", ", et"),
    (", and", ", et"),
    (", but", ", mais"),
)


def draw_pair(dice: Dice) -> Pair:
    """A sentence pair, of any length; now and then statements that are joined."""
    english: Words = []
    french: Words = []
    if dice.chance(_TWO):
        for _ in range(2):
            _append(dice, english, french)
        return finish(english, french, ".")
    if dice.chance(_SEVERAL):
        _append_several(dice, english, french, dice.pick((3, 3, 3, 4)))
        return finish(english, french, ".")
    return finish(*dice.pick(_POOL)(dice))


def _append_several(dice: Dice, english: Words, french: Words, count: int) -> None:
    """Put so many brief statements together that are no longer than a sentence may be.

    Long sentences are more of what these are made of: whoever learns to translate must
    have seen that one statement follows another, and another.
    """
    templates = _LINKED if count <= 3 else _BRIEF
    room = MAX_WORDS - (count - 1)  # the links are words too
    for left in range(count, 0, -1):
        most = min(room // left + 1, room - _LEAST * (left - 1))
        room -= _append(dice, english, french, templates, most)


def draw_long_pair(dice: Dice) -> Pair:
    """A long sentence pair: statements joined by "and" and "but"."""
    wanted = dice.between(MIN_LONG_WORDS, MAX_LONG_WORDS - 8)
    english: Words = []
    french: Words = []
    while min(_length(english), _length(french)) < wanted:
        _append(dice, english, french)
    return finish(english, french, ".")


def _append(
    dice: Dice,
    english: Words,
    french: Words,
    templates: tuple[Template, ...] = _LINKED,
    most: int = MAX_LONG_WORDS,
) -> int:
    """Put one more statement at the end of a sentence; of how many words."""
    while True:
        said_en, said_fr, end = dice.pick(templates)(dice)
        words = max(_length(said_en), _length(said_fr))
        if words > most:
            continue
        # "they" might be taken for women who were named before.
        if end == "." and not (english and _REFERRING & set(" ".join(said_en).split())):
            break
    if english:
        link_en, link_fr = dice.pick(_LINKS)
        english.append(link_en)
        french += link_fr.split(" ")
    english += said_en
    french += said_fr
    return words


def _length(words: Words) -> int:
    return sum(len(word.split(" ")) for word in words if word != ",")


def sample_pairs(seed: int | str, *, long: bool = False) -> Iterator[Pair]:
    """Sentence pairs without end, no English sentence twice.

    Ordinary pairs have at most `MAX_WORDS` words on each side, long ones from
    `MIN_LONG_WORDS` to `MAX_LONG_WORDS`.
    """
    dice = Dice(seed)
    draw: Callable[[Dice], Pair] = draw_long_pair if long else draw_pair
    low, high = (MIN_LONG_WORDS, MAX_LONG_WORDS) if long else (1, MAX_WORDS)
    seen: set[str] = set()
    while True:
        source, target = draw(dice)
        if source in seen:
            continue
        if not low <= count_words(source) <= high:
            continue
        if not low <= count_words(target) <= high:
            continue
        seen.add(source)
        yield source, target


@dataclass(frozen=True)
class Splits:
    """The built-in corpus: no English sentence is in two of its parts.

    Every sentence of `test_long` is longer, on both sides, than any of `train`.
    """

    train: ParallelCorpus
    valid: ParallelCorpus
    test: ParallelCorpus
    test_long: ParallelCorpus


def splits(
    seed: int = 0,
    *,
    train: int = 20_000,
    valid: int = 1_000,
    test: int = 1_000,
    test_long: int = 500,
) -> Splits:
    """The built-in English–French corpus, drawn with a seed."""
    pairs = sample_pairs(f"corpus {seed}")
    # The held-out parts are drawn first, so that they stay the same sentences
    # whatever the size of the training set.
    held_out = _take(pairs, valid), _take(pairs, test)
    return Splits(
        valid=held_out[0],
        test=held_out[1],
        train=_take(pairs, train),
        test_long=_take(sample_pairs(f"long corpus {seed}", long=True), test_long),
    )


def _take(pairs: Iterator[Pair], count: int) -> ParallelCorpus:
    taken = [next(pairs) for _ in range(count)]
    return ParallelCorpus(tuple(s for s, _ in taken), tuple(t for _, t in taken))


def sample_template(template: Template, dice: Dice) -> Pair:
    """A pair from one template, of any length."""
    sentence: Sentence = template(dice)
    return finish(*sentence)
