"""Translation: pairs of sentences, judged by BLEU."""

from __future__ import annotations

import errno
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from anadrome.corpora import ParallelCorpus
from anadrome.corpora.localization import fill_file
from anadrome.decode.translator import Translation, Translator
from anadrome.evaluate import bleu, chrf, ter
from anadrome.evaluate.exhibits import Exhibit
from anadrome.options import Count, NonNegative, OptionError
from anadrome.tasks.parallel_files import PairChecks, read_pairs
from anadrome.tasks.translation_exhibits import exhibits_of
from anadrome.tasks.translation_options import Files, Predicting, Scoring
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

SCORED = 512
"""How many pairs are scored together."""


@dataclass(frozen=True)
class Data(PairChecks):
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
        FileName("source", "Sentences, one on each line; or pairs (TSV, TMX, PO, …)."),
        FileName("target", "Their translations, line by line.", optional=True),
    )
    default_model = "attention"
    data = Data
    predicting = Predicting
    filling = Files
    scoring = Scoring
    codecs = Codecs

    def read(
        self, files: Sequence[Path], data: Data, held_out: Sequence[Path] = ()
    ) -> ParallelCorpus:
        """The pairs in two files, or in one."""
        return read_pairs(files, data, max_tokens=data.max_tokens, held_out=held_out)

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
        return options.refuse(trained)

    def combine(self, members: Sequence[Trained]) -> Trained:
        """An ensemble: the mean of the probabilities decides."""
        first, *others = members
        for each in others:
            if each.codecs != first.codecs:
                raise OptionError(
                    "translators can work together only if they know the same words\n"
                    "help: train them on the same files with the same options of data"
                )
        return replace(first, partners=tuple(others))

    def predict(
        self, trained: Trained, lines: Sequence[str], first: int, options: Predicting
    ) -> Iterator[str]:
        """Translations; an empty line stays one, so that the sides correspond."""
        cuts = [options.cut(line) for line in lines]
        given = [i for i, (sentence, _, _) in enumerate(cuts) if sentence.strip()]
        prefixes = [cuts[i][1] for i in given]
        phrases = [cuts[i][2] for i in given]
        found = iter(
            translator_of(trained).translate(
                [cuts[i][0] for i in given],
                search=options.search,
                max_tokens=options.max_tokens,
                prefixes=prefixes if any(prefixes) else None,
                phrases=phrases if any(phrases) else None,
                dictionary=options.words(),
                first=first,
            )
        )
        for i, (sentence, _, _) in enumerate(cuts, start=first - 1):
            if not sentence.strip():
                yield f"{i}\t{0:.4f}\t" if options.nbest > 1 else ""
                continue
            for made in next(found):
                text = made.text + ("\t" + pharaoh(made) if options.align else "")
                yield f"{i}\t{made.score:.4f}\t{text}" if options.nbest > 1 else text

    def fill(
        self, trained: Trained, files: Files, options: Predicting
    ) -> Iterator[str] | None:
        """Fill the gaps of translation files."""
        if not files.given:
            return None
        if len(files.given) > 1 and files.out is not None:
            raise OptionError("--out is for one file: fill several in their places")
        return self._fill(trained, files, options)

    def _fill(
        self, trained: Trained, files: Files, options: Predicting
    ) -> Iterator[str]:
        chosen = replace(options, nbest=1, align=False)

        def translate(texts: list[str]) -> list[str]:
            lines = [" ".join(text.split()) for text in texts]
            return list(self.predict(trained, lines, 1, chosen))

        for path, format in files.given:
            if files.out is not None and path != files.subtitles:
                if Path(files.out).exists():
                    raise FileExistsError(
                        errno.EEXIST, "there is a file already", files.out
                    )
            report = fill_file(
                path,
                translate,
                out=files.out,
                format=format,
                source=files.source_language,
                target=files.target_language,
                columns=(files.source_column, files.target_column),
                mark=not files.unmarked,
            )
            yield str(report)

    def score(
        self, trained: Trained, examples: ParallelCorpus, options: Scoring
    ) -> Iterator[str]:
        """Log-probability, tokens and perplexity of each pair, between tabs."""
        translator = translator_of(trained)
        total, count = 0.0, 0
        for first in range(0, len(examples.source), SCORED):
            part = slice(first, first + SCORED)
            for pair in translator.score(examples.source[part], examples.target[part]):
                length = len(pair.target_tokens)
                total, count = total + pair.log_prob, count + length
                if options.summary:
                    continue
                mean = math.exp(min(-pair.log_prob / length, 700.0))
                line = f"{pair.log_prob:.4f}\t{length}\t{mean:.4f}"
                if options.tokens:
                    line += "\t" + " ".join(
                        f"{token}|{value:.4f}"
                        for token, value in zip(
                            pair.target_tokens, pair.token_log_probs
                        )
                    )
                yield line
        if options.summary:
            yield (
                f"perplexity = {math.exp(min(-total / count, 700.0)):.4f} "
                f"({count:,} tokens of {len(examples.source):,} sentences, "
                f"log-probability {total:.4f})"
            )

    def warnings(
        self, trained: Trained, lines: Sequence[str], first: int, options: Predicting
    ) -> Iterator[str]:
        """The lines of which only the beginning is translated."""
        for i, line in enumerate(lines, start=first):
            length = len(trained.codecs.source.split(options.cut(line)[0]))
            if length > options.max_tokens:
                yield (
                    f"line {i} has {length:,} tokens; only the first "
                    f"{options.max_tokens} are translated"
                )

    def evaluate(
        self, trained: Trained, examples: ParallelCorpus, options: Predicting
    ) -> Iterator[str]:
        """BLEU, chrF and TER with signatures."""
        said = self.best(trained, examples.source, options)
        lowercase = trained.data.lowercase
        wanted = list(examples.target)
        yield str(bleu(said, wanted, lowercase=lowercase))
        yield str(chrf(said, wanted, lowercase=lowercase))
        yield str(ter(said, wanted, lowercase=lowercase))

    def exhibits(self, trained: Trained, examples: ParallelCorpus) -> Iterator[Exhibit]:
        """Scores, translations good and bad, alignments, a search, words."""
        return exhibits_of(
            trained.model,
            trained.params,
            translator_of(trained),
            examples,
            lowercase=trained.data.lowercase,
        )

    def best(
        self, trained: Trained, sentences: Sequence[str], options: Predicting
    ) -> list[str]:
        """The best translation of each sentence."""
        plain = replace(options, nbest=1, align=False, tabs="nothing")
        return list(self.predict(trained, sentences, 1, plain))


TASK = Translate()


def translator_of(trained: Trained) -> Translator:
    """The translator of a trained model."""
    return Translator(
        trained.model,
        trained.params,
        trained.codecs.source,
        trained.codecs.target,
        trained.native,
        tuple((each.model, each.params) for each in trained.partners),
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
