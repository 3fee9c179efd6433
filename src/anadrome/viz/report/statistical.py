"""The page of a statistical translator: tuning, phrases, stacks, samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from anadrome.evaluate.exhibits import Exhibit
from anadrome.smt import Derivation, Searched
from anadrome.viz.figures import MARK, figure_svg, refuse_foreign
from anadrome.viz.report.markup import Markup, tag
from anadrome.viz.report.sections import sections
from anadrome.viz.statistical import phrases_figure, stacks_figure, tuning_figure


@dataclass(frozen=True)
class Example:
    """A sentence, its translation, alignment points and what the search tried."""

    words: Sequence[str]
    made: Derivation
    points: Sequence[tuple[int, int]]
    searched: Searched


@dataclass(frozen=True)
class StatisticalFacts:
    """What the page is told of a translator."""

    name: str
    sizes: Sequence[tuple[str, str]]  # names and values
    tables: Mapping[str, Mapping[str, Any]]  # of options
    weights: Mapping[str, Sequence[float]]
    tuning: Sequence[Mapping[str, Any]]


def write_statistical_report(
    path: Path,
    facts: StatisticalFacts,
    examples: Sequence[Example] = (),
    exhibits: Sequence[Exhibit] = (),
) -> Path:
    """Write the page to a file, unless that is one of another origin."""
    refuse_foreign(path)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="generator", content=MARK),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{facts.name} – statistical translator"),
        tag("style", Markup(_resource("style.css"))),
    )
    body = tag(
        "body",
        _header(facts),
        tag(
            "main",
            sections(exhibits),
            _phrases(examples),
            _stacks(examples),
            _tuning(facts),
            _options(facts),
        ),
        tag("script", Markup(_resource("script.js"))),
    )
    page = f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"
    path.write_text(page, encoding="utf-8")
    return path


def _header(facts: StatisticalFacts) -> Markup:
    return tag(
        "header",
        tag("p", "A statistical translator", class_="eyebrow"),
        tag("h1", facts.name),
        tag("p", "Phrases, a language model and a log-linear model.", class_="lead"),
        tag(
            "dl",
            [
                tag("div", tag("dt", name), tag("dd", value))
                for name, value in facts.sizes
            ],
            class_="facts",
        ),
    )


def _picture(figure: Any) -> Markup:
    return tag("div", Markup(figure_svg(figure)), class_="card", style=_ON_PAPER)


_ON_PAPER = "background: #ffffff; overflow-x: auto"


def _phrases(examples: Sequence[Example]) -> list[Markup]:
    if not examples:
        return []
    lead = "A box is a phrase of the table; thin lines are the words aligned inside."
    return [
        tag("h2", "The phrases it uses"),
        tag("p", lead, class_="lead"),
        *(
            _picture(phrases_figure(each.words, each.made, each.points))
            for each in examples
            if each.made.phrases
        ),
    ]


def _stacks(examples: Sequence[Example]) -> list[Markup]:
    if not examples:
        return []
    longest = max(examples, key=lambda each: len(each.words))
    lead = (
        f"What was tried for “{' '.join(longest.words)}”: every point is a hypothesis, "
        "in the stack of the source words that it covers."
    )
    return [
        tag("h2", "How it searches"),
        tag("p", lead, class_="lead"),
        _picture(stacks_figure(longest.searched)),
    ]


def _tuning(facts: StatisticalFacts) -> list[Markup]:
    made = [tag("h2", "How its weights were found")]
    if facts.tuning:
        made.append(_picture(tuning_figure(facts.tuning)))
    else:
        made.append(tag("p", "They were not tuned.", class_="lead"))
    rows = [
        tag(
            "tr",
            tag("td", tag("code", name)),
            tag("td", " ".join(f"{value:.4g}" for value in values)),
        )
        for name, values in facts.weights.items()
    ]
    return [*made, tag("div", tag("table", rows), class_="card")]


def _options(facts: StatisticalFacts) -> list[Markup]:
    made = [tag("h2", "How it was made")]
    for name, values in facts.tables.items():
        rows = [
            tag("tr", tag("td", tag("code", key)), tag("td", tag("code", str(value))))
            for key, value in values.items()
        ]
        made.append(
            tag("details", tag("summary", name), tag("table", rows), class_="card")
        )
    return made


def _resource(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")
