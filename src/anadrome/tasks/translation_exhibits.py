"""What a report shows of a translator."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from anadrome.corpora import ParallelCorpus
from anadrome.decode import Search
from anadrome.decode.translator import Translation, Translator
from anadrome.evaluate import (
    Score,
    TestSet,
    bleu,
    chrf,
    score_by_length,
    sentence_bleu,
    ter,
)
from anadrome.evaluate.exhibits import (
    AlignedSentence,
    AlignedSentences,
    Exhibit,
    ParsedSentence,
    Scores,
    SearchedSentence,
    TranslatedSentence,
    TranslatedSentences,
    WordVectors,
)
from anadrome.models import Model
from anadrome.text import EOS
from anadrome.text.vocabulary import SPECIALS

SENTENCES, SAMPLES, ALIGNED, MAPPED, BEAM = 200, 4, 5, 240, 5
"""How many sentences a report is about, and how many of what it shows of them."""


def exhibits_of(
    model: Model,
    params: Any,
    translator: Translator,
    examples: ParallelCorpus,
    *,
    lowercase: bool,
) -> Iterator[Exhibit]:
    """Scores, translations good and bad, alignments, a search, a parse, words."""
    sources = examples.source[:SENTENCES]
    references = examples.target[:SENTENCES]
    found = [each[0] for each in translator.translate(sources, beam=BEAM)]
    said, wanted = [made.text for made in found], list(references)
    scored = translator.score(sources, references)
    tokens = sum(len(pair.target_tokens) for pair in scored)
    loss = -sum(pair.log_prob for pair in scored) / tokens
    yield Scores(
        f"{len(sources)} sentences",
        (
            bleu(said, wanted, lowercase=lowercase),
            chrf(said, wanted, lowercase=lowercase),
            ter(said, wanted, lowercase=lowercase),
            Score("perplexity", math.exp(min(loss, 700.0)), "of the references", ""),
        ),
    )
    yield from _samples(sources, wanted, said, lowercase)
    aligned = _aligned(found)
    if aligned:
        yield AlignedSentences(tuple(aligned))
    chosen = _typical(sources)
    traces: list[Any] = []
    translator.translate([sources[chosen]], search=Search(beam=3), traces=traces)
    yield SearchedSentence(
        sources[chosen], traces[0], translator.target.vocabulary.tokens
    )
    gates_of = model.find("gates_of")
    if gates_of is not None:
        words = (*translator.source.split(sources[chosen]), SPECIALS[EOS])
        numbers = np.append(translator.source.encode(sources[chosen]), EOS)
        yield ParsedSentence(words, tuple(gates_of(params, numbers)))
    edges = _edges([len(source.split()) for source in sources])
    if edges:
        test = TestSet(sources, references)
        yield score_by_length(test, {"BLEU": said}, edges=edges, lowercase=lowercase)
    vectors = _vectors(params, translator, examples)
    if vectors is not None:
        yield vectors


def _samples(
    sources: tuple[str, ...], wanted: list[str], said: list[str], lowercase: bool
) -> Iterator[TranslatedSentences]:
    made = [
        TranslatedSentence(
            source,
            reference,
            output,
            sentence_bleu(output, [reference], lowercase=lowercase).score,
        )
        for source, reference, output in zip(sources, wanted, said)
        if len(source.split()) > 3
    ]
    made.sort(key=lambda sentence: (-sentence.score, -len(sentence.source)))
    middle = max(0, len(made) // 2 - SAMPLES // 2)
    parts = {
        "Its best": made[:SAMPLES],
        "Its usual": made[max(SAMPLES, middle) : max(SAMPLES, middle) + SAMPLES],
        "Its worst": made[max(2 * SAMPLES, len(made) - SAMPLES) :],
    }
    for title, sentences in parts.items():
        if sentences:
            yield TranslatedSentences(title, tuple(sentences))


def _aligned(found: list[Translation]) -> list[AlignedSentence]:
    """Sentences of many lengths, from short to long."""
    fitting = [
        made
        for made in found
        if made.attention is not None and 4 <= len(made.source_tokens) <= 26
    ]
    fitting.sort(key=lambda made: len(made.source_tokens))
    last = len(fitting) - 1
    picked = {i * last // (ALIGNED - 1) for i in range(ALIGNED)} if fitting else set()
    return [
        AlignedSentence(made.source_tokens, made.target_tokens, made.attention)
        for made in (fitting[i] for i in sorted(picked))
        if made.attention is not None
    ]


def _typical(sources: tuple[str, ...]) -> int:
    """The sentence whose number of words is nearest to eight."""
    return min(range(len(sources)), key=lambda i: abs(len(sources[i].split()) - 8))


def _edges(lengths: list[int]) -> list[int]:
    """Greatest lengths of ranges that have about equally many sentences each."""
    found = {int(np.quantile(lengths, share)) for share in (0.2, 0.4, 0.6, 0.8)}
    return sorted(edge for edge in found if edge < max(lengths))


def _vectors(
    params: Any, translator: Translator, examples: ParallelCorpus
) -> WordVectors | None:
    """The embeddings of the source words that are met most often."""
    table = getattr(params, "source", None)
    vocabulary = translator.source.vocabulary
    if not isinstance(table, np.ndarray) or table.shape[:1] != (len(vocabulary),):
        return None
    counts: Counter[int] = Counter()
    for sentence in examples.source[:5000]:
        counts.update(translator.source.encode(sentence).tolist())
    numbers = [
        number
        for number, _ in counts.most_common()
        if number >= len(SPECIALS) and _is_word(vocabulary.tokens[number])
    ][:MAPPED]
    if len(numbers) < 20:
        return None
    words = tuple(vocabulary.tokens[number].lstrip("▁") for number in numbers)
    return WordVectors("Source words by their embeddings", words, table[numbers])


def _is_word(token: str) -> bool:
    return any(character.isalpha() for character in token)
