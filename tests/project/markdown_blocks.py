"""The code blocks of a document, run in order, and what they print.

A block of `python` is run; a block of `text` right after it shows what it prints.

    python tests/project/markdown_blocks.py --update README.md docs/*.md

writes what is really printed into the documents.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import linecache
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass
class Block:
    """A fenced block: its language and the lines between the fences, from zero."""

    language: str
    start: int
    stop: int


def blocks_of(lines: list[str]) -> Iterator[Block]:
    """The fenced blocks of a document."""
    start, language = None, ""
    for k, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start, language = k + 1, line[3:].strip()
        else:
            yield Block(language, start, k)
            start = None


@dataclass
class Shown:
    """What a block printed, and the block that shows it, if there is one."""

    code: Block
    printed: str
    output: Block | None


def run_document(path: Path) -> tuple[list[str], list[Shown]]:
    """The lines of a document, and what each of its blocks printed.

    The blocks share one module, whose file and line numbers are the document's, so
    that error messages point into the document.
    """
    lines = path.read_text().splitlines()
    name = path.name
    module = types.ModuleType(f"document_{path.stem.replace('-', '_')}")
    module.__file__ = name
    sys.modules[module.__name__] = module
    blocks = list(blocks_of(lines))
    source = [""] * len(lines)
    for block in blocks:
        if block.language == "python":
            source[block.start : block.stop] = lines[block.start : block.stop]
    linecache.cache[name] = (0, None, [f"{line}\n" for line in source], name)
    shown = []
    for k, block in enumerate(blocks):
        if block.language != "python":
            continue
        text = "\n" * block.start + "\n".join(lines[block.start : block.stop]) + "\n"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, name, "exec"), module.__dict__)
        following = blocks[k + 1] if k + 1 < len(blocks) else None
        if following is not None:
            between = lines[block.stop + 1 : following.start - 1]
            if following.language != "text" or any(line.strip() for line in between):
                following = None
        shown.append(Shown(block, printed.getvalue(), following))
    del sys.modules[module.__name__]
    return lines, shown


def normal(text: str) -> list[str]:
    """The lines without blanks at their ends, and without empty ones around."""
    return (
        "\n".join(line.rstrip() for line in text.splitlines()).strip("\n").split("\n")
    )


def update(path: Path) -> bool:
    """Write what is printed into a document; whether anything changed."""
    lines, shown = run_document(path)
    new = list(lines)
    for item in reversed(shown):
        if item.output is not None:
            new[item.output.start : item.output.stop] = normal(item.printed)
    if new != lines:
        path.write_text("\n".join(new) + "\n")
    return new != lines


def main() -> None:
    """Update documents until what they print no longer changes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", nargs="+", type=Path, required=True)
    for path in parser.parse_args().update:
        # Line numbers in error messages move when what is above them grows.
        rounds = 0
        while update(path) and rounds < 4:
            rounds += 1
        print(f"{path}: {'changed' if rounds else 'as it was'}")


if __name__ == "__main__":
    main()
