"""`anadrome vectors`: train, similar, analogy, judge, plot."""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import numpy as np
from cyclopts import App, Parameter
from cyclopts.validators import Number
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from anadrome.cli.drawing import picture_name
from anadrome.cli.outputs import refuse_other
from anadrome.cli.standard_input import input_lines
from anadrome.corpora.files import scan_lines
from anadrome.options import OptionError
from anadrome.text.errors import EmptyCorpus
from anadrome.train.atomic import write_atomically
from anadrome.vectors import (
    Cooccurrences,
    GloveConfig,
    GloveState,
    WordVectors,
    count_cooccurrences,
    read_analogies,
    read_similarities,
    read_vectors,
    score_analogies,
    score_similarities,
    train_glove,
    write_vectors,
)
from anadrome.viz import draw_word_map, place_words

vectors_app = App(name="vectors", help="Train vectors of words, and ask about them.")

Count = Annotated[int, Parameter(validator=Number(gte=1))]
Positive = Annotated[float, Parameter(validator=Number(gt=0))]
Files = Annotated[list[Path] | None, Parameter(negative=(), consume_multiple=True)]


@vectors_app.command
def train(
    text: Path,
    *,
    out: Path,
    size: Count = 100,
    window: Count = 10,
    min_count: Count = 5,
    iterations: Count = 15,
    rate: Positive = 0.05,
    enough: Positive = 10.0,
    power: Positive = 0.75,
    threads: Count = 1,
    seed: int = 0,
    memory: Count = 256,
) -> int:
    """Train GloVe vectors. The same command again goes on after an interruption.

    Parameters
    ----------
    text
        Words between spaces; nothing is counted across the ends of lines.
    out
        The file for the vectors: text, or word2vec's binary format for `.bin`.
    size
        Features of a word.
    window
        How many words apart two words may be.
    min_count
        Words that occur less often are left out of the text.
    iterations
        Passes over all counts.
    rate
        The learning rate of AdaGrad.
    enough
        A count that weighs as much as any larger one.
    power
        How fast the weights of smaller counts fall.
    threads
        How many counts are trained on at a time.
    seed
        Decides the first vectors and the order of the counts.
    memory
        Megabytes for counting; what does not fit is written to temporary files.
    """
    config = GloveConfig(size, iterations, rate, enough, power, threads, seed)
    refuse_other(out, lambda path: read_vectors(path, limit=1))
    words, ids = _read_text(text, min_count)
    sys.stderr.write(f"{len(ids):,} words of running text, {len(words):,} kinds\n")
    slots = 1 << max(10, (memory * 2**20 // 16).bit_length() - 1)
    counts = count_cooccurrences(ids, len(words), window=window, slots=slots)
    if not len(counts):
        raise EmptyCorpus(
            f"no two words that occur {min_count} times stand near each other",
            path=text,
            help="give more text, or a lower --min-count",
        )
    sys.stderr.write(f"{len(counts):,} pairs that stand near each other\n")
    progress = _Progress(out.with_name(out.name + ".part"), config, counts)
    state = train_glove(
        counts, len(words), config, state=progress.load(), watch=progress.save
    )
    write_vectors(out, WordVectors(words, state.vectors))
    progress.path.unlink(missing_ok=True)
    print(f"{len(words):,} vectors are in {out}")
    return 0


@vectors_app.command
def similar(vectors: Path, *words: str, top: Count = 10) -> int:
    """The words nearest to each word given, or to each that standard input has.

    Parameters
    ----------
    vectors
        A file of vectors: text of word2vec or GloVe, or word2vec's `.bin`.
    words
        The words; those of standard input if there are none.
    top
        How many neighbours.
    """
    known = read_vectors(vectors)
    for word in words or (word for line in input_lines() for word in line.split()):
        for near, cosine in known.nearest(word, top):
            print(f"{word}\t{near}\t{cosine:.4f}")
    return 0


@vectors_app.command
def analogy(vectors: Path, a: str, b: str, c: str, *, top: Count = 5) -> int:
    """What is to C as B is to A.

    Parameters
    ----------
    vectors
        A file of vectors.
    a
        As man
    b
        is to king,
    c
        so is woman to …
    top
        How many answers.
    """
    for word, cosine in read_vectors(vectors).analogy(a, b, c, top):
        print(f"{word}\t{cosine:.4f}")
    return 0


@vectors_app.command
def judge(vectors: Path, *, analogies: Files = None, similarities: Files = None) -> int:
    """How good vectors are, by questions and by people's judgements.

    Parameters
    ----------
    vectors
        A file of vectors.
    analogies
        Files of questions with four words each, in sections that begin with a colon.
    similarities
        Files of two words and a judgement on each line.
    """
    if not (analogies or similarities):
        raise OptionError("there is nothing to judge by: give questions or judgements")
    known = read_vectors(vectors)
    for path in analogies or ():
        sections = read_analogies(path)
        scores = score_analogies(known, sections)
        for s in scores:
            print(_shares(s.name or path.name, s.right, s.asked, s.total))
        for name, form in (("semantic", False), ("syntactic", True)):
            mine = [s for s, kind in zip(scores, sections) if kind.syntactic == form]
            sums = [
                sum(getattr(s, k) for s in mine) for k in ("right", "asked", "total")
            ]
            if sums[2]:
                print(_shares(f"all {name}", *sums))
        sums = [sum(getattr(s, k) for s in scores) for k in ("right", "asked", "total")]
        print(_shares("all", *sums))
    for path in similarities or ():
        found = score_similarities(known, read_similarities(path), path.stem)
        print(
            f"{found.name:<32} Spearman {found.correlation:6.3f}  "
            f"({found.asked:,} of {found.total:,} pairs known)"
        )
    return 0


@vectors_app.command
def plot(
    vectors: Path,
    *words: str,
    out: Path = Path("words.png"),
    count: Count = 300,
    seed: int = 0,
) -> int:
    """Draw a map of words: those with like vectors are near (t-SNE).

    Parameters
    ----------
    vectors
        A file of vectors.
    words
        The words; the first ones of the file, the most frequent, if there are none.
    out
        The picture, .png or .svg.
    count
        How many of the first ones.
    seed
        Decides where the words begin.
    """
    path = picture_name(out)
    known = read_vectors(vectors)
    names = list(dict.fromkeys(words)) or list(known.words[:count])
    if len(names) < 4:
        raise OptionError(f"{vectors}: a map needs four words or more")
    places = place_words(np.stack([known[name] for name in names]), seed=seed)
    print(f"drawn in {draw_word_map(path, names, places)}")
    return 0


def _shares(name: str, right: int, asked: int, total: int) -> str:
    share = f"{100 * right / asked:6.2f} %" if asked else "     - %"
    return f"{name:<32} {share}  ({right:,} of {asked:,} asked, {total:,} in all)"


def _read_text(path: Path, min_count: int) -> tuple[list[str], np.ndarray]:
    """The words that are frequent enough, and their numbers with -1 after lines."""
    lines = [line.split() for _, line in scan_lines(path)]
    counts = Counter(word for line in lines for word in line)
    frequent = [word for word, n in counts.items() if n >= min_count]
    frequent.sort(key=lambda word: (-counts[word], word))
    if not frequent:
        raise EmptyCorpus(
            f"no word occurs {min_count} times", path=path, help="lower --min-count"
        )
    numbers = {word: k for k, word in enumerate(frequent)}
    ids = [
        k for line in lines for k in (*(numbers[w] for w in line if w in numbers), -1)
    ]
    return frequent, np.array(ids, np.int64)


class _Progress:
    """What an interrupted training leaves behind, beside the file for the vectors."""

    def __init__(self, path: Path, config: GloveConfig, counts: Cooccurrences) -> None:
        self.path = path
        self._iterations = config.iterations
        content = hashlib.sha256(repr(config).encode())
        for array in (counts.rows, counts.columns, counts.values):
            content.update(array.tobytes())
        self._fingerprint = content.hexdigest()

    def load(self) -> GloveState | None:
        """Where a training with the same options and text ended."""
        if not self.path.exists():
            return None
        try:
            with safe_open(str(self.path), "numpy") as file:
                notes = file.metadata() or {}
                arrays = [file.get_tensor(str(k)) for k in range(8)]
        except SafetensorError:
            return None
        if notes.get("fingerprint") != self._fingerprint:
            return None
        sys.stderr.write(f"goes on after iteration {notes['done']}\n")
        squares = (arrays[4], arrays[5], arrays[6], arrays[7])
        return GloveState(
            arrays[0],
            arrays[1],
            arrays[2],
            arrays[3],
            squares,
            int(notes["done"]),
            json.loads(notes["costs"]),
        )

    def save(self, state: GloveState) -> None:
        """Write down where training is, and say so."""
        trained = (state.words, state.contexts, state.word_biases, state.context_biases)
        arrays = {str(k): a for k, a in enumerate((*trained, *state.squares))}
        notes = {
            "fingerprint": self._fingerprint,
            "done": str(state.done),
            "costs": json.dumps(state.costs),
        }
        write_atomically(self.path, save(arrays, notes))
        sys.stderr.write(
            f"iteration {state.done}/{self._iterations}  cost {state.costs[-1]:.6f}\n"
        )
