"""A graph as a picture: one row for each statement, arcs from values to their uses.

The rows stand in the order of the program; regions are boxes around their rows. The
picture is a page of SVG and a few lines of CSS that needs nothing else.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.printer import Names

ROW = 22
INDENT = 18
GUTTER = 120
CHARACTER = 7.3
MARGIN = 14

STYLE = """
svg.anadrome { font: 12px ui-monospace, SFMono-Regular, Menlo, monospace; }
.anadrome text { fill: #1b1f24; }
.anadrome .type { fill: #6e7781; }
.anadrome .title { font-weight: bold; }
.anadrome .row rect { fill: #f6f8fa; stroke: none; }
.anadrome .row.back rect { fill: #fff4e5; }
.anadrome .row.control rect { fill: #eaf2ff; }
.anadrome .region { fill: none; stroke: #c9d1d9; }
.anadrome .use { fill: none; stroke: #8c959f; stroke-width: 1; opacity: 0.55; }
.anadrome .use:hover { stroke: #cf222e; stroke-width: 2.5; opacity: 1; }
.anadrome .row:hover rect { stroke: #0969da; }
""".strip()


@dataclass
class _Row:
    text: str
    kind: str
    depth: int
    top: float
    note: str


@dataclass
class _Drawing:
    """What has been placed so far of one graph."""

    names: Names
    rows: list[_Row] = field(default_factory=list)
    regions: list[tuple[int, float, float]] = field(default_factory=list)
    places: dict[int, float] = field(default_factory=dict)
    uses: list[tuple[int, float]] = field(default_factory=list)
    bottom: float = 0.0

    def add(self, text: str, kind: str, depth: int, note: str = "") -> float:
        """A row at the bottom; the height of its middle."""
        top = self.bottom
        self.rows.append(_Row(text, kind, depth, top, note))
        self.bottom += ROW
        return top + ROW / 2

    def read(self, nodes: tuple[Node, ...] | list[Node], middle: float) -> None:
        """Arcs to the values that a row reads."""
        for n in dict.fromkeys(nodes):
            if not isinstance(n, Constant):
                self.uses.append((id(n), middle))


class Picture:
    """The picture of a graph and the graphs it calls.

    Notebooks show it; `str` gives the page and `save` writes it to a file.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def _repr_html_(self) -> str:
        drawings = "\n".join(_draw(g) for g in called_graphs(self.graph))
        return f"<style>{STYLE}</style>\n{drawings}"

    def __str__(self) -> str:
        title = html.escape(self.graph.name)
        return (
            f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{title}</title>'
            f"</head>\n<body>\n{self._repr_html_()}\n</body></html>\n"
        )

    def __repr__(self) -> str:
        return f"<picture of {self.graph.name}>"

    def save(self, path: str | Path) -> Path:
        """Write the page to a file; its path."""
        written = Path(path)
        written.write_text(str(self), encoding="utf-8")
        return written


def _draw(graph: Graph) -> str:
    drawing = _Drawing(Names(), bottom=MARGIN)
    params = ", ".join(_typed(drawing, p) for p in graph.params)
    middle = drawing.add(f"{graph.name}({params})", "title", 0)
    for p in graph.params:
        drawing.places[id(p)] = middle
    _place(graph, drawing, 1, "return")
    return _svg(drawing)


def _typed(drawing: _Drawing, node: Node) -> str:
    return f"{drawing.names.of(node)}: {node.type!r}"


def _place(graph: Graph, drawing: _Drawing, depth: int, ending: str) -> None:
    for node in graph.body:
        _place_statement(node, drawing, depth)
    if graph.results:
        shown = ", ".join(drawing.names.of(r) for r in graph.results)
        middle = drawing.add(f"{ending} {shown}", "result", depth)
        drawing.read(graph.results, middle)


def _place_statement(node: Apply, drawing: _Drawing, depth: int) -> None:
    of = drawing.names.of
    args = [of(a) for a in node.args]
    args += [f"{k}={of(v)}" for k, v in node.keywords.items()]
    call = f"{getattr(node.op, 'name', node.op)}({', '.join(args)})"
    made: list[Any] = list(node.outputs) or [node]
    left = ", ".join(_typed(drawing, n) for n in made)
    back = bool(node.comment and node.comment.startswith("Grad of"))
    kind = "control" if node.regions else "back" if back else "plain"
    note = node.comment or (node.span.snippet() if node.span is not None else "")
    middle = drawing.add(f"{left} = {call}", kind, depth, note)
    drawing.read(node.inputs, middle)
    drawing.places[id(node)] = middle
    for out in node.outputs:
        drawing.places[id(out)] = middle
    for region in node.regions:
        top = drawing.bottom
        given = ", ".join(_typed(drawing, p) for p in region.params)
        head = drawing.add(f"{region.name}({given})", "title", depth + 1)
        for p in region.params:
            drawing.places[id(p)] = head
        _place(region, drawing, depth + 2, "yield")
        drawing.regions.append((depth + 1, top, drawing.bottom))


def _svg(drawing: _Drawing) -> str:
    widest = max(len(r.text) * CHARACTER + r.depth * INDENT for r in drawing.rows)
    width = GUTTER + widest + 2 * MARGIN
    height = drawing.bottom + MARGIN
    parts = [
        f'<svg class="anadrome" xmlns="http://www.w3.org/2000/svg" '
        f'width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">'
    ]
    for depth, top, bottom in drawing.regions:
        left = GUTTER + depth * INDENT - 6
        parts.append(
            f'<rect class="region" x="{left}" y="{top + 1:.0f}" rx="4" '
            f'width="{width - left - MARGIN / 2:.0f}" height="{bottom - top - 2:.0f}"/>'
        )
    parts += [_row_svg(row) for row in drawing.rows]
    for key, end in drawing.uses:
        start = drawing.places.get(key)
        if start is not None:
            parts.append(_arc(start, end))
    parts.append("</svg>")
    return "\n".join(parts)


def _row_svg(row: _Row) -> str:
    left = GUTTER + row.depth * INDENT
    width = len(row.text) * CHARACTER + 8
    note = f"<title>{html.escape(row.note)}</title>" if row.note else ""
    style = ' class="title"' if row.kind == "title" else ""
    return (
        f'<g class="row {row.kind}">{note}<rect x="{left}" y="{row.top + 2:.0f}" rx="3" '  # noqa: E501
        f'width="{width:.0f}" height="{ROW - 4}"/><text{style} x="{left + 4}" '
        f'y="{row.top + 15:.0f}">{html.escape(row.text)}</text></g>'
    )


def _arc(start: float, end: float) -> str:
    """A curve in the gutter, the wider the longer the way."""
    reach = min(GUTTER - 12, 12 + abs(end - start) ** 0.62)
    x = GUTTER + 8
    return (
        f'<path class="use" d="M{x} {start:.1f} C{x - reach:.1f} {start:.1f} '
        f'{x - reach:.1f} {end:.1f} {x} {end:.1f}"/>'
    )
