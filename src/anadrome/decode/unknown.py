"""Unknown words of translations, replaced by what they stand for in the source.

A model with a shortlist of words says `<unk>` for all others. Where it looked when it
did says which source word that was (Luong et al. 2015; Jean et al. 2015, section 3.3):
its translation in a dictionary takes the place, or else the word itself, which is right
for names and numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from anadrome.text.vocabulary import SPECIALS, UNK

NO_WORDS: Mapping[str, str] = {}


def align_words(source: Sequence[str], attention: np.ndarray) -> list[int | None]:
    """The source position that each target token looked at most.

    The weights (T, S) may have columns for padding after the source. `</s>` and other
    special tokens but `<unk>` are no words; None if there are no others.
    """
    weights = np.asarray(attention)
    if weights.ndim != 2 or weights.shape[1] < len(source):
        raise ValueError(
            f"weights of shape {weights.shape} for {len(source)} source tokens"
        )
    words = [
        i for i, token in enumerate(source)
        if token not in SPECIALS or token == SPECIALS[UNK]
    ]  # fmt: skip
    if not words:
        return [None] * len(weights)
    return [words[i] for i in np.argmax(weights[:, words], axis=1)]


def replace_unknown(
    target: Sequence[str],
    source: Sequence[str],
    attention: np.ndarray,
    dictionary: Mapping[str, str] = NO_WORDS,
    *,
    unknown: str = SPECIALS[UNK],
) -> list[str]:
    """The target tokens with every unknown one replaced.

    `source` are the words as they were written, not as the model knew them, and
    `attention` (T, S) has a row for each target token. A word that the dictionary
    lacks is looked up in lower case before it is copied.
    """
    if len(attention) < len(target):
        raise ValueError(
            f"weights for {len(attention)} target tokens, but there are {len(target)}"
        )
    places = align_words(source, attention)
    made = []
    for token, place in zip(target, places):
        if token != unknown or place is None:
            made.append(token)
            continue
        word = source[place]
        made.append(dictionary.get(word, dictionary.get(word.lower(), word)))
    return made


def learn_dictionary(
    aligned: Iterable[tuple[Sequence[str], Sequence[str], np.ndarray]],
    *,
    least: int = 1,
) -> dict[str, str]:
    """The target word that each source word was aligned with most often.

    From source tokens, target tokens and weights (T, S), as a translator gives them or
    forced decoding of a parallel corpus. Words that were aligned less than `least`
    times are left out; the first in the alphabet wins a tie.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for source, target, attention in aligned:
        for token, place in zip(target, align_words(source, attention)):
            if place is not None and token not in SPECIALS:
                counts[source[place]][token] += 1
    found = {}
    for word, times in counts.items():
        best, count = min(times.items(), key=lambda item: (-item[1], item[0]))
        if count >= least and word not in SPECIALS:
            found[word] = best
    return found
