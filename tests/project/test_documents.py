"""The code of the README and of the documentation runs, and prints what is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from project.markdown_blocks import ROOT, normal, run_document

import anadrome as ad

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize(
    "path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT))
)
def test_blocks_print_what_is_shown(path: Path) -> None:
    _, shown = run_document(path)
    for item in shown:
        if item.output is not None:
            expected = path.read_text().splitlines()[
                item.output.start : item.output.stop
            ]
            assert normal(item.printed) == normal("\n".join(expected)), (
                f"{path.name}:{item.output.start}: refresh it with make update-docs"
            )


def test_readme_shows_a_gradient_early() -> None:
    lines = (ROOT / "README.md").read_text().splitlines()
    assert lines.index("```python") < 20
    assert any(line.startswith("def grad_") for line in lines)


def test_every_public_name_is_in_the_reference() -> None:
    reference = (ROOT / "docs" / "reference.md").read_text()
    documented = {line.rpartition("anadrome.")[2] for line in reference.splitlines()}
    assert set(ad.__all__) <= documented
