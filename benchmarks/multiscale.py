"""How fast the multiscale LSTM trains, beside a regular one and beside PyTorch.

    python -m benchmarks.multiscale TEXT --hidden 512 --tokens 2048

The value and all gradients of the loss of a window of text, in characters per second of
processor time, one thread each, the fastest of several. The PyTorch program is the same
equations (8.5 to 8.8 of the thesis) as one writes them there: at each place the arcs of
all rows are gathered into one product, then averaged by `index_add`. Both must give the
same loss and the same gradient.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import anadrome as ad
from anadrome.models import find_model
from anadrome.nn import arrays_of
from anadrome.options import make_options
from anadrome.random import key
from anadrome.tasks.lm import TASK

ROUNDS = 5


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("text", type=Path)
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--embedding", type=int, default=256)
    parser.add_argument("--rows", type=int, default=32)
    parser.add_argument("--window", type=int, default=100)
    parser.add_argument("--tokens", type=int, default=2048)
    given = parser.parse_args()
    lines = TASK.read([given.text], TASK.data())
    sizes = {"hidden": given.hidden, "embedding": given.embedding, "layer_norm": True}
    ours, speeds = {}, {}
    for name in ("rnn", "multiscale"):
        model = find_model("lm", name)
        data = make_options(
            TASK.data,
            {
                "unit": "characters",
                "window": given.window,
                "dictionary": given.tokens if name == "multiscale" else 0,
            },
        )
        layers = {"layers": 1} if name == "rnn" else {}
        config = make_options(model.Config, {**sizes, **layers})
        codecs = TASK.prepare(lines, data)
        made = TASK.encode(lines, codecs, data).stream
        assert made is not None
        stream = made(given.rows * given.window, 0)
        params = model.make_params(config, key(0), codecs.sizes)
        carried = model.carry(params, given.rows, config, codecs.sizes)
        run = ad.jit(ad.value_and_grad(model.loss, has_aux=True))
        window = next(stream)
        # From the second window on arcs come from the window before.
        (_, carried), _ = run(params, window, config, None, carried)
        window = next(stream)
        ours[name], speeds[name] = report(
            f"Anadrome, {name}", window.size, run, params, window, config, None, carried
        )
    arcs = len(window.lattice.tokens) / (given.window + 1) / given.rows
    print(f"{arcs:.2f} arcs for each character, the longest of {codecs.sizes.longest}")
    # A multiplication and an addition, for the value and for two derivatives.
    blocks, units = 4 * given.hidden, codecs.sizes.tokens
    rows = len(window.lattice.distinct) / window.size
    flops = 6 * given.hidden * (arcs * blocks + units) + 6 * given.embedding * (
        rows * blocks
    )
    share = speeds["multiscale"] * flops / product_peak()
    print(f"{share:.0%} of the peak of products, a product with U counted for each arc")
    theirs = TorchMultiscale(params, window, carried)
    (loss, _), grads = ours["multiscale"]
    (other, others), speed = report("PyTorch, multiscale", window.size, theirs.run)
    print(
        f"{speeds['multiscale'] / speed:.2f} times PyTorch's speed; the regular LSTM "
        f"is {speeds['rnn'] / speeds['multiscale']:.2f} times as fast"
    )
    print(f"loss {float(loss):.6f} and {other:.6f}")
    for mine, its in zip(arrays_of(grads), others):
        norm = float(np.linalg.norm(its)) or 1.0
        assert np.linalg.norm(mine - its) < 1e-3 * norm, "the gradients differ"
    print("the gradients are the same to a thousandth of their norms")


def report(
    name: str, size: int, run: Callable[..., Any], *args: Any
) -> tuple[Any, float]:
    """What a function gives, and its speed, which is printed."""
    result = run(*args)
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.process_time()
        result = run(*args)
        best = min(best, time.process_time() - begun)
    print(f"{name}: {size / best:,.0f} characters per second of processor time")
    return result, size / best


def product_peak() -> float:
    """Operations per second of the larger of our and NumPy's products."""
    a = np.random.default_rng(0).random((1024, 1024), np.float32)
    best = float("inf")
    for run in (ad.jit(product), product):
        for _ in range(2 * ROUNDS):
            begun = time.process_time()
            run(a, a)
            best = min(best, time.process_time() - begun)
    return 2 * 1024**3 / best


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a b."""
    return a @ b


class TorchMultiscale:
    """The same weights and window as tensors."""

    def __init__(self, params: Any, window: Any, past: Any) -> None:
        import torch

        torch.set_num_threads(1)
        self.weights = [
            torch.tensor(array, requires_grad=True) for array in arrays_of(params)
        ]
        lattice = window.lattice
        self.first = lattice.first.tolist()
        self.tokens = torch.tensor(lattice.tokens)
        B, L = past.alpha.shape
        kept = np.concatenate((lattice.opening, lattice.past))
        window_rows = np.arange(L * B, L * B + window.mask.size)
        # as if all places before the window were sources
        self.sources = torch.tensor(
            np.concatenate((kept, window_rows))[lattice.sources]
        )
        self.rows = torch.tensor(lattice.ends % B)
        self.counts = torch.tensor((lattice.mean > 0).astype(np.float32))
        self.arcs, self.lengths = map(torch.tensor, (lattice.arcs, lattice.lengths))
        self.off = (1 - torch.tensor(lattice.arc_mask)) * -1e30
        self.mask = torch.tensor(window.mask)
        self.h, self.c = (
            torch.tensor(np.ascontiguousarray(np.swapaxes(a, 0, 1)))
            for a in (past.layers[0].h, past.layers[0].c)
        )
        self.alpha = torch.tensor(past.alpha)

    def run(self) -> tuple[float, list[np.ndarray]]:
        """The loss and its gradients."""
        import torch
        from torch.nn.functional import layer_norm

        E, W, U, gx, bx, gh, bh, gc, bc, words, bias = self.weights
        T, B = self.mask.shape
        L, _, H = self.h.shape
        x = layer_norm(E @ W, (4 * H,), gx, bx)
        hs, cs = list(self.h), list(self.c)
        for t in range(T):
            arcs = slice(self.first[t], self.first[t + 1])
            source = self.sources[arcs] - t * B
            rows = self.rows[arcs]
            h = torch.cat(hs[t : t + L])[source]
            c = torch.cat(cs[t : t + L])[source]
            a = x[self.tokens[arcs]] + layer_norm(h @ U, (4 * H,), gh, bh)
            i, f, g, o = a.chunk(4, dim=1)
            new = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            both = torch.cat((new, o), dim=1)
            count = torch.bincount(rows, minlength=B)[:, None]
            mean = torch.zeros(B, 2 * H).index_add(0, rows, both) / count
            c, o = mean.chunk(2, dim=1)
            cs.append(c)
            hs.append(torch.sigmoid(o) * torch.tanh(layer_norm(c, (H,), gc, bc)))
        h = torch.cat(hs)[B:]
        log_probs = torch.log_softmax(h @ words.T + bias, dim=1)
        begin = self.first[1]
        scores = log_probs[self.sources[begin:] - B, self.tokens[begin:]]
        alpha, each = self.alpha, torch.arange(B)[:, None]
        total = torch.zeros(())
        for t in range(T):
            v = alpha[each, L - self.lengths[t]] + scores[self.arcs[t]] + self.off[t]
            new = torch.logsumexp(v, dim=1, keepdim=True)
            alpha = torch.cat((alpha[:, 1:] - new, torch.zeros(B, 1)), dim=1)
            total = total + (new[:, 0] * self.mask[t]).sum()
        loss = -total / self.mask.sum()
        grads = torch.autograd.grad(loss, self.weights)
        return float(loss.detach()), [g.numpy() for g in grads]


if __name__ == "__main__":
    main()
