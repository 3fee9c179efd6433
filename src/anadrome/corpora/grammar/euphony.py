"""French sounds between words: elision, contraction, and which word begins how."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from anadrome.corpora.grammar.words import word_set

VOWELS = frozenset("aàâeéèêëiîïoôuùûüœæ")

# Nouns, adjectives and names before which nothing is elided.
ASPIRATED = word_set(
    """hache haches haine hamburger hamburgers hamster hamsters handball harpe
    haricot haricots hasard haut haute hauts hautes hauteur hérisson hérissons
    héros hibou hiboux hockey homard homards hongrie hongrois hongroise honte huit
    huitième onze onzième oui yaourt yaourts"""
)

ELIDABLE = word_set("je me te se ne le la de que jusque lorsque")


@lru_cache(maxsize=8192)
def begins_with_vowel(word: str) -> bool:
    """Whether the word before this one is elided (l'ami, l'hôtel; le héros)."""
    lowered = word.lower()
    if lowered in ASPIRATED:
        return False
    first = lowered[:1]
    if first == "h":
        return True
    if first == "y":
        return lowered in ("y", "yeux")
    return first in VOWELS


def contract(preposition: str, phrase: Sequence[str]) -> list[str]:
    """The preposition before a noun phrase: à le → au, de les → des.

    The phrase must begin with its article, not with a pronoun: "de le voir" stays.
    """
    head = phrase[0]
    if preposition == "à":
        if head == "le":
            return ["au", *phrase[1:]]
        if head == "les":
            return ["aux", *phrase[1:]]
    elif preposition == "de":
        if head == "le":
            return ["du", *phrase[1:]]
        if head == "les":
            return ["des", *phrase[1:]]
        # de + des, de + du and de + de la are plain "de": besoin de pain
    return [preposition, *phrase]


def join_french(words: Sequence[str]) -> str:
    """The words as a text: elided, hyphens and commas attached."""
    parts: list[str] = []
    last = len(words) - 1
    for i, word in enumerate(words):
        if i and word[0] not in "-,." and parts[-1][-1] != "'":
            parts.append(" ")
        if i < last:
            following = words[i + 1]
            if word in ELIDABLE:
                if begins_with_vowel(following):
                    word = word[:-1] + "'"
            elif word == "si":
                if following in ("il", "ils"):
                    word = "s'"
            elif word == "ce" and following in ("est", "était"):
                word = "c'"
        parts.append(word)
    return "".join(parts)
