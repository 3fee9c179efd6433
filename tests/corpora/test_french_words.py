import pytest

from anadrome.corpora.grammar.agreement import (
    adjective_forms,
    definite_article,
    demonstrative,
    feminize,
    partitive_article,
    pluralize,
    possessive,
)
from anadrome.corpora.grammar.euphony import begins_with_vowel, contract, join_french
from anadrome.corpora.grammar.names import COUNTRIES
from anadrome.corpora.grammar.numbers import (
    english_number,
    english_ordinal,
    french_number,
)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("je aime le ami", "j'aime l'ami"),
        ("je ne ai pas de eau", "je n'ai pas d'eau"),
        ("si il parle", "s'il parle"),
        ("si elle parle", "si elle parle"),
        ("parce que il se en va", "parce qu'il s'en va"),
        ("ce est vrai", "c'est vrai"),
        ("ce livre", "ce livre"),
        ("que est -ce que ce est", "qu'est-ce que c'est"),
        ("le onze mai", "le onze mai"),
        ("la harpe , le héros", "la harpe, le héros"),
        ("le hôpital , la heure", "l'hôpital, l'heure"),
        ("donnez -le -moi", "donnez-le-moi"),
        ("parlez -je à elle", "parlez-je à elle"),
        ("il me a vu , il te y a vu", "il m'a vu, il t'y a vu"),
        ("le yaourt", "le yaourt"),
    ],
)
def test_elision(words, text):
    assert join_french(words.split(" ")) == text


@pytest.mark.parametrize(
    ("preposition", "phrase", "expected"),
    [
        ("à", "le marché", "au marché"),
        ("à", "les enfants", "aux enfants"),
        ("à", "la gare", "à la gare"),
        ("à", "l' école", "à l' école"),
        ("de", "le professeur", "du professeur"),
        ("de", "les livres", "des livres"),
        ("de", "mon frère", "de mon frère"),
        ("dans", "le jardin", "dans le jardin"),
    ],
)
def test_contraction(preposition, phrase, expected):
    assert contract(preposition, phrase.split(" ")) == expected.split(" ")


def test_vowels_and_aspirated_h():
    for word in ("ami", "école", "homme", "hôpital", "île", "œuf", "yeux", "y"):
        assert begins_with_vowel(word)
    for word in ("haricot", "héros", "hibou", "Hongrie", "huit", "onze", "yaourt"):
        assert not begins_with_vowel(word)


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("livre", "livres"), ("fils", "fils"), ("nez", "nez"), ("cheval", "chevaux"),
        ("journal", "journaux"), ("gâteau", "gâteaux"), ("neveu", "neveux"),
        ("genou", "genoux"), ("hibou", "hiboux"), ("œil", "yeux"), ("bleu", "bleus"),
        ("travail", "travaux"), ("festival", "festivals"),
    ],
)  # fmt: skip
def test_plural(singular, plural):
    assert pluralize(singular) == plural


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("grand", "grande"), ("rouge", "rouge"), ("heureux", "heureuse"),
        ("jaloux", "jalouse"), ("neuf", "neuve"), ("cher", "chère"), ("fier", "fière"),
        ("italien", "italienne"), ("bon", "bonne"), ("beau", "belle"),
        ("nouveau", "nouvelle"), ("vieux", "vieille"), ("blanc", "blanche"),
        ("long", "longue"), ("frais", "fraîche"), ("gentil", "gentille"),
        ("gros", "grosse"), ("inquiet", "inquiète"), ("doux", "douce"),
        ("léger", "légère"), ("fatigué", "fatiguée"), ("surpris", "surprise"),
        ("français", "française"), ("mûr", "mûre"), ("ouvert", "ouverte"),
    ],
)  # fmt: skip
def test_feminine(masculine, feminine):
    assert feminize(masculine) == feminine


def test_adjectives_before_a_vowel():
    old, fine, new = (adjective_forms(w) for w in ("vieux", "beau", "nouveau"))
    assert old.agree("m", False, "ami") == "vieil"
    assert old.agree("m", False, "livre") == "vieux"
    assert old.agree("m", True, "amis") == "vieux"
    assert old.agree("m", False) == "vieux"
    assert fine.agree("m", False, "homme") == "bel"
    assert fine.agree("m", False, "hibou") == "beau"
    assert new.agree("m", True, "appartements") == "nouveaux"
    assert adjective_forms("marron").agree("f", True) == "marron"


def test_determiners():
    assert definite_article("f", False, "amie") == "l'"
    assert definite_article("f", False, "haine") == "la"
    assert demonstrative("m", False, "homme") == "cet"
    assert demonstrative("m", False, "héros") == "ce"
    assert demonstrative("f", False, "amie") == "cette"
    assert possessive("my", "f", False, "amie") == "mon"
    assert possessive("my", "f", False, "petite") == "ma"
    assert possessive("their", "f", True, "clés") == "leurs"
    assert partitive_article("f", "eau") == ["de", "l'"]
    assert partitive_article("m", "pain") == ["du"]


def test_countries():
    named = {c.en: (c.into, c.out) for c in COUNTRIES}
    assert named["France"] == (["en", "France"], ["de", "France"])
    assert named["Japan"] == (["au", "Japon"], ["du", "Japon"])
    assert named["Iran"] == (["en", "Iran"], ["de", "Iran"])
    assert named["the United States"] == (["aux", "États-Unis"], ["des", "États-Unis"])


@pytest.mark.parametrize(
    ("number", "french", "english"),
    [
        (0, "zéro", "zero"),
        (1, "un", "one"),
        (16, "seize", "sixteen"),
        (17, "dix-sept", "seventeen"),
        (21, "vingt et un", "twenty-one"),
        (22, "vingt-deux", "twenty-two"),
        (70, "soixante-dix", "seventy"),
        (71, "soixante et onze", "seventy-one"),
        (79, "soixante-dix-neuf", "seventy-nine"),
        (80, "quatre-vingts", "eighty"),
        (81, "quatre-vingt-un", "eighty-one"),
        (90, "quatre-vingt-dix", "ninety"),
        (91, "quatre-vingt-onze", "ninety-one"),
        (99, "quatre-vingt-dix-neuf", "ninety-nine"),
        (100, "cent", "one hundred"),
        (101, "cent un", "one hundred and one"),
        (200, "deux cents", "two hundred"),
        (280, "deux cent quatre-vingts", "two hundred and eighty"),
        (301, "trois cent un", "three hundred and one"),
        (999, "neuf cent quatre-vingt-dix-neuf", "nine hundred and ninety-nine"),
    ],
)
def test_numbers(number, french, english):
    assert french_number(number) == french
    assert english_number(number) == english


def test_numbers_agree_with_a_feminine():
    assert french_number(21, feminine=True) == "vingt et une"
    assert french_number(81, feminine=True) == "quatre-vingt-une"
    assert french_number(71, feminine=True) == "soixante et onze"
    with pytest.raises(ValueError, match="not between 0 and 999"):
        french_number(1000)


def test_ordinals():
    said = [english_ordinal(n) for n in (1, 2, 3, 5, 8, 9, 12, 20, 21, 30, 31)]
    assert said == [
        "first", "second", "third", "fifth", "eighth", "ninth", "twelfth", "twentieth",
        "twenty-first", "thirtieth", "thirty-first",
    ]  # fmt: skip
