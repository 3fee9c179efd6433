"""A statistical translator in a folder: how it is trained, stage by stage, and loaded.

The folder holds `smt.toml` (every option, fingerprints of the data), the alignment in
the format of Pharaoh, the phrase table, the language model, the weights, and a line for
each iteration of tuning. A stage whose file is there is not done again, so the same
command goes on where training was.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from anadrome.corpora import ParallelCorpus
from anadrome.corpora.files import scan_lines
from anadrome.ngram.model import NgramModel
from anadrome.options import Bounds, Count, make_options
from anadrome.smt.alignment.alignments import (
    Alignments,
    read_alignments,
    write_alignments,
)
from anadrome.smt.alignment.fast_align import FastAlign, train_fast_align
from anadrome.smt.alignment.hmm import Hmm, train_hmm
from anadrome.smt.alignment.ibm1 import TrainedAligner, train_ibm1
from anadrome.smt.alignment.symmetrise import Heuristic, symmetrise
from anadrome.smt.counts import count_phrases
from anadrome.smt.decoder import (
    Decoder,
    Derivation,
    Searching,
    check_vocabularies,
)
from anadrome.smt.extract import LONGEST, extract_phrases
from anadrome.smt.lexical import count_words
from anadrome.smt.phrase_table import PhraseTable, table_of_counts
from anadrome.smt.scoring import (
    Smoothing,
    is_significant,
    score_orientations,
    score_phrases,
)
from anadrome.smt.sentences import Array, Sentences, number_sentences
from anadrome.smt.settling import NgramNetwork
from anadrome.smt.tune import Tuning, tune
from anadrome.text import Tokenizer
from anadrome.text.errors import CorpusError, EmptyCorpus, MalformedLine
from anadrome.train.atomic import TEMPORARY, write_atomically
from anadrome.train.errors import CheckpointError
from anadrome.train.lock import LOCK, FolderLock
from anadrome.train.toml import read_toml, write_toml

FORMAT = "anadrome smt 1"
RECORD, WEIGHTS, LOG = "smt.toml", "weights.toml", "tuning.jsonl"
ALIGNMENT, PHRASES, MODEL = "alignment.gz", "phrases.bin", "lm.bin"

PhraseLength = Annotated[int, Bounds(at_least=1, below=LONGEST + 1)]


@dataclass(frozen=True)
class TextOptions:
    """How text is cut into words."""

    tokenized: bool = False  # words stand between spaces already
    lowercase: bool = False  # write everything in small letters
    french_source: bool = False  # the source has a space before ; : ! ? as in French
    french_target: bool = False  # the target has a space before ; : ! ? as in French
    max_tokens: Count = 80  # leave out pairs of which one side is longer


@dataclass(frozen=True)
class AlignmentOptions:
    """How words are aligned."""

    aligner: Literal["fast-align", "hmm", "ibm1"] = "fast-align"  # the model of words
    align_iterations: Count = 5  # of expectation and maximisation
    heuristic: Heuristic = "grow-diag-final-and"  # how two directions are joined


@dataclass(frozen=True)
class PhraseOptions:
    """Which phrases there are, and how they are scored."""

    max_phrase: PhraseLength = 7  # words of a phrase, at most 7
    smoothing: Smoothing = "kneser-ney"  # of the relative frequencies of phrases
    significant: bool = False  # leave out pairs that may be together by chance
    orientations: bool = True  # lexicalised reordering, msd-bidirectional-fe


@dataclass(frozen=True)
class ModelOptions:
    """The language model."""

    lm_order: Count = 5  # words of an n-gram


@dataclass(frozen=True)
class Config:
    """All options of a system."""

    text: TextOptions = field(default_factory=TextOptions)
    alignment: AlignmentOptions = field(default_factory=AlignmentOptions)
    phrases: PhraseOptions = field(default_factory=PhraseOptions)
    model: ModelOptions = field(default_factory=ModelOptions)
    search: Searching = field(default_factory=Searching)
    tuning: Tuning = field(default_factory=Tuning)


TABLES: dict[str, type] = {
    "text": TextOptions,
    "alignment": AlignmentOptions,
    "phrases": PhraseOptions,
    "model": ModelOptions,
    "search": Searching,
    "tuning": Tuning,
}


@dataclass(frozen=True)
class Stage:
    """What a stage of training did."""

    name: str
    seconds: float
    note: str


class System:
    """A statistical translator: a decoder, and how text becomes words and back."""

    def __init__(self, config: Config, decoder: Decoder) -> None:
        self.config, self.decoder = config, decoder
        self._source, self._target = tokenizers(config.text)

    def split(self, line: str) -> list[str]:
        """The words of a line of the source language."""
        return line.split() if self._source is None else self._source.split(line)

    def split_target(self, line: str) -> list[str]:
        """The words of a line of the target language."""
        return line.split() if self._target is None else self._target.split(line)

    def join(self, words: Sequence[str]) -> str:
        """The text of words of the target language."""
        return " ".join(words) if self._target is None else self._target.join(words)

    def translate(self, line: str, count: int = 1) -> list[Derivation]:
        """The best translations of a line."""
        return self.decoder.n_best(self.split(line), count)

    @classmethod
    def load(cls, folder: Path, network: NgramNetwork | None = None) -> System:
        """The translator in a folder, with a network if its weights count on one."""
        config = read_config(folder)
        for name in (PHRASES, MODEL):
            if not (folder / name).exists():
                raise CheckpointError(
                    f"{folder}: training has not come to {name}\n"
                    "help: the command that began it goes on with it"
                )
        table = PhraseTable.load(folder / PHRASES)
        lm = NgramModel.read(folder / MODEL)
        check_vocabularies(table, lm, folder / MODEL)
        decoder = Decoder(
            table,
            lm,
            searching=config.search,
            network=network,
        )
        if (folder / WEIGHTS).exists():
            decoder.weights = _read_weights(folder / WEIGHTS, decoder)
        return cls(config, decoder)


def _read_weights(path: Path, decoder: Decoder) -> Array:
    named = read_toml(path).get("weights")
    if not isinstance(named, dict):
        raise CheckpointError(f"{path}: there are no weights")
    try:
        weights = decoder.features.weights(named)
    except (CorpusError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path}: {error}") from None
    if not np.all(np.isfinite(weights)):
        raise CheckpointError(f"{path}: a weight is not a number")
    return weights


def is_system(folder: Path) -> bool:
    """Whether a folder holds a statistical translator."""
    return (folder / RECORD).is_file()


def read_config(folder: Path) -> Config:
    """The options of the translator in a folder."""
    record = read_toml(folder / RECORD)
    if record.get("run", {}).get("format") != FORMAT:
        raise CheckpointError(
            f'{folder / RECORD}: this is not in the format "{FORMAT}"'
        )
    return Config(
        **{
            name: make_options(kind, record.get(name, {}), f"{folder}, {name}")
            for name, kind in TABLES.items()
        }
    )


def tokenizers(options: TextOptions) -> tuple[Tokenizer | None, Tokenizer | None]:
    """What splits the source and the target; None where spaces do."""
    if options.tokenized:
        return None, None
    return tuple(  # type: ignore[return-value]
        Tokenizer(lowercase=options.lowercase, french=french)
        for french in (options.french_source, options.french_target)
    )


def split_corpus(
    corpus: ParallelCorpus, options: TextOptions
) -> tuple[list[list[str]], list[list[str]]]:
    """The words of both sides."""
    sides = []
    for lines, tokenizer in zip((corpus.source, corpus.target), tokenizers(options)):
        split = str.split if tokenizer is None else tokenizer.split
        sides.append([split(line) for line in lines])
    return sides[0], sides[1]


def align(
    source: Sentences, target: Sentences, options: AlignmentOptions
) -> tuple[Alignments, TrainedAligner, TrainedAligner]:
    """The alignment of a corpus, and the two directions that it is made of."""
    iterations = options.align_iterations

    def direction(given: Sentences, made: Sentences) -> TrainedAligner:
        if options.aligner == "hmm":
            return train_hmm(given, made, Hmm(iterations))
        if options.aligner == "ibm1":
            return train_ibm1(given, made, iterations=iterations)
        return train_fast_align(given, made, FastAlign(iterations))

    # Compiled loops let go of the interpreter, so the directions run beside each other.
    with ThreadPoolExecutor(2) as pool:
        both = pool.map(direction, (source, target), (target, source))
        forward, backward = both
    joined = symmetrise(
        forward.alignment, backward.alignment, source, target, options.heuristic
    )
    return joined, forward, backward


def make_phrases(
    source: Sentences,
    target: Sentences,
    alignments: Alignments,
    options: PhraseOptions,
) -> tuple[PhraseTable, int]:
    """The phrase table of an aligned corpus, and how many pairs were extracted."""
    extracted = extract_phrases(source, target, alignments, options.max_phrase)
    if not len(extracted):
        raise EmptyCorpus("no phrase pair is consistent with the alignment")
    counts = count_phrases(source, target, extracted)
    lexical = count_words(source, target, alignments)
    scores = score_phrases(counts, lexical, options.smoothing)
    if options.significant:
        kept = is_significant(counts, len(source))
        counts, scores = counts.keep(kept), scores[kept]
    oriented = score_orientations(counts) if options.orientations else None
    return table_of_counts(counts, scores, oriented), len(extracted)


def train_system(
    folder: Path,
    corpus: ParallelCorpus,
    config: Config | None = None,
    *,
    valid: ParallelCorpus | None = None,
    files: Sequence[Path] = (),
    threads: int = 1,
    tick: Callable[[str, int, int], None] | None = None,
) -> Iterator[Stage]:
    """Train a translator in a folder, or go on; a report of each stage.

    `tick` is told of the progress within a stage: its name, how much of how much.
    """
    config = config or Config()
    folder.mkdir(parents=True, exist_ok=True)
    with FolderLock(folder):
        _claim(folder, config, corpus, valid, files)
        begin = time.perf_counter()

        def stage(name: str, note: str) -> Stage:
            nonlocal begin
            seconds = time.perf_counter() - begin
            begin = time.perf_counter()
            return Stage(name, seconds, note)

        left, right = split_corpus(corpus, config.text)
        longest = config.text.max_tokens
        kept = [
            i
            for i, (s, t) in enumerate(zip(left, right))
            if 0 < len(s) <= longest and 0 < len(t) <= longest
        ]
        if not kept:
            raise EmptyCorpus(
                f"every pair has more than {longest} words",
                help="allow longer sentences, or put each on a line of its own",
            )
        source = number_sentences(left[i] for i in kept)
        target = number_sentences(right[i] for i in kept)
        yield stage(
            "read",
            f"{len(source):,} of {len(corpus):,} pairs, {len(source.words):,} and "
            f"{len(target.words):,} words",
        )
        if (folder / ALIGNMENT).exists():
            alignments = read_alignments(folder / ALIGNMENT, source, target)
        else:
            alignments, *directions = align(source, target, config.alignment)
            write_alignments(folder / ALIGNMENT, alignments)
            ends = ", ".join(f"{d.likelihoods[-1]:,.0f}" for d in directions)
            yield stage(
                "align", f"{len(alignments.points):,} points; log-likelihoods {ends}"
            )
        if (folder / PHRASES).exists():
            table = PhraseTable.load(folder / PHRASES)
        else:
            table, extracted = make_phrases(source, target, alignments, config.phrases)
            table.save(folder / PHRASES)
            size = (folder / PHRASES).stat().st_size
            yield stage(
                "phrases",
                f"{extracted:,} extracted, {len(table):,} different, "
                f"{size / 1e6:.0f} MB",
            )
        if (folder / MODEL).exists():
            lm = NgramModel.read(folder / MODEL)
        else:
            lm = NgramModel.estimate(
                right,
                config.model.lm_order,
                fallback=(0.5, 1.0, 1.5),
                on_special="skip",
            )
            lm.write(folder / MODEL)
            yield stage("model", f"{lm}")
        if valid is None or (folder / WEIGHTS).exists():
            return
        decoder = Decoder(table, lm, searching=config.search)
        yield from _tune(folder, decoder, valid, config, stage, threads, tick)


def _tune(
    folder: Path,
    decoder: Decoder,
    valid: ParallelCorpus,
    config: Config,
    stage: Callable[[str, str], Stage],
    threads: int,
    tick: Callable[[str, int, int], None] | None,
) -> Iterator[Stage]:
    """Tune in a folder, where the iterations that were done are written down."""
    done = read_tuning(folder / LOG)
    if done:
        best = max(done, key=lambda line: float(line["bleu"]))
        decoder.weights = decoder.features.weights(best["weights"])
    sources, references = split_corpus(valid, config.text)

    def count(sentences: int) -> None:
        if tick is not None:
            tick("tune", sentences, len(sources))

    for step in tune(
        decoder, sources, references, config.tuning, threads=threads, tick=count
    ):
        line = {
            "iteration": len(done) + 1,
            "bleu": 100 * step.decoded,
            "expected": 100 * step.expected,
            "new": step.new,
            "weights": decoder.features.named(step.weights),
        }
        done.append(line)
        text = "".join(json.dumps(old) + "\n" for old in done)
        write_atomically(folder / LOG, text.encode())
        yield stage(
            "tune",
            f"iteration {step.iteration}: BLEU {100 * step.decoded:.2f}, "
            f"{step.new:,} new candidates",
        )
    write_weights(folder, decoder)


def write_weights(folder: Path, decoder: Decoder) -> None:
    """Write the weights of a decoder into its folder."""
    named = decoder.features.named(decoder.weights)
    write_atomically(folder / WEIGHTS, write_toml({"weights": named}).encode())


def read_tuning(path: Path) -> list[dict[str, Any]]:
    """The iterations of tuning that are written down."""
    if not path.exists():
        return []
    found = []
    for number, line in scan_lines(path):
        try:
            found.append(json.loads(line))
        except ValueError:
            raise MalformedLine(
                "this is no iteration of tuning", path=path, line=number
            ) from None
    return found


def _fingerprint(corpus: ParallelCorpus) -> str:
    digest = hashlib.sha256()
    for pair in corpus:
        digest.update(repr(pair).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def _claim(
    folder: Path,
    config: Config,
    corpus: ParallelCorpus,
    valid: ParallelCorpus | None,
    files: Sequence[Path],
) -> None:
    """Write down how the system is made, or check that it is made the same way."""
    record: dict[str, dict[str, Any]] = {
        "run": {"format": FORMAT},
        **{name: asdict(getattr(config, name)) for name in TABLES},
        "fingerprints": {"train": _fingerprint(corpus)},
    }
    path = folder / RECORD
    if not path.exists():
        foreign = sorted(
            p.name
            for p in folder.iterdir()
            if p.name != LOCK and not p.name.startswith(TEMPORARY)
        )
        if foreign:
            raise CheckpointError(
                f"{folder} holds files that are not a translator's, such as "
                f"{foreign[0]}\nhelp: give a new folder, or an empty one"
            )
        record["files"] = {"given": [str(file) for file in files]}
        write_atomically(path, write_toml(record).encode())
        return
    old = read_toml(path)
    # Search and tuning may change: they make no files but the weights.
    for table in ("text", "alignment", "phrases", "model", "fingerprints"):
        now = {k: v for k, v in record[table].items() if v is not None}
        if old.get(table) != now:
            names = [k for k in now if old.get(table, {}).get(k) != now[k]]
            raise CheckpointError(
                f"{folder} holds a translator that was made differently: "
                f"{table}.{names[0] if names else '…'}\n"
                "help: give the same options and files to go on, or another folder"
            )
