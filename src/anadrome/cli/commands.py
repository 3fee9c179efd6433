"""What the command can do. Errors of the user's are said in a line, with a way out."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter
from cyclopts.validators import Number

from anadrome import __version__
from anadrome.evaluate import MissingExtra
from anadrome.text.errors import CorpusError
from anadrome.train.errors import CheckpointError
from anadrome.train.loop import TrainingFailed
from anadrome.viz import MissingPlots

INTERRUPTED = 130
"""The exit status of a command that was stopped by Ctrl-C."""

Backend = Literal["native", "python"]
Count = Annotated[int, Parameter(validator=Number(gte=1))]
NonNegative = Annotated[int, Parameter(validator=Number(gte=0))]
Share = Annotated[float, Parameter(validator=Number(gte=0, lt=1))]
Positive = Annotated[float, Parameter(validator=Number(gt=0))]

app = App(
    name="anadrome",
    version=__version__,
    help=(
        "Translators in plain Python, trained by gradients that you can read.\n\n"
        "    anadrome demo\n"
        "    anadrome train translate en.txt fr.txt --out model\n"
        "    echo 'She is here.' | anadrome translate model\n"
        "    anadrome evaluate model test.en test.fr"
    ),
    help_format="plaintext",
)
train_app = App(name="train", help="Train a model.")
app.command(train_app)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the exit status."""
    try:
        status = app(
            list(sys.argv[1:] if arguments is None else arguments),
            result_action="return_value",
        )
    except (
        CorpusError,
        CheckpointError,
        TrainingFailed,
        MissingExtra,
        MissingPlots,
    ) as error:
        sys.stderr.write(f"anadrome: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("anadrome: stopped\n")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone, as `head` does; Python must not try to
        # write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        sys.stderr.write(f"anadrome: {where}{error.strerror or error}\n")
        return 1
    return status if isinstance(status, int) else 0


@train_app.command(name="translate")
def train_translate(
    source: Path,
    target: Path,
    *,
    out: Path,
    valid: Annotated[tuple[Path, Path] | None, Parameter(negative=())] = None,
    model: Literal["attention", "encoder-decoder"] = "attention",
    embedding: Count = 128,
    hidden: Count = 256,
    dropout: Share = 0.2,
    smoothing: Share = 0.1,
    merges: NonNegative = 4000,
    max_tokens: Count = 100,
    lowercase: bool = False,
    french_source: bool = False,
    french_target: bool = False,
    steps: Count = 4000,
    batch_tokens: Count = 1500,
    rate: Positive = 2e-3,
    warmup: NonNegative = 200,
    clip: Positive = 1.0,
    validate_every: Count = 500,
    checkpoint_every: Count = 100,
    patience: NonNegative = 8,
    seed: int = 0,
    backend: Backend = "native",
) -> int:
    """Train a translator on two files whose lines translate each other.

    The same command again goes on where training was interrupted.

    Parameters
    ----------
    source
        Sentences, one on each line.
    target
        Their translations, line by line.
    out
        The folder for the translator.
    valid
        Two more files, on which training is watched: the best weights are kept.
    model
        The kind of model.
    embedding
        Features of a word.
    hidden
        Units of the recurrent layers.
    dropout
        How much of the embeddings and states is dropped in training.
    smoothing
        Label smoothing.
    merges
        Merges of the word pieces of each language; 0 for whole words.
    max_tokens
        Leave out pairs of which one side is longer.
    lowercase
        Write everything in small letters.
    french_source
        The source has a space before ; : ! ? as French does.
    french_target
        The target has a space before ; : ! ? as French does.
    steps
        How many updates.
    batch_tokens
        How large a batch is, in tokens with padding.
    rate
        The highest learning rate.
    warmup
        Updates until the learning rate is reached.
    clip
        The largest norm that a gradient may have.
    validate_every
        Updates between validations.
    checkpoint_every
        Updates between checkpoints.
    patience
        Stop after so many validations without a better score; 0 for never.
    seed
        Decides the first weights, the order of the data, and dropout.
    backend
        What runs the updates: native code, or the Python that it is compiled from.
    """
    from anadrome.corpora import read_parallel
    from anadrome.models import ARCHITECTURES, AttentionConfig, EncoderDecoderConfig
    from anadrome.train.config import Schedule, TrainingConfig
    from anadrome.train.translation import (
        TextConfig,
        TranslationConfig,
        train_translator,
    )

    corpus = read_parallel(source, target)
    watched = None if valid is None else read_parallel(*valid)
    sizes = (
        AttentionConfig(embedding, hidden, hidden, embedding, dropout, smoothing)
        if model == "attention"
        else EncoderDecoderConfig(embedding, hidden, embedding, dropout, smoothing)
    )
    config = TranslationConfig(
        architecture=ARCHITECTURES[model],
        model=sizes,
        text=TextConfig(
            merges, None, lowercase, french_source, french_target, max_tokens
        ),
        training=TrainingConfig(
            steps=steps,
            schedule=Schedule(rate, warmup),
            clip=clip,
            seed=seed,
            validate_every=validate_every,
            checkpoint_every=checkpoint_every,
            patience=patience,
            native=backend == "native",
        ),
        budget=batch_tokens,
    )
    outcome = train_translator(corpus, out, config, valid=watched).outcome
    if outcome.interrupted:
        sys.stderr.write(
            f"stopped after step {outcome.step}; the same command goes on from there\n"
        )
        return INTERRUPTED
    if watched is not None:
        print(f"best: BLEU {outcome.score:.2f} at step {outcome.best}")
    print(f"the translator is in {out}")
    return 0


@app.command
def translate(
    folder: Path,
    *,
    beam: Count = 5,
    nbest: Count = 1,
    align: bool = False,
    max_tokens: Count = 250,
    backend: Backend = "python",
) -> int:
    """Translate standard input, line by line, to standard output.

    Parameters
    ----------
    folder
        The folder of a trained translator.
    beam
        Hypotheses that are kept at a time; 1 is greedy search.
    nbest
        How many translations to write for each line, with number and score.
    align
        Write, after a tab, which source token each target token looked at most, as
        `source-target` numbers from 0 (the format of Pharaoh).
    max_tokens
        Read no more than so many tokens of a line; longer ones are named on standard
        error.
    backend
        What runs the model: Python at once, or native code after some seconds, which
        is faster for thousands of lines.
    """
    from anadrome.train.translation import load_translator

    if nbest > beam:
        sys.stderr.write(
            f"anadrome: a beam of {beam} cannot give {nbest} translations\n"
            "help: use a wider --beam\n"
        )
        return 1
    translator = replace(load_translator(folder), native=backend == "native")
    if align and translator.architecture.attention_weights is None:
        sys.stderr.write(
            f"anadrome: the {translator.architecture.name} model has no alignment\n"
            "help: leave out --align\n"
        )
        return 1
    for number, lines in _chunks(1 if sys.stdin.isatty() else 256):
        texts = [line for line in lines if line.strip()]
        for i, line in enumerate(lines, start=number + 1):
            length = len(translator.source.split(line))
            if length > max_tokens:
                sys.stderr.write(
                    f"anadrome: line {i} has {length:,} tokens; only the first "
                    f"{max_tokens} are translated\n"
                )
        found = iter(
            translator.translate(texts, beam=beam, n_best=nbest, max_tokens=max_tokens)
        )
        for i, line in enumerate(lines):
            # An empty line stays one, so that the lines of both sides correspond.
            for made in next(found) if line.strip() else [None]:
                text = "" if made is None else made.text
                if align and made is not None and made.attention is not None:
                    looked = made.attention.argmax(axis=1)
                    pairs = (f"{s}-{t}" for t, s in enumerate(looked[:-1]))
                    text += "\t" + " ".join(pairs)
                if nbest > 1:
                    score = 0.0 if made is None else made.score
                    text = f"{number + i}\t{score:.4f}\t{text}"
                print(text)
        sys.stdout.flush()
    return 0


def _chunks(size: int):  # type: ignore[no-untyped-def]
    """Standard input in lists of lines, each with the number of its first line."""
    from anadrome.text.errors import InvalidEncoding

    lines: list[str] = []
    first = 0
    for number, raw in enumerate(sys.stdin.buffer, start=1):
        try:
            lines.append(raw.decode("utf-8").rstrip("\r\n"))
        except UnicodeDecodeError:
            raise InvalidEncoding(
                "the line is not UTF-8", path="standard input", line=number
            ) from None
        if len(lines) == size:
            yield first, lines
            first, lines = number, []
    if lines:
        yield first, lines


@app.command
def evaluate(
    folder: Path,
    source: Path,
    reference: Path,
    *,
    beam: Count = 5,
    backend: Backend = "python",
) -> int:
    """Translate a file and compare with a reference: BLEU and chrF with signatures.

    Parameters
    ----------
    folder
        The folder of a trained translator.
    source
        Sentences, one on each line.
    reference
        Their translations, line by line.
    beam
        Hypotheses that are kept at a time; 1 is greedy search.
    backend
        What runs the model: Python at once, or native code after some seconds.
    """
    from anadrome.corpora import read_parallel
    from anadrome.evaluate import bleu, chrf
    from anadrome.train.translation import load_translator

    corpus = read_parallel(source, reference)
    translator = replace(load_translator(folder), native=backend == "native")
    said = translator.translate_best(corpus.source, beam=beam)
    lowercase = translator.target.tokenizer.lowercase
    print(bleu(said, list(corpus.target), lowercase=lowercase))
    print(chrf(said, list(corpus.target), lowercase=lowercase))
    return 0


@app.command
def demo(*, out: Path | None = None, steps: Count | None = None) -> int:
    """Show a gradient, then train and try a translator, in under three minutes.

    Parameters
    ----------
    out
        The folder for the translator and the picture; a new temporary one if not given.
    steps
        How many updates, instead of as many as the time allows.
    """
    from anadrome.cli.demo import run_demo

    return run_demo(out, steps)
