"""Properties that hold of every sentence pair."""

import re
from functools import lru_cache
from itertools import islice

import pytest

from anadrome.corpora.grammar import sample_pairs, splits
from anadrome.corpora.grammar.names import MEN, WOMEN
from anadrome.corpora.grammar.nouns import NOUNS
from anadrome.corpora.grammar.phrases import Dice
from anadrome.corpora.grammar.sampling import (
    MAX_LONG_WORDS,
    MAX_WORDS,
    MIN_LONG_WORDS,
    TEMPLATES,
    count_words,
    sample_template,
)
from anadrome.text import Tokenizer


@lru_cache
def many_pairs():
    dice = Dice("properties")
    return [
        (*sample_template(template, dice), template.__name__)
        for template, _ in TEMPLATES
        for _ in range(300)
    ]


VOWEL = "[aàâeéèêiîoôuœ]"

# What no French sentence may contain.
WRONG = [
    r"\bde (le|les) (?!\w+(er|ir|re|oir)\b)",  # but: de les voir
    r"\bà (le|les) (?!\w+(er|ir|re|oir)\b)",
    rf"\b(je|me|te|se|ne|de|que) {VOWEL}(?!nze\b)",
    rf"\b(la|le) {VOWEL}(?!nze\b)",
    rf"\b(ma|ta|sa) {VOWEL}",
    rf"\bce (?!onz){VOWEL}",
    rf"\b(beau|nouveau|vieux) {VOWEL}\w*[^sx\W]\b",
    r"\bsi ils?\b",
    r"\b(la|le|de|que|ma|ce|sa) (homme|hôtel|hôpital|horloge|huile|histoire|herbe)",
    r"\bl'(haricot|héros|hibou|hérisson|hamster|harpe|Hongrie|handball|huit|onze)",
    r"\bdu l'|\bau l'|\bde des\b|\bde du\b|\bà aux\b",
    r"\bquatre-vingts-|\bcents \w+-|\bcent(s)? et\b",
    r"\bun (une|des)\b|\bles (le|la)\b",
    r"\s{2,}|\s[,.]|' |--",
    r"[ae]-(il|elle)\b",
    r"[dt]-t-",
]


@pytest.mark.parametrize("pattern", WRONG)
def test_no_sentence_contains(pattern):
    wrong = re.compile(pattern)
    for source, target, name in many_pairs():
        found = wrong.search(target[0].lower() + target[1:])
        assert found is None, (name, source, target)


def test_objects_lose_their_article_after_a_negation():
    kept = re.compile(
        r"\bn(e |').*\b(pas|plus|jamais) (\w+[éiu] )?(un|une|des|du|de la|de l')\b"
    )
    # These verbs have a preposition, which is not an article: il ne joue pas du piano.
    with_de = re.compile(
        r"parl|occup|souven|souvien|rêv|jou|reven|revien|besoin|peur|pour|sans|avec"
    )
    negated = 0
    for source, target, name in many_pairs():
        negated += " pas de " in target or " pas d'" in target
        if with_de.search(target.lower()):
            continue
        assert kept.search(target) is None, (name, source, target)
    assert negated > 50


def test_an_english_sentence_has_one_translation():
    known = {}
    for source, target, name in many_pairs():
        assert known.setdefault(source, target) == target, name


def test_sentences_are_written_properly():
    for source, target, name in many_pairs():
        for text in (source, target):
            assert text[0].isupper() or text[0] in "É", (name, text)
            assert text[-1] in ".?", (name, text)
            assert "  " not in text
            assert "_" not in text
        assert (source[-1] == "?") == (target[-2:] == " ?"), (name, source, target)


def test_first_names_are_called_tu_and_strangers_vous():
    called = 0
    for source, target, _ in many_pairs():
        first = source.split(",")[0]
        if first in MEN + WOMEN + ("Mum", "Dad"):
            called += 1
            assert not re.search(r"\b(vous|votre|vos)\b", target), (source, target)
        elif re.search(r"\b[Yy]ou(r)?\b", source):
            assert not re.search(r"\b(tu|te|ton|ta|tes|toi)\b|\bt'", target), target
    assert called > 100


def test_tokens_are_clean():
    english, french = Tokenizer(lowercase=True), Tokenizer(lowercase=True, french=True)
    for source, target, _ in many_pairs():
        for tokenizer, text in ((english, source), (french, target)):
            tokens = tokenizer.split(text)
            assert tokens[-1] in ".?"
            assert not any("￭" in token or "␣" in token for token in tokens)
            assert tokenizer.join(tokens) == tokenizer.normalize(text)


def test_the_lexicon_is_large():
    assert len({noun.en for noun in NOUNS}) > 300
    words = {
        word for source, _, _ in many_pairs() for word in source.lower().split(" ")
    }
    assert len(words) > 1200


def test_splits():
    parts = splits(3, train=2000, valid=200, test=200, test_long=100)
    sizes = [len(p) for p in (parts.train, parts.valid, parts.test, parts.test_long)]
    assert sizes == [2000, 200, 200, 100]
    sources = [
        s
        for part in (parts.train, parts.valid, parts.test, parts.test_long)
        for s in part.source
    ]
    assert len(set(sources)) == len(sources)
    for side in ("source", "target"):
        for sentence in getattr(parts.train, side):
            assert count_words(sentence) <= MAX_WORDS
        for sentence in getattr(parts.test_long, side):
            assert MIN_LONG_WORDS <= count_words(sentence) <= MAX_LONG_WORDS


def test_splits_depend_on_the_seed_alone():
    small = splits(3, train=50, valid=20, test=20, test_long=5)
    large = splits(3, train=80, valid=20, test=20, test_long=5)
    assert small.test == large.test
    assert small.valid == large.valid
    assert small.train.source == large.train.source[:50]
    other = splits(4, train=50, valid=20, test=20, test_long=5)
    assert other.train != small.train


def test_samples_do_not_repeat():
    pairs = sample_pairs(5)
    drawn = [next(pairs) for _ in range(2000)]
    assert len({source for source, _ in drawn}) == 2000


def test_ordinary_sentences_have_up_to_four_statements():
    counts = [0] * 5
    for source, _ in islice(sample_pairs("statements"), 2000):
        counts[len(re.findall(", (?:and|but) ", source))] += 1
    assert counts[0] > 1000
    assert all(count > 20 for count in counts[:4])
    assert MAX_WORDS < MIN_LONG_WORDS
