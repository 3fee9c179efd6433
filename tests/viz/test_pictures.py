"""Pictures: trees, parses, curves, flows and maps."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

from anadrome.decode import Fate, SearchTree
from anadrome.decode.trace import Node
from anadrome.evaluate import GradientFlow, TestSet, score_by_length
from anadrome.text.errors import MissingExtra
from anadrome.viz import (
    ForeignFile,
    History,
    MissingPlots,
    draw_curves,
    draw_gradient_flow,
    draw_parse,
    draw_score_curve,
    draw_search_tree,
    draw_word_map,
    lay_out,
    place_words,
)
from anadrome.viz.curves import smooth

PNG = b"\x89PNG"
WORDS = ["<s>", "</s>", "a", "b", "c"]

# <s> → a → b → </s> is chosen; c is dropped; <s> → b → </s> is finished too.
TREE = SearchTree(
    (
        Node(None, 0, 0, 0.0, Fate.KEPT),
        Node(0, 2, 1, -0.5, Fate.KEPT),
        Node(0, 3, 1, -1.0, Fate.KEPT),
        Node(1, 3, 2, -0.7, Fate.KEPT),
        Node(1, 4, 2, -3.0, Fate.PRUNED),
        Node(2, 1, 2, -2.0, Fate.FINISHED, -1.0),
        Node(3, 1, 3, -0.9, Fate.FINISHED, -0.3),
    )
)


def test_the_chosen_output_is_the_first_row():
    layout = lay_out(TREE)
    assert layout.best == {0, 1, 3, 6}
    assert {layout.rows[i] for i in layout.best} == {0}
    assert layout.columns == (0, 1, 1, 2, 2, 2, 3)
    places = set(zip(layout.rows, layout.columns))
    assert len(places) == len(TREE.nodes)


def test_branches_do_not_cross_what_is_in_their_row():
    rng = np.random.default_rng(0)
    nodes = [Node(None, 0, 0, 0.0, Fate.KEPT)]
    for _ in range(60):
        parent = int(rng.integers(len(nodes)))
        length = nodes[parent].length + 1
        nodes.append(Node(parent, 2, length, -float(length), Fate.KEPT))
    layout = lay_out(SearchTree(tuple(nodes)))
    assert len(set(zip(layout.rows, layout.columns))) == len(nodes)
    for i, node in enumerate(nodes[1:], start=1):
        assert layout.rows[i] >= layout.rows[node.parent]


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_trees_are_drawn(tmp_path, suffix):
    path = draw_search_tree(tmp_path / f"tree.{suffix}", TREE, WORDS)
    content = path.read_bytes()
    assert content.startswith(PNG) if suffix == "png" else b"<svg" in content


def test_equal_pictures_are_equal_files(tmp_path):
    for name in ("one.svg", "two.svg"):
        draw_search_tree(tmp_path / name, TREE, WORDS)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_pictures_replace_pictures_only(tmp_path):
    path = tmp_path / "picture.png"
    for _ in range(2):
        draw_search_tree(path, TREE, WORDS)
    path.write_bytes(PNG + b"somebody else's")
    with pytest.raises(ForeignFile, match="left alone"):
        draw_search_tree(path, TREE, WORDS)
    with pytest.raises(ValueError, match="png or"):
        draw_search_tree(tmp_path / "picture.gif", TREE, WORDS)


def test_parses_are_drawn_and_checked(tmp_path):
    gates = [np.full((n, 3), 1 / 3) for n in (3, 2, 1)]
    path = draw_parse(tmp_path / "parse.png", ["a", "small", "house", "."], gates)
    assert path.read_bytes().startswith(PNG)
    with pytest.raises(ValueError, match=r"gates of \[3, 2, 1\] nodes for 3 words"):
        draw_parse(tmp_path / "other.png", ["a", "b", "c"], gates)


EVENTS = [
    *({"step": k, "loss": 5 / k, "norm": 1.0, "rate": 0.1} for k in range(1, 30)),
    {"step": 29, "score": 12.5, "text": "BLEU 12.50"},
    {"step": 30, "text": "no numbers"},
]


def test_histories_hold_what_the_log_says():
    history = History.of(EVENTS)
    assert len(history) == 29
    assert history.losses[0] == 5.0
    assert history.scored.tolist() == [29]
    assert history.texts == ("BLEU 12.50",)
    assert np.isnan(history.seconds).all()


def test_curves_are_drawn(tmp_path):
    history = History.of(EVENTS)
    path = draw_curves(tmp_path / "curves.png", history)
    assert path.read_bytes().startswith(PNG)
    with pytest.raises(ValueError, match="no steps"):
        draw_curves(tmp_path / "none.png", History.of([]))


def test_smoothing_keeps_lines_and_lengths():
    line = np.arange(50.0)
    np.testing.assert_allclose(smooth(line)[5:-5], line[5:-5])
    assert len(smooth(np.ones(1))) == 1


def test_flows_are_drawn(tmp_path):
    flows = [
        GradientFlow("vanishing", np.exp(-np.arange(20.0)[::-1, None]) * np.ones(3)),
        GradientFlow("steady", np.ones((20, 3))),
    ]
    path = draw_gradient_flow(tmp_path / "flow.png", flows)
    assert path.read_bytes().startswith(PNG)


def test_score_curves_are_drawn(tmp_path):
    test = TestSet(["a b c", "d e f g h"], ["x y z w", "u v w x y"])
    systems = {"one": ["x y z w", "u v"], "two": ["q", "u v w x y"]}
    curve = score_by_length(test, systems, edges=(3, 10))
    path = draw_score_curve(tmp_path / "curve.svg", curve)
    assert "BLEU by words (source)" in path.read_text()


def test_like_vectors_are_placed_together():
    pytest.importorskip("openTSNE")
    rng = np.random.default_rng(0)
    centres = np.repeat(3 * np.eye(6)[:2], 12, axis=0)
    places = place_words(centres + 0.1 * rng.normal(size=centres.shape))
    near = np.linalg.norm(places[:12] - places[:12].mean(axis=0), axis=1).max()
    apart = np.linalg.norm(places[:12].mean(axis=0) - places[12:].mean(axis=0))
    assert apart > near


def test_maps_are_drawn(tmp_path):
    words = [f"word{k}" for k in range(30)]
    places = np.random.default_rng(0).normal(size=(30, 2))
    path = draw_word_map(tmp_path / "map.png", words, places, size=4)
    assert path.read_bytes().startswith(PNG)
    with pytest.raises(ValueError, match="30 places for 1 words"):
        draw_word_map(tmp_path / "map.png", ["one"], places)


def forbid(monkeypatch, package):
    usual = builtins.__import__

    def importing(name, *given, **more):
        if name.split(".")[0] == package:
            raise ImportError(name=package)
        return usual(name, *given, **more)

    monkeypatch.setattr(builtins, "__import__", importing)


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    forbid(monkeypatch, "openTSNE")
    with pytest.raises(MissingExtra, match=r"anadrome\[pictures\]"):
        place_words(np.ones((5, 2)))
    forbid(monkeypatch, "matplotlib")
    with pytest.raises(MissingPlots, match=r"anadrome\[toolkit\]"):
        draw_search_tree(tmp_path / "tree.png", TREE, WORDS)
