"""Tagging: a label for every token of a sentence, judged by accuracy or span F1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from anadrome.corpora.conll import TaggedSentence, scan_conll
from anadrome.corpora.conllu import scan_conllu
from anadrome.evaluate import (
    Score,
    accuracy_statistics,
    confusion_of,
    f1_of_sums,
    ratio_of_sums,
    span_f1,
    span_statistics,
)
from anadrome.evaluate.exhibits import Exhibit, Scores, TaggedSentences, TaggedWords
from anadrome.options import Count
from anadrome.tasks.overlap import OverlapCheck, read_apart
from anadrome.tasks.tokens import TokenCodecs, batches_by_length, predictor
from anadrome.text.tokens import make_token_batch
from anadrome.train.task import Encoded, FileName, Judged, Task, Trained, Validation

BATCH = 64
"""How many sentences are tagged together."""

SHOWN = 500
"""How many sentences a report is about."""


@dataclass(frozen=True)
class Data(OverlapCheck):
    """Where words and tags stand in a file, and which words are known."""

    token_column: int = 0  # the column of the words, from 0; not for CoNLL-U
    tag_column: int = -1  # the column of the tags, -1 for the last; not for CoNLL-U
    treebank_tags: Literal["upos", "xpos"] = (
        "upos"  # the tags of CoNLL-U that are meant
    )
    min_count: Count = 2  # words that occur less often are unknown
    # a file of vectors of words (word2vec's or GloVe's formats) that training begins
    # with; --embedding must be their number of features
    vectors: str = ""


@dataclass(frozen=True)
class Predicting:
    """How to tag."""

    # word/TAG pairs on one line, or a line for each word and a blank one behind them
    format: Literal["pairs", "columns"] = "pairs"
    separator: str = "/"  # what stands between a word and its tag in pairs
    # what runs the model: Python at once, or native code after some seconds
    backend: Literal["native", "python"] = "python"


class Tag(Task):
    """Words into parts of speech, names, or any other tags."""

    name = "tag"
    noun = "tagger"
    files = (FileName("file", "Tagged sentences: CoNLL columns, or CoNLL-U."),)
    default_model = "bilstm-crf"
    data = Data
    predicting = Predicting
    codecs = TokenCodecs
    training: ClassVar = {"steps": 3000, "batch_tokens": 1000, "validate_every": 250}

    def read(
        self, files: Sequence[Path], data: Data, held_out: Sequence[Path] = ()
    ) -> list[TaggedSentence]:
        """The sentences of a file; `.conllu` is a treebank."""
        (path,) = files
        return read_apart(lambda p: _scan(p, data), path, held_out, data.overlap)

    def prepare(self, examples: Sequence[TaggedSentence], data: Data) -> TokenCodecs:
        """The words, letters and tags of training."""
        return TokenCodecs.learn(
            (sentence.tokens for sentence in examples),
            (tag for sentence in examples for tag in sentence.tags),
            min_count=data.min_count,
            vectors=data.vectors,
        )

    def encode(
        self, examples: Sequence[TaggedSentence], codecs: TokenCodecs, data: Data
    ) -> Encoded:
        """The sentences as numbers."""
        encoded = [codecs.encode(s.tokens, s.tags) for s in examples]
        return Encoded(
            [np.array([len(s) for s in examples])],
            lambda indices: make_token_batch(encoded, indices),
        )

    def validate(
        self, trained: Trained, examples: Sequence[TaggedSentence]
    ) -> Validation:
        """Accuracy, or F1 where the tags are spans."""
        found = tag_sentences(trained, [s.tokens for s in examples])
        wanted = [s.tags for s in examples]
        if are_spans(trained.codecs.labels):
            score = 100 * span_f1(found, wanted).f1
            return Validation(score, f"F1 {score:.2f} on {len(found)} sentences")
        score = 100 * _accuracy(found, wanted)
        return Validation(score, f"accuracy {score:.2f} on {len(found)} sentences")

    def predict(
        self, trained: Trained, lines: Sequence[str], first: int, options: Predicting
    ) -> Iterator[str]:
        """The tags of words between spaces."""
        sentences = [tuple(line.split()) for line in lines]
        for words, tags in zip(sentences, tag_sentences(trained, sentences)):
            if options.format == "pairs":
                yield " ".join(
                    f"{w}{options.separator}{t}" for w, t in zip(words, tags)
                )
            else:
                yield from (f"{word}\t{tag}" for word, tag in zip(words, tags))
                yield ""

    def evaluate(
        self,
        trained: Trained,
        examples: Sequence[TaggedSentence],
        options: Predicting,
    ) -> Iterator[str]:
        """The accuracy, and where the tags are spans, precision, recall and F1."""
        found = tag_sentences(trained, [s.tokens for s in examples])
        wanted = [s.tags for s in examples]
        if are_spans(trained.codecs.labels):
            yield span_f1(found, wanted).table()
        tokens = sum(len(s) for s in examples)
        accuracy = 100 * _accuracy(found, wanted)
        yield f"accuracy = {accuracy:.2f} ({tokens:,} tokens)"

    def judge(self, trained: Trained, examples: Sequence[TaggedSentence]) -> Judged:
        """Right tokens of each sentence, or right spans."""
        found = tag_sentences(trained, [s.tokens for s in examples])
        wanted = [s.tags for s in examples]
        if are_spans(trained.codecs.labels):
            return Judged("F1", span_statistics(found, wanted), _percent(f1_of_sums))
        return Judged(
            "accuracy", accuracy_statistics(found, wanted), _percent(ratio_of_sums)
        )

    def exhibits(
        self, trained: Trained, examples: Sequence[TaggedSentence]
    ) -> Iterator[Exhibit]:
        """Scores, sentences with mistakes, and which tags are mistaken for which."""
        examples = examples[:SHOWN]
        found = tag_sentences(trained, [s.tokens for s in examples])
        wanted = [s.tags for s in examples]
        scores = [Score("accuracy", 100 * _accuracy(found, wanted), "tokens", "")]
        if are_spans(trained.codecs.labels):
            f1 = 100 * span_f1(found, wanted).f1
            scores.insert(0, Score("F1", f1, "whole spans", ""))
        yield Scores(f"{len(examples)} sentences", tuple(scores))
        tagged = [
            TaggedWords(s.tokens, tags, s.tags) for s, tags in zip(examples, found)
        ]
        wrong = [each for each in tagged if each.found != each.right]
        yield TaggedSentences("Sentences with mistakes", tuple(wrong[:8]))
        right = [each for each in tagged if each.found == each.right]
        yield TaggedSentences("Sentences without", tuple(right[:4]))
        flat = [tag for tags in found for tag in tags]
        gold = [tag for tags in wanted for tag in tags]
        yield confusion_of(flat, gold)


TASK = Tag()


def _scan(path: Path, data: Data) -> Iterator[tuple[int, str, TaggedSentence]]:
    """The sentences of a file with their first lines and as text."""
    sentences = (
        _scan_treebank(path, data.treebank_tags)
        if ".conllu" in path.suffixes
        else scan_conll(path, token=data.token_column, tag=data.tag_column)
    )
    return ((line, " ".join(s.tokens), s) for line, s in sentences)


def _scan_treebank(path: Path, column: str) -> Iterator[tuple[int, TaggedSentence]]:
    for line, sentence in scan_conllu(path):
        tags = tuple(getattr(word, column) for word in sentence.words)
        yield line, TaggedSentence(sentence.forms, tags)


def _percent(score: Callable[[np.ndarray], float]) -> Callable[[np.ndarray], float]:
    return lambda sums: 100 * score(sums)


def are_spans(labels: Iterable[str]) -> bool:
    """Whether tags mark the beginnings and insides of spans: O, B-…, I-…"""
    return all(
        label == "O" or label[:2] in ("B-", "I-", "E-", "S-") for label in labels
    )


def _accuracy(
    predicted: Sequence[Sequence[str]], gold: Sequence[Sequence[str]]
) -> float:
    """The share of tokens whose tags are right."""
    pairs = [pair for one, two in zip(predicted, gold) for pair in zip(one, two)]
    return sum(a == b for a, b in pairs) / len(pairs)


def tag_sentences(
    trained: Trained, sentences: Sequence[Sequence[str]]
) -> list[tuple[str, ...]]:
    """The tags of each sentence; one without words has none."""
    codecs: TokenCodecs = trained.codecs
    anything = codecs.labels[:1]
    encoded = [codecs.encode(words, anything * len(words)) for words in sentences]
    found: list[tuple[str, ...]] = [()] * len(sentences)
    predict = predictor(trained)
    for chosen in batches_by_length([len(words) for words in sentences], BATCH):
        some = np.array([i for i in chosen if len(sentences[i])], np.int64)
        if not len(some):
            continue
        tags = predict(make_token_batch(encoded, some))  # (T, B)
        for column, i in enumerate(some):
            mine = tags[: len(sentences[i]), column]
            found[i] = tuple(codecs.labels[tag] for tag in mine)
    return found
