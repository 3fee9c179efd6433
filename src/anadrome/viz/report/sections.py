"""What a task shows of a model, each kind as a section of the page."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from anadrome.evaluate import Confusion, Score, ScoreCurve
from anadrome.evaluate.exhibits import (
    AlignedSentences,
    ClassifiedTexts,
    Exhibit,
    ParsedSentence,
    Scores,
    SearchedSentence,
    TaggedSentences,
    TranslatedSentence,
    TranslatedSentences,
    WordVectors,
)
from anadrome.text.errors import MissingExtra
from anadrome.viz.report.charts import bar_chart
from anadrome.viz.report.diagrams import (
    aligned_sentence,
    parsed_sentence,
    search_tree,
    word_map,
)
from anadrome.viz.report.markup import Markup, tag
from anadrome.viz.word_map import place_words

_LABELS = 30
"""A table of more labels than this is too large to be read."""


def sections(exhibits: Iterable[Exhibit]) -> list[Markup]:
    """The sections, in the order of the exhibits; those of a kind under one title."""
    made: list[Markup] = []
    last: str | None = None
    for exhibit in exhibits:
        title, lead, body = _section(exhibit)
        if body is None:
            continue
        if title != last:
            made.append(tag("h2", title))
            if lead:
                made.append(tag("p", lead, class_="lead"))
            last = title
        made.append(body)
    return made


def _section(exhibit: Exhibit) -> tuple[str, str, Markup | None]:
    """The title of an exhibit's section, what to know about it, and the exhibit."""
    match exhibit:
        case Scores():
            return "How good it is", f"On {exhibit.examples}.", tiles(exhibit.scores)
        case ScoreCurve():
            return "Long and short", "", _curve(exhibit)
        case TranslatedSentences():
            return (
                "What it says",
                "Words that are not in the reference are red; words of the reference "
                "that are missing are green. The number is the BLEU of the sentence.",
                _translated(exhibit),
            )
        case AlignedSentences():
            return (
                "Where it looks",
                "Point at a word to see which words of the other language it belongs "
                "to. The wider a ribbon, the more the model looked there.",
                tag("div", map(aligned_sentence, exhibit.sentences), class_="card"),
            )
        case SearchedSentence():
            return (
                "How it searches",
                f"What a beam of translations tried for “{exhibit.source}”, word by "
                "word; below each word the log-probability so far.",
                search_tree(exhibit),
            )
        case ParsedSentence():
            return (
                "How it reads",
                "Neighbours are merged level by level until one vector is left; the "
                "stronger a line, the more goes up along it.",
                parsed_sentence(exhibit),
            )
        case WordVectors():
            return (
                exhibit.title,
                "Words with like embeddings are near each other (t-SNE).",
                _word_map(exhibit),
            )
        case TaggedSentences():
            return (
                "What it says",
                "A wrong tag is red, with the right one in green under it.",
                _tagged(exhibit),
            )
        case ClassifiedTexts():
            return "What it says", "", _classified(exhibit)
        case Confusion():
            return (
                "What it mixes up",
                "Rows are the right labels, columns what the model said.",
                _confusion(exhibit),
            )


def tiles(scores: Sequence[Score]) -> Markup:
    """Scores side by side, with their signatures."""
    return tag(
        "dl",
        [
            tag(
                "div",
                tag("dt", score.name),
                tag("dd", f"{score.score:.2f}", tag("small", score.signature)),
            )
            for score in scores
        ],
        class_="facts",
    )


def _curve(curve: ScoreCurve) -> Markup:
    buckets = [b for b in next(iter(curve.systems.values())) if b.count]
    return bar_chart(
        [bucket.label for bucket in buckets],
        [None if b.score is None else b.score.score for b in buckets],
        [f"{bucket.count} sentences" for bucket in buckets],
        label=f"BLEU by {curve.title}",
    )


def _translated(exhibit: TranslatedSentences) -> Markup:
    return tag("section", tag("h3", exhibit.title), map(_sample, exhibit.sentences))


def _sample(sentence: TranslatedSentence) -> Markup:
    said, wanted = compare_words(sentence.output, sentence.reference)
    level = "high" if sentence.score > 60 else "low" if sentence.score < 20 else ""
    rows = [
        tag("dt", "Source"),
        tag(
            "dd", sentence.source, tag("span", f"{sentence.score:.0f}", class_="score")
        ),
        tag("dt", "Model"),
        tag("dd", said, class_="said"),
    ]
    if sentence.output != sentence.reference:
        rows += [tag("dt", "Reference"), tag("dd", wanted)]
    return tag("dl", rows, class_=f"sample {level}".strip())


def compare_words(output: str, reference: str) -> tuple[list[str], list[str]]:
    """Both texts, with the words that only one of them has marked."""
    one, two = output.split(), reference.split()
    left: list[str] = []
    right: list[str] = []
    matcher = difflib.SequenceMatcher(None, one, two, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            left.append(" ".join(one[a:b]))
            right.append(" ".join(two[c:d]))
            continue
        if a < b:
            left.append(tag("ins", " ".join(one[a:b])))
        if c < d:
            right.append(tag("del", " ".join(two[c:d])))
    return _spaced(left), _spaced(right)


def _spaced(parts: list[str]) -> list[str]:
    return [part for each in parts for part in (" ", each)][1:]


def _tagged(exhibit: TaggedSentences) -> Markup | None:
    if not exhibit.sentences:
        return None
    made = []
    for sentence in exhibit.sentences:
        words = []
        for word, found, right in zip(sentence.words, sentence.found, sentence.right):
            notes = [tag("small", found)]
            if found != right:
                notes.append(tag("small", right))
            kind = "wrong" if found != right else None
            words.append(tag("span", word, notes, class_=kind))
        made.append(tag("div", words, class_="tagged"))
    return tag("section", tag("h3", exhibit.title), tag("div", made, class_="card"))


def _classified(exhibit: ClassifiedTexts) -> Markup | None:
    if not exhibit.texts:
        return None
    rows = [
        tag(
            "tr",
            tag("td", text.text if len(text.text) < 300 else text.text[:297] + "…"),
            tag("td", tag("ins" if text.found != text.right else "span", text.found)),
            tag("td", tag("del", text.right) if text.found != text.right else ""),
            tag("td", f"{100 * text.probability:.0f} %", class_="number"),
        )
        for text in exhibit.texts
    ]
    head = tag(
        "tr",
        tag("th", "text"),
        tag("th", "model"),
        tag("th", "right"),
        tag("th", "probability", class_="number"),
    )
    table = tag("table", tag("thead", head), tag("tbody", rows))
    return tag("section", tag("h3", exhibit.title), tag("div", table, class_="card"))


def _confusion(confusion: Confusion) -> Markup:
    if len(confusion.labels) > _LABELS:
        rows = [
            tag(
                "tr",
                tag("td", right),
                tag("td", said),
                tag("td", str(count), class_="number"),
            )
            for right, said, count in confusion.worst(15)
        ]
        names = [tag("th", "right"), tag("th", "model"), tag("th", "times")]
        return tag("div", tag("table", tag("tr", names), rows), class_="card")
    totals = confusion.counts.sum(axis=1, keepdims=True)
    shares = confusion.counts / totals.clip(min=1)
    head = tag("tr", tag("th", ""), [tag("th", label) for label in confusion.labels])
    rows = []
    for i, label in enumerate(confusion.labels):
        cells = []
        for j, share in enumerate(shares[i]):
            count = int(confusion.counts[i, j])
            colour = "--good" if i == j else "--warm"
            depth = round(float(share) * (75 if i == j else 95))
            style = None
            if count:
                style = (
                    f"background: color-mix(in srgb, var({colour}) {depth}%, "
                    "var(--card))"
                )
            note = f"{label} → {confusion.labels[j]}: {count}"
            cells.append(
                tag("td", str(count) if count else "", style=style, title=note)
            )
        rows.append(tag("tr", tag("th", label), cells))
    table = tag("table", tag("thead", head), tag("tbody", rows), class_="confusion")
    return tag("div", tag("div", table, class_="scroll"), class_="card")


def _word_map(exhibit: WordVectors) -> Markup | None:
    try:
        places = place_words(exhibit.vectors)
    except MissingExtra:
        return None
    return tag("div", word_map(exhibit.words, places), class_="card")
