"""The recipes among the examples name options that exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from anadrome.tasks.translate import TASK
from anadrome.train.recipe import make_recipe
from anadrome.train.toml import read_toml

RECIPES = sorted((Path(__file__).parents[2] / "examples" / "recipes").glob("*.toml"))


def test_there_are_recipes():
    assert RECIPES


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_option_of_a_recipe_is_taken(path):
    given = read_toml(path)
    made = make_recipe(TASK, given, where=str(path)).tables()
    for table, values in given.items():
        assert {name: made[table][name] for name in values} == values
