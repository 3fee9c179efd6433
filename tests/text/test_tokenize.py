import pytest
from hypothesis import given
from hypothesis import strategies as st

from anadrome.text import Tokenizer, normalize

AWKWARD = st.text(
    st.sampled_from("aé'’-.,?!()[]\"«» ltLTs0,.\uffed\u2423&#;91_\n\u0301 İ")
)


@given(st.one_of(st.text(), AWKWARD), st.booleans(), st.booleans())
def test_any_text_comes_back(text, lowercase, french):
    tokenizer = Tokenizer(lowercase=lowercase, french=french)
    tokens = tokenizer.split(text)
    assert tokenizer.join(tokens) == tokenizer.normalize(text)
    assert all(tokens)
    assert not any(c.isspace() for token in tokens for c in token)


@given(st.text())
def test_normalize_is_idempotent(text):
    once = normalize(text, lowercase=True)
    assert normalize(once, lowercase=True) == once


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Where is he?", "Where is he ?"),
        ("It is 3,000.5 m.", "It is 3,000.5 m ."),
        ("Paul's dog (old), isn't it?", "Paul 's dog ( old ) , isn't it ?"),
        ("He said: yes.", "He said : yes ."),
        ("o'clock", "o'clock"),
    ],
)
def test_english(text, tokens):
    assert Tokenizer().split(text) == tokens.split()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Où va-t-il ?", "où va -t-il ?"),
        ("Qu’est-ce que c'est ?", "qu' est -ce que c' est ?"),
        ("Donnez-le-moi, l'ami d'hier.", "donnez -le -moi , l' ami d' hier ."),
        ("aujourd'hui, quatre-vingt-dix", "aujourd'hui , quatre-vingt-dix"),
        ("« Oui ! »", "« oui ! »"),
    ],
)
def test_french(text, tokens):
    assert Tokenizer(lowercase=True, french=True).split(text) == tokens.split()


def test_unusual_spacing_is_marked_on_the_punctuation():
    assert Tokenizer().split('"so" a.b x ?') == [
        '"￭', "so", '￭"', "a", ".￭", "b", "x", "␣?",
    ]  # fmt: skip


def test_normalize():
    assert normalize(" e\u0301\u00a0\u202fa\t") == "é a"
    assert normalize("l’ami") == "l'ami"
    assert normalize("l’ami", straighten=False) == "l’ami"
    assert normalize("ÉCOLE", lowercase=True) == "école"
