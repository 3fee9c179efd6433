"""The report: one page, well formed, that asks nothing of the network."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

from anadrome.decode import Fate, SearchTree
from anadrome.decode.trace import Node
from anadrome.evaluate import Score, TestSet, confusion_of, score_by_length
from anadrome.evaluate.exhibits import (
    AlignedSentence,
    AlignedSentences,
    ClassifiedText,
    ClassifiedTexts,
    ParsedSentence,
    Scores,
    SearchedSentence,
    TaggedSentences,
    TaggedWords,
    TranslatedSentence,
    TranslatedSentences,
)
from anadrome.train.config import TrainingConfig
from anadrome.viz import ForeignFile, History
from anadrome.viz.report import Facts, make_report, write_report
from anadrome.viz.report.charts import nice_ticks, thin
from anadrome.viz.report.markup import tag
from anadrome.viz.report.page import format_count, format_time
from anadrome.viz.report.sections import compare_words

EVIL = '<script>alert("&")</script>'

EVENTS = [
    *(
        {"step": k, "loss": 4 / k, "norm": 1.0, "rate": 0.1, "seconds": 0.1, "size": 9}
        for k in range(1, 41)
    ),
    {"step": 40, "score": 61.5, "text": "BLEU 61.50 on 9 sentences"},
]

FACTS = Facts(
    name=EVIL,
    noun="translator",
    model="attention",
    cites="Bahdanau et al. (2015)",
    parameters=12_345,
    tables={
        "model": {"name": "attention", "hidden": 8},
        "training": {"steps": 40, "rate": 0.5},
        "files": {"given": ["a.en", "a.fr"]},
        "fingerprints": {"train": "0123"},
        "versions": {"anadrome": "0.1.0"},
    },
    kinds={"training": TrainingConfig},
    history=History.of(EVENTS),
    best=40,
    score="BLEU 61.50 on 9 sentences",
)

TREE = SearchTree(
    (
        Node(None, 0, 0, 0.0, Fate.KEPT),
        Node(0, 1, 1, -0.5, Fate.FINISHED, -0.5),
        Node(0, 2, 1, -3.0, Fate.PRUNED),
    )
)

EXHIBITS = [
    Scores("9 sentences", (Score("BLEU", 61.5, "tok:13a", ""),)),
    TranslatedSentences(
        "Its best", (TranslatedSentence(EVIL, "a b c", "a x c", 42.0),)
    ),
    AlignedSentences(
        (AlignedSentence(("a", EVIL), ("x",), np.array([[0.9, 0.1]])),),
    ),
    SearchedSentence(EVIL, TREE, ["<s>", "</s>", "no"]),
    ParsedSentence(("a", "b", "c"), (np.full((2, 3), 1 / 3), np.full((1, 3), 1 / 3))),
    score_by_length(TestSet(["a b"], ["c d"]), {"BLEU": ["c d"]}, edges=(5,)),
    TaggedSentences("Mistakes", (TaggedWords((EVIL, "b"), ("X", "Y"), ("X", "Z")),)),
    ClassifiedTexts("Wrong", (ClassifiedText(EVIL, "good", "bad", 0.91),)),
    confusion_of(["a", "b", "a"], ["a", "b", "b"]),
]


class Page(HTMLParser):
    """What a page is made of; elements must close in order."""

    VOID = frozenset({"meta", "br", "line", "path", "circle", "rect"})

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.links, self.texts = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, name, attributes):
        self.tags.append(name)
        self.links += [v for k, v in attributes if k in ("src", "href", "action")]
        self.open.append(name)

    def handle_startendtag(self, name, attributes):
        assert name in self.VOID
        self.tags.append(name)

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)


@pytest.fixture(scope="module")
def text():
    return make_report(FACTS, EXHIBITS)


def test_elements_are_closed_and_nothing_is_fetched(text):
    page = Page(text)
    assert page.open == []
    assert page.links == []
    assert "@import" not in text
    assert "url(" not in text
    assert page.tags.count("script") == 1


def test_texts_are_texts(text):
    assert EVIL not in text
    assert EVIL in "".join(Page(text).texts)


def test_everything_is_shown(text):
    shown = "".join(Page(text).texts)
    for part in (
        "How good it is",
        "What it says",
        "Where it looks",
        "How it searches",
        "How it reads",
        "Long and short",
        "What it mixes up",
        "How training went",
        "How it was made",
        "61.50",
        "12.3 k",
        "after Bahdanau et al. (2015)",
        "the highest learning rate",
        "Trained on a.en, a.fr.",
    ):
        assert part in shown, part


def test_changed_options_are_marked(text):
    rows = {row.split("<code>")[1].split("<")[0]: row for row in text.split("<tr")[1:]
            if "<code>" in row}  # fmt: skip
    assert "changed" in rows["rate"]
    assert "changed" not in rows["name"]


def test_a_run_without_steps_or_examples_has_a_page():
    empty = Facts("x", "tagger", "m", "", 3, {}, {}, History.of([]), 0, "")
    page = Page(make_report(empty))
    assert "How training went" not in "".join(page.texts)


def test_only_reports_are_overwritten(tmp_path):
    path = tmp_path / "report.html"
    for _ in range(2):
        write_report(path, FACTS)
    path.write_text("<p>mine</p>")
    with pytest.raises(ForeignFile):
        write_report(path, FACTS)
    assert path.read_text() == "<p>mine</p>"


def test_words_that_differ_are_marked():
    said, wanted = compare_words("a b c", "a x c d")
    assert "".join(said) == "a <ins>b</ins> c"
    assert "".join(wanted) == "a <del>x</del> c <del>d</del>"
    assert compare_words("", "") == ([], [])


def test_attributes_are_quoted():
    assert tag("a", "<", title='"') == '<a title="&quot;">&lt;</a>'


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 7.5), (0.001, 0.0023), (5, 5)])
def test_ticks_are_round_and_inside(low, high):
    ticks = nice_ticks(low, high, 5)
    assert 1 <= len(ticks) <= 8
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)


def test_few_of_many_points():
    points = [(float(k), 0.0) for k in range(5000)]
    few = thin(points, 100)
    assert len(few) == 100
    assert (few[0], few[-1]) == (points[0], points[-1])


def test_numbers_in_short():
    assert [format_count(n) for n in (7, 1500, 2_340_000)] == ["7", "1.5 k", "2.34 M"]
    times = [format_time(s) for s in (9.14, 65, 7385)]
    assert times == ["9.1 s", "1:05 min", "2:03 h"]
