"""Networks inside the statistical system: phrase scores, lists chosen anew, alignments.

The encoder–decoder of the thesis (4.3.1) is trained on the different phrase pairs, each
once, so that it learns what is plausible and not what is frequent; its log-probability
of every pair becomes one more column of the phrase table, whose weight tuning finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anadrome.corpora import ParallelCorpus
from anadrome.corpora.files import PathName, scan_lines
from anadrome.decode.translator import Translator
from anadrome.options import OptionError
from anadrome.smt.alignment.alignments import Alignments, make_alignments
from anadrome.smt.phrase_table import PhraseTable
from anadrome.smt.sentences import Array
from anadrome.text import EOS, mask_lengths, pad_sentences
from anadrome.text.errors import MalformedLine

PairScorer = Callable[[Sequence[str], Sequence[str]], Sequence[float]]
"""Gives the log-probability of each target text given its source text."""

_TOGETHER = 4096  # pairs that are handed to a scorer at a time


def translator_scorer(translator: Translator) -> PairScorer:
    """How a translator scores pairs."""

    def scorer(sources: Sequence[str], targets: Sequence[str]) -> list[float]:
        return [pair.log_prob for pair in translator.score(sources, targets)]

    return scorer


def phrase_pairs(table: PhraseTable) -> ParallelCorpus:
    """The different phrase pairs of a table, each once, to train a network on."""
    return ParallelCorpus(
        tuple(" ".join(table.source_phrase(e)) for e in range(len(table))),
        tuple(" ".join(table.target_phrase(e)) for e in range(len(table))),
    )


def add_phrase_scores(
    table: PhraseTable,
    scorer: PairScorer,
    name: str = "neural",
    *,
    tick: Callable[[int], None] | None = None,
) -> PhraseTable:
    """The table with one more column: the log-probabilities that a scorer gives.

    A column of this name that is there is replaced.
    """
    pairs = phrase_pairs(table)
    column = np.empty(len(table))
    for first in range(0, len(table), _TOGETHER):
        span = slice(first, first + _TOGETHER)
        column[span] = scorer(pairs.source[span], pairs.target[span])
        if tick is not None:
            tick(min(first + _TOGETHER, len(table)))
    if not np.all(np.isfinite(column)):
        raise ValueError(f"the scores {name} are not all numbers")
    kept = [k for k, known in enumerate(table.names) if known != name]
    return table.with_scores(
        np.column_stack([table.scores[:, kept], column]),
        [*(table.names[k] for k in kept), name],
    )


def top_targets(
    table: PhraseTable, phrase: Sequence[str], column: str, count: int = 3
) -> list[str]:
    """The targets of a phrase that a column of scores ranks first (table 4.2)."""
    entries = list(table.find(phrase))
    scores = table.scores[entries, table.names.index(column)]
    order = np.argsort(-scores, kind="stable")[:count]
    return [" ".join(table.target_phrase(entries[k])) for k in order]


def phrase_summaries(translator: Translator, phrases: Sequence[str]) -> Array:
    """The summaries (N, H) that an encoder makes of phrases (figure 4.5)."""
    summarise = translator.model.find("summarise")
    if summarise is None:
        raise OptionError(
            f"the {translator.model.name} model has no summary of a sentence\n"
            "help: an encoder-decoder has one"
        )
    rows = []
    for first in range(0, len(phrases), 64):
        encoded = [
            np.append(translator.source.encode(phrase), EOS)
            for phrase in phrases[first : first + 64]
        ]
        ids, lengths = pad_sentences(encoded)
        mask = mask_lengths(lengths, ids.shape[1])
        rows.append(
            summarise(
                translator.params,
                np.ascontiguousarray(ids.T),
                np.ascontiguousarray(mask.T),
            )
        )
    return np.concatenate(rows)


@dataclass(frozen=True)
class Listed:
    """A line of an n-best list."""

    sentence: int
    text: str
    features: str
    score: float


def read_nbest(path: PathName) -> Iterator[Listed]:
    """The lines of a list in the format of Moses."""
    for number, line in scan_lines(path):
        cells = [cell.strip() for cell in line.split("|||")]
        try:
            yield Listed(int(cells[0]), cells[1], cells[2], float(cells[3]))
        except (IndexError, ValueError):
            raise MalformedLine(
                "this is no line of an n-best list",
                path=path,
                line=number,
                help="as in: 0 ||| a translation ||| LM0= -3 ||| -2.5",
            ) from None


def choose(
    listed: Sequence[Listed], scores: Sequence[float], weight: float
) -> list[str]:
    """The best translation of every sentence by its score plus weighted other ones."""
    best: dict[int, tuple[float, str]] = {}
    for line, other in zip(listed, scores, strict=True):
        total = line.score + weight * other
        if line.sentence not in best or total > best[line.sentence][0]:
            best[line.sentence] = total, line.text
    return [best[sentence][1] for sentence in sorted(best)]


def align_by_attention(translator: Translator, corpus: ParallelCorpus) -> Alignments:
    """The source token that each target token looks at most, for pairs of sentences.

    Positions are those of the translator's tokens; the ends of sentences are left out.
    """
    sentences = []
    for pair in translator.score(corpus.source, corpus.target):
        if pair.attention is None:
            raise ValueError("the model of this translator has no attention")
        weights: Array = pair.attention[:-1, : len(pair.source_tokens) - 1]
        sentences.append([(int(s), t) for t, s in enumerate(weights.argmax(axis=1))])
    return make_alignments(sentences)
