"""How fast recurrent language models train, beside PyTorch.

    python -m benchmarks.language_models

The value and all gradients of the loss of a window of random text, in tokens per second
of processor time, one thread each, in turns, the fastest of several. Two models: words
by Zaremba's small recipe (two layers of 200 units, 20 rows of 20 words, 10,000 words,
without dropout), and characters with one layer of 512 units (32 rows of 100 characters,
50 of them). The PyTorch programs are `nn.Embedding`, `nn.LSTM`, `nn.Linear` and
`cross_entropy`. Both must give the same loss and the same gradients.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import anadrome as ad
from anadrome.models import find_model
from anadrome.nn import arrays_of
from anadrome.random import key
from anadrome.text import Rows, TextSizes

ROUNDS = 9
MODEL = find_model("lm", "rnn")


@dataclass(frozen=True)
class Sizes:
    """A model and a window."""

    name: str
    tokens: int
    embedding: int
    hidden: int
    layers: int
    rows: int
    window: int


CASES = (
    Sizes("words, two layers of 200", 10_000, 200, 200, 2, 20, 20),
    Sizes("characters, 512 units", 50, 256, 512, 1, 32, 100),
)


def main() -> None:
    for sizes in CASES:
        numbers = np.random.default_rng(0).integers(
            0, sizes.tokens, sizes.rows * sizes.window
        )
        window = Rows(numbers, sizes.rows).window(0, sizes.window)
        config = MODEL.Config(
            embedding=sizes.embedding, hidden=sizes.hidden, layers=sizes.layers
        )
        found = TextSizes(sizes.tokens)
        params = MODEL.make_params(config, key(0), found)
        carried = MODEL.carry(params, sizes.rows, config, found)
        gradient = ad.jit(ad.value_and_grad(MODEL.loss, has_aux=True))
        theirs = TorchModel(params, window)

        def ours() -> Any:
            return gradient(params, window, config, None, carried)  # noqa: B023

        (mine, other), times = in_turns((ours, theirs.run))
        check(mine, other)
        speeds = [window.size / seconds for seconds in times]
        print(
            f"{sizes.name}: {speeds[0]:,.0f} tokens per second of processor time, "
            f"PyTorch {speeds[1]:,.0f}: {speeds[0] / speeds[1]:.2f} times"
        )


def in_turns(
    programs: tuple[Callable[[], Any], ...],
) -> tuple[list[Any], list[float]]:
    """What each program gives, and its shortest processor time."""
    results = [run() for run in programs]
    best = [float("inf")] * len(programs)
    for _ in range(ROUNDS):
        for k, run in enumerate(programs):
            begun = time.process_time()
            run()
            best[k] = min(best[k], time.process_time() - begun)
    return results, best


def check(mine: Any, other: tuple[float, list[np.ndarray]]) -> None:
    """Losses and gradients are the same."""
    (loss, _), grads = mine
    assert abs(float(loss) - other[0]) < 1e-4 * abs(other[0]), (loss, other[0])
    for a, b in zip(arrays_of(grads), other[1], strict=True):
        norm = float(np.linalg.norm(b)) or 1.0
        assert np.linalg.norm(a - b) < 1e-3 * norm, "the gradients differ"


class TorchModel:
    """The same weights in PyTorch's modules."""

    def __init__(self, params: Any, window: Any) -> None:
        import torch

        torch.set_num_threads(1)
        V, E = params.embeddings.shape
        H, layers = params.words.shape[1], len(params.layers)
        self.embedding = torch.nn.Embedding(V, E)
        self.lstm = torch.nn.LSTM(E, H, layers)
        self.softmax = torch.nn.Linear(H, V)
        with torch.no_grad():
            self.embedding.weight.copy_(torch.tensor(params.embeddings))
            for k, cell in enumerate(params.layers):
                for name, array in (
                    ("weight_ih", cell.W.T),
                    ("weight_hh", cell.U.T),
                    ("bias_ih", cell.b),
                    ("bias_hh", np.zeros_like(cell.b)),
                ):
                    getattr(self.lstm, f"{name}_l{k}").copy_(torch.tensor(array))
            self.softmax.weight.copy_(torch.tensor(params.words))
            self.softmax.bias.copy_(torch.tensor(params.bias))
        self.tokens = torch.tensor(window.tokens)
        self.weights = [self.embedding.weight]
        for k in range(layers):
            names = ("weight_ih", "weight_hh", "bias_ih")
            self.weights += [getattr(self.lstm, f"{n}_l{k}") for n in names]
        self.weights += [self.softmax.weight, self.softmax.bias]
        self.modules = (self.embedding, self.lstm, self.softmax)

    def run(self) -> tuple[float, list[np.ndarray]]:
        """The loss and its gradients."""
        import torch

        for module in self.modules:
            module.zero_grad()
        x, _ = self.lstm(self.embedding(self.tokens[:-1]))
        logits = self.softmax(x.reshape(-1, x.shape[2]))
        loss = torch.nn.functional.cross_entropy(logits, self.tokens[1:].reshape(-1))
        loss.backward()
        grads = [w.grad.numpy() for w in self.weights if w.grad is not None]
        # the matrices of our cells are transposed
        cells = [g.T if g.ndim == 2 else g for g in grads[1:-2]]
        return float(loss.detach()), [grads[0], *cells, *grads[-2:]]


if __name__ == "__main__":
    main()
