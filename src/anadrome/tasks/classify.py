"""Classification: one label for a text, judged by accuracy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from anadrome.corpora.files import scan_lines
from anadrome.corpora.tables import column_texts, scan_csv, scan_jsonl
from anadrome.evaluate import Score, confusion_of, ratio_of_sums
from anadrome.evaluate.exhibits import (
    ClassifiedText,
    ClassifiedTexts,
    Exhibit,
    Scores,
)
from anadrome.options import Count
from anadrome.tasks.overlap import OverlapCheck, read_apart
from anadrome.tasks.tokens import TokenCodecs, batches_by_length, predictor
from anadrome.text import Tokenizer
from anadrome.text.errors import EmptyCorpus, MalformedLine
from anadrome.text.tokens import make_token_batch
from anadrome.train.task import Encoded, FileName, Judged, Task, Trained, Validation

BATCH = 64
"""How many texts are classified together."""

SHOWN = 1000
"""How many texts a report is about."""


@dataclass(frozen=True)
class Data(OverlapCheck):
    """Where texts and labels stand, and what a text is cut into."""

    label_column: str = "label"  # the column of the labels in CSV and JSONL
    text_column: str = "text"  # the column of the texts in CSV and JSONL
    # what a text is cut into: words and punctuation, or letters, as for names
    units: Literal["words", "letters"] = "words"
    min_count: Count = 2  # words that occur less often are unknown
    # a file of vectors of words (word2vec's or GloVe's formats) that training begins
    # with; --embedding must be their number of features
    vectors: str = ""
    max_tokens: Count = 400  # of a longer text only the beginning is read


@dataclass(frozen=True)
class Predicting:
    """How to classify."""

    top: Count = 1  # how many labels to write, with their probabilities if several
    # what runs the model: Python at once, or native code after some seconds
    backend: Literal["native", "python"] = "python"


@dataclass(frozen=True)
class LabelledText:
    """A text and its label."""

    text: str
    label: str


class Classify(Task):
    """Texts into classes: languages of names, sentiment, subjects."""

    name = "classify"
    noun = "classifier"
    files = (FileName("file", "Lines of label, tab, text; or CSV or JSONL."),)
    default_model = "bilstm"
    data = Data
    predicting = Predicting
    codecs = TokenCodecs
    training: ClassVar = {"steps": 3000, "batch_tokens": 1500, "validate_every": 250}

    def read(
        self, files: Sequence[Path], data: Data, held_out: Sequence[Path] = ()
    ) -> list[LabelledText]:
        """The texts of a file with their labels."""
        (path,) = files
        return read_apart(lambda p: _scan(p, data), path, held_out, data.overlap)

    def prepare(self, examples: Sequence[LabelledText], data: Data) -> TokenCodecs:
        """The words, letters and labels of training."""
        return TokenCodecs.learn(
            (cut(example.text, data) for example in examples),
            (example.label for example in examples),
            min_count=data.min_count,
            vectors=data.vectors,
        )

    def encode(
        self, examples: Sequence[LabelledText], codecs: TokenCodecs, data: Data
    ) -> Encoded:
        """The texts as numbers."""
        encoded = [codecs.encode(cut(e.text, data), [e.label]) for e in examples]
        return Encoded(
            [np.array([len(e.words) for e in encoded])],
            lambda indices: make_token_batch(encoded, indices, whole=True),
        )

    def validate(
        self, trained: Trained, examples: Sequence[LabelledText]
    ) -> Validation:
        """The share of right labels."""
        found = classify_texts(trained, [e.text for e in examples])
        right = [
            trained.codecs.labels[scores.argmax()] == e.label
            for scores, e in zip(found, examples)
        ]
        score = 100 * float(np.mean(right))
        return Validation(score, f"accuracy {score:.2f} on {len(right)} texts")

    def predict(
        self, trained: Trained, lines: Sequence[str], first: int, options: Predicting
    ) -> Iterator[str]:
        """The likeliest labels; an empty line has none."""
        labels = trained.codecs.labels
        for line, scores in zip(lines, classify_texts(trained, lines)):
            best = np.argsort(-scores, kind="stable")[: options.top]
            if not line.strip():
                yield ""
            elif options.top == 1:
                yield labels[best[0]]
            else:
                yield "\t".join(f"{labels[k]} {np.exp(scores[k]):.4f}" for k in best)

    def evaluate(
        self, trained: Trained, examples: Sequence[LabelledText], options: Predicting
    ) -> Iterator[str]:
        """Precision and recall of every label, and the share of right ones."""
        labels = trained.codecs.labels
        found = classify_texts(trained, [e.text for e in examples])
        predicted = [labels[scores.argmax()] for scores in found]
        yield confusion_of(predicted, [e.label for e in examples]).table()

    def judge(self, trained: Trained, examples: Sequence[LabelledText]) -> Judged:
        """Whether the label of each text is right."""
        labels = trained.codecs.labels
        found = classify_texts(trained, [e.text for e in examples])
        right = [
            labels[scores.argmax()] == e.label for scores, e in zip(found, examples)
        ]
        statistics = np.column_stack((right, np.ones(len(right))))
        return Judged("accuracy", statistics, lambda sums: 100 * ratio_of_sums(sums))

    def exhibits(
        self, trained: Trained, examples: Sequence[LabelledText]
    ) -> Iterator[Exhibit]:
        """The accuracy, which labels are mistaken for which, and mistakes."""
        labels = trained.codecs.labels
        examples = examples[:SHOWN]
        scores = classify_texts(trained, [e.text for e in examples])
        predicted = [labels[each.argmax()] for each in scores]
        confusion = confusion_of(predicted, [e.label for e in examples])
        yield Scores(
            f"{len(examples)} texts",
            (
                Score("accuracy", 100 * confusion.accuracy, "", ""),
                Score("macro F1", 100 * confusion.macro_f1, "mean of the labels", ""),
            ),
        )
        yield confusion
        texts = [
            ClassifiedText(e.text, found, e.label, float(np.exp(each.max())))
            for e, found, each in zip(examples, predicted, scores)
        ]
        texts.sort(key=lambda text: -text.probability)
        wrong = [text for text in texts if text.found != text.right]
        yield ClassifiedTexts("Wrong, and sure of it", tuple(wrong[:8]))
        right = [text for text in texts if text.found == text.right]
        yield ClassifiedTexts("Right, but hardly", tuple(reversed(right[-6:])))


TASK = Classify()


def cut(text: str, data: Data) -> list[str]:
    """The tokens of a text."""
    if data.units == "letters":
        return list(text.strip())[: data.max_tokens]
    return Tokenizer().split(text)[: data.max_tokens]


def classify_texts(trained: Trained, texts: Sequence[str]) -> list[np.ndarray]:
    """The log-probabilities (K,) of the labels of each text."""
    codecs: TokenCodecs = trained.codecs
    encoded = [
        codecs.encode(cut(text, trained.data), codecs.labels[:1]) for text in texts
    ]
    lengths = [len(e.words) for e in encoded]
    found = [np.zeros(len(codecs.labels), np.float32)] * len(texts)
    predict = predictor(trained)
    for chosen in batches_by_length(lengths, BATCH):
        some = np.array([i for i in chosen if lengths[i]], np.int64)
        if len(some):
            scores = predict(make_token_batch(encoded, some, whole=True))  # (B, K)
            for row, i in enumerate(some):
                found[i] = scores[row]
    return found


def _scan(path: Path, data: Data) -> Iterator[tuple[int, str, LabelledText]]:
    """The texts of a file with their lines."""
    suffixes = [s for s in path.suffixes if s != ".gz"]
    if suffixes[-1:] in ([".csv"], [".jsonl"]):
        scan = scan_csv if suffixes[-1] == ".csv" else scan_jsonl
        columns = (data.label_column, data.text_column)
        pairs = [(n, column_texts(row, columns, path, n)) for n, row in scan(path)]
    else:
        pairs = [(n, _split(line, path, n)) for n, line in scan_lines(path) if line]
    if not pairs:
        raise EmptyCorpus("there is no text here", path=path)
    for number, (label, text) in pairs:
        if not label.strip() or not text.strip():
            raise MalformedLine(
                "the label or the text is empty", path=path, line=number
            )
        yield number, text, LabelledText(text, label.strip())


def _split(line: str, path: Path, number: int) -> tuple[str, str]:
    label, tab, text = line.partition("\t")
    if not tab:
        raise MalformedLine(
            "there is no tab", path=path, line=number, help="write label, tab, text"
        )
    return label, text
