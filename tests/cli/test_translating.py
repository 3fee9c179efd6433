"""`anadrome translate` with every search, together, and into translation files."""

from __future__ import annotations

import itertools

import pytest

from anadrome.cli.commands import run

LINES = b"He sleeps.\nShe is here.\n"


@pytest.fixture
def translate(workshop, type_in, capsys):
    """A function that gives the lines that a command line writes."""

    def ask(*options, lines=LINES, folders=("first",)):
        type_in(lines)
        capsys.readouterr()
        assert run(["translate", *map(workshop.path, folders), *options]) == 0
        return capsys.readouterr().out.split("\n")[:-1]

    return ask


def test_drawn_translations_depend_on_seed_and_line_only(translate):
    options = ("--sample", "--temperature=0.8", "--top-k=9", "--top-p=0.95")
    drawn = translate(*options)
    assert drawn == translate(*options)
    assert drawn != translate(*options, "--seed=1")
    with_more = translate(*options, lines=LINES + b"They know that.\n")
    assert with_more[:2] == drawn


def test_several_draws_of_a_line(translate):
    rows = [row.split("\t") for row in translate("--sample", "--nbest=4")]
    assert [row[0] for row in rows] == ["0"] * 4 + ["1"] * 4
    assert len({row[2] for row in rows[:4]}) > 1


def test_diverse_groups_differ_in_their_first_words(translate):
    rows = translate("--beam=4", "--nbest=4", "--groups=4", "--diversity=50")
    texts = [row.split("\t")[2] for row in rows[:4]]
    assert len({text.split(" ")[0] for text in texts}) == 4


def test_length_and_coverage_change_scores(translate):
    plain = translate("--nbest=2")
    assert translate("--nbest=2", "--length-penalty=0.2") != plain
    assert translate("--nbest=2", "--coverage=0.7") != plain


def test_prefix_and_phrases_are_obeyed(translate):
    assert all(x.startswith("Il est") for x in translate("--prefix", "Il est"))
    assert all("pas" in x and "que" in x for x in translate("--require=pas|que"))
    lines = b"He sleeps.\tpas\nShe is here.\n"
    first, _ = translate("--tabs=phrases", lines=lines)
    assert "pas" in first
    lines = b"He sleeps.\tpas est\nShe is here.\tIl est\n"
    first, second = translate("--tabs=prefix", lines=lines)
    assert first.startswith("pas est")
    assert second.startswith("Il est")


def test_runs_do_not_repeat(translate):
    for line in translate("--no-repeat=2"):
        words = line.replace(".", " .").split()
        pairs = list(itertools.pairwise(words))
        assert len(pairs) == len(set(pairs))


def test_an_ensemble_of_one_model_twice_is_that_model(translate):
    alone = translate("--nbest=3")
    twice = translate("--nbest=3", folders=("first", "first"))
    for one, two in zip(alone, twice, strict=True):
        (i, score, text), (j, other, same) = one.split("\t"), two.split("\t")
        assert (i, text) == (j, same)
        assert float(score) == pytest.approx(float(other), abs=2e-4)
    assert translate("--nbest=3", folders=("first", "second")) != alone


def test_unknown_words_are_replaced(translate, tmp_path):
    options = ("--prefix", "Il", "--no-repeat=1")
    lines = b"Zebulon sleeps.\n"
    found = translate(*options, lines=lines, folders=("first",))
    if "<unk>" not in found[0]:
        pytest.skip("these weights say no unknown word")
    replaced = translate(*options, "--replace-unknown", lines=lines)
    assert "<unk>" not in replaced[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--beam=5", "--groups=2"], "cannot be divided into 2 groups"),
        (["--beam=1", "--require=pas"], "phrases need a wider beam"),
        (["--sample", "--require=pas"], "phrases are looked for by a beam"),
        (["--require=xyzzy"], "the translator cannot say 'xyzzy'"),
        (["--prefix=xyzzy"], "the translator cannot say 'xyzzy'"),
        (["--dictionary=nowhere.tsv"], "there is no such file"),
        (["--prefix=pas pas", "--no-repeat=1"], "that every constraint allows"),
        (["--prefix=pas pas", "--no-repeat=1", "--beam=1"], "no token is possible"),
        (["--prefix=pas pas", "--no-repeat=1", "--sample"], "no token is possible"),
    ],
)
def test_what_cannot_be_is_one_line(workshop, type_in, capsys, options, message):
    type_in(LINES)
    assert run(["translate", workshop.path("first"), *options]) == 1
    error = capsys.readouterr().err
    assert error.startswith("anadrome: ")
    assert message in error


def test_a_model_without_alignment_says_so(workshop, type_in, capsys):
    type_in(LINES)
    for flag in ("--align", "--coverage=0.1", "--replace-unknown"):
        assert run(["translate", workshop.path("tree"), flag]) == 1
        assert "the grconv model has no alignment" in capsys.readouterr().err


def test_models_of_other_words_cannot_work_together(workshop, type_in, capsys):
    assert workshop.train("pieces", "--merges=20", "--steps=1") == 0
    type_in(LINES)
    folders = [workshop.path("first"), workshop.path("pieces")]
    assert run(["translate", *folders]) == 1
    assert "only if they know the same words" in capsys.readouterr().err


@pytest.mark.parametrize("beam", ["0", "1000000000", "9" * 40, "many"])
def test_absurd_beams_are_refused(workshop, capsys, beam):
    with pytest.raises(SystemExit) as stop:
        run(["translate", workshop.path("first"), "--beam", beam])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("anadrome: ")
    assert "--beam" in error


FILL = ("--prefix=Il est", "--replace-unknown")

CATALOGUE = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "She is here."
msgstr ""

msgid "Hello"
msgstr "Bonjour"
"""


def test_catalogues_are_filled_in_place(workshop, tmp_path, capsys):
    path = tmp_path / "messages.po"
    path.write_text(CATALOGUE)
    assert run(["translate", workshop.path("first"), *FILL, "--po", str(path)]) == 0
    assert "1 filled in to review, 1 left as they were" in capsys.readouterr().out
    text = path.read_text()
    assert "#, fuzzy" in text
    assert 'msgstr "Bonjour"' in text
    assert 'msgstr ""' not in text
    assert run(["translate", workshop.path("first"), *FILL, "--po", str(path)]) == 0
    assert "0 filled in" in capsys.readouterr().out
    assert path.read_text() == text


def test_tables_and_subtitles_are_filled(workshop, tmp_path, capsys):
    table = tmp_path / "words.tsv"
    table.write_text("He sleeps.\t\nHello\tBonjour\n")
    out = tmp_path / "filled.tsv"
    translate = ["translate", workshop.path("first"), *FILL]
    command = [*translate, "--tsv", str(table)]
    assert run([*command, "--out", str(out), "--unmarked"]) == 0
    first, second = out.read_text().splitlines()
    assert first.split("\t")[1]
    assert second == "Hello\tBonjour"
    film = tmp_path / "film.srt"
    film.write_text("1\n00:00:01,000 --> 00:00:02,000\nHe sleeps.\n")
    command = [*translate, "--subtitles", str(film)]
    assert run(command) == 1
    assert "a file of their own" in capsys.readouterr().err
    assert run([*command, "--out", str(tmp_path / "film.fr.srt")]) == 0
    made = (tmp_path / "film.fr.srt").read_text()
    assert "00:00:01,000 --> 00:00:02,000" in made


def test_a_file_that_is_there_is_not_overwritten(workshop, tmp_path, capsys):
    path, out = tmp_path / "messages.po", tmp_path / "precious.txt"
    path.write_text(CATALOGUE)
    out.write_text("mine")
    command = [
        "translate",
        workshop.path("first"),
        "--prefix=Il est",
        "--po",
        str(path),
    ]
    assert run([*command, "--out", str(out)]) == 1
    assert "there is a file already" in capsys.readouterr().err
    assert out.read_text() == "mine"
