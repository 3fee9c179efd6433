"""Diagrams as SVG: a beam as a tree, a parse, words on a plane, an alignment."""

from __future__ import annotations

import json

import numpy as np

from anadrome.decode import Fate
from anadrome.evaluate.exhibits import (
    AlignedSentence,
    ParsedSentence,
    SearchedSentence,
)
from anadrome.viz.report.markup import Markup, tag
from anadrome.viz.search_tree import lay_out

LETTER = 7.4
"""About how many pixels wide a letter is."""


def aligned_sentence(sentence: AlignedSentence) -> Markup:
    """Two rows of words that answer to the pointer, and the matrix of weights."""
    side = 19.0
    left = 12 + LETTER * max(map(len, sentence.target))
    top = 12 + 0.72 * LETTER * max(map(len, sentence.source))
    cells = []
    for t, weights_of_word in enumerate(sentence.weights):
        for s, weight in enumerate(weights_of_word):
            if weight >= 0.01:
                cells.append(
                    tag(
                        "rect",
                        tag("title", f"{weight:.2f}"),
                        x=left + s * side,
                        y=top + t * side,
                        width=side - 1,
                        height=side - 1,
                        rx=2,
                        class_="cell",
                        fill_opacity=f"{float(weight):.3f}",
                        data_t=t,
                        data_s=s,
                    )
                )
    names = [
        tag(
            "text",
            word,
            x=left - 6,
            y=top + (t + 0.7) * side,
            text_anchor="end",
            class_="word",
        )
        for t, word in enumerate(sentence.target)
    ]
    names += [
        tag(
            "text",
            word,
            transform=f"translate({left + (s + 0.62) * side:.1f} {top - 6:.1f}) "
            "rotate(-50)",
            class_="word",
        )
        for s, word in enumerate(sentence.source)
    ]
    width = left + side * len(sentence.source) + 60
    height = top + side * len(sentence.target) + 4
    matrix = tag(
        "svg",
        tag(
            "rect",
            x=left,
            y=top,
            width=side * len(sentence.source),
            height=side * len(sentence.target),
            class_="field",
        ),
        cells,
        names,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=round(width),
        height=round(height),
        class_="matrix",
    )

    def row(words: tuple[str, ...], kind: str) -> Markup:
        chips = [
            tag("span", word, class_=f"chip {kind}", data_i=i)
            for i, word in enumerate(words)
        ]
        return tag("div", chips, class_="row")

    weights = [[round(float(w), 3) for w in line] for line in sentence.weights]
    return tag(
        "div",
        tag(
            "div",
            row(sentence.source, "source"),
            tag("svg", class_="ribbons", aria_hidden="true"),
            row(sentence.target, "target"),
            class_="words",
        ),
        tag("details", tag("summary", "the weights"), matrix),
        class_="aligned",
        data_weights=json.dumps(weights),
    )


def search_tree(searched: SearchedSentence) -> Markup:
    """What the search kept, dropped and chose, from left to right."""
    tree = searched.tree.without_pruned(1)
    layout = lay_out(tree)
    texts = [searched.words[node.token] for node in tree.nodes]
    widths = [0.0] * layout.width
    for text, column in zip(texts, layout.columns):
        widths[column] = max(widths[column], 18 + LETTER * len(text))
    centres, at = [], 8.0
    for width in widths:
        centres.append(at + width / 2)
        at += width + 26
    tall = 44.0
    edges, nodes = [], []
    for i, node in enumerate(tree.nodes):
        x, y = centres[layout.columns[i]], 22 + tall * layout.rows[i]
        kind = "best" if i in layout.best else node.fate.value
        if node.parent is not None:
            column = layout.columns[node.parent]
            x0, y0 = centres[column], 22 + tall * layout.rows[node.parent]
            turn = x0 + widths[column] / 2 + 13
            d = (
                f"M{x0:.1f} {y0:.1f} C{turn:.1f} {y0:.1f} {turn:.1f} {y:.1f} "
                f"{x:.1f} {y:.1f}"
            )
            edges.append(tag("path", d=d, class_=f"edge {kind}"))
        wide = 14 + LETTER * len(texts[i])
        note = f"log-probability {node.log_prob:.2f}"
        if node.score is not None:
            note += f", score {node.score:.3f}"
        nodes.append(
            tag(
                "g",
                tag("title", note),
                tag(
                    "rect",
                    x=x - wide / 2,
                    y=y - 12,
                    width=wide,
                    height=24,
                    rx=7,
                    class_="box",
                ),
                tag("text", texts[i], x=x, y=y + 4.5, text_anchor="middle"),
                tag(
                    "text",
                    f"{node.log_prob:.1f}" if i else "",
                    x=x,
                    y=y + 23,
                    text_anchor="middle",
                    class_="small",
                ),
                class_=f"node {kind}",
            )
        )
    height = 22 + tall * layout.height
    drawing = tag(
        "svg",
        edges,
        nodes,
        viewBox=f"0 0 {at:.0f} {height:.0f}",
        width=round(at),
        height=round(height),
        class_="tree",
    )
    legend = tag(
        "p",
        [
            tag("span", text, class_=f"key {kind}")
            for kind, text in (
                ("best", "chosen"),
                (Fate.KEPT.value, "kept in the beam"),
                (Fate.FINISHED.value, "finished"),
                (Fate.PRUNED.value, "dropped"),
            )
        ],
        class_="legend",
    )
    return tag("div", legend, tag("div", drawing, class_="scroll"))


def parsed_sentence(parsed: ParsedSentence) -> Markup:
    """The lattice of a grConv: the darker a line, the more goes up along it."""
    words = parsed.words
    step = max(58.0, 16 + LETTER * max(map(len, words)))
    rise = 26.0
    height = rise * len(words) + 34
    flow = [np.zeros(len(words) - level) for level in range(len(words))]
    flow[-1][0] = 1.0
    lines: list[Markup] = []

    def point(level: int, j: int) -> tuple[float, float]:
        return (j + 0.5 + level / 2) * step, height - 34 - rise * level

    for level in range(len(words) - 1, 0, -1):
        most = float(flow[level].max()) or 1.0
        for j, (new, left, right) in enumerate(parsed.gates[level - 1]):
            for k, share in ((j, left + new / 2), (j + 1, right + new / 2)):
                flow[level - 1][k] += flow[level][j] * share
                strength = float(share * flow[level][j] / most)
                if strength > 0.03:
                    (x1, y1), (x2, y2) = point(level, j), point(level - 1, k)
                    lines.append(
                        tag(
                            "line",
                            x1=x1,
                            y1=y1,
                            x2=x2,
                            y2=y2,
                            class_="gate",
                            stroke_opacity=f"{0.1 + 0.9 * strength:.2f}",
                            stroke_width=f"{0.6 + 2.6 * strength:.2f}",
                        )
                    )
    names = [
        tag(
            "text",
            word,
            x=(j + 0.5) * step,
            y=height - 14,
            text_anchor="middle",
            class_="word",
        )
        for j, word in enumerate(words)
    ]
    width = step * len(words)
    drawing = tag(
        "svg",
        lines,
        names,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=round(width),
        height=round(height),
    )
    return tag("div", drawing, class_="scroll")


def word_map(words: tuple[str, ...], places: np.ndarray) -> Markup:
    """Words at their places (N, 2); one that would cover another is only a point."""
    width, height, margin = 860.0, 620.0, 46.0
    low, high = places.min(axis=0), places.max(axis=0)
    scaled = (places - low) / np.maximum(high - low, 1e-9)
    xs = margin + scaled[:, 0] * (width - 2 * margin)
    ys = margin / 2 + (1 - scaled[:, 1]) * (height - margin)
    taken: list[tuple[float, float, float, float]] = []
    parts: list[Markup] = []
    for word, x, y in zip(words, xs, ys):
        parts.append(
            tag(
                "g", tag("title", word), tag("circle", cx=x, cy=y, r=2.2, class_="spot")
            )
        )
        wide = 6.1 * len(word)
        box = (x - wide / 2, y - 15, x + wide / 2, y - 3)
        free = all(
            box[2] < b[0] or b[2] < box[0] or box[3] < b[1] or b[3] < box[1]
            for b in taken
        )
        if free:
            taken.append(box)
            parts.append(
                tag("text", word, x=x, y=y - 5, text_anchor="middle", class_="name")
            )
    return tag(
        "svg", parts, viewBox=f"0 0 {width:g} {height:g}", class_="map", role="img"
    )
