"""Translation: pairs of sentences, judged by BLEU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from anadrome.corpora import ParallelCorpus, read_parallel
from anadrome.decode.translator import Translation, Translator
from anadrome.evaluate import bleu, chrf
from anadrome.options import Count, NonNegative
from anadrome.text import (
    MosesTokenizer,
    PairSizes,
    PretrainedCodec,
    TextCodec,
    Tokenizer,
    load_codec,
    make_pair_batch,
)
from anadrome.text.errors import EmptyCorpus
from anadrome.train.task import Encoded, FileName, Task, Trained, Validation


@dataclass(frozen=True)
class Data:
    """How the text is cut into tokens, and how training is watched."""

    merges: NonNegative = 4000  # merges of the word pieces; 0 for whole words
    max_words: Count | None = None  # the most frequent words that are known, if whole
    lowercase: bool = False  # write everything in small letters
    # exact splitting, which gives back every text; or as the scripts of Moses do
    tokenizer: Literal["exact", "moses"] = "exact"
    source_language: str = "en"  # the language of the source, for Moses' tokenizer
    target_language: str = "en"  # the language of the target, for Moses' tokenizer
    source_pieces: str = ""  # a model of sentencepiece or tokenizers for the source
    target_pieces: str = ""  # a model of sentencepiece or tokenizers for the target
    french_source: bool = False  # the source has a space before ; : ! ? as in French
    french_target: bool = False  # the target has a space before ; : ! ? as in French
    max_tokens: Count = 100  # leave out pairs of which one side is longer
    validation_sentences: Count = 500  # how many of the validation pairs are translated
    validation_beam: Count = 1  # hypotheses kept at a time in validation; 1 is greedy


@dataclass(frozen=True)
class Predicting:
    """How to translate."""

    beam: Count = 5  # hypotheses that are kept at a time; 1 is greedy search
    nbest: Count = 1  # translations to write for each line, with number and score
    # write, after a tab, which source token each target token looked at most, as
    # `source-target` numbers from 0 (the format of Pharaoh)
    align: bool = False
    # read no more than so many tokens of a line; longer ones are named
    max_tokens: Count = 250
    # what runs the model: Python at once, or native code after some seconds, which is
    # faster for thousands of lines
    backend: Literal["native", "python"] = "python"


@dataclass(frozen=True)
class Codecs:
    """How the two languages become numbers."""

    source: TextCodec | PretrainedCodec
    target: TextCodec | PretrainedCodec

    @property
    def sizes(self) -> PairSizes:
        """The sizes of the vocabularies."""
        return PairSizes(len(self.source.vocabulary), len(self.target.vocabulary))

    def save(self, folder: Path) -> None:
        """Write `source.json` and `target.json`."""
        self.source.save(folder / "source.json")
        self.target.save(folder / "target.json")

    @classmethod
    def load(cls, folder: Path) -> Codecs:
        """The codecs that `save` wrote."""
        return cls(
            load_codec(folder / "source.json"),
            load_codec(folder / "target.json"),
        )


class Translate(Task):
    """Sentences into those of another language."""

    name = "translate"
    noun = "translator"
    files = (
        FileName("source", "Sentences, one on each line."),
        FileName("target", "Their translations, line by line."),
    )
    default_model = "attention"
    data = Data
    predicting = Predicting
    codecs = Codecs

    def read(self, files: Sequence[Path], data: Data) -> ParallelCorpus:
        """The pairs in two files."""
        source, target = files
        return read_parallel(source, target)

    def prepare(self, examples: ParallelCorpus, data: Data) -> Codecs:
        """Word pieces, or words, of both languages."""
        return Codecs(
            _codec(examples.source, data, "source"),
            _codec(examples.target, data, "target"),
        )

    def encode(self, examples: ParallelCorpus, codecs: Codecs, data: Data) -> Encoded:
        """The pairs as numbers, without those of which one side is too long."""
        pairs = [
            (codecs.source.encode(s), codecs.target.encode(t)) for s, t in examples
        ]
        kept = [pair for pair in pairs if max(map(len, pair)) <= data.max_tokens]
        if not kept:
            raise EmptyCorpus(
                f"every pair has more than {data.max_tokens} tokens",
                help="allow longer sentences, or put each on a line of its own",
            )
        left_out = len(pairs) - len(kept)
        notes = (
            f"left out {left_out:,} of {len(pairs):,} pairs, which have more than "
            f"{data.max_tokens} tokens",
        )
        sides = [pair[0] for pair in kept], [pair[1] for pair in kept]

        def collate(indices: np.ndarray) -> object:
            return make_pair_batch(*sides, indices, time_major=True)

        lengths = [np.array([len(ids) for ids in side]) for side in sides]
        return Encoded(lengths, collate, notes if left_out else ())

    def validate(self, trained: Trained, examples: ParallelCorpus) -> Validation:
        """BLEU of the first pairs."""
        data = trained.data
        count = data.validation_sentences
        translator = translator_of(trained)
        said = translator.translate_best(
            examples.source[:count], beam=data.validation_beam
        )
        wanted = list(examples.target[:count])
        score = bleu(said, wanted, lowercase=data.lowercase).score
        return Validation(score, f"BLEU {score:.2f} on {len(said)} sentences")

    def check_options(self, trained: Trained, options: Predicting) -> str | None:
        """Whether the beam is wide enough and the model aligns."""
        if options.nbest > options.beam:
            return (
                f"a beam of {options.beam} cannot give {options.nbest} translations\n"
                "help: use a wider --beam"
            )
        if options.align and trained.model.find("attention_weights") is None:
            return (
                f"the {trained.model.name} model has no alignment\n"
                "help: leave out --align"
            )
        return None

    def predict(
        self, trained: Trained, lines: Sequence[str], first: int, options: Predicting
    ) -> Iterator[str]:
        """Translations; an empty line stays one, so that the sides correspond."""
        translator = translator_of(trained)
        texts = [line for line in lines if line.strip()]
        found = iter(
            translator.translate(
                texts,
                beam=options.beam,
                n_best=options.nbest,
                max_tokens=options.max_tokens,
            )
        )
        for i, line in enumerate(lines, start=first - 1):
            if not line.strip():
                yield f"{i}\t{0:.4f}\t" if options.nbest > 1 else ""
                continue
            for made in next(found):
                text = made.text + ("\t" + pharaoh(made) if options.align else "")
                yield f"{i}\t{made.score:.4f}\t{text}" if options.nbest > 1 else text

    def warnings(
        self, trained: Trained, lines: Sequence[str], first: int, options: Predicting
    ) -> Iterator[str]:
        """The lines of which only the beginning is translated."""
        for i, line in enumerate(lines, start=first):
            length = len(trained.codecs.source.split(line))
            if length > options.max_tokens:
                yield (
                    f"line {i} has {length:,} tokens; only the first "
                    f"{options.max_tokens} are translated"
                )

    def evaluate(
        self, trained: Trained, examples: ParallelCorpus, options: Predicting
    ) -> Iterator[str]:
        """BLEU and chrF with signatures."""
        said = translator_of(trained).translate_best(examples.source, beam=options.beam)
        lowercase = trained.data.lowercase
        yield str(bleu(said, list(examples.target), lowercase=lowercase))
        yield str(chrf(said, list(examples.target), lowercase=lowercase))


TASK = Translate()


def translator_of(trained: Trained) -> Translator:
    """The translator of a trained model."""
    return Translator(
        trained.model,
        trained.params,
        trained.codecs.source,
        trained.codecs.target,
        trained.native,
    )


def pharaoh(made: Translation) -> str:
    """The source token that each target token looked at most, as 0-0 1-2 …"""
    if made.attention is None:
        return ""
    looked = made.attention.argmax(axis=1)
    return " ".join(f"{s}-{t}" for t, s in enumerate(looked[:-1]))


def _codec(
    sentences: Sequence[str], data: Data, side: str
) -> TextCodec | PretrainedCodec:
    pieces = getattr(data, f"{side}_pieces")
    if pieces:
        return PretrainedCodec.read(pieces)
    tokenizer: Tokenizer | MosesTokenizer
    if data.tokenizer == "moses":
        tokenizer = MosesTokenizer(getattr(data, f"{side}_language"), data.lowercase)
    else:
        french = getattr(data, f"french_{side}")
        tokenizer = Tokenizer(lowercase=data.lowercase, french=french)
    return TextCodec.learn(
        sentences,
        tokenizer=tokenizer,
        merges=data.merges or None,
        max_size=data.max_words,
    )
