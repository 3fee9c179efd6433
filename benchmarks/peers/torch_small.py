"""Small programs for PyTorch."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F


def count_up(x, limit):
    while x < limit:
        x = x + 1
    return x


def relaxation(x, goal, steps):
    for _ in range(steps):
        x = x + 0.001 * (goal - x * x)
    return x


def fixed_point(start, rate, tolerance):
    x = start
    change = 1.0
    while change > tolerance:
        new = x + 0.002 * (torch.cos(rate * x) - x)
        change = abs(new.item() - x.item())
        x = new
    return x


def mlp(x, w1, b1, wout, bout, label):
    h = torch.tanh(torch.addmm(b1, x, w1))
    return F.cross_entropy(torch.addmm(bout, h, wout), label)


def gmm(alphas, means, icf, x, gamma, m):
    n, d = x.shape
    k = means.shape[0]
    log_diagonal = icf[:, :d]
    columns, rows = zip(*((j, i) for j in range(d - 1) for i in range(j + 1, d)))
    lower = torch.zeros((k, d, d), dtype=x.dtype)
    lower[:, rows, columns] = icf[:, d:]
    centred = x[:, None, :] - means
    scaled = torch.exp(log_diagonal) * centred + torch.einsum(
        "kij,nkj->nki", lower, centred
    )
    inner = alphas + log_diagonal.sum(1) - 0.5 * (scaled**2).sum(2)
    likelihood = torch.logsumexp(inner, 1).sum()
    weights = n * torch.logsumexp(alphas, 0)
    squares = torch.exp(2 * log_diagonal).sum() + (icf[:, d:] ** 2).sum()
    prior = 0.5 * gamma**2 * squares - m * log_diagonal.sum()
    return -n * d * 0.5 * math.log(2 * math.pi) + likelihood - weights + prior


def encode(tree, words, W, b):
    if tree.left is None:
        return words[tree.word]
    left = encode(tree.left, words, W, b)
    right = encode(tree.right, words, W, b)
    return torch.tanh(torch.cat((left, right)) @ W + b)


def tree_network(words, W, b, tree):
    state = encode(tree, words, W, b)
    return (state * state).sum()


def tree_lstm(p, tree):
    """All words at once, and all labels at once: between them node by node."""
    H = p.V.shape[0]
    words, labels, states = [], [], []

    def read(tree):
        if tree.left is None:
            words.append(tree.word)
        else:
            read(tree.left)
            read(tree.right)
        labels.append(tree.label)

    read(tree)
    embedded = torch.nn.functional.embedding(torch.tensor(words), p.words)
    leaves = iter(torch.addmm(p.b, embedded, p.W).unbind())

    def compose(tree):
        if tree.left is None:
            i, o, u = next(leaves).split(H)
            c = i.sigmoid() * u.tanh()
        else:
            h_l, c_l = compose(tree.left)
            h_r, c_r = compose(tree.right)
            a = torch.cat((h_l, h_r)) @ p.U + p.c
            i, f_l, f_r, o, u = a.split(H)
            c = i.sigmoid() * u.tanh() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
        h = o.sigmoid() * c.tanh()
        states.append(h)
        return h, c

    compose(tree)
    scores = torch.addmm(p.d, torch.stack(states), p.V)
    wanted = torch.tensor(labels)
    return torch.nn.functional.cross_entropy(scores, wanted, reduction="sum")


def channel_flow(u, v, force, tolerance):
    dt, dx, dy, viscosity = 0.005, 0.05, 0.05, 0.1
    change = 1.0
    while change > tolerance:
        left, right = torch.roll(u, 1, 1), torch.roll(u, -1, 1)
        v_left, v_right = torch.roll(v, 1, 1), torch.roll(v, -1, 1)
        inner, down, up = u[1:-1], u[:-2], u[2:]
        inner_v, down_v, up_v = v[1:-1], v[:-2], v[2:]
        new = (
            inner
            - inner * dt / dx * (inner - left[1:-1])
            - inner_v * dt / dy * (inner - down)
            + viscosity * dt / dx**2 * (right[1:-1] - 2 * inner + left[1:-1])
            + viscosity * dt / dy**2 * (up - 2 * inner + down)
            + (force * dt).to(u.dtype)
        )
        new_v = (
            inner_v
            - inner * dt / dx * (inner_v - v_left[1:-1])
            - inner_v * dt / dy * (inner_v - down_v)
            + viscosity * dt / dx**2 * (v_right[1:-1] - 2 * inner_v + v_left[1:-1])
            + viscosity * dt / dy**2 * (up_v - 2 * inner_v + down_v)
        )
        before = u.sum()
        u = torch.cat((u[:1], new, u[-1:]))
        v = torch.cat((v[:1], new_v, v[-1:]))
        after = u.sum()
        change = ((after - before) / after).item()
    return (u * u).sum() + (v * v).sum()
