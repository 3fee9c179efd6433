import pytest
from hypothesis import given
from hypothesis import strategies as st

from anadrome.corpora.grammar import splits
from anadrome.text import UNK, CorpusError, TextCodec, Tokenizer

SENTENCES = ["Où va-t-il ?", "Il va à l'école.", "Il n'est pas là."]
FRENCH = Tokenizer(lowercase=True, french=True)


def test_words():
    codec = TextCodec.learn(SENTENCES, tokenizer=FRENCH)
    assert codec.split("Il va là ?") == ["il", "va", "là", "?"]
    assert codec.decode(codec.encode("Où va-t-il ?")) == "où va-t-il ?"
    assert UNK in codec.encode("Elle va là.")
    assert codec.decode(codec.encode("Elle va là.")) == "<unk> va là."


@given(st.text())
def test_pieces_give_back_every_text(text):
    codec = TextCodec.learn(SENTENCES, tokenizer=FRENCH, merges=20)
    ids = codec.encode(text)
    assert UNK not in ids
    assert codec.decode(ids) == FRENCH.normalize(text)


@pytest.mark.parametrize("merges", [None, 20])
def test_save_and_load(tmp_path, merges):
    codec = TextCodec.learn(SENTENCES, tokenizer=FRENCH, merges=merges)
    codec.save(tmp_path / "codec.json")
    loaded = TextCodec.load(tmp_path / "codec.json")
    assert loaded.tokenizer == codec.tokenizer
    assert loaded.vocabulary == codec.vocabulary
    assert loaded.split("là-bas") == codec.split("là-bas")


def test_a_broken_file_is_named(tmp_path):
    path = tmp_path / "codec.json"
    path.write_text('{"format": "anadrome codec 1"}')
    with pytest.raises(CorpusError, match="not a whole codec"):
        TextCodec.load(path)


def test_the_built_in_corpus_comes_back():
    corpus = splits(0, train=300, valid=1, test=1, test_long=1).train
    english = Tokenizer(lowercase=True)
    for sentences, tokenizer in ((corpus.source, english), (corpus.target, FRENCH)):
        codec = TextCodec.learn(sentences, tokenizer=tokenizer, merges=300)
        for sentence in sentences:
            assert codec.decode(codec.encode(sentence)) == sentence.lower()
