"""Noun phrases, drawn at random: determiners, adjectives, owners, pronouns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random
from typing import TypeVar

from anadrome.corpora.grammar import names
from anadrome.corpora.grammar.adjectives import Adjective, attributes
from anadrome.corpora.grammar.agreement import (
    definite_article,
    demonstrative,
    indefinite_article,
    partitive_article,
    possessive,
)
from anadrome.corpora.grammar.clauses import Clitics, Phrase, Sentence, Words, plural_of
from anadrome.corpora.grammar.conjugation import IL, ILS, JE, NOUS, TU, VOUS
from anadrome.corpora.grammar.english import indefinite
from anadrome.corpora.grammar.nouns import Noun, nouns_of
from anadrome.corpora.grammar.numbers import english_number, french_number
from anadrome.corpora.grammar.words import word_set

Item = TypeVar("Item")
Template = Callable[["Dice"], Sentence]


class Dice:
    """Random choices, fast."""

    def __init__(self, seed: int | str) -> None:
        self._random = Random(seed).random

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items, each as likely."""
        return items[int(self._random() * len(items))]

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random() < probability

    def between(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def two(self, items: Sequence[Item]) -> tuple[Item, Item]:
        """Two different items."""
        first = int(self._random() * len(items))
        second = int(self._random() * (len(items) - 1))
        if second >= first:
            second += 1
        return items[first], items[second]


@lru_cache(maxsize=512)
def find_nouns(classes: tuple[str, ...]) -> tuple[Noun, ...]:
    """The nouns of any of the classes."""
    found = nouns_of(*classes)
    if not found:
        raise KeyError(classes)
    return found


PRONOUNS = (
    Phrase("I", ["je"], JE, "m", False, True, "my", human=True),
    Phrase("you", ["vous"], VOUS, "m", False, True, "your", human=True),
    Phrase("he", ["il"], IL, "m", False, True, "his", human=True),
    Phrase("she", ["elle"], IL, "f", False, True, "her", human=True),
    Phrase("we", ["nous"], NOUS, "m", True, True, "our", human=True),
    Phrase("they", ["ils"], ILS, "m", True, True, "their", human=True),
)
I, YOU, _, _, WE, _ = PRONOUNS
STRANGER = Phrase("it", ["il"], owner="its")
TU_MAN = Phrase("you", ["tu"], TU, "m", False, True, "thy", human=True)
TU_WOMAN = Phrase("you", ["tu"], TU, "f", False, True, "thy", human=True)
MADAM = Phrase("you", ["vous"], VOUS, "f", False, True, "your", human=True)

DIRECT = {
    "me": Clitics(("me",), True, "m", False),
    "you": Clitics(("vous",), True, "m", False),
    "him": Clitics(("le",), True, "m", False),
    "her": Clitics(("la",), True, "f", False),
    "us": Clitics(("nous",), True, "m", True),
    "them": Clitics(("les",), True, "m", True),
}
"""English object pronouns and the French direct objects."""

INDIRECT = {
    "me": "me",
    "you": "vous",
    "him": "lui",
    "her": "lui",
    "us": "nous",
    "them": "leur",
}
"""English object pronouns and the French indirect objects."""

DISJUNCTIVE = {
    "me": "moi",
    "you": "vous",
    "him": "lui",
    "her": "elle",
    "us": "nous",
    "them": "eux",
}
"""English object pronouns and the French ones after a preposition."""

_OBJECT_OF = {JE: "me", TU: "you", VOUS: "you", NOUS: "us"}


def other_pronouns(subject: Phrase) -> tuple[str, ...]:
    """The object pronouns that do not refer back to the subject."""
    own = _OBJECT_OF.get(subject.person)
    clashing = {own}
    if own == "us":
        clashing.add("me")
    if own == "me":
        clashing.add("us")
    return tuple(word for word in DIRECT if word not in clashing)


def owner_word(owner: str) -> str:
    """The English possessive; "thy" stands for the "your" of *tu*."""
    return "your" if owner == "thy" else owner


def noun_phrase(
    noun: Noun,
    determiner: str,
    *,
    plural: bool = False,
    adjectives: Sequence[Adjective] = (),
    number: int = 0,
) -> Phrase:
    """The phrase of a noun.

    The determiner is the, a, some, this, none, a possessive (my, thy …), number,
    several, a few, every, all, which, or a quantity such as "a lot of".
    """
    plural = plural or noun.kind == "plural"
    gender = noun.gender
    head = (noun.fr_plural if plural else noun.fr).split(" ")
    before = [a for a in adjectives if a.before]
    after = [a for a in adjectives if not a.before]
    core = head
    for adjective in reversed(before):
        core = [adjective.forms.agree(gender, plural, core[0]), *core]
    core = core + [a.forms.agree(gender, plural) for a in after]
    first = core[0]
    name = noun.en_plural if plural else noun.en
    english = " ".join([*(a.en for a in before), *(a.en for a in after), name])

    en_negated: str | None = None
    fr_negated: Words | None = None
    if determiner == "the":
        en, fr = f"the {english}", [definite_article(gender, plural, first), *core]
    elif determiner == "a":
        en = f"{indefinite(english)} {english}"
        fr = [indefinite_article(gender, False), *core]
        fr_negated = ["de", *core]
    elif determiner in ("some", "bare"):
        if plural:
            # de nouveaux livres
            article = ["de"] if before else ["des"]
        else:
            article = partitive_article(gender, first)
        en = english if determiner == "bare" else f"some {english}"
        fr = [*article, *core]
        en_negated = english if determiner == "bare" else f"any {english}"
        fr_negated = ["de", *core]
    elif determiner == "general":
        en, fr = english, [definite_article(gender, plural, first), *core]
    elif determiner == "this":
        en = f"{'these' if plural else 'this'} {english}"
        fr = [demonstrative(gender, plural, first), *core]
    elif determiner == "that":
        en = f"{'those' if plural else 'that'} {english}"
        fr = [demonstrative(gender, plural, first), *core, "-là"]
    elif determiner == "number":
        en = f"{english_number(number)} {english}"
        fr = [*french_number(number, feminine=gender == "f").split(" "), *core]
    elif determiner in _PLAIN:
        en = f"{determiner} {english}"
        fr = [_PLAIN[determiner], *core]
    elif determiner in _QUANTITIES:
        en = f"{determiner} {english}"
        fr = [*_QUANTITIES[determiner].split(" "), "de", *core]
    elif determiner == "all":
        en = f"all the {english}"
        fr = ["toutes" if gender == "f" else "tous", "les", *core]
    elif determiner == "which":
        en = f"which {english}"
        fr = [_which(gender, plural), *core]
    else:
        en = f"{owner_word(determiner)} {english}"
        fr = [possessive(determiner, gender, plural, first), *core]
    if plural:
        owner = "their"
    else:
        owner = ("his" if gender == "m" else "her") if noun.human else "its"
    return Phrase(
        en,
        fr,
        ILS if plural else IL,
        gender,
        plural,
        False,
        owner,
        en_negated,
        fr_negated,
        noun.human,
    )


_PLAIN = {"several": "plusieurs", "a few": "quelques", "every": "chaque"}
_QUANTITIES = {
    "a lot of": "beaucoup",
    "too much": "trop",
    "too many": "trop",
    "enough": "assez",
    "a little": "un peu",
    "a kilo of": "un kilo",
    "a glass of": "un verre",
    "a cup of": "une tasse",
    "a bottle of": "une bouteille",
    "a piece of": "un morceau",
    "a litre of": "un litre",
    "a slice of": "une tranche",
    "a pair of": "une paire",
}


def _which(gender: str, plural: bool) -> str:
    return (
        ("quelles" if plural else "quelle")
        if gender == "f"
        else ("quels" if plural else "quel")
    )


def draw_adjectives(dice: Dice, noun: Noun, probability: float) -> list[Adjective]:
    """No adjective, one, or one on either side of the French noun."""
    choices = attributes(noun)
    if not choices or not dice.chance(probability):
        return []
    first = dice.pick(choices)
    if first.before and first.en != "pretty" and dice.chance(0.12):
        after = [a for a in choices if not a.before]
        if after:
            return [first, dice.pick(after)]
    return [first]


def draw_object(
    dice: Dice,
    classes: tuple[str, ...],
    subject: Phrase,
    *,
    generic: bool = False,
    others: bool = False,
    negated: bool = False,
    adjectives: float = 0.25,
) -> Phrase:
    """An object of one of the classes for a clause with this subject."""
    noun = dice.pick(find_nouns(classes))
    return draw_phrase(
        dice,
        noun,
        subject,
        generic=generic,
        others=others,
        negated=negated,
        adjectives=adjectives,
    )


def draw_phrase(
    dice: Dice,
    noun: Noun,
    subject: Phrase,
    *,
    generic: bool = False,
    others: bool = False,
    negated: bool = False,
    adjectives: float = 0.25,
) -> Phrase:
    """A phrase with this noun, its determiner drawn."""
    if generic:
        return noun_phrase(noun, "general", plural=noun.kind == "count")
    if "kin" in noun.classes:
        return noun_phrase(noun, draw_owner(dice, noun, subject, others=others))
    described = draw_adjectives(dice, noun, adjectives)
    roll = dice.between(0, 99)
    if noun.kind == "mass":
        determiner = "bare" if roll < 40 else "some" if roll < 75 else "the"
        return noun_phrase(noun, determiner, adjectives=described)
    if noun.kind == "plural":
        determiner = "bare" if roll < 50 else "the"
        return noun_phrase(noun, determiner, adjectives=described)
    if "meal" in noun.classes:
        return noun_phrase(noun, "the")
    if "pair" in noun.classes:
        determiner = subject.owner if roll < 70 else "the"
        return noun_phrase(noun, determiner, plural=True, adjectives=described)
    own = subject.owner if subject.human else "the"
    if noun.human:
        own = "the"
    if roll < 32 or (negated and roll >= 87):
        return noun_phrase(noun, "the", adjectives=described)
    if roll < 52 and "task" not in noun.classes:
        return noun_phrase(noun, "a", adjectives=described)
    if roll < 66:
        ownable = not noun.classes & UNOWNED
        if subject.gender == "m" and noun.en in ("dress", "skirt", "necklace"):
            ownable = False
        determiner = own if ownable else "the"
        return noun_phrase(noun, determiner, adjectives=described)
    if roll < 74:
        return noun_phrase(noun, "this", adjectives=described)
    if roll < 80:
        return noun_phrase(noun, "the", plural=True, adjectives=described)
    if noun.classes & _SINGLE:
        return noun_phrase(noun, "the", adjectives=described)
    if roll < 87:
        return noun_phrase(noun, "some", plural=True, adjectives=described)
    if roll < 92:
        number = dice.between(2, 12)
        return noun_phrase(
            noun, "number", plural=True, adjectives=described, number=number
        )
    if roll < 96:
        return noun_phrase(noun, "several", plural=True, adjectives=described)
    return noun_phrase(noun, "this", plural=True)


UNOWNED = word_set("place sight nature crossed built wild transport art star")
_SINGLE = word_set(
    """home room place transport event forgotten task crossed sight built infant
    drink thought"""
)


def draw_owner(dice: Dice, noun: Noun, subject: Phrase, *, others: bool = False) -> str:
    """The possessive before a word of the family."""
    owners = ["my", "your", "his", "her", "our", "their"]
    if subject.owner == "thy":
        owners[1] = "thy"
    if noun.en in ("neighbour", "colleague", "boss", "cousin") and others:
        return dice.pick(["my", "our"]) if subject.person not in (JE, NOUS) else "your"
    if not others and dice.chance(0.6) and subject.owner != "its":
        return subject.owner
    excluded = {subject.owner}
    if subject.person in (JE, NOUS):
        excluded |= {"my", "our"}
    if subject.person in (IL, ILS):
        # Whose mother "his" would be is anybody's guess.
        excluded |= {"his", "her", "their"}
    return dice.pick([o for o in owners if o not in excluded])


KIN = find_nouns(("kin",))
ROLES = find_nouns(("role",))
PEOPLE = find_nouns(("people",))


def name_phrase(name: str, gender: str) -> Phrase:
    """A first name."""
    owner = "his" if gender == "m" else "her"
    return Phrase(name, [name], IL, gender, False, False, owner, human=True)


def draw_name(dice: Dice) -> Phrase:
    """A first name, a man's or a woman's."""
    if dice.chance(0.5):
        return name_phrase(dice.pick(names.MEN), "m")
    return name_phrase(dice.pick(names.WOMEN), "f")


def draw_person(dice: Dice, *, pronouns: float = 0.4) -> Phrase:
    """Somebody: a pronoun, a name, a relative, somebody of a profession."""
    if dice.chance(pronouns):
        return dice.pick(PRONOUNS)
    roll = dice.between(0, 99)
    if roll < 30:
        return draw_name(dice)
    if roll < 62:
        noun = dice.pick(KIN)
        owner = dice.pick(("my", "my", "your", "his", "her", "our", "their"))
        plural = noun.kind == "plural"
        if noun.kind == "count" and noun.en in _SEVERAL and dice.chance(0.15):
            plural = True
        return noun_phrase(noun, owner, plural=plural)
    if roll < 68:
        name = draw_name(dice)
        friend = "amie" if name.gender == "f" else "ami"
        owner = dice.pick(("my", "our", "your"))
        determiner = possessive(owner, name.gender, False, friend)
        return Phrase(
            f"{owner} friend {name.en}",
            [determiner, friend, *name.fr],
            IL,
            name.gender,
            False,
            False,
            name.owner,
            human=True,
        )
    if roll < 73:
        one, two = dice.two(names.MEN + names.WOMEN)
        first = name_phrase(one, "m" if one in names.MEN else "f")
        second = name_phrase(two, "m" if two in names.MEN else "f")
        return join_phrases(first, second)
    noun = dice.pick(ROLES if roll < 90 else PEOPLE)
    determiner = "the" if roll % 4 else "this"
    plural = dice.chance(0.25) and noun.en not in ("king", "queen", "mayor")
    adjectives = draw_adjectives(dice, noun, 0.2)
    return noun_phrase(noun, determiner, plural=plural, adjectives=adjectives)


_SEVERAL = word_set(
    """brother sister son daughter uncle aunt nephew niece cousin neighbour colleague"""
)


def join_phrases(first: Phrase, second: Phrase) -> Phrase:
    """Two phrases joined by "and"."""
    person, gender = plural_of(first, second)
    return Phrase(
        f"{first.en} and {second.en}",
        [*first.fr, "et", *second.fr],
        person,
        gender,
        True,
        False,
        "their",
        human=first.human,
    )
