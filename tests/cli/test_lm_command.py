"""`anadrome lm`, `anadrome dictionary`, and `anadrome train lm`."""

from __future__ import annotations

import io
import re
import sys

import pytest

from anadrome.cli.commands import run
from anadrome.cli.lm import load_model
from anadrome.ngram import NgramModel
from anadrome.tasks.lm_lines import line_totals, score_lines

LINES = ["the cat sat on the mat", "the dog sat on the log", "a cat and a dog"]
TEXT = "".join(f"{line}\n" for line in LINES * 8)
SMALL = [
    "--steps=6",
    "--embedding=4",
    "--hidden=6",
    "--window=8",
    "--batch-tokens=32",
    "--backend=python",
]


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("lm") / "text.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="module")
def models(text):
    """A folder of a model of each kind."""
    folder = text.parent
    for name, options in {
        "words": ["--model=rnn"],
        "letters": ["--model=rnn", "--unit=characters"],
        "nnlm": ["--model=nnlm"],
        "multiscale": ["--model=multiscale", "--dictionary=26", "--coder=bpe"],
    }.items():
        out = str(folder / name)
        assert run(["train", "lm", str(text), "--out", out, *options, *SMALL]) == 0
    out = str(folder / "ngram")
    ngram = ["--model", "ngram", "--order=2", "--arpa", "--fallback", "0.5", "1", "1.5"]
    assert run(["train", "lm", str(text), "--out", out, *ngram]) == 0
    return folder


KINDS = ["words", "letters", "nnlm", "multiscale", "ngram"]


@pytest.mark.parametrize("kind", KINDS)
def test_lines_are_scored(models, text, kind, capsys):
    capsys.readouterr()
    assert run(["lm", "score", str(models / kind), str(text)]) == 0
    out, err = capsys.readouterr()
    rows = [row.split("\t") for row in out.splitlines()]
    assert [row[2] for row in rows] == LINES * 8
    assert all(float(row[0]) < 0 for row in rows)
    assert rows[0] == rows[3]  # each for itself, whoever its neighbours are
    assert "perplexity" in err


@pytest.mark.parametrize("kind", ["words", "letters", "nnlm"])
def test_tokens_sum_to_their_line(models, text, kind, capsys):
    folder = str(models / kind)
    run(["lm", "score", folder, str(text)])
    lines = [float(r.split("\t")[0]) for r in capsys.readouterr().out.splitlines()]
    run(["lm", "score", folder, str(text), "--tokens"])
    groups = capsys.readouterr().out.strip().split("\n\n")
    assert len(groups) == len(lines)
    for group, total in zip(groups, lines):
        tokens = [row.split("\t") for row in group.split("\n")]
        found = sum(float(token[1]) for token in tokens)
        assert found == pytest.approx(total, abs=0.01)
        assert all(int(token[2]) >= 1 for token in tokens)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_coloured_by_rank(models, text, kind, tmp_path):
    page = tmp_path / "page.html"
    assert run(["lm", "score", str(models / kind), str(text), f"--html={page}"]) == 0
    written = page.read_text("utf-8")
    assert written.count("<p>") == len(LINES) * 8 + 1
    assert 'title="rank ' in written


@pytest.mark.parametrize("kind", KINDS)
def test_generation_depends_on_the_seed_alone(models, kind, capsys):
    def made(seed):
        command = ["lm", "generate", str(models / kind), "--count", "3"]
        assert run([*command, f"--seed={seed}", "--max-length", "12"]) == 0
        return capsys.readouterr().out

    assert made(1) == made(1)
    assert len(made(1).splitlines()) == 3
    assert "<pad>" not in made(2)


@pytest.mark.parametrize("kind", ["words", "letters", "multiscale", "ngram"])
def test_a_prompt_comes_first(models, kind, capsys):
    command = ["lm", "generate", str(models / kind), "--prompt", "the cat"]
    assert run([*command, "--max-length=5"]) == 0
    assert capsys.readouterr().out.startswith("the cat")


def test_segments_spell_the_line(models, monkeypatch, capsys, tmp_path):
    folder = str(models / "multiscale")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"the cat sat\n")))
    picture = tmp_path / "lattice.svg"
    assert run(["lm", "segment", folder, f"--picture={picture}"]) == 0
    cut = capsys.readouterr().out.rstrip("\n")
    assert cut.replace("·", "") == "the cat sat"
    assert "·" in cut
    assert picture.read_text().startswith("<?xml")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"the cat\n")))
    assert run(["lm", "segment", folder, "--arcs"]) == 0
    rows = [r.split("\t") for r in capsys.readouterr().out.strip().split("\n")]
    # every place is crossed by one arc of a segmentation
    for place in range(8):
        crossing = [r for r in rows if int(r[0]) <= place <= int(r[1])]
        assert sum(float(r[4]) for r in crossing) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["segment", "words"], "in one way only"),
        (["segment", "ngram"], "in one way only"),
        (["score", "nothing"], "no such file or folder"),
    ],
)
def test_what_a_model_cannot_do_is_said_in_a_line(
    models, words, message, monkeypatch, capsys
):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a cat\n")))
    command, model, *more = words
    assert run(["lm", command, str(models / model), *more]) == 1
    err = capsys.readouterr().err
    assert err.startswith("anadrome: ")
    assert message in err


def perplexities(text):
    return [float(part) for part in re.findall(r"perplexity ([\d.e+]+)", text)]


def test_an_ngram_model_is_evaluated(models, text, capsys):
    capsys.readouterr()
    for name in ("ngram", "ngram/model.arpa"):
        assert run(["evaluate", str(models / name), str(text)]) == 0
        out = capsys.readouterr().out
        wanted = NgramModel.read(models / "ngram" / "model.arpa").perplexity(text)
        assert perplexities(out)[0] == pytest.approx(wanted.value, abs=0.01)
        assert f"{wanted.tokens:,} tokens, 0 of them unknown" in out


def test_what_an_ngram_model_is_not_for_is_said(models, text, capsys):
    for command in (
        ["report"],
        ["compare", str(models / "words"), "--test", str(text)],
    ):
        assert run([command[0], str(models / "ngram"), *command[1:]]) == 1
        assert "is estimated in one step" in capsys.readouterr().err


def test_models_are_mixed(models, text, tmp_path, capsys):
    capsys.readouterr()
    names = [str(models / name) for name in ("ngram", "nnlm", "words")]
    assert run(["lm", "mix", str(text), *names, "--fit", str(text)]) == 0
    *alone, mixed = perplexities(capsys.readouterr().out)
    assert mixed < min(alone) + 0.01
    assert run(["lm", "mix", str(text), *names, "--weights", "0", "1", "0"]) == 0
    *same, mixed = perplexities(capsys.readouterr().out)
    assert same == alone
    assert mixed == pytest.approx(alone[1], rel=1e-3)
    # a word that one of them knows is no unknown word of the mixture
    other = tmp_path / "other.txt"
    other.write_text("the bird sat on the bird\nthe bird sang\n" * 9)
    birds = str(tmp_path / "birds")
    options = ["--order=2", "--fallback", "0.5", "1", "1.5"]
    train = ["train", "lm", str(other), "--model=ngram", "--out", birds]
    assert run([*train, *options]) == 0
    capsys.readouterr()
    assert run(["lm", "mix", str(other), names[0], birds]) == 0
    first, second, mixture = capsys.readouterr().out.splitlines()
    assert "without the 36 unknown" in first
    assert "unknown" not in second + mixture


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ngram", "letters"], "of words and of characters"),
        (["multiscale", "letters"], "no probability of its own"),
        (["ngram", "nnlm", "--weights", "1"], "1 weights for 2 models"),
        (["ngram", "nnlm", "--weights", "1", "-1"], "numbers from 0 on"),
    ],
)
def test_what_is_not_mixed_is_said(models, text, words, message, capsys):
    folders = [str(models / w) if w[0].isalpha() else w for w in words]
    assert run(["lm", "mix", str(text), *folders]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--prune", "-1"], "no count below 0"),
        (["--prune", "1", "0"], "must not become lower"),
        (["--order=2", "--prune", "0", "0", "1"], "too many for the order 2"),
        (["--fallback", "0.5", "1", "7"], "lie between"),
        (["--order=3"], 'text.txt": no 2-gram has the adjusted count'),
    ],
)
def test_options_of_ngrams_are_checked(text, tmp_path, options, message, capsys):
    out = tmp_path / "m"
    command = ["train", "lm", str(text), "--model=ngram", "--out", str(out)]
    assert run([*command, *options]) == 1
    assert message in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("kind", ["nnlm", "cslm"])
def test_an_ngram_of_a_network_has_a_context(text, tmp_path, kind, capsys):
    command = ["train", "lm", str(text), "--out", str(tmp_path / "m")]
    with pytest.raises(SystemExit):
        run([*command, "--model", kind, "--order", "1"])
    assert "Must be >= 2" in capsys.readouterr().err


def test_ngrams_are_pruned_by_order_and_vocabulary(text, tmp_path, capsys):
    words = tmp_path / "words"
    words.write_text("the cat\nsat on\n")
    out = tmp_path / "m"
    command = ["train", "lm", str(text), "--model=ngram", "--out", str(out)]
    pruned = ["--prune", "0", "0", "9", "--fallback", "0.5", "1", "1.5"]
    assert run([*command, *pruned, f"--vocabulary={words}", "--order=3"]) == 0
    model = NgramModel.read(out / "model.ngram")
    known = set(model.vocabulary) - {"<unk>", "<s>", "</s>"}
    assert known == {"the", "cat", "sat", "on"}


def test_a_dictionary_says_what_is_wrong(text, tmp_path, monkeypatch, capsys):
    made = tmp_path / "d.json"
    learn = ["dictionary", "learn", str(text), "--size=24", "--within-words"]
    assert run([*learn, "--out", str(made)]) == 0
    assert run(["dictionary", "apply", str(made), str(text)]) == 0
    assert "the· cat· s" in capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\n\xff\n")))
    assert run(["dictionary", "apply", str(made)]) == 1
    assert 'File "standard input", line 2' in capsys.readouterr().err


def test_bad_input_is_one_line(models, text, tmp_path, monkeypatch, capsys):
    empty = tmp_path / "empty"
    empty.write_text("")
    out = str(tmp_path / "m")
    assert run(["train", "lm", str(empty), "--out", out]) == 1
    assert "the file is empty" in capsys.readouterr().err
    large = ["--model=multiscale", "--dictionary=9999"]
    assert run(["train", "lm", str(text), "--out", out, *large]) == 1
    assert "the text allows no more than" in capsys.readouterr().err
    tiny = ["--model=multiscale", "--dictionary=1"]
    assert run(["train", "lm", str(text), "--out", out, *tiny]) == 1
    assert "no room for the" in capsys.readouterr().err
    wrong = ["--model=multiscale", "--unit=words"]
    assert run(["train", "lm", str(text), "--out", out, *wrong]) == 1
    assert "needs the unit characters" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a \xff\n")))
    assert run(["lm", "score", str(models / "words")]) == 1
    assert "not UTF-8" in capsys.readouterr().err
    ngram = ["train", "lm", str(text), "--model=ngram"]
    assert run([*ngram, "--out", str(models / "words")]) == 1
    assert "holds a model of the kind rnn" in capsys.readouterr().err


def test_a_multiscale_model_needs_a_dictionary(text, tmp_path, capsys):
    options = ["--model=multiscale", "--dictionary=0", *SMALL]
    assert run(["train", "lm", str(text), "--out", str(tmp_path / "m"), *options]) == 1
    assert "dictionary" in capsys.readouterr().err


def test_unseen_characters_are_scored(models, monkeypatch, capsys):
    for kind in ("letters", "multiscale", "words"):
        line = io.BytesIO("the ζ cat\n".encode())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(line))
        assert run(["lm", "score", str(models / kind), "--tokens"]) == 0
        rows = capsys.readouterr().out.splitlines()
        assert sum(row.endswith("\tunknown") for row in rows) == 1


def test_damaged_models_are_one_line(models, tmp_path, capsys):
    import shutil

    for name in ("language.json", "dictionary.json"):
        copy = tmp_path / name.split(".")[0]
        shutil.copytree(models / "multiscale", copy)
        content = (copy / name).read_text()
        (copy / name).write_text(content[: len(content) // 2])
        assert run(["lm", "score", str(copy), str(models / "text.txt")]) == 1
        err = capsys.readouterr().err
        assert name in err
        assert "not JSON" in err


def test_dictionaries_are_learnt_applied_and_inspected(
    text, tmp_path, monkeypatch, capsys
):
    made = str(tmp_path / "d.json")
    learn = ["dictionary", "learn", str(text), "--out", made]
    assert run([*learn, "--size", "24", "--coder", "bpe"]) == 0
    assert "24 tokens are in" in capsys.readouterr().out
    assert run(["dictionary", "inspect", made, "--count", "5"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5
    assert run(["dictionary", "apply", made, str(text)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].replace(" ", "").replace("·", " ") == LINES[0]
    assert run([*learn, "--size", "5000"]) == 1
    err = capsys.readouterr().err
    assert f'File "{text}"' in err
    assert "no more than" in err
    (tmp_path / "d.json").write_text("{")
    assert run(["dictionary", "apply", made, str(text)]) == 1
    assert "not JSON" in capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_unknown_is_told_and_counted(models, tmp_path, kind, capsys):
    path = tmp_path / "strange.txt"
    path.write_text("the cat\nthe Žat sat\n")
    unit, many = ("Žat", "words") if kind in ("words", "nnlm", "ngram") else ("Ž", "")
    for more in ([], ["--tokens"]):
        capsys.readouterr()
        assert run(["lm", "score", str(models / kind), str(path), *more]) == 0
        out, err = capsys.readouterr()
        told, summary = err.splitlines()
        assert f"warning: 1 {many or 'characters'} are not known to the model" in told
        assert told.endswith(f'File "{path}", line 2: {unit!r}')
        assert "; without the 1 unknown: perplexity " in summary
    assert run(["lm", "score", str(models / kind), str(models / "text.txt")]) == 0
    out, err = capsys.readouterr()
    assert "unknown" not in err
    assert "warning" not in err
    if kind != "ngram":
        assert run(["evaluate", str(models / kind), str(path)]) == 0
        out = capsys.readouterr().out.splitlines()
        assert out[1].endswith(", 1 of them unknown")
        assert out[2].startswith("without them: ")


def test_an_unknown_character_is_a_token_of_its_own(models):
    loaded = load_model(models / "multiscale")
    (total,) = line_totals(loaded, ["the Žat"])
    (tokens,) = score_lines(loaded, ["the Žat"])
    (strange,) = [token for token in tokens if token.unknown]
    assert total.unknown == 1
    assert total.unknown_nats == pytest.approx(strange.nats, rel=1e-4)
    assert total.nats < total.unknown_nats


def test_a_prompt_with_unknown_characters_is_told(models, capsys):
    folder = str(models / "letters")
    assert run(["lm", "generate", folder, "--prompt=Ž", "--max-length=3"]) == 0
    assert 'File "--prompt", line 1' in capsys.readouterr().err
    assert run(["lm", "segment", str(models / "multiscale"), str(models / "x")]) == 1


def test_other_files_are_left_alone(models, text, tmp_path, capsys):
    other = tmp_path / "other.txt"
    other.write_text("precious\n")
    page = ["lm", "score", str(models / "words"), str(text), "--html", str(other)]
    learn = ["dictionary", "learn", str(text), "--size=15", "--out", str(other)]
    for command in (page, learn):
        assert run(command) == 1
        err = capsys.readouterr().err
        assert str(other) in err
        assert "Traceback" not in err
        assert other.read_text() == "precious\n"
    other.unlink()
    for _ in range(2):  # what these commands have written themselves they replace
        assert run(page) == 0
    other.unlink()
    for _ in range(2):
        assert run(learn) == 0


@pytest.mark.parametrize(
    ("line", "name", "message"),
    [
        ("the cat", "a.gif", "pictures are .png or .svg"),
        ("the cat " * 100, "a.png", "a text of 801 characters is too long"),
        ("the cat", "no/a.png", "No such file or directory"),
    ],
)
def test_lattices_that_cannot_be_drawn(models, tmp_path, line, name, message, capsys):
    (tmp_path / "a.txt").write_text(line + "\n")
    command = ["lm", "segment", str(models / "multiscale"), str(tmp_path / "a.txt")]
    assert run([*command, "--picture", str(tmp_path / name)]) == 1
    assert message in capsys.readouterr().err
    assert run([*command, "--picture", str(tmp_path / "b.svg")]) == (len(line) > 99)


def test_a_small_text_for_ngrams_leaves_nothing_behind(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("a b\n")
    out = tmp_path / "m"
    command = ["train", "lm", str(tmp_path / "a.txt"), "--model=ngram"]
    assert run([*command, "--out", str(out)]) == 1
    assert "--fallback 0.5 1 1.5" in capsys.readouterr().err
    assert not out.exists()
