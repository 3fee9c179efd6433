"""`anadrome demo`: a gradient that you can read, and a translator trained by one."""

from __future__ import annotations

import inspect
import shutil
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import anadrome as ad
from anadrome.cli.reporting import REPORT, facts_of
from anadrome.cli.status import DONE, INTERRUPTED
from anadrome.corpora import ParallelCorpus
from anadrome.corpora.grammar import Splits, splits
from anadrome.decode.translator import Translation, Translator
from anadrome.evaluate import bleu
from anadrome.models import attention, find_model
from anadrome.nn import Adam, count_parameters
from anadrome.random import key
from anadrome.tasks.translate import TASK, Data, translator_of
from anadrome.text import BatchStream
from anadrome.train import run
from anadrome.train.config import TrainingConfig
from anadrome.train.progress import format_seconds
from anadrome.train.recipe import Recipe
from anadrome.train.step import make_step
from anadrome.train.task import Trained
from anadrome.viz import draw_alignment
from anadrome.viz.report import write_report

TRAINING_SECONDS = 125
"""How long training may take; everything else needs about half a minute."""

MAX_STEPS = 1400
"""More updates make little difference."""

PAIRS = 60_000
"""So many that few are seen twice, which is better than any regularisation."""

RECIPE = Recipe(
    TASK,
    find_model("translate", "attention"),
    attention.Config(embedding=64, hidden=128, dropout=0.05, smoothing=0.05),
    Data(merges=0, french_target=True, validation_sentences=100),
    TrainingConfig(
        batch_tokens=600,
        rate=8e-3,
        warmup=40,
        final=0.01,
        validate_every=250,
        checkpoint_every=250,
        patience=0,
    ),
    Adam(),
)

SHOWN, BEAM = 5, 5

SAMPLE = 3000
"""How many pairs are enough to find out how long an update takes."""


def recurrence(W: Any, xs: Any) -> Any:
    h = np.zeros(2)
    for x in xs:
        h = np.tanh(W @ h + x)
    return np.sum(h**2)


def run_demo(out: Path | None, steps: int | None) -> int:
    """Run the whole demonstration; the exit status."""
    begun = time.monotonic()
    show_gradient()
    folder = out or Path(tempfile.mkdtemp(prefix="anadrome-demo-"))
    corpus = splits(train=PAIRS)
    trained = train(corpus, folder, steps)
    if trained is None:
        return INTERRUPTED
    examples = evaluate(translator_of(trained), corpus)
    draw(examples, folder)
    page = report(trained, corpus, folder)
    print(f"\nAll of it took {format_seconds(time.monotonic() - begun)}.")
    print(f"The translator is in {folder}; try it:\n  {command()} translate {folder}")
    print(f"Open {page} in a browser to see what it does.")
    return DONE


def command() -> str:
    """How this command can be typed: by its name, or as it was called."""
    called = sys.argv[0]
    if shutil.which("anadrome") or Path(called).name != "anadrome":
        return "anadrome"
    return called


def heading(text: str) -> None:
    """Print a title."""
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


def show_gradient() -> None:
    """A function with a loop, its gradient as source, and a check of the numbers."""
    rng = np.random.default_rng(0)
    W, xs = rng.normal(size=(2, 2)), rng.normal(size=(4, 2))
    gradient = ad.grad(recurrence)
    heading("A recurrent network in plain Python and NumPy")
    print(inspect.getsource(recurrence).rstrip())
    heading("Its gradient, as the compiler wrote it")
    print(ad.source(gradient, W, xs).rstrip())
    heading("Its value, beside central differences")
    print(gradient(W, xs))
    print(central_differences(W, xs))


def central_differences(W: np.ndarray, xs: np.ndarray, e: float = 1e-6) -> np.ndarray:
    """The slopes of `recurrence` along each weight."""
    slopes = np.zeros_like(W)
    for index in np.ndindex(*W.shape):
        d = np.zeros_like(W)
        d[index] = e
        slopes[index] = (recurrence(W + d, xs) - recurrence(W - d, xs)) / (2 * e)
    return slopes


def train(corpus: Splits, folder: Path, steps: int | None) -> Trained | None:
    """Train on the built-in corpus; None if the user stopped it."""
    heading("A translator, trained by such a gradient")
    print(
        f"{len(corpus.train):,} sentence pairs of a built-in English-French grammar, "
        "for example:"
    )
    for english, french in list(corpus.train)[:3]:
        print(f"  {english}\n    {french}")
    if steps is None:
        print("\nCompiling an update, to see how long it takes …", flush=True)
        each = seconds_per_step(corpus.train)
        steps = max(100, min(MAX_STEPS, int(TRAINING_SECONDS / each)))
    recipe = replace(RECIPE, training=replace(RECIPE.training, steps=steps))
    print(f"\nA GRU encoder-decoder with attention; {steps:,} updates.", flush=True)
    done = run.train(recipe, folder, corpus.train, valid=corpus.valid, interval=5.0)
    if done.outcome.interrupted:
        again = f"{command()} demo --out {folder} --steps {steps}"
        print(f"stopped; `{again}` goes on")
        return None
    print(f"{count_parameters(done.trained.params):,} parameters")
    return done.trained


def seconds_per_step(corpus: ParallelCorpus, tries: int = 6) -> float:
    """How long an update takes on this machine: the mean of a few, after a first."""
    sample = ParallelCorpus(corpus.source[:SAMPLE], corpus.target[:SAMPLE])
    codecs = TASK.prepare(corpus, RECIPE.data)
    encoded = TASK.encode(sample, codecs, RECIPE.data)
    batches = BatchStream(
        encoded.lengths, encoded.collate, budget=RECIPE.training.batch_tokens
    )
    params = RECIPE.model.make_params(RECIPE.config, key(0), codecs.sizes)
    step = make_step(RECIPE.model.loss, RECIPE.config, RECIPE.optimizer, 1.0)
    state: Any = RECIPE.optimizer.start(params)
    begun = 0.0
    for k in range(tries + 1):
        if k == 1:
            begun = time.monotonic()
        params, state, _, _ = step(params, state, next(batches), key(k), 1e-4)
    return (time.monotonic() - begun) / tries


def evaluate(translator: Translator, corpus: Splits) -> list[Translation]:
    """BLEU on sentences that were held out, and some translations of them."""
    heading("Sentences that it never saw")
    for name, part in (
        ("held out", corpus.test),
        ("longer than any it learnt from", corpus.test_long),
    ):
        said = translator.translate_best(part.source, beam=BEAM)
        print(f"{len(said)} sentences, {name}: {bleu(said, list(part.target))}")
    chosen = corpus.test.source[:SHOWN]
    found = [made[0] for made in translator.translate(chosen, beam=BEAM)]
    for english, made, french in zip(chosen, found, corpus.test.target):
        print(f"  {english}\n    {made.text}")
        if made.text != french:
            print(f"    (expected: {french})")
    return found


def draw(examples: list[Translation], folder: Path) -> None:
    """Draw where the model looked for the longest of the examples."""
    longest = max(examples, key=lambda made: len(made.target_tokens))
    assert longest.attention is not None
    path = folder / "alignment.png"
    draw_alignment(
        path, longest.source_tokens, longest.target_tokens, longest.attention
    )
    heading("Where it looked")
    print(f"The alignment of “{longest.text}” is drawn in {path}")


def report(trained: Trained, corpus: Splits, folder: Path) -> Path:
    """Write a page about the translator, with sentences that were held out."""
    facts = facts_of(folder, TASK, trained)
    return write_report(folder / REPORT, facts, TASK.exhibits(trained, corpus.test))
