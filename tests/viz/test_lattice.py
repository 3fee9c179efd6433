"""Lattices and ranks drawn."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from anadrome.viz import draw_lattice
from anadrome.viz.ranks import BEYOND, LIMITS, rank_page


def test_every_arc_and_character_is_drawn(tmp_path):
    path = tmp_path / "lattice.svg"
    starts, ends = [0, 1, 0], [1, 2, 2]
    draw_lattice(path, "a ", starts, ends, [0.25, 0.25, 0.75], [2])
    fewer = tmp_path / "fewer.svg"
    draw_lattice(fewer, "a ", starts[:2], ends[:2], [0.25, 0.25])
    assert path.read_text() != fewer.read_text()
    assert path.read_text().count("<path") > fewer.read_text().count("<path")


def test_arcs_need_all_their_parts(tmp_path):
    with pytest.raises(ValueError, match="a start, an end and a posterior"):
        draw_lattice(tmp_path / "l.png", "ab", [0], [1], [])


@dataclass
class Token:
    text: str
    nats: float
    rank: int


def test_ranks_have_colours_and_text_is_escaped():
    ranks = [1, 10, 11, 100, 101, 1000, 1001]
    page = rank_page([[Token("<b>", -1.0, rank) for rank in ranks]], " ", "a & b")
    assert "<b>" not in page
    assert page.count("&lt;b&gt;") == len(ranks)
    assert "a &amp; b" in page
    body = page[page.index("beyond") :]
    for _, colour in LIMITS:
        assert body.count(colour) == 2
    assert body.count(BEYOND) == 1
    assert "rank 1,001, probability 0.3679" in page
