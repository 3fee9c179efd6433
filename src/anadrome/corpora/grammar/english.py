"""English words: plurals, verb forms, comparison, a and an."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from anadrome.corpora.grammar.words import word_set

VOWELS = frozenset("aeiou")

_IRREGULAR = """
be was been
become became become
begin began begun
break broke broken
bring brought brought
build built built
buy bought bought
catch caught caught
choose chose chosen
come came come
cost cost cost
cut cut cut
do did done
draw drew drawn
dream dreamt dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed fed
feel felt felt
find found found
fly flew flown
forget forgot forgotten
get got got
give gave given
go went gone
grow grew grown
have had had
hear heard heard
hide hid hidden
hold held held
keep kept kept
know knew known
learn learnt learnt
leave left left
lend lent lent
lose lost lost
make made made
meet met met
pay paid paid
put put put
read read read
ride rode ridden
run ran run
say said said
see saw seen
sell sold sold
send sent sent
set set set
show showed shown
sing sang sung
sit sat sat
sleep slept slept
speak spoke spoken
stand stood stood
steal stole stolen
swim swam swum
take took taken
teach taught taught
tell told told
think thought thought
throw threw thrown
understand understood understood
wake woke woken
wear wore worn
win won won
write wrote written
"""

# Verbs whose last consonant is doubled, because the last syllable is stressed.
_DOUBLED = word_set(
    """begin chat cut drop fit forget get grab hit hop jog knit nod plan prefer put
    rob rub run set shop sit skip slip stop swim travel trip win permit"""
)


@dataclass(frozen=True)
class VerbForms:
    """The forms of an English verb."""

    base: str
    third: str
    past: str
    participle: str
    ing: str


def _read_irregular() -> dict[str, tuple[str, str]]:
    rows = (line.split(" ") for line in _IRREGULAR.strip().splitlines())
    return {base: (past, participle) for base, past, participle in rows}


_TABLE = _read_irregular()


@lru_cache(maxsize=1024)
def verb_forms(base: str) -> VerbForms:
    """The forms of a verb given by its infinitive, one word."""
    regular_past = _add_ed(base)
    past, participle = _TABLE.get(base, (regular_past, regular_past))
    third = {"be": "is", "have": "has"}.get(base, add_s(base))
    return VerbForms(base, third, past, participle, _add_ing(base))


def add_s(word: str) -> str:
    """The regular plural of a noun, or the third person of a verb."""
    if word.endswith(("s", "x", "z", "ch", "sh")) or word in _ADDS_ES:
        return word + "es"
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "ies"
    return word + "s"


_ADDS_ES = word_set("go do tomato potato hero echo")


def _add_ed(base: str) -> str:
    if base in _DOUBLED:
        return base + base[-1] + "ed"
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in VOWELS:
        return base[:-1] + "ied"
    return base + "ed"


def _add_ing(base: str) -> str:
    if base == "be":
        return "being"
    if base in _DOUBLED:
        return base + base[-1] + "ing"
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return base[:-1] + "ing"
    return base + "ing"


_COMPARATIVES = {"good": ("better", "best"), "bad": ("worse", "worst")}
# Adjectives compared with -er and -est; the others take "more" and "most".
_SHORT = word_set(
    """big brave bright calm cheap clean cold dark deep dirty easy fast fat fresh
    funny happy heavy high hot kind large lazy light long low old poor pretty
    proud quiet rich ripe sad short shy small soft strange strong sweet tall warm
    weak wide wise young friendly new"""
)


def compare(adjective: str) -> tuple[str, str]:
    """The comparative and the superlative of an adjective."""
    if adjective in _COMPARATIVES:
        return _COMPARATIVES[adjective]
    if adjective not in _SHORT:
        return f"more {adjective}", f"most {adjective}"
    stem = adjective
    if stem.endswith("e"):
        return stem + "r", stem + "st"
    if stem.endswith("y") and stem[-2] not in VOWELS and stem != "shy":
        stem = stem[:-1] + "i"
    elif stem in ("big", "fat", "hot", "sad"):
        stem += stem[-1]
    return stem + "er", stem + "est"


_AN = frozenset(["hour", "honest", "honour", "heir"])
_A = ("uni", "use", "eu", "one")


def indefinite(following: str) -> str:
    """a or an."""
    word = following.split(" ")[0].lower()
    if word in _AN:
        return "an"
    if word.startswith(_A) and word not in ("uninteresting",):
        return "a"
    return "an" if word[0] in VOWELS else "a"


def join_english(words: list[str]) -> str:
    """The words as a text, commas and 's attached."""
    text = " ".join(word for word in words if word)
    return text.replace(" ,", ",").replace(" 's", "'s")
