"""Tokens and pieces of other tools: Moses, sentencepiece, tokenizers."""

from __future__ import annotations

import io

import numpy as np
import pytest

from anadrome.text import MosesTokenizer, PretrainedCodec, TextCodec, load_codec
from anadrome.text.errors import InvalidVocabulary, MissingFile
from anadrome.text.vocabulary import EOS, UNK

LINES = [
    "the cat sleeps on the mat",
    "a dog eats the fish",
    "the old cat eats",
    "dogs sleep",
]


@pytest.fixture(scope="module")
def sentencepiece_model(tmp_path_factory):
    sentencepiece = pytest.importorskip("sentencepiece")
    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES * 3),
        model_writer=made,
        vocab_size=45,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    path = tmp_path_factory.mktemp("spm") / "a.model"
    path.write_bytes(made.getvalue())
    return path


@pytest.fixture(scope="module")
def tokenizers_model(tmp_path_factory):
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    made.decoder = tokenizers.decoders.Metaspace()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=60, special_tokens=["[PAD]", "[UNK]", "</s>"], show_progress=False
    )
    made.train_from_iterator(LINES, trainer)
    path = tmp_path_factory.mktemp("bpe") / "tokenizer.json"
    made.save(str(path))
    return path


@pytest.fixture(params=["sentencepiece_model", "tokenizers_model"])
def model(request):
    return request.getfixturevalue(request.param)


def test_text_comes_back(model, tmp_path):
    codec = PretrainedCodec.read(model)
    for line in LINES:
        ids = codec.encode(line)
        assert ids.min() > UNK
        assert ids.max() < len(codec.vocabulary)
        assert codec.decode([*ids, EOS, 7]) == line
        assert codec.split(line) == [codec.vocabulary.tokens[k] for k in ids]
    assert UNK in codec.encode("Ω")
    codec.save(tmp_path / "c.json")
    loaded = load_codec(tmp_path / "c.json")
    assert loaded.vocabulary == codec.vocabulary
    np.testing.assert_array_equal(loaded.encode(LINES[0]), codec.encode(LINES[0]))


def test_files_that_are_no_models(tmp_path):
    for name, content in {"a.model": b"\x00\x01junk", "b.json": b'{"a": 1}'}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InvalidVocabulary, match=name):
            PretrainedCodec.read(tmp_path / name)
    with pytest.raises(MissingFile, match=r"none\.model"):
        PretrainedCodec.read(tmp_path / "none.model")
    record = '{"format": "anadrome pretrained codec 1", "model": "!"}'
    (tmp_path / "c.json").write_text(record)
    with pytest.raises(InvalidVocabulary, match="the model in it is damaged"):
        load_codec(tmp_path / "c.json")


def test_tokens_of_moses(tmp_path):
    pytest.importorskip("sacremoses")
    french = MosesTokenizer("fr", lowercase=True)
    tokens = french.split("L’ami dit : « Il n'est pas là ! »")
    assert tokens[:4] == ["l'", "ami", "dit", ":"]
    assert "n'" in tokens
    english = MosesTokenizer()
    text = "It doesn't cost $5.50, does it? (No.)"
    assert english.join(english.split(text)) == text
    codec = TextCodec.learn([text], tokenizer=english, merges=10)
    codec.save(tmp_path / "c.json")
    loaded = load_codec(tmp_path / "c.json")
    assert isinstance(loaded, TextCodec)
    assert loaded.tokenizer == english
    assert loaded.decode(loaded.encode(text)) == text
