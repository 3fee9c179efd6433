"""Training a translator: from two text files to a folder that translates.

The folder holds `model.json`, which says how the translator was made, the codecs of
both languages, and `checkpoints/`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from anadrome.corpora import ParallelCorpus
from anadrome.decode.translator import Translator
from anadrome.evaluate import bleu
from anadrome.models import ARCHITECTURES, ATTENTION, Architecture, AttentionConfig
from anadrome.nn import Adam, Optimizer
from anadrome.random import fold_in, key
from anadrome.text import BatchStream, TextCodec, Tokenizer
from anadrome.text.errors import EmptyCorpus
from anadrome.train.atomic import write_atomically
from anadrome.train.checkpoint import (
    list_checkpoints,
    load_checkpoint,
    load_newest_checkpoint,
)
from anadrome.train.config import TrainingConfig
from anadrome.train.errors import CheckpointError
from anadrome.train.loop import Outcome, Validation, fit
from anadrome.train.memory import keep_freed_memory
from anadrome.train.step import make_step

FORMAT = "anadrome translator 1"
_MODEL = "model.json"
_CHECKPOINTS = "checkpoints"


@dataclass(frozen=True)
class TextConfig:
    """How the text is cut into tokens. Without merges tokens are whole words."""

    merges: int = 4000
    max_words: int | None = None
    lowercase: bool = False
    french_source: bool = False
    french_target: bool = False
    max_tokens: int = 100  # pairs with a longer side are left out of training


@dataclass(frozen=True)
class TranslationConfig:
    """Everything that decides what comes out of a corpus."""

    architecture: Architecture = ATTENTION
    model: Any = field(default_factory=AttentionConfig)
    text: TextConfig = field(default_factory=TextConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    optimizer: Optimizer = field(default_factory=Adam)
    budget: int = 1500  # tokens of a batch, with padding
    beam: int = 1  # of validation
    validation_sentences: int = 500

    def describe(self) -> dict[str, Any]:
        """The configuration as JSON can hold it."""
        return {
            "architecture": self.architecture.name,
            "model": dataclasses.asdict(self.model),
            "text": dataclasses.asdict(self.text),
            "training": dataclasses.asdict(self.training),
            "optimizer": [type(self.optimizer).__name__, _fields(self.optimizer)],
            "budget": self.budget,
            "beam": self.beam,
            "validation_sentences": self.validation_sentences,
        }


def _fields(record: Any) -> dict[str, Any]:
    return {f.name: getattr(record, f.name) for f in dataclasses.fields(record)}


class FolderInUse(CheckpointError):
    """The folder holds a translator that was made differently."""


@dataclass(frozen=True)
class Trained:
    """A translator, and how its training went."""

    translator: Translator
    outcome: Outcome


def train_translator(
    corpus: ParallelCorpus,
    folder: Path,
    config: TranslationConfig,
    *,
    valid: ParallelCorpus | None = None,
    stream: TextIO | None = None,
    interval: float = 10.0,
) -> Trained:
    """Train a translator in a folder, or go on where training was interrupted.

    The translator that is returned has the weights with the best BLEU on the
    validation corpus, or the last ones if there is none.
    """
    keep_freed_memory()
    folder.mkdir(parents=True, exist_ok=True)
    _claim(folder, config, corpus, valid)
    source, target = make_codecs(corpus, config.text)
    source.save(folder / "source.json")
    target.save(folder / "target.json")
    training = config.training
    pairs = _encode_pairs(corpus, source, target, config.text.max_tokens)
    left_out = len(corpus) - len(pairs)
    if left_out:
        (stream or sys.stdout).write(
            f"left out {left_out:,} of {len(corpus):,} pairs, which have more than "
            f"{config.text.max_tokens} tokens\n"
        )
    batches = BatchStream(
        [pair[0] for pair in pairs],
        [pair[1] for pair in pairs],
        budget=config.budget,
        seed=training.seed,
        time_major=True,
    )
    architecture = config.architecture
    params = _first_params(config, source, target)

    def validate(params: Any) -> Validation:
        assert valid is not None
        count = config.validation_sentences
        translator = Translator(architecture, params, source, target)
        said = translator.translate_best(valid.source[:count], beam=config.beam)
        lowercase = config.text.lowercase
        score = bleu(said, list(valid.target[:count]), lowercase=lowercase).score
        return Validation(score, f"BLEU {score:.2f} on {len(said)} sentences")

    if training.native:
        (stream or sys.stdout).write("compiling the training step …\n")
        (stream or sys.stdout).flush()
    outcome = fit(
        folder / _CHECKPOINTS,
        make_step(
            architecture.loss,
            config.model,
            config.optimizer,
            training.clip,
            training.native,
        ),
        params,
        config.optimizer.start(params),
        batches,
        training,
        validate=validate if valid is not None else None,
        description=config.describe(),
        stream=stream,
        interval=interval,
    )
    return Trained(load_translator(folder), outcome)


def load_translator(folder: Path) -> Translator:
    """The translator in a folder, with the best weights there are."""
    record = _read_record(folder)
    described = record["config"]
    architecture = ARCHITECTURES[described["architecture"]]
    model = architecture.config(**described["model"])
    source, target = (
        TextCodec.load(folder / f"{side}.json") for side in ("source", "target")
    )
    newest = load_newest_checkpoint(folder / _CHECKPOINTS)
    if newest is None:
        raise CheckpointError(
            f"{folder}: there is no checkpoint yet\nhelp: train the translator first"
        )
    best = newest.state["best"]
    found = newest
    if best in list_checkpoints(folder / _CHECKPOINTS):
        found = load_checkpoint(folder / _CHECKPOINTS, best)
    sizes = len(source.vocabulary), len(target.vocabulary)
    like = architecture.make_params(model, key(0), *sizes)
    return Translator(architecture, found.restore("params", like), source, target)


def make_codecs(
    corpus: ParallelCorpus, text: TextConfig
) -> tuple[TextCodec, TextCodec]:
    """How the source and the target sentences of a corpus become numbers."""
    return (
        _codec(corpus.source, text, text.french_source),
        _codec(corpus.target, text, text.french_target),
    )


def _codec(sentences: Sequence[str], text: TextConfig, french: bool) -> TextCodec:
    tokenizer = Tokenizer(lowercase=text.lowercase, french=french)
    return TextCodec.learn(
        sentences,
        tokenizer=tokenizer,
        merges=text.merges or None,
        max_size=text.max_words,
    )


def _encode_pairs(
    corpus: ParallelCorpus, source: TextCodec, target: TextCodec, max_tokens: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The pairs as numbers, without those of which one side is too long."""
    pairs = ((source.encode(s), target.encode(t)) for s, t in corpus)
    kept = [pair for pair in pairs if max(map(len, pair)) <= max_tokens]
    if not kept:
        raise EmptyCorpus(
            f"every pair has more than {max_tokens} tokens",
            help="allow longer sentences, or put each sentence on a line of its own",
        )
    return kept


def _first_params(
    config: TranslationConfig, source: TextCodec, target: TextCodec
) -> Any:
    # Steps are numbered from 1, so 0 is free for the first weights.
    first = fold_in(key(config.training.seed), 0)
    sizes = len(source.vocabulary), len(target.vocabulary)
    return config.architecture.make_params(config.model, first, *sizes)


def _claim(
    folder: Path,
    config: TranslationConfig,
    corpus: ParallelCorpus,
    valid: ParallelCorpus | None,
) -> None:
    """Write down how the translator is made, or check that it is made the same way."""
    record = {
        "format": FORMAT,
        "config": config.describe(),
        "corpus": _fingerprint(corpus),
        "valid": None if valid is None else _fingerprint(valid),
    }
    # What is compared must have gone through JSON, which has no tuples.
    record = json.loads(json.dumps(record))
    path = folder / _MODEL
    if not path.exists():
        text = json.dumps(record, indent=1, sort_keys=True) + "\n"
        write_atomically(path, text.encode())
        return
    differences = list(_differences("", _read_record(folder), record))
    if differences:
        raise FolderInUse(
            f"{folder} holds a translator that was made differently:\n  "
            + "\n  ".join(differences)
            + "\nhelp: give the same options to go on with it, or another folder"
        )


def _differences(name: str, old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        for part in sorted(old.keys() | new.keys()):
            inner = f"{name}.{part}" if name else part
            yield from _differences(inner, old.get(part), new.get(part))
    elif old != new:
        yield f"{name}: {old!r} there, {new!r} now"


def _read_record(folder: Path) -> dict[str, Any]:
    path = folder / _MODEL
    try:
        record = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise CheckpointError(
            f"{folder}: there is no translator here\n"
            "help: give the folder that `anadrome train translate --out` made"
        ) from None
    except ValueError:
        raise CheckpointError(f"{path}: this is not JSON") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise CheckpointError(f'{path}: this file is not in the format "{FORMAT}"')
    return record


def _fingerprint(corpus: ParallelCorpus) -> str:
    digest = hashlib.sha256()
    for pair in corpus:
        for sentence in pair:
            digest.update(sentence.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()[:16]
