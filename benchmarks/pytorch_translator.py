"""The attention model in PyTorch, beside ours: the same results, and the speed of each.

    python benchmarks/pytorch_translator.py --embedding 128 --hidden 256 --threads 2

The model is `anadrome.models.attention` with `reset_after`, written as one writes it in
PyTorch: `nn.GRU` over packed sequences for the encoder, a `nn.GRUCell` step by step for
the decoder. Loss and gradients are checked to be equal before anything is timed. Data
are batches of the built-in corpus.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np
import torch
from torch import Tensor, nn

from anadrome.models import ATTENTION, AttentionConfig, AttentionParams
from anadrome.nn import Adam, map_arrays
from anadrome.random import fold_in, key
from anadrome.text import Batch, BatchStream, TextCodec, Tokenizer
from anadrome.text.grammar import splits
from anadrome.train.records import flatten
from anadrome.train.step import make_step


class Attention(nn.Module):
    """RNNsearch with a maxout output."""

    def __init__(self, config: AttentionConfig, sizes: tuple[int, int]) -> None:
        super().__init__()
        E, H, M, L = config.embedding, config.hidden, 2 * config.hidden, config.maxout
        self.rate = config.dropout
        self.smoothing = config.smoothing
        self.source = nn.Embedding(sizes[0], E)
        self.target = nn.Embedding(sizes[1], E)
        self.encoder = nn.GRU(E, H, bidirectional=True)
        self.first = nn.Linear(H, H, bias=False)
        self.query = nn.Linear(H, config.attention, bias=False)
        self.memory = nn.Linear(M, config.attention, bias=False)
        self.energy = nn.Linear(config.attention, 1, bias=False)
        self.decoder = nn.GRUCell(E + M, H)
        self.deep = nn.Linear(H + E + M, 2 * L)
        self.reduce = nn.Linear(L, E, bias=False)
        self.words = nn.Linear(E, sizes[1])

    def drop(self, x: Tensor) -> Tensor:
        return nn.functional.dropout(x, self.rate, self.training)

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        x = self.drop(self.source(batch["source"]))  # (S, B, E)
        y = self.drop(self.target(batch["target_in"]))  # (T, B, E)
        packed = nn.utils.rnn.pack_padded_sequence(
            x, batch["source_lengths"], enforce_sorted=False
        )
        packed_out, last = self.encoder(packed)
        annotations, _ = nn.utils.rnn.pad_packed_sequence(packed_out)
        slots = annotations.transpose(0, 1)  # (B, S, M)
        prepared = self.memory(slots)
        hidden = batch["source_mask"].T == 0
        s = torch.tanh(self.first(last[1]))
        states, contexts = [], []
        for t in range(y.shape[0]):
            energies = self.energy(torch.tanh(prepared + self.query(s)[:, None]))
            weights = torch.softmax(
                energies[:, :, 0].masked_fill(hidden, -torch.inf), dim=1
            )
            c = torch.bmm(weights[:, None], slots)[:, 0]
            s = self.decoder(torch.cat([y[t], c], dim=1), s)
            states.append(s)
            contexts.append(c)
        joined = torch.cat(
            [self.drop(torch.stack(states)), y, torch.stack(contexts)], dim=2
        )
        pooled = torch.maximum(*self.deep(joined).chunk(2, dim=2))
        scores = self.words(self.reduce(pooled))
        targets = batch["target_out"].masked_fill(batch["target_mask"] == 0, -100)
        return nn.functional.cross_entropy(
            scores.flatten(0, 1), targets.flatten(), label_smoothing=self.smoothing
        )


def as_ours(module: Attention, gradient: bool = False) -> dict[str, np.ndarray]:
    """The weights, or their gradients, by the names that ours have."""
    E, H = module.target.weight.shape[1], module.first.weight.shape[0]
    given = {
        name: (p.grad if gradient else p).detach().numpy()
        for name, p in module.named_parameters()
    }
    names = {
        "source": given["source.weight"],
        "target": given["target.weight"],
        "first": given["first.weight"].T,
        "attention.W": given["query.weight"].T,
        "attention.U": given["memory.weight"].T,
        "attention.v": given["energy.weight"][0],
        "decoder.W": given["decoder.weight_ih"].T[:E],
        "C": given["decoder.weight_ih"].T[E:],
        "decoder.U": given["decoder.weight_hh"].T,
        "decoder.b": given["decoder.bias_ih"],
        "decoder.d": given["decoder.bias_hh"],
        "output.H": given["deep.weight"].T[:H],
        "output.Y": given["deep.weight"].T[H : H + E],
        "output.C": given["deep.weight"].T[H + E :],
        "output.b": given["deep.bias"],
        "output.R": given["reduce.weight"].T,
        "output.G": given["words.weight"].T,
        "output.g": given["words.bias"],
    }
    for side, suffix in (("forward", ""), ("backward", "_reverse")):
        names[f"encoder.{side}.W"] = given[f"encoder.weight_ih_l0{suffix}"].T
        names[f"encoder.{side}.U"] = given[f"encoder.weight_hh_l0{suffix}"].T
        names[f"encoder.{side}.b"] = given[f"encoder.bias_ih_l0{suffix}"]
        names[f"encoder.{side}.d"] = given[f"encoder.bias_hh_l0{suffix}"]
    return names


def copied(module: Attention, like: AttentionParams) -> AttentionParams:
    """Our record with the weights of the module."""
    from anadrome.train.records import unflatten

    arrays = {name: np.ascontiguousarray(a) for name, a in as_ours(module).items()}
    return unflatten(like, arrays)


def tensors(batch: Batch) -> dict[str, Tensor]:
    """The batch as PyTorch wants it."""
    names = (
        "source",
        "source_lengths",
        "source_mask",
        "target_in",
        "target_out",
        "target_mask",
    )
    return {name: torch.from_numpy(getattr(batch, name)) for name in names}


def check_equal(config: AttentionConfig, sizes: tuple[int, int], batch: Batch) -> None:
    """Compare the loss and every gradient, in double precision."""
    import dataclasses

    import anadrome as ad

    config = dataclasses.replace(config, dropout=0.0)
    module = Attention(config, sizes).double()
    like = map_arrays(
        lambda a: a.astype(float), ATTENTION.make_params(config, key(0), *sizes)
    )
    params = copied(module, like)
    theirs = module(tensors(batch))
    theirs.backward()
    ours, gradient = ad.value_and_grad(ATTENTION.loss)(params, batch, config, key(0))
    np.testing.assert_allclose(ours, theirs.item(), rtol=1e-6)
    wanted = as_ours(module, gradient=True)
    for name, found in flatten(gradient).items():
        scale = np.abs(wanted[name]).max()
        np.testing.assert_allclose(found / scale, wanted[name] / scale, atol=1e-6)
    print(f"loss {float(ours):.9f} and {len(wanted)} gradients are equal")


def time_steps(
    step: Callable[[Batch], None], batches: Iterator[Batch], n: int
) -> float:
    """Target tokens per second over n steps, after two that warm up."""
    for batch in islice(batches, 2):
        step(batch)
    tokens, begun = 0, time.perf_counter()
    for batch in islice(batches, n):
        step(batch)
        tokens += batch.tokens
    return tokens / (time.perf_counter() - begun)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--embedding", type=int, default=128)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--budget", type=int, default=1500)
    parser.add_argument("--merges", type=int, default=0)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(0)
    corpus = splits(train=6000, valid=1, test=1, test_long=1).train
    codecs = [
        TextCodec.learn(side, tokenizer=tokenizer, merges=given.merges or None)
        for side, tokenizer in (
            (corpus.source, Tokenizer()),
            (corpus.target, Tokenizer(french=True)),
        )
    ]
    sizes = (len(codecs[0].vocabulary), len(codecs[1].vocabulary))
    E, H = given.embedding, given.hidden
    config = AttentionConfig(E, H, H, E, 0.2, 0.1, reset_after=True)

    def stream() -> BatchStream:
        return BatchStream(
            [codecs[0].encode(s) for s in corpus.source],
            [codecs[1].encode(s) for s in corpus.target],
            budget=given.budget,
            time_major=True,
        )

    check_equal(config, sizes, next(stream()))
    module = Attention(config, sizes)
    optimizer = torch.optim.Adam(module.parameters(), lr=1e-3)

    def their_step(batch: Batch) -> None:
        optimizer.zero_grad()
        module(tensors(batch)).backward()
        nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimizer.step()

    step = make_step(ATTENTION.loss, config, Adam(), 1.0)
    params = ATTENTION.make_params(config, key(0), *sizes)
    state, count = Adam().start(params), 0

    def our_step(batch: Batch) -> None:
        nonlocal params, state, count
        count += 1
        params, state, _, _ = step(params, state, batch, fold_in(key(0), count), 1e-3)

    theirs = time_steps(their_step, stream(), given.steps)
    ours = time_steps(our_step, stream(), given.steps)
    print(
        f"training, target tokens per second: PyTorch {theirs:,.0f}, ours {ours:,.0f}"
    )
    print(f"ours is {ours / theirs:.2f} times as fast")


if __name__ == "__main__":
    main()
