"""French nouns and adjectives: plurals, feminines, and forms before a vowel."""

from __future__ import annotations

from dataclasses import dataclass

from anadrome.corpora.grammar.euphony import begins_with_vowel
from anadrome.corpora.grammar.words import word_set

_PLURAL_X = word_set("bijou genou chou caillou hibou joujou")
_PLURAL_S = word_set("bleu pneu bal festival carnaval final")
_PLURALS = {
    "œil": "yeux",
    "travail": "travaux",
    "ciel": "cieux",
    "monsieur": "messieurs",
}

_FEMININES = {
    "beau": "belle",
    "nouveau": "nouvelle",
    "vieux": "vieille",
    "fou": "folle",
    "blanc": "blanche",
    "long": "longue",
    "frais": "fraîche",
    "doux": "douce",
    "roux": "rousse",
    "faux": "fausse",
    "gentil": "gentille",
    "gros": "grosse",
    "bas": "basse",
    "épais": "épaisse",
    "sec": "sèche",
    "public": "publique",
    "turc": "turque",
    "grec": "grecque",
    "favori": "favorite",
    "travailleur": "travailleuse",
    "menteur": "menteuse",
    "protecteur": "protectrice",
    "inquiet": "inquiète",
    "discret": "discrète",
    "complet": "complète",
    "secret": "secrète",
}
_BEFORE_VOWEL = {"beau": "bel", "nouveau": "nouvel", "vieux": "vieil", "fou": "fol"}
_INVARIABLE = frozenset(["orange", "marron", "sympa"])


def pluralize(word: str) -> str:
    """The plural of a French noun or masculine adjective."""
    if word in _PLURALS:
        return _PLURALS[word]
    if word in _PLURAL_X:
        return word + "x"
    if word.endswith(("s", "x", "z")):
        return word
    if word in _PLURAL_S:
        return word + "s"
    if word.endswith(("au", "eu")):
        return word + "x"
    if word.endswith("al"):
        return word[:-2] + "aux"
    return word + "s"


def feminize(word: str) -> str:
    """The feminine of a French adjective or participle."""
    if word in _FEMININES:
        return _FEMININES[word]
    if word.endswith("e"):
        return word
    if word.endswith("eux"):
        return word[:-1] + "se"
    if word.endswith("oux"):
        return word[:-1] + "se"
    if word.endswith("f"):
        return word[:-1] + "ve"
    if word.endswith("er"):
        return word[:-2] + "ère"
    if word.endswith(("el", "en", "on", "et", "eil")):
        return word + word[-1] + "e"
    return word + "e"


@dataclass(frozen=True)
class Forms:
    """The four forms of an adjective, and the one before a masculine vowel."""

    masculine: str
    feminine: str
    masculine_plural: str
    feminine_plural: str
    before_vowel: str

    def agree(self, gender: str, plural: bool, following: str | None = None) -> str:
        """The form for a noun, given the word that follows the adjective if any."""
        if gender == "f":
            return self.feminine_plural if plural else self.feminine
        if plural:
            return self.masculine_plural
        if following is not None and self.before_vowel != self.masculine:
            if begins_with_vowel(following):
                return self.before_vowel
        return self.masculine


def adjective_forms(masculine: str) -> Forms:
    """The forms of an adjective or a participle."""
    if masculine in _INVARIABLE:
        return Forms(masculine, masculine, masculine, masculine, masculine)
    feminine = feminize(masculine)
    return Forms(
        masculine,
        feminine,
        pluralize(masculine),
        feminine + "s",
        _BEFORE_VOWEL.get(masculine, masculine),
    )


def definite_article(gender: str, plural: bool, following: str) -> str:
    """le, la, l' or les."""
    if plural:
        return "les"
    if begins_with_vowel(following):
        return "l'"
    return "la" if gender == "f" else "le"


def indefinite_article(gender: str, plural: bool) -> str:
    """un, une or des."""
    if plural:
        return "des"
    return "une" if gender == "f" else "un"


def partitive_article(gender: str, following: str) -> list[str]:
    """du, de la or de l'."""
    if begins_with_vowel(following):
        return ["de", "l'"]
    return ["de", "la"] if gender == "f" else ["du"]


def demonstrative(gender: str, plural: bool, following: str) -> str:
    """ce, cet, cette or ces."""
    if plural:
        return "ces"
    if gender == "f":
        return "cette"
    return "cet" if begins_with_vowel(following) else "ce"


_POSSESSIVES = {
    "my": ("mon", "ma", "mes"),
    "thy": ("ton", "ta", "tes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "your": ("votre", "votre", "vos"),
    "their": ("leur", "leur", "leurs"),
}


def possessive(owner: str, gender: str, plural: bool, following: str) -> str:
    """mon, ma, mes …; mon before a feminine vowel (mon école). "thy" is ton."""
    masculine, feminine, many = _POSSESSIVES[owner]
    if plural:
        return many
    if gender == "f" and not begins_with_vowel(following):
        return feminine
    return masculine
