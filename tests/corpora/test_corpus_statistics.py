"""The numbers of a corpus, counted by hand."""

from anadrome.corpora import corpus_statistics, word_types


def test_numbers():
    found = corpus_statistics(["a b a", "", "c", "a b c d"], known={"a", "b"})
    assert (found.lines, found.empty, found.characters) == (4, 1, 13)
    assert (found.tokens, found.types, found.once) == (8, 4, 1)
    assert (found.shortest, found.longest, found.mean_length) == (0, 4, 2.0)
    assert found.percentiles == {1: 0, 25: 0, 50: 1, 75: 3, 95: 4, 99: 4}
    assert (found.unknown_tokens, found.unknown_types) == (3, 2)
    assert found.unknown_rate == 3 / 8
    assert "3 tokens (37.50 %), 2 types" in str(found)


def test_nothing_to_count():
    found = corpus_statistics([])
    assert (found.lines, found.mean_length, found.unknown_rate) == (0, 0.0, None)
    assert "unknown" not in str(found)


def test_words_by_any_tokenizer():
    assert word_types(["ab", "bc"], split=list) == {"a", "b", "c"}
