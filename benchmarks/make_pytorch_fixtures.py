"""Writes what PyTorch computes for small networks, for the tests of `anadrome.nn`.

    python benchmarks/make_pytorch_fixtures.py tests/nn/pytorch_fixtures.json

Everything is in double precision and in the layout of `anadrome.nn`: weights (in, out),
sequences (T, B, …). Only this script needs PyTorch.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

T, B, E, H = 5, 3, 3, 2
LENGTHS = [5, 2, 4]


def drawn(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64)


def plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return plain(value.detach().tolist())
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def cell_weights(layer: nn.Module, suffix: str, gradient: bool) -> dict[str, Tensor]:
    """The weights of one direction of one layer, or their gradients."""

    def get(name: str) -> Tensor:
        found = getattr(layer, f"{name}_{suffix}")
        return found.grad if gradient else found

    W, U = get("weight_ih").T, get("weight_hh").T
    b, d = get("bias_ih"), get("bias_hh")
    if isinstance(layer, nn.GRU):
        return {"W": W, "U": U, "b": b, "d": d}
    # There is one bias; the gradients of PyTorch's two are equal.
    return {"W": W, "U": U, "b": b if gradient else b + d}


def recurrent(
    make: Callable[..., nn.Module], layers: int, both: bool
) -> dict[str, Any]:
    """Outputs, last states and gradients of a packed batch."""
    module = make(E, H, num_layers=layers, bidirectional=both).double()
    x = drawn(T, B, E).requires_grad_()
    packed = nn.utils.rnn.pack_padded_sequence(
        x, torch.tensor(LENGTHS), enforce_sorted=False
    )
    packed_out, last = module(packed)
    out, _ = nn.utils.rnn.pad_packed_sequence(packed_out, total_length=T)
    states = last if isinstance(last, tuple) else (last,)
    seeds = [drawn(*out.shape), *(drawn(*s.shape) for s in states)]
    loss = sum((a * seed).sum() for a, seed in zip((out, *states), seeds))
    loss.backward()
    suffixes = [
        f"l{k}{direction}"
        for k in range(layers)
        for direction in (("", "_reverse") if both else ("",))
    ]
    return {
        "x": x,
        "lengths": LENGTHS,
        "cells": [cell_weights(module, s, False) for s in suffixes],
        "seeds": seeds,
        "out": out,
        "states": states,
        "loss": loss,
        "dx": x.grad,
        "dcells": [cell_weights(module, s, True) for s in suffixes],
    }


def whole(
    make: Callable[..., nn.Module], lengths: list[int] | None, **options: Any
) -> dict[str, Any]:
    """Two layers of a module from first states, with PyTorch's names and shapes."""
    module = make(E, 3, num_layers=2, **options).double()
    x = drawn(B, T, E) if options.get("batch_first") else drawn(T, B, E)
    x.requires_grad_()
    rows = 4 if options.get("bidirectional") else 2
    first = [drawn(rows, B, options.get("proj_size", 3)).requires_grad_()]
    if make is nn.LSTM:
        first.append(drawn(rows, B, 3).requires_grad_())
    given = tuple(first) if make is nn.LSTM else first[0]
    if lengths is None:
        out, last = module(x, given)
    else:
        packed = nn.utils.rnn.pack_padded_sequence(
            x, torch.tensor(lengths), options.get("batch_first", False), False
        )
        packed_out, last = module(packed, given)
        out, _ = nn.utils.rnn.pad_packed_sequence(
            packed_out, options.get("batch_first", False), total_length=T
        )
    states = last if isinstance(last, tuple) else (last,)
    seeds = [drawn(*out.shape), *(drawn(*s.shape) for s in states)]
    loss = sum((a * seed).sum() for a, seed in zip((out, *states), seeds))
    loss.backward()
    return {
        "x": x,
        "lengths": lengths,
        "first": first,
        "options": options,
        "weights": dict(module.named_parameters()),
        "seeds": seeds,
        "out": out,
        "states": states,
        "loss": loss,
        "dx": x.grad,
        "dfirst": [s.grad for s in first],
        "dweights": {name: p.grad for name, p in module.named_parameters()},
    }


def attention() -> dict[str, Any]:
    """Additive attention over a masked memory, with PyTorch's operations."""
    S, M, A = 4, 3, 5
    names = {"query": (B, H), "memory": (B, S, M), "W": (H, A), "U": (M, A), "v": (A,)}
    given = {name: drawn(*shape).requires_grad_() for name, shape in names.items()}
    mask = torch.tensor([[1, 1, 1, 1], [1, 0, 0, 0], [1, 1, 1, 0]])
    projected = given["memory"] @ given["U"] + (given["query"] @ given["W"])[:, None]
    energies = torch.tanh(projected) @ given["v"]
    weights = torch.softmax(energies.masked_fill(mask == 0, -torch.inf), dim=1)
    context = torch.einsum("bs,bsm->bm", weights, given["memory"])
    seed = drawn(*context.shape)
    (context * seed).sum().backward()
    return {
        **given,
        "mask": mask,
        "seed": seed,
        "weights": weights,
        "context": context,
        "gradients": {name: value.grad for name, value in given.items()},
    }


def multi_head() -> dict[str, Any]:
    """Two heads that look from three places at a masked memory of four."""
    module = nn.MultiheadAttention(4, 2, batch_first=True).double()
    with torch.no_grad():
        module.in_proj_bias.copy_(drawn(12))
        module.out_proj.bias.copy_(drawn(4))
    x, memory = drawn(2, 3, 4).requires_grad_(), drawn(2, 4, 4).requires_grad_()
    mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]])
    out, weights = module(
        x, memory, memory, key_padding_mask=mask == 0, average_attn_weights=False
    )
    seed = drawn(*out.shape)
    (out * seed).sum().backward()
    return {
        "x": x,
        "memory": memory,
        "mask": mask,
        "seed": seed,
        "weights": dict(module.named_parameters()),
        "out": out,
        "seen": weights,
        "dx": x.grad,
        "dmemory": memory.grad,
        "dweights": {name: p.grad for name, p in module.named_parameters()},
    }


def transformer(before: bool) -> dict[str, Any]:
    """A layer of an encoder, and one of a decoder that looks at what it wrote."""
    options = {"dropout": 0.0, "batch_first": True, "norm_first": before}
    encoder = nn.TransformerEncoderLayer(4, 2, 5, **options).double()
    decoder = nn.TransformerDecoderLayer(4, 2, 5, **options).double()
    with torch.no_grad():
        for p in [*encoder.parameters(), *decoder.parameters()]:
            p.copy_(drawn(*p.shape))
    x, y = drawn(2, 4, 4).requires_grad_(), drawn(2, 3, 4).requires_grad_()
    mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]])
    hidden = torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)
    memory = encoder(x, src_key_padding_mask=mask == 0)
    out = decoder(y, memory, tgt_mask=hidden, memory_key_padding_mask=mask == 0)
    seed = drawn(*out.shape)
    (out * seed).sum().backward()
    return {
        "x": x,
        "y": y,
        "mask": mask,
        "seed": seed,
        "encoder": dict(encoder.named_parameters()),
        "decoder": dict(decoder.named_parameters()),
        "memory": memory,
        "out": out,
        "dx": x.grad,
        "dy": y.grad,
        "dencoder": {name: p.grad for name, p in encoder.named_parameters()},
        "ddecoder": {name: p.grad for name, p in decoder.named_parameters()},
    }


def cross_entropy(smoothing: float) -> dict[str, Any]:
    logits = drawn(6, 5).requires_grad_()
    targets = torch.tensor([0, 3, 2, 4, 1, 1])
    mask = torch.tensor([1, 1, 0, 1, 1, 0])
    marked = torch.where(mask == 1, targets, -100)
    loss = nn.functional.cross_entropy(logits, marked, label_smoothing=smoothing)
    loss.backward()
    return {
        "logits": logits,
        "targets": targets,
        "mask": mask,
        "smoothing": smoothing,
        "loss": loss,
        "dlogits": logits.grad,
    }


def loss_of(
    function: Callable[..., Tensor], *args: Tensor, **options: Any
) -> dict[str, Any]:
    """A loss, and its gradient in the first argument."""
    x = args[0].requires_grad_()
    loss = function(*args, **options)
    loss.backward()
    return {"args": args, "options": options, "loss": loss, "dx": x.grad}


def ctc() -> dict[str, Any]:
    """Losses of rows of different lengths, labels repeated in one of them."""
    logits = drawn(6, 3, 4).requires_grad_()
    targets = torch.tensor([[1, 2, 2], [3, 1, 0], [2, 0, 0]])
    lengths, counts = torch.tensor([6, 4, 5]), torch.tensor([3, 2, 1])
    losses = nn.functional.ctc_loss(
        logits.log_softmax(2), targets, lengths, counts, reduction="none"
    )
    mean = nn.functional.ctc_loss(logits.log_softmax(2), targets, lengths, counts)
    mean.backward()
    return {
        "logits": logits,
        "targets": targets,
        "lengths": lengths,
        "counts": counts,
        "losses": losses,
        "loss": mean,
        "dlogits": logits.grad,
    }


def layer_norm() -> dict[str, Any]:
    module = nn.LayerNorm(4).double()
    with torch.no_grad():
        module.weight.copy_(drawn(4))
        module.bias.copy_(drawn(4))
    x = drawn(3, 4).requires_grad_()
    out, seed = module(x), drawn(3, 4)
    (out * seed).sum().backward()
    return {
        "x": x,
        "gain": module.weight,
        "bias": module.bias,
        "seed": seed,
        "out": out,
        "dx": x.grad,
        "dgain": module.weight.grad,
        "dbias": module.bias.grad,
    }


def optimizer(make: Callable[..., torch.optim.Optimizer], **options: Any) -> Any:
    """A parameter and three gradients, and the parameter after each update."""
    parameter = nn.Parameter(drawn(2, 3))
    steps = make([parameter], **options)
    first, gradients, after = parameter.detach().clone(), [], []
    for _ in range(3):
        parameter.grad = drawn(2, 3)
        gradients.append(parameter.grad.clone())
        steps.step()
        after.append(parameter.detach().clone())
    return {"first": first, "gradients": gradients, "after": after, "options": options}


def clipping() -> dict[str, Any]:
    parameters = [nn.Parameter(drawn(2, 3)), nn.Parameter(drawn(4))]
    for p in parameters:
        p.grad = drawn(*p.shape)
    before = [p.grad.clone() for p in parameters]
    norm = nn.utils.clip_grad_norm_(parameters, 0.5)
    return {"before": before, "norm": norm, "after": [p.grad for p in parameters]}


def value_clipping() -> dict[str, Any]:
    parameter = nn.Parameter(drawn(2, 3))
    parameter.grad = drawn(2, 3)
    before = parameter.grad.clone()
    nn.utils.clip_grad_value_([parameter], 0.5)
    return {"before": before, "after": parameter.grad}


def schedules() -> dict[str, Any]:
    """The learning rates of twelve updates, and of scores that stop rising."""
    lr = torch.optim.lr_scheduler

    def rates(make: Callable[..., Any], *args: Any, **options: Any) -> list[float]:
        steps = torch.optim.SGD([nn.Parameter(drawn(1))], lr=0.8)
        schedule = make(steps, *args, **options)
        found = []
        for score in [1.0, 2, 1, 3, 3, 2, 2, 2, 4, 4, 4, 4]:
            found.append(steps.param_groups[0]["lr"])
            steps.step()
            if isinstance(schedule, lr.ReduceLROnPlateau):
                schedule.step(score)
            else:
                schedule.step()
        return found

    return {
        "exponential": rates(lr.ExponentialLR, 0.9),
        "step": rates(lr.StepLR, 4, 0.5),
        "cosine": rates(lr.CosineAnnealingLR, 11, 0.08),
        "linear": rates(lr.LinearLR, 1.0, 0.1, 11),
        "plateau": rates(
            lr.ReduceLROnPlateau, "max", factor=0.5, patience=1, threshold=0.0
        ),
    }


def losses() -> dict[str, Any]:
    F = nn.functional
    targets = torch.tensor([0, 3, 2, 4, 1, 1])
    signs = torch.tensor([1.0, -1, 1, 1, -1, 1], dtype=torch.float64)
    counts = torch.tensor([0.0, 3, 1, 7, 2, 1], dtype=torch.float64)
    return {
        "nll": loss_of(F.nll_loss, drawn(6, 5), targets),
        "hinge": loss_of(F.multi_margin_loss, drawn(6, 5), targets, margin=0.8),
        "huber": loss_of(F.huber_loss, drawn(6), drawn(6), delta=0.7),
        "margin_ranking": loss_of(
            F.margin_ranking_loss, drawn(6), drawn(6), signs, margin=0.5
        ),
        "poisson_nll": loss_of(F.poisson_nll_loss, drawn(6), counts),
        "binary_cross_entropy": loss_of(
            F.binary_cross_entropy_with_logits, drawn(6), (signs + 1) / 2
        ),
    }


def fixtures() -> dict[str, Any]:
    torch.manual_seed(20)
    return {
        "elman": recurrent(nn.RNN, 1, False),
        "lstm": recurrent(nn.LSTM, 1, False),
        "gru": recurrent(nn.GRU, 1, False),
        "bidirectional_gru": recurrent(nn.GRU, 1, True),
        "stacked_bidirectional_lstm": recurrent(nn.LSTM, 2, True),
        "attention": attention(),
        "cross_entropy": cross_entropy(0.0),
        "smoothed_cross_entropy": cross_entropy(0.1),
        "layer_norm": layer_norm(),
        "sgd": optimizer(torch.optim.SGD, lr=0.1, momentum=0.9),
        "adam": optimizer(torch.optim.Adam, lr=0.01),
        "adadelta": optimizer(torch.optim.Adadelta, lr=1.0, rho=0.95, eps=1e-6),
        "clipping": clipping(),
        "whole_lstm": whole(nn.LSTM, LENGTHS, bidirectional=True, proj_size=2),
        "whole_gru": whole(nn.GRU, LENGTHS, bidirectional=True, batch_first=True),
        "whole_elman": whole(nn.RNN, LENGTHS, nonlinearity="relu"),
        "whole_lstm_without_lengths": whole(nn.LSTM, None, batch_first=True),
        **losses(),
        "ctc": ctc(),
        "multi_head": multi_head(),
        "plain_sgd": optimizer(torch.optim.SGD, lr=0.1),
        "nesterov": optimizer(torch.optim.SGD, lr=0.1, momentum=0.9, nesterov=True),
        "adagrad": optimizer(torch.optim.Adagrad, lr=0.1),
        "rmsprop": optimizer(torch.optim.RMSprop, lr=0.01),
        "centred_rmsprop": optimizer(
            torch.optim.RMSprop, lr=0.01, alpha=0.9, momentum=0.8, centered=True
        ),
        "adamw": optimizer(torch.optim.AdamW, lr=0.01, weight_decay=0.1),
        "value_clipping": value_clipping(),
        "schedules": schedules(),
        "transformer_before": transformer(True),
        "transformer_after": transformer(False),
    }


if __name__ == "__main__":
    made = {"torch": torch.__version__.split("+")[0], **plain(fixtures())}
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(made, file, separators=(",", ":"))
        file.write("\n")
