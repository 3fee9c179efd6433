"""`anadrome dictionary`: learn, apply and inspect."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from anadrome.cli.flags import Count
from anadrome.cli.outputs import refuse_other
from anadrome.cli.standard_input import input_lines
from anadrome.cli.status import DONE
from anadrome.corpora.files import read_lines
from anadrome.text.dictionary import Dictionary, learn_dictionary, visible
from anadrome.text.errors import CorpusError

dictionary_app = App(
    name="dictionary", help="Tokens that span characters, learnt from text."
)


@dictionary_app.command
def learn(
    text: Path,
    *,
    out: Path,
    size: Count = 2048,
    coder: Literal["adapted", "bpe", "lz78"] = "adapted",
    within_words: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Learn a dictionary from a text, spaces and line ends included.

    Parameters
    ----------
    text
        The text.
    out
        The file for the dictionary.
    size
        How many tokens, characters among them.
    coder
        Byte-pair encoding that takes tokens back which become rare, the same without
        taking any back, or the phrases of Ziv and Lempel (1978).
    within_words
        White space ends a word, and no token goes on behind it (pre-tokenisation).
    """
    refuse_other(out, Dictionary.load)
    lines = read_lines(text)
    try:
        made = learn_dictionary(
            "".join(line + "\n" for line in lines),
            size,
            coder,
            within_words=within_words,
        )
    except CorpusError as error:
        raise error.located(text) from None
    made.save(out)
    print(f"{len(made.tokens):,} tokens are in {out}")
    return DONE


@dictionary_app.command
def apply(dictionary: Path, text: Path | None = None) -> int:
    """Cut lines into as few tokens as can be; spaces are written as `·`.

    Parameters
    ----------
    dictionary
        The file that `dictionary learn` made.
    text
        The lines; standard input if not given.
    """
    made = Dictionary.load(dictionary)
    lines = input_lines() if text is None else read_lines(text)
    for line in lines:
        print(" ".join(visible(token) for token in made.segment(line)))
    return DONE


@dictionary_app.command
def inspect(dictionary: Path, *, count: Count | None = None) -> int:
    """Write the tokens, the most frequent first: rank, count and spelling.

    Parameters
    ----------
    dictionary
        The file that `dictionary learn` made.
    count
        How many; all if not given.
    """
    for line in Dictionary.load(dictionary).inspect(count):
        print(line)
    return DONE
