"""Recurrent networks for PyTorch: its modules, and loops where it has none.

In the loops the products of the inputs stand outside, as one would write them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from benchmarks.contenders import Run


def elman(x, label, Wx, Wh, b, Wout, bout, steps):
    h = torch.tanh(torch.addmm(b, x, Wx))
    for _ in range(steps - 1):
        h = torch.tanh(torch.addmm(b, h, Wh))
    return F.cross_entropy(torch.addmm(bout, h, Wout), label)


def elman_module(x, label, Wx, Wh, b, Wout, bout, steps):
    """`nn.RNN`'s kernel over empty inputs, from the state after the first step."""
    h = torch.tanh(torch.addmm(b, x, Wx))
    empty = torch.zeros(steps - 1, len(x), 1)
    weights = [torch.zeros(len(b), 1), Wh.T, b, torch.zeros_like(b)]
    _, last = torch.rnn_tanh(empty, h[None], weights, True, 1, 0.0, True, False, False)
    return F.cross_entropy(torch.addmm(bout, last[0], Wout), label)


def load(module: nn.Module, values: dict[str, Any]) -> None:
    """Give a module our weights, which are stored the other way around."""
    with torch.no_grad():
        for name, value in values.items():
            getattr(module, name).copy_(torch.from_numpy(value.T))


def module_run(
    module: nn.Module, inputs: Any, loss: Any, names: tuple[str, ...]
) -> Run:
    """Value and gradients of a loss of a module's outputs."""
    wanted = [getattr(module, name) for name in names]

    def call() -> Any:
        value = loss(module, inputs)
        return value.detach(), torch.autograd.grad(value, wanted)

    def numbers(result: Any) -> list[np.ndarray]:
        return [result[0].numpy(), *(g.numpy().T for g in result[1])]

    return Run(call, numbers)


def sum_of_squares(module: nn.Module, x: Any) -> Any:
    out, _ = module(x)
    return (out * out).sum()


def recurrent_module(kind: Any, x: Any, W: Any, U: Any) -> Any:
    dtype = torch.float64 if x.dtype == np.float64 else torch.float32
    return kind(W.shape[0], U.shape[0], dtype=dtype)


def lstm_module(x, W, U, b):
    module = recurrent_module(nn.LSTM, x, W, U)
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    load(module, dict(zip(names, (W, U, b, np.zeros_like(b)))))
    module.bias_hh_l0.requires_grad_(False)
    return module_run(module, torch.from_numpy(x), sum_of_squares, names[:3])


def gru_module(x, W, U, b, d):
    module = recurrent_module(nn.GRU, x, W, U)
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    load(module, dict(zip(names, (W, U, b, d))))
    return module_run(module, torch.from_numpy(x), sum_of_squares, names)


def packed_module(x, lengths, W, U, b):
    module = recurrent_module(nn.LSTM, x, W, U)
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    load(module, dict(zip(names, (W, U, b, np.zeros_like(b)))))
    module.bias_hh_l0.requires_grad_(False)
    inputs = (torch.from_numpy(x), torch.from_numpy(lengths))

    def loss(module: nn.Module, inputs: Any) -> Any:
        _, (h, _) = module(pack_padded_sequence(*inputs))
        return (h * h).sum()

    return module_run(module, inputs, loss, names[:3])


def lstm_gates(z, c):
    i, f, g, o = z.chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def mut1_step(h, z, r, squashed, Ur, Uh, bh):
    r = torch.sigmoid(torch.addmm(r, h, Ur))
    return torch.tanh(torch.addmm(bh, r * h, Uh) + squashed) * z + h * (1 - z)


def run_mut1(step, x, Wz, Wr, Ur, Uh, bz, br, bh):
    z = torch.sigmoid(x @ Wz + bz)
    r = x @ Wr + br
    squashed = torch.tanh(x)
    h = torch.zeros_like(x[0])
    hs = []
    for t in range(len(x)):
        h = step(h, z[t], r[t], squashed[t], Ur, Uh, bh)
        hs.append(h)
    return (torch.stack(hs) ** 2).sum()


def layer_norm_step(h, c, z, U, gh, bh, gc, bc):
    width = c.shape[-1]
    z = z + F.layer_norm(h @ U, (4 * width,), gh, bh)
    i, f, g, o = z.chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(F.layer_norm(c, (width,), gc, bc)), c


def run_layer_norm_lstm(step, x, W, U, gx, bx, gh, bh, gc, bc):
    width = U.shape[0]
    z = F.layer_norm(x @ W, (4 * width,), gx, bx)
    h = c = torch.zeros(x.shape[1], width)
    hs = []
    for t in range(len(x)):
        h, c = step(h, c, z[t], U, gh, bh, gc, bc)
        hs.append(h)
    return (torch.stack(hs) ** 2).sum()


def attention_step(h, c, fed, z, V, U, keys, memory, Wc):
    h, c = lstm_gates(torch.addmm(torch.addmm(z, fed, V), h, U), c)
    weights = torch.softmax(torch.bmm(keys, h[:, :, None])[:, :, 0], -1)
    context = torch.bmm(weights[:, None], memory)[:, 0]
    return h, c, torch.tanh(torch.cat((context, h), 1) @ Wc)


def run_attention_decoder(step, y, memory, W, U, b, Wa, Wc):
    width = y.shape[2]
    z = y @ W[:width] + b
    keys = memory @ Wa
    h = c = fed = torch.zeros(y.shape[1], U.shape[0])
    feds = []
    for t in range(len(y)):
        h, c, fed = step(h, c, fed, z[t], W[width:], U, keys, memory, Wc)
        feds.append(fed)
    return (torch.stack(feds) ** 2).sum()


compiled = cache(torch.compile)


def mut1(*args):
    return run_mut1(mut1_step, *args)


def mut1_compiled(*args):
    return run_mut1(compiled(mut1_step), *args)


def layer_norm_lstm(*args):
    return run_layer_norm_lstm(layer_norm_step, *args)


def layer_norm_lstm_compiled(*args):
    return run_layer_norm_lstm(compiled(layer_norm_step), *args)


def attention_decoder(*args):
    return run_attention_decoder(attention_step, *args)


def attention_decoder_compiled(*args):
    return run_attention_decoder(compiled(attention_step), *args)


def diagonal_lstm(main, extra, state, sequence):
    layers = main.shape[0] // 2
    weights, extras, inputs = main.unbind(), extra.unbind(), sequence.unbind()
    hidden = [state[2 * k] for k in range(layers)]
    cells = [state[2 * k + 1] for k in range(layers)]
    guesses = []
    for given in inputs[:-1]:
        x = given * extras[0]
        for k in range(layers):
            joined = torch.cat((x, hidden[k], x, hidden[k]))
            gates = torch.addcmul(weights[2 * k + 1], joined, weights[2 * k])
            forget, take, out, change = gates.chunk(4)
            taken = torch.sigmoid(take) * torch.tanh(change)
            cells[k] = cells[k] * torch.sigmoid(forget) + taken
            hidden[k] = torch.sigmoid(out) * torch.tanh(cells[k])
            x = hidden[k]
        guesses.append(x * extras[1] + extras[2])
    guesses = torch.stack(guesses)
    sums = guesses.exp().sum(1, keepdim=True)
    return -(sequence[1:] * (guesses - torch.log(sums + 2))).mean()
