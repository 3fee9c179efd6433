"""Tagging and classification: gradients, company, and files through the command."""

from __future__ import annotations

import dataclasses
import io
import sys
from pathlib import Path

import numpy as np
import pytest

import anadrome as ad
from anadrome import nn
from anadrome.cli.commands import run
from anadrome.models import classifier, tagger
from anadrome.random import key
from anadrome.tasks.tokens import TokenCodecs
from anadrome.text import make_token_batch

SENTENCES = [("a", "big", "cat"), ("Anna", "runs"), ("the", "old", "dog", "eats")]
TAGS = [("D", "A", "N"), ("P", "V"), ("D", "A", "N", "V")]
CODECS = TokenCodecs.learn(SENTENCES, [t for tags in TAGS for t in tags])
SIZES = {
    "embedding": 3,
    "letter_embedding": 2,
    "letter_hidden": 2,
    "hidden": 3,
    "dropout": 0.0,
    "word_dropout": 0.0,
}
VARIANTS = {
    "crf": (tagger, tagger.Config(**SIZES)),
    "softmax": (tagger, tagger.Config(**SIZES, layers=2, output="softmax")),
    "mean-max": (classifier, classifier.Config(**SIZES)),
    "last": (classifier, classifier.Config(**SIZES, pooling="last", smoothing=0.1)),
}


def example(name):
    module, config = VARIANTS[name]
    rng = np.random.default_rng(3)
    params = nn.map_arrays(
        lambda a: a + 0.3 * rng.normal(size=a.shape),
        module.make_params(config, key(2), CODECS.sizes),
    )
    return module, config, params


def batch_of(module, indices):
    whole = module is classifier
    labels = [tags[:1] if whole else tags for tags in TAGS]
    encoded = [CODECS.encode(*pair) for pair in zip(SENTENCES, labels)]
    return make_token_batch(encoded, np.array(indices), whole=whole)


@pytest.mark.parametrize("name", VARIANTS)
def test_gradients_are_slopes(name):
    module, config, params = example(name)
    batch = batch_of(module, [0, 1, 2])
    rng = np.random.default_rng(4)
    way = nn.map_arrays(lambda a: rng.normal(size=a.shape), params)

    def at(step):
        moved = nn.map_arrays(lambda a, d: a + step * d, params, way)
        return module.loss(moved, batch, config, key(0))

    gradient = ad.grad(module.loss)(params, batch, config, key(0))
    along = sum(
        np.sum(a * b) for a, b in zip(nn.arrays_of(gradient), nn.arrays_of(way))
    )
    assert (at(1e-5) - at(-1e-5)) / 2e-5 == pytest.approx(along, rel=1e-6)


@pytest.mark.parametrize("name", VARIANTS)
def test_native_gradients_are_the_same(name):
    module, config, params = example(name)
    config = dataclasses.replace(config, dropout=0.3, word_dropout=0.2)
    given = params, batch_of(module, [0, 1, 2]), config, key(5)
    value, gradient = ad.jit(ad.value_and_grad(module.loss))(*given)
    wanted, slope = ad.value_and_grad(module.loss)(*given)
    assert value == pytest.approx(wanted, rel=1e-9)
    for mine, its in zip(nn.arrays_of(gradient), nn.arrays_of(slope)):
        np.testing.assert_allclose(mine, its, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("name", VARIANTS)
def test_company_changes_nothing(name):
    module, config, params = example(name)
    together = module.predict(params, batch_of(module, [0, 1, 2]), config)
    for i, sentence in enumerate(SENTENCES):
        alone = module.predict(params, batch_of(module, [i]), config)
        if module is tagger:
            mine = together[: len(sentence), i]
            np.testing.assert_array_equal(mine, alone[: len(sentence), 0])
        else:
            np.testing.assert_allclose(together[i], alone[0], atol=1e-12)


def test_a_word_is_spelt_once_and_unknown_words_are_told_apart_by_letters():
    batch = batch_of(tagger, [0, 2])
    spelt = sum(group.mask.shape[1] for group in batch.spelt)
    assert spelt == 1 + 7  # padding, and seven different words
    new = make_token_batch([CODECS.encode(("tac", "god"), ("N", "N"))], np.array([0]))
    assert new.words[0, 0] == new.words[1, 0]
    _, config, params = example("softmax")
    states = tagger.encode_tokens(params.encoder, new, config, None)
    assert np.abs(states[0] - states[1]).max() > 1e-3


SMALL = [
    "--embedding=8",
    "--letter-embedding=6",
    "--letter-hidden=6",
    "--hidden=10",
    "--min-count=1",
    "--word-dropout=0",
    "--dropout=0",
    "--steps=40",
    "--warmup=4",
    "--rate=0.05",
    "--backend=python",
]


def write_columns(path, sentences, tags):
    blocks = (
        "".join(f"{w}\t{t}\n" for w, t in zip(*pair)) for pair in zip(sentences, tags)
    )
    path.write_text("\n".join(blocks))


def said(capsys):
    return capsys.readouterr().out


def feed(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.mark.parametrize("output", ["crf", "softmax"])
def test_from_a_file_to_tags(output, tmp_path, capsys, monkeypatch):
    corpus, folder = tmp_path / "a.conll", str(tmp_path / "m")
    write_columns(corpus, SENTENCES, TAGS)
    given = ["train", "tag", str(corpus), "--out", folder, f"--output={output}"]
    assert run([*given, *SMALL]) == 0
    assert f"the tagger is in {folder}" in said(capsys)
    feed(monkeypatch, "the old cat runs\n\nAnna eats\n")
    assert run(["tag", folder]) == 0
    assert said(capsys) == "the/D old/A cat/N runs/V\n\nAnna/P eats/V\n"
    feed(monkeypatch, "Anna eats\n")
    assert run(["tag", folder, "--format=columns"]) == 0
    assert said(capsys) == "Anna\tP\neats\tV\n\n"
    assert run(["evaluate", folder, str(corpus)]) == 0
    assert said(capsys) == "accuracy = 100.00 (9 tokens)\n"


def test_spans_are_judged_as_spans(tmp_path, capsys):
    corpus, folder = tmp_path / "a.conll", str(tmp_path / "m")
    tags = [("O", "O", "O"), ("B-PER", "O"), ("O", "O", "B-PET", "O")]
    write_columns(corpus, SENTENCES, tags)
    given = ["train", "tag", str(corpus), "--out", folder, "--valid", str(corpus)]
    assert run([*given, *SMALL, "--validate-every=40"]) == 0
    assert "best: F1 100.00 on 3 sentences at step 40" in said(capsys)
    assert run(["evaluate", folder, str(corpus)]) == 0
    shown = said(capsys)
    assert "PER" in shown
    assert "accuracy = 100.00 (9 tokens)" in shown


def test_from_a_file_to_labels(tmp_path, capsys, monkeypatch):
    corpus, folder = tmp_path / "names.tsv", str(tmp_path / "m")
    corpus.write_text("it\tRossi\nit\tBianchi\nru\tPopov\nru\tIvanov\n")
    given = ["train", "classify", str(corpus), "--out", folder, "--units=letters"]
    assert run([*given, *SMALL]) == 0
    said(capsys)
    feed(monkeypatch, "Rossi\n\nIvanov\n")
    assert run(["classify", folder]) == 0
    assert said(capsys) == "it\n\nru\n"
    feed(monkeypatch, "Rossi\n")
    assert run(["classify", folder, "--top=2"]) == 0
    first, second = said(capsys).strip().split("\t")
    assert first.startswith("it ")
    total = float(first.split()[1]) + float(second.split()[1])
    assert total == pytest.approx(1, abs=2e-4)
    assert run(["evaluate", folder, str(corpus)]) == 0
    assert "accuracy" in said(capsys)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_tables_have_named_columns(suffix, tmp_path, capsys, monkeypatch):
    corpus, folder = tmp_path / f"names.{suffix}", str(tmp_path / "m")
    if suffix == "csv":
        corpus.write_text('name,of\nRossi,it\n"Popov, Ivan",ru\n')
    else:
        corpus.write_text(
            '{"name": "Rossi", "of": "it"}\n{"name": "Popov", "of": "ru"}\n'
        )
    columns = ["--text-column=name", "--label-column=of", "--units=letters"]
    given = ["train", "classify", str(corpus), "--out", folder]
    assert run([*given, *columns, *SMALL]) == 0
    said(capsys)
    feed(monkeypatch, "Popov\n")
    assert run(["classify", folder]) == 0
    assert said(capsys) == "ru\n"
    assert run([*given, *SMALL]) == 1  # there is no column called text
    assert f'File "{corpus}", line' in capsys.readouterr().err


def test_vectors_are_the_first_embeddings(tmp_path, capsys):
    path = tmp_path / "v.txt"
    path.write_text("Cat 1 2 3\nzebra 4 5 6\n")
    codecs = TokenCodecs.learn(SENTENCES, ["A"], vectors=str(path))
    config = tagger.Config(**SIZES)
    words = tagger.make_params(config, key(2), codecs.sizes).encoder.words
    np.testing.assert_array_equal(words[codecs.words["cat"]], [1, 2, 3])
    np.testing.assert_array_equal(words[codecs.words["zebra"]], [4, 5, 6])
    plain = tagger.make_params(config, key(2), CODECS.sizes).encoder.words
    assert codecs.words["dog"] == CODECS.words["dog"]
    assert np.abs(words[codecs.words["dog"]]).max() < 1
    assert len(words) == len(plain) + 1
    corpus = tmp_path / "a.conll"
    write_columns(corpus, SENTENCES, TAGS)
    given = ["train", "tag", str(corpus), "--out", str(tmp_path / "m"), *SMALL]
    assert run([*given, "--vectors", str(path)]) == 1
    assert "--embedding 3" in capsys.readouterr().err
    given[given.index("--embedding=8")] = "--embedding=3"
    assert run([*given, "--vectors", str(path)]) == 0


BAD = {
    "one.conll": ("tag", "word\n", "line 1"),
    "short.conllu": ("tag", "1\tword\n", "line 1"),
    "empty.conll": ("tag", "\n\n", "empty.conll"),
    "tab.tsv": ("classify", "it\tRossi\nPopov\n", "line 2: there is no tab"),
    "label.tsv": ("classify", "it\tRossi\n\tPopov\n", "line 2: the label or the text"),
    "empty.tsv": ("classify", "", "the file is empty"),
    "broken.jsonl": ("classify", '{"label": "it"', "line 1"),
    "number.jsonl": ("classify", '{"label": 3, "text": "x"}\n', "line 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_named(name, tmp_path, capsys):
    task, content, wanted = BAD[name]
    path = tmp_path / name
    path.write_text(content)
    assert run(["train", task, str(path), "--out", str(tmp_path / "m"), *SMALL]) == 1
    message = capsys.readouterr().err
    assert str(path) in message
    assert wanted in message
    assert not (tmp_path / "m").exists()


def test_a_model_of_another_task_is_refused(tmp_path, capsys):
    corpus, folder = tmp_path / "a.conll", str(tmp_path / "m")
    write_columns(corpus, SENTENCES, TAGS)
    assert run(["train", "tag", str(corpus), "--out", folder, *SMALL]) == 0
    assert run(["classify", folder]) == 1
    assert "tag" in capsys.readouterr().err


def test_cells_by_name_and_from_a_file(tmp_path, capsys, monkeypatch):
    corpus = tmp_path / "a.conll"
    write_columns(corpus, SENTENCES, TAGS)
    example = Path(__file__).parents[2] / "examples" / "own_cell.py"
    (tmp_path / "mine.py").write_text(example.read_text())
    monkeypatch.chdir(tmp_path)
    given = ["train", "tag", str(corpus), *SMALL]
    for cell in ("gru", "mut3", "normalized-lstm", "mine.py"):
        folder = str(tmp_path / f"m-{cell}")
        assert run([*given, "--out", folder, "--cell", cell]) == 0
        monkeypatch.chdir("/")  # where mine.py is not
        capsys.readouterr()
        assert run(["evaluate", folder, str(corpus)]) == 0
        assert said(capsys) == "accuracy = 100.00 (9 tokens)\n"
        monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.py").write_text("")
    for cell, wanted in {
        "grru": "did you mean 'gru'",
        "none.py": "there is no such file",
        "empty.py": "there is no function make_cell",
    }.items():
        assert run([*given, "--out", str(tmp_path / "n"), "--cell", cell]) == 1
        assert wanted in capsys.readouterr().err
        assert not (tmp_path / "n" / "run.toml").exists()
