"""The attention model in PyTorch, beside ours: the same results, and the speed of each.

    python benchmarks/translator.py --data multi30k --source train.en --target train.de
    python benchmarks/translator.py                      # the built-in corpus

The model is `anadrome.models.attention` with `reset_after`, written as one writes it in
PyTorch: `nn.GRU` over packed sequences for the encoder, a `nn.GRUCell` step by step for
the decoder, and a beam search over tensors. Of the decoder there are two forms: all of
it step by step, scores of words included, as tutorials have it; and with the scores of
all steps computed at once after the loop, as those do who know where the time goes.
Before anything is timed, the loss and all gradients are checked to be equal, and after
training the translations of both.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

import anadrome as ad
from anadrome.corpora import ParallelCorpus, read_parallel
from anadrome.corpora.grammar import splits
from anadrome.decode.translator import Translator
from anadrome.models import find_model
from anadrome.models.attention import AttentionParams, Config
from anadrome.nn import Adam, map_arrays
from anadrome.random import fold_in, key
from anadrome.tasks.translate import TASK, Data
from anadrome.text import (
    BOS,
    EOS,
    PAD,
    BatchStream,
    PairBatch,
    PairSizes,
    TextCodec,
    pad_sentences,
)
from anadrome.train.memory import keep_freed_memory
from anadrome.train.records import flatten, unflatten
from anadrome.train.step import make_step

MODEL = find_model("translate", "attention")


class Attention(nn.Module):
    """RNNsearch with a maxout output, step by step."""

    def __init__(self, config: Config, sizes: tuple[int, int]) -> None:
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
        self.words.weight = self.target.weight

    def kept(self, x: Tensor) -> Tensor:
        """What dropout multiplies by, at all steps the same."""
        return nn.functional.dropout(torch.ones_like(x), self.rate, self.training)

    def encode(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
        packed_out, last = self.encoder(packed)
        annotations, _ = nn.utils.rnn.pad_packed_sequence(packed_out)
        slots = annotations.transpose(0, 1).contiguous()  # (B, S, M)
        return slots, self.memory(slots), torch.tanh(self.first(last[1]))

    def advance(
        self, slots: Tensor, prepared: Tensor, hidden: Tensor, y: Tensor, s: Tensor
    ) -> tuple[Tensor, Tensor]:
        energies = self.energy(torch.tanh(prepared + self.query(s)[:, None]))
        weights = torch.softmax(
            energies[:, :, 0].masked_fill(hidden, -torch.inf), dim=1
        )
        c = torch.bmm(weights[:, None], slots)[:, 0]
        return self.decoder(torch.cat([y, c], dim=1), s), c

    def scores(self, s: Tensor, y: Tensor, c: Tensor) -> Tensor:
        pooled = torch.maximum(*self.deep(torch.cat([s, y, c], dim=-1)).chunk(2, -1))
        return self.words(self.reduce(pooled))

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        x = self.source(batch["source"])  # (S, B, E)
        y = self.target(batch["target_in"])  # (T, B, E)
        x, y = x * self.kept(x[0]), y * self.kept(y[0])
        slots, prepared, s = self.encode(x, batch["source_lengths"])
        hidden = batch["source_mask"].T == 0
        scores = self.decode(slots, prepared, hidden, y, s)
        targets = batch["target_out"].masked_fill(batch["target_mask"] == 0, -100)
        return nn.functional.cross_entropy(
            scores.flatten(0, 1), targets.flatten(), label_smoothing=self.smoothing
        )

    def decode(
        self, slots: Tensor, prepared: Tensor, hidden: Tensor, y: Tensor, s: Tensor
    ) -> Tensor:
        """The scores of all words (T, B, V) after those of a given sentence."""
        kept = self.kept(s)
        scores = []
        for word in y:
            s, c = self.advance(slots, prepared, hidden, word, s)
            scores.append(self.scores(s * kept, word, c))
        return torch.stack(scores)

    @torch.inference_mode()
    def translate(
        self, source: Tensor, lengths: Tensor, beam: int, longest: int
    ) -> list[list[int]]:
        """The best outputs by beam search, their scores divided by their lengths."""
        B = source.shape[1]
        slots, prepared, s = self.encode(self.source(source), lengths)
        hidden = (torch.arange(source.shape[0]) >= lengths[:, None])[
            :, : slots.shape[1]
        ]
        slots, prepared, s, hidden = (
            a.repeat_interleave(beam, 0) for a in (slots, prepared, s, hidden)
        )
        totals = torch.full((B, beam), -torch.inf)
        totals[:, 0] = 0.0
        said = torch.full((B * beam, 1), BOS)
        width = torch.full((B,), beam)
        active = torch.arange(B)
        finished: list[list[tuple[float, list[int]]]] = [[] for _ in range(B)]
        for t in range(longest):
            y = self.target(said[:, -1])
            s, c = self.advance(slots, prepared, hidden, y, s)
            log_probs = torch.log_softmax(self.scores(s, y, c), dim=1)
            log_probs[:, [PAD, BOS]] = -torch.inf
            V = log_probs.shape[1]
            best, places = (
                (totals.view(-1, 1) + log_probs).view(-1, beam * V).topk(beam)
            )
            best[torch.arange(beam) >= width[:, None]] = -torch.inf
            rows = places // V + torch.arange(len(active))[:, None] * beam
            tokens = places % V
            said = torch.cat([said[rows.view(-1)], tokens.view(-1, 1)], dim=1)
            ended = (tokens == EOS) & best.isfinite()
            for b, k in ended.nonzero().tolist():
                words = said[b * beam + k, 1:].tolist()
                finished[int(active[b])].append((float(best[b, k]) / (t + 1), words))
            width = width - ended.sum(1)
            best[ended] = -torch.inf
            reachable = (best.max(1).values / longest).tolist()
            going = [
                b
                for b, i in enumerate(active.tolist())
                if reachable[b] > -torch.inf
                and (not finished[i] or max(finished[i])[0] <= reachable[b])
            ]
            if not going:
                break
            totals, width, active = best[going], width[going], active[going]
            kept = rows[going].view(-1)
            said = said.view(-1, beam, t + 2)[going].view(-1, t + 2)
            slots, prepared, s, hidden = (a[kept] for a in (slots, prepared, s, hidden))
        # Of what never ended, the best so far.
        so_far = said.view(-1, beam, said.shape[1])
        for b, i in enumerate(active.tolist()):
            if not finished[i]:
                finished[i].append((0.0, so_far[b, totals[b].argmax(), 1:].tolist()))
        return [max(found)[1] for found in finished]


class ScoresAtOnce(Attention):
    """The same with the scores of all steps in one product."""

    def decode(
        self, slots: Tensor, prepared: Tensor, hidden: Tensor, y: Tensor, s: Tensor
    ) -> Tensor:
        kept = self.kept(s)
        states, contexts = [], []
        for word in y:
            s, c = self.advance(slots, prepared, hidden, word, s)
            states.append(s)
            contexts.append(c)
        return self.scores(torch.stack(states) * kept, y, torch.stack(contexts))


FORMS = {"step by step": Attention, "scores at once": ScoresAtOnce}


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
    arrays = {name: np.ascontiguousarray(a) for name, a in as_ours(module).items()}
    return unflatten(like, arrays)


def tensors(batch: PairBatch) -> dict[str, Tensor]:
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


def check_equal(
    form: type[Attention],
    config: Config,
    sizes: tuple[int, int],
    batch: PairBatch,
) -> None:
    """Compare the loss and every gradient, in double precision."""
    config = dataclasses.replace(config, dropout=0.0)
    module = form(config, sizes).double()
    like = map_arrays(
        lambda a: a.astype(float), MODEL.make_params(config, key(0), PairSizes(*sizes))
    )
    params = copied(module, like)
    theirs = module(tensors(batch))
    theirs.backward()
    ours, gradient = ad.value_and_grad(MODEL.loss)(params, batch, config, key(0))
    np.testing.assert_allclose(ours, theirs.item(), rtol=1e-12)
    wanted = as_ours(module, gradient=True)
    for name, found in flatten(gradient).items():
        scale = np.abs(wanted[name]).max()
        np.testing.assert_allclose(found / scale, wanted[name] / scale, atol=1e-10)
    print(f"loss {float(ours):.9f} and {len(wanted)} gradients are equal")


def time_steps(
    step: Callable[[PairBatch], None],
    batches: Iterator[PairBatch],
    n: int,
    clock: Callable[[], float],
) -> float:
    """Target tokens per second over n steps, after two that warm up."""
    for batch in islice(batches, 2):
        step(batch)
    tokens, begun = 0, clock()
    for batch in islice(batches, n):
        step(batch)
        tokens += batch.size
    return tokens / (clock() - begun)


def best_of_rounds(rounds: int, contenders: list[Callable[[], float]]) -> list[float]:
    """The highest speed of each, who take turns.

    Threads of PyTorch spin for a while after its last call: nobody is timed then.
    """
    best = [0.0] * len(contenders)
    for _ in range(rounds):
        for k, measured in enumerate(contenders):
            time.sleep(0.5)
            best[k] = max(best[k], measured())
    return best


def trainer(module: Attention) -> Callable[[PairBatch], None]:
    """PyTorch's update of the weights of a module."""
    optimizer = torch.optim.Adam(module.parameters(), lr=1e-3)

    def step(batch: PairBatch) -> None:
        optimizer.zero_grad()
        module(tensors(batch)).backward()
        nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimizer.step()

    return step


def check_translations(theirs: list[str], ours: list[str]) -> None:
    """Compare translations; of many, a few may differ where two are equally good."""
    same = sum(a == b for a, b in zip(theirs, ours, strict=True))
    print(f"{same} of {len(ours)} translations are equal")
    if same < 0.98 * len(ours):
        raise SystemExit("the translations differ")


def translate_in_batches(
    module: Attention, codecs: tuple[TextCodec, TextCodec], sentences: Sequence[str]
) -> list[str]:
    """What PyTorch says, sentences of like length together as `Translator` has them."""
    encoded = [np.append(codecs[0].encode(s), EOS) for s in sentences]
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))
    said = [""] * len(encoded)
    for first in range(0, len(order), 64):
        chosen = order[first : first + 64]
        ids, lengths = pad_sentences([encoded[i] for i in chosen])
        longest = 50 * (1 + (2 * int(lengths.max()) + 10) // 50)
        found = module.translate(
            torch.from_numpy(np.ascontiguousarray(ids.T)),
            torch.from_numpy(lengths),
            5,
            longest,
        )
        for i, words in zip(chosen, found):
            said[i] = codecs[1].decode(words)
    return said


def read(given: argparse.Namespace) -> tuple[ParallelCorpus, list[str], Data]:
    """The training corpus, sentences to translate, and how text is cut."""
    if given.data is None:
        parts = splits(train=6000, valid=1, test=given.sentences, test_long=1)
        return parts.train, list(parts.test.source), Data(merges=0, french_target=True)
    corpus = read_parallel(given.data / given.source, given.data / given.target)
    sentences = list(corpus.source[: given.sentences])
    return corpus, sentences, Data(merges=given.merges, lowercase=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, help="a folder with two parallel files")
    parser.add_argument("--source", default="train.en")
    parser.add_argument("--target", default="train.de")
    parser.add_argument("--merges", type=int, default=10000)
    parser.add_argument("--embedding", type=int, default=128)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--budget", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--sentences", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--processor-time", action="store_true", help="if it is busy")
    given = parser.parse_args()
    clock = time.process_time if given.processor_time else time.perf_counter
    torch.set_num_threads(given.threads)
    torch.manual_seed(0)
    keep_freed_memory()
    corpus, sentences, text = read(given)
    made = TASK.prepare(corpus, text)
    codecs = made.source, made.target
    sizes = made.sizes.source, made.sizes.target
    E, H = given.embedding, given.hidden
    config = Config(E, H, H, E, 0.2, 0.1, reset_after=True)
    encoded = TASK.encode(corpus, made, text)

    def stream() -> BatchStream:
        return BatchStream(encoded.lengths, encoded.collate, budget=given.budget)

    modules = []
    for form in FORMS.values():
        check_equal(form, config, sizes, next(stream()))
        torch.manual_seed(0)
        modules.append(form(config, sizes))
    step = make_step(MODEL.loss, config, Adam(), 1.0)
    params = MODEL.make_params(config, key(0), PairSizes(*sizes))
    state, count = Adam().start(params), 0

    def our_step(batch: PairBatch) -> None:
        nonlocal params, state, count
        count += 1
        params, state, _, _ = step(params, state, batch, fold_in(key(0), count), 1e-3)

    # All that was imported is looked through at every full collection otherwise.
    gc.collect()
    gc.freeze()

    def round_of(update: Callable[[PairBatch], None]) -> float:
        return time_steps(update, stream(), given.steps, clock)

    updates = [*map(trainer, modules), our_step]
    speeds = best_of_rounds(given.rounds, [partial(round_of, u) for u in updates])
    report("training", "target tokens", dict(zip(FORMS, speeds)), speeds[-1])

    module = modules[-1].eval()
    translator = Translator(MODEL, copied(module, params), *codecs, native=True)
    said: list[list[str]] = []

    def time_search(translate: Callable[[list[str]], list[str]]) -> float:
        translate(sentences[:8])
        begun = clock()
        said.append(translate(sentences))
        return len(sentences) / (clock() - begun)

    speeds = best_of_rounds(
        given.rounds,
        [
            lambda: time_search(lambda s: translate_in_batches(module, codecs, s)),
            lambda: time_search(lambda s: translator.translate_best(s, beam=5)),
        ],
    )
    check_translations(*said[:2])
    report("translation, beam 5", "sentences", {"step by step": speeds[0]}, speeds[1])


def report(what: str, unit: str, theirs: dict[str, float], ours: float) -> None:
    print(f"{what}, {unit} per second: ours {ours:,.1f}")
    for form, speed in theirs.items():
        ratio = ours / speed
        print(f"  PyTorch, {form}: {speed:,.1f}; ours is {ratio:.2f} times as fast")


if __name__ == "__main__":
    main()
