"""The page: how a model was made, how training went, and what the model does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from anadrome.evaluate.exhibits import Exhibit
from anadrome.options import options_of
from anadrome.viz.curves import History, smooth
from anadrome.viz.figures import MARK, refuse_foreign
from anadrome.viz.report.charts import Line, line_chart
from anadrome.viz.report.markup import Markup, tag
from anadrome.viz.report.sections import sections

_TITLES = {
    "model": "The model",
    "data": "The data",
    "training": "Training",
    "optimizer": "The optimiser",
}


@dataclass(frozen=True)
class Facts:
    """What a report is told of a run.

    `tables` are those of the run's record; `kinds` are the records of options that
    explain them, by the name of the table.
    """

    name: str
    noun: str
    model: str
    cites: str
    parameters: int
    tables: Mapping[str, Mapping[str, Any]]
    kinds: Mapping[str, type]
    history: History
    best: int
    score: str


def write_report(path: Path, facts: Facts, exhibits: Iterable[Exhibit] = ()) -> Path:
    """Write the page to a file, unless that is one of another origin."""
    refuse_foreign(path)
    path.write_text(make_report(facts, exhibits), encoding="utf-8")
    return path


def make_report(facts: Facts, exhibits: Iterable[Exhibit] = ()) -> str:
    """The page as HTML, with everything that it needs inside."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="generator", content=MARK),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{facts.name} – {facts.model}"),
        tag("style", Markup(_resource("style.css"))),
    )
    body = tag(
        "body",
        _header(facts),
        tag("main", sections(exhibits), _training(facts.history), _options(facts)),
        _footer(facts),
        tag("script", Markup(_resource("script.js"))),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _header(facts: Facts) -> Markup:
    history = facts.history
    seconds = float(np.nansum(history.seconds))
    shown: list[tuple[str, str, str]] = []
    if facts.score:
        value, _, rest = facts.score.partition(" on ")
        shown.append(("best in validation", value, f"on {rest}" if rest else ""))
    if len(history):
        shown.append(("steps", f"{int(history.steps[-1]):,}", ""))
        shown.append(("time of the steps", format_time(seconds), ""))
        if seconds > 0:
            speed = float(np.nansum(history.sizes)) / seconds
            shown.append(("tokens a second", f"{speed:,.0f}", "with padding"))
    shown.append(("weights", format_count(facts.parameters), ""))
    return tag(
        "header",
        tag("p", f"A {facts.noun}", class_="eyebrow"),
        tag("h1", facts.name),
        tag(
            "p",
            f"The {facts.model} model"
            + (f", after {facts.cites}" if facts.cites else ""),
            ".",
            class_="lead",
        ),
        tag(
            "dl",
            [
                tag("div", tag("dt", name), tag("dd", value, tag("small", note)))
                for name, value, note in shown
            ],
            class_="facts",
        ),
    )


def _training(history: History) -> list[Markup]:
    if not len(history):
        return []
    made = [tag("h2", "How training went")]
    if len(history.scored):
        scores = Line("score", "good", history.scored, history.scores, dots=True)
        made.append(line_chart([scores], height=190, label="Validation score"))
    made.append(
        line_chart(
            [
                Line("", "noise", history.steps, history.losses),
                Line("loss", "main", history.steps, history.smooth_losses()),
            ],
            label="Loss: of every step, and its running mean",
        )
    )
    rates = Line("rate", "warm", history.steps, history.rates)
    made.append(line_chart([rates], height=130, label="Learning rate", digits=7))
    norms = Line("norm", "soft", history.steps, smooth(history.norms))
    made.append(
        line_chart([norms], height=130, label="Norm of the gradient, running mean")
    )
    return made


def _options(facts: Facts) -> list[Markup]:
    made = [
        tag("h2", "How it was made"),
        tag(
            "p",
            "Every option of the run; those that are not the defaults are in colour. ",
            "Give the folder’s run.toml to --config to use them again.",
            class_="lead",
        ),
    ]
    for table, title in _TITLES.items():
        values = facts.tables.get(table)
        if not values:
            continue
        known = {
            option.name: option
            for option in (
                options_of(facts.kinds[table]) if table in facts.kinds else ()
            )
        }
        rows = []
        for name, value in values.items():
            option = known.get(name)
            changed = option is not None and option.default != value
            rows.append(
                tag(
                    "tr",
                    tag("td", tag("code", name)),
                    tag("td", tag("code", format_value(value))),
                    tag("td", "" if option is None else option.help),
                    class_="changed" if changed else None,
                )
            )
        made.append(
            tag(
                "details",
                tag("summary", title),
                tag("table", rows),
                class_="card",
                open="" if table == "model" else None,
            )
        )
    return made


def _footer(facts: Facts) -> Markup:
    files = facts.tables.get("files", {})
    given = files.get("given") or []
    prints = facts.tables.get("fingerprints", {})
    versions = facts.tables.get("versions", {})
    lines = []
    if given:
        lines.append("Trained on " + ", ".join(map(str, given)) + ".")
    if prints:
        lines.append(
            "Fingerprints of the examples: "
            + ", ".join(f"{name} {value}" for name, value in prints.items())
            + "."
        )
    if versions:
        lines.append(", ".join(f"{name} {value}" for name, value in versions.items()))
    return tag("footer", [tag("p", line) for line in lines])


def format_time(seconds: float) -> str:
    """A span of time as 9.1 s, 1:05 min or 2:03 h."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}:{rest:02d} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d} h"


def format_count(count: int) -> str:
    """A number as 850, 12.3 k or 1.2 M."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.3g} {letter}"
    return str(count)


def format_value(value: Any) -> str:
    """The value of an option as a flag would have it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _resource(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")
