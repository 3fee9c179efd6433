import pytest

from anadrome.corpora.grammar import verbs
from anadrome.corpora.grammar.english import (
    add_s,
    compare,
    indefinite,
    join_english,
    verb_forms,
)


@pytest.mark.parametrize(
    ("base", "forms"),
    [
        ("work", "works worked worked working"),
        ("go", "goes went gone going"),
        ("have", "has had had having"),
        ("study", "studies studied studied studying"),
        ("play", "plays played played playing"),
        ("stop", "stops stopped stopped stopping"),
        ("watch", "watches watched watched watching"),
        ("dance", "dances danced danced dancing"),
        ("see", "sees saw seen seeing"),
        ("forget", "forgets forgot forgotten forgetting"),
        ("travel", "travels travelled travelled travelling"),
        ("set", "sets set set setting"),
        ("answer", "answers answered answered answering"),
        ("visit", "visits visited visited visiting"),
        ("prefer", "prefers preferred preferred preferring"),
    ],
)
def test_verb_forms(base, forms):
    verb = verb_forms(base)
    assert f"{verb.third} {verb.past} {verb.participle} {verb.ing}" == forms


def test_nouns_and_articles():
    assert [add_s(n) for n in ("box", "baby", "boy", "church", "potato")] == [
        "boxes", "babies", "boys", "churches", "potatoes",
    ]  # fmt: skip
    for noun in ("apple", "honest man", "hour", "orange dress"):
        assert indefinite(noun) == "an"
    for noun in ("book", "university", "house", "European"):
        assert indefinite(noun) == "a"


def test_comparison():
    assert compare("big") == ("bigger", "biggest")
    assert compare("heavy") == ("heavier", "heaviest")
    assert compare("brave") == ("braver", "bravest")
    assert compare("good") == ("better", "best")
    assert compare("famous") == ("more famous", "most famous")


def test_joining():
    assert join_english(["Paul 's dog", ",", "", "please"]) == "Paul's dog, please"


def test_verbs_know_their_auxiliary():
    reflexive = verbs.make_verb("get up", "se lever")
    assert reflexive.reflexive
    assert reflexive.etre
    assert verbs.make_verb("go", "aller").etre
    assert not verbs.make_verb("walk", "marcher").etre
    assert verbs.make_verb("answer", "répondre à").preposition == "à"
