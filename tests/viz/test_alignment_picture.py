"""Alignment pictures."""

from __future__ import annotations

import numpy as np
import pytest

from anadrome.viz import draw_alignment


def test_a_picture_is_drawn(tmp_path):
    weights = np.array([[0.9, 0.1, 0.0], [0.0, 0.2, 0.8]])
    path = draw_alignment(tmp_path / "a.png", ["a", "b", "c"], ["x", "y"], weights)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_weights_must_fit_the_words(tmp_path):
    with pytest.raises(ValueError, match="3 target and 1 source"):
        draw_alignment(tmp_path / "a.png", ["a"], ["x", "y", "z"], np.ones((2, 1)))
