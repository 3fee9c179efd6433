"""The tagger in PyTorch, beside ours: the same results, and the speed of each.

    python benchmarks/tagger.py --data en_ewt-ud-train.conllu
    python benchmarks/tagger.py --data en_ewt-ud-train.conllu --output softmax

The model is `anadrome.models.tagger`, written as one writes it in PyTorch: `nn.LSTM`
over packed sequences for the letters of the different words and for the words, and the
forward recursion of the field step by step over the batch. The loss and all gradients
are checked to be equal before anything is timed.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import os
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import anadrome as ad
from anadrome.models import find_model
from anadrome.models.tagger import Config
from anadrome.nn import Adam, map_arrays
from anadrome.random import fold_in, key
from anadrome.tasks.tag import TASK, Data
from anadrome.text import BatchStream, TokenBatch, TokenSizes
from anadrome.train.memory import keep_freed_memory
from anadrome.train.records import flatten, unflatten
from anadrome.train.step import make_step

MODEL = find_model("tag", "bilstm-crf")


class Tagger(nn.Module):
    """Words and letters by bidirectional LSTMs, then a field or a softmax."""

    def __init__(self, config: Config, sizes: TokenSizes) -> None:
        super().__init__()
        G, H, K = config.letter_hidden, config.hidden, sizes.labels
        self.rate, self.unknown = config.dropout, config.word_dropout
        self.words = nn.Embedding(sizes.words, config.embedding)
        self.letters = nn.Embedding(sizes.characters, config.letter_embedding)
        self.speller = nn.LSTM(config.letter_embedding, G, bidirectional=True)
        self.reader = nn.LSTM(config.embedding + 2 * G, H, bidirectional=True)
        self.output = nn.Linear(2 * H, K)
        self.field = config.output == "crf"
        if self.field:
            self.transitions = nn.Parameter(0.01 * torch.randn(K, K))
            self.first = nn.Parameter(0.01 * torch.randn(K))
            self.last = nn.Parameter(0.01 * torch.randn(K))

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        words, mask = batch["words"], batch["mask"]
        if self.training:
            words = words.masked_fill(torch.rand(words.shape) < self.unknown, 3)
        # The first word is padding, which has no letters: packing allows none such.
        lengths = batch["spelt_mask"].sum(0).long().clamp(min=1)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.letters(batch["spelt_characters"]), lengths, enforce_sorted=False
        )
        _, (states, _) = self.speller(packed)
        spelt = torch.cat([states[0], states[1]], dim=1)[batch["spelling"]]
        x = torch.cat([self.words(words), spelt], dim=2)
        x = nn.functional.dropout(x, self.rate, self.training)
        packed = nn.utils.rnn.pack_padded_sequence(
            x, mask.sum(0).long(), enforce_sorted=False
        )
        x, _ = nn.utils.rnn.pad_packed_sequence(self.reader(packed)[0])
        x = x * nn.functional.dropout(torch.ones_like(x[0]), self.rate, self.training)
        scores = self.output(x)  # (T, B, K)
        if self.field:
            return self.field_loss(scores, batch["labels"], mask)
        targets = batch["labels"].masked_fill(mask == 0, -100)
        return nn.functional.cross_entropy(scores.flatten(0, 1), targets.flatten())

    def field_loss(self, scores: Tensor, labels: Tensor, mask: Tensor) -> Tensor:
        T, B, _ = scores.shape
        alpha = self.first + scores[0]
        for t in range(1, T):
            longer = torch.logsumexp(alpha[:, :, None] + self.transitions, 1)
            longer = longer + scores[t]
            alpha = torch.where(mask[t][:, None] > 0, longer, alpha)
        total = torch.logsumexp(alpha + self.last, 1)
        at = scores.gather(2, labels[:, :, None])[:, :, 0] * mask
        between = self.transitions[labels[:-1], labels[1:]] * mask[1:]
        ends = mask.sum(0).long() - 1
        given = self.first[labels[0]] + self.last[labels[ends, torch.arange(B)]]
        given = given + at.sum(0) + between.sum(0)
        return (total - given).sum() / mask.sum()


def as_ours(module: Tagger, gradient: bool = False) -> dict[str, np.ndarray]:
    """The weights of the module, or their gradients, by the names of our record."""
    given = {
        name: (p.grad if gradient else p.detach()).numpy()  # type: ignore[union-attr]
        for name, p in module.named_parameters()
    }
    names = {
        "encoder.words": given["words.weight"],
        "encoder.letters": given["letters.weight"],
        "output.W": given["output.weight"].T,
        "output.b": given["output.bias"],
    }
    if module.field:
        for name in ("transitions", "first", "last"):
            names[f"field.{name}"] = given[name]
    for ours, theirs in (("speller", "speller"), ("layers.0", "reader")):
        for side, suffix in (("forward", ""), ("backward", "_reverse")):
            where = f"encoder.{ours}.{side}"
            names[f"{where}.W"] = given[f"{theirs}.weight_ih_l0{suffix}"].T
            names[f"{where}.U"] = given[f"{theirs}.weight_hh_l0{suffix}"].T
            names[f"{where}.b"] = given[f"{theirs}.bias_ih_l0{suffix}"]
    return names


def zero_second_biases(module: Tagger) -> None:
    """PyTorch adds two biases, of which we have one."""
    with torch.no_grad():
        for name, p in module.named_parameters():
            if "bias_hh" in name:
                p.zero_()


def tensors(batch: TokenBatch) -> dict[str, Tensor]:
    """The batch as PyTorch wants it."""
    names = (
        "words",
        "mask",
        "spelling",
        "labels",
    )
    made = {name: torch.from_numpy(getattr(batch, name)) for name in names}
    longest = max(len(group.mask) for group in batch.spelt)
    for name in ("characters", "mask"):
        padded = [
            np.pad(getattr(group, name), ((0, longest - len(group.mask)), (0, 0)))
            for group in batch.spelt
        ]
        made[f"spelt_{name}"] = torch.from_numpy(np.concatenate(padded, axis=1))
    return made


def check_equal(config: Config, sizes: TokenSizes, batch: TokenBatch) -> None:
    """Compare the loss and every gradient, in double precision."""
    config = dataclasses.replace(config, dropout=0.0, word_dropout=0.0)
    module = Tagger(config, sizes).double()
    zero_second_biases(module)
    like = map_arrays(
        lambda a: a.astype(float), MODEL.make_params(config, key(0), sizes)
    )
    arrays = {name: np.ascontiguousarray(a) for name, a in as_ours(module).items()}
    params = unflatten(like, arrays)
    theirs = module({k: _double(t) for k, t in tensors(batch).items()})
    theirs.backward()
    ours, gradient = ad.value_and_grad(MODEL.loss)(params, batch, config, key(0))
    np.testing.assert_allclose(ours, theirs.item(), rtol=1e-6)
    wanted = as_ours(module, gradient=True)
    for name, found in flatten(gradient).items():
        if name == "encoder.letters":
            continue  # PyTorch's padding reads a letter, and nobody reads what it says
        scale = np.abs(wanted[name]).max() or 1.0
        np.testing.assert_allclose(found / scale, wanted[name] / scale, atol=1e-6)
    print(f"loss {float(ours):.9f} and {len(wanted) - 1} gradients are equal")


def _double(t: Tensor) -> Tensor:
    return t.double() if t.is_floating_point() else t


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", choices=["crf", "softmax"], default="crf")
    parser.add_argument("--budget", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--processor-time", action="store_true", help="if it is busy")
    given = parser.parse_args()
    clock = time.process_time if given.processor_time else time.perf_counter
    torch.set_num_threads(given.threads)
    os.environ["ANADROME_NUM_THREADS"] = str(given.threads)
    torch.manual_seed(0)
    keep_freed_memory()
    data, config = Data(), Config(output=given.output)
    examples = TASK.read([given.data], data)
    codecs = TASK.prepare(examples, data)
    encoded = TASK.encode(examples, codecs, data)

    def stream() -> BatchStream:
        return BatchStream(encoded.lengths, encoded.collate, budget=given.budget)

    check_equal(config, codecs.sizes, next(stream()))
    module = Tagger(config, codecs.sizes)
    optimizer = torch.optim.Adam(module.parameters(), lr=1e-3)

    def their_step(batch: dict[str, Tensor]) -> None:
        optimizer.zero_grad()
        module(batch).backward()
        nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimizer.step()

    step = make_step(MODEL.loss, config, Adam(), 1.0)
    params = MODEL.make_params(config, key(0), codecs.sizes)
    state, count = Adam().start(params), 0

    def our_step(batch: TokenBatch) -> None:
        nonlocal params, state, count
        count += 1
        params, state, _, _ = step(params, state, batch, fold_in(key(0), count), 1e-3)

    gc.collect()
    gc.freeze()

    def speed(
        update: Callable[[Any], None], form: Callable[[TokenBatch], Any]
    ) -> float:
        some = list(islice(stream(), 2 + given.steps))
        formed = [form(batch) for batch in some]
        for batch in formed[:2]:
            update(batch)
        begun = clock()
        for batch in formed[2:]:
            update(batch)
        return sum(batch.size for batch in some[2:]) / (clock() - begun)

    best = {"PyTorch": 0.0, "ours": 0.0}
    for _ in range(given.rounds):
        for name, update, form in (
            ("PyTorch", their_step, tensors),
            ("ours", our_step, lambda batch: batch),
        ):
            time.sleep(0.5)  # threads of PyTorch spin for a while after its last call
            best[name] = max(best[name], speed(update, form))
    print(
        f"training: {best['ours']:,.0f} tokens/s, PyTorch {best['PyTorch']:,.0f}: "
        f"{best['ours'] / best['PyTorch']:.2f} times"
    )


if __name__ == "__main__":
    main()
