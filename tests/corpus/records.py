"""Dataclasses and named tuples as parameters, states and results."""

from collections import namedtuple
from dataclasses import asdict, dataclass, field, replace
from typing import NamedTuple

import numpy as np
from corpus.registry import program


@dataclass
class Affine:
    w: np.ndarray
    b: np.ndarray

    def __call__(self, x):
        return self.w @ x + self.b

    @property
    def width(self):
        return self.w.shape[0]


@dataclass(frozen=True)
class Mlp:
    hidden: Affine
    output: Affine
    gain: float = 1.5


@dataclass
class Rnn:
    w: np.ndarray
    u: np.ndarray
    b: np.ndarray

    def step(self, h, x):
        return np.tanh(self.w @ x + self.u @ h + self.b)


@dataclass
class Particle:
    position: np.ndarray
    velocity: np.ndarray
    mass: float = 1.0
    trail: list = field(default_factory=list)

    def move(self, dt):
        self.position = self.position + dt * self.velocity
        self.trail.append(self.position)


Gaussian = namedtuple("Gaussian", ["mean", "scale"])


class State(NamedTuple):
    h: np.ndarray
    c: np.ndarray
    steps: int = 0


def affine(rng, m, n):
    return Affine(rng.normal(size=(m, n)), rng.normal(size=m))


def rnn(rng):
    return Rnn(rng.normal(size=(2, 3)), rng.normal(size=(2, 2)), rng.normal(size=2))


@program(lambda rng: (affine(rng, 2, 3), rng.normal(size=3)))
def dataclass_parameters(layer, x):
    return (np.tanh(layer.w @ x + layer.b) ** 2).sum()


@program(lambda rng: (affine(rng, 2, 3), rng.normal(size=3)))
def dataclass_call_and_property(layer, x):
    return layer(x).sum() * layer.width


@program(lambda rng: (Mlp(affine(rng, 3, 2), affine(rng, 1, 3)), rng.normal(size=2)))
def nested_frozen_dataclass(p, x):
    h = np.tanh(p.hidden(x)) * p.gain
    return p.output(h)[0] ** 2


@program(lambda rng: ([affine(rng, 3, 2), affine(rng, 2, 3)], rng.normal(size=2)))
def list_of_dataclasses(layers, x):
    for layer in layers:
        x = np.tanh(layer(x))
    return x.sum()


@program(
    lambda rng: ({"a": affine(rng, 2, 2), "b": affine(rng, 2, 2)}, rng.normal(size=2))
)
def dict_of_dataclasses(p, x):
    return (p["a"](x) * p["b"](x)).sum()


@program(lambda rng: (rnn(rng), rng.normal(size=(4, 3))))
def dataclass_in_loop(cell, xs):
    h = np.zeros(2)
    for x in xs:
        h = cell.step(h, x)
    return (h**2).sum()


@program(lambda rng: (rnn(rng), rng.normal(size=(3, 3))))
def dataclass_in_closure(cell, xs):
    def step(h, t):
        return np.tanh(cell.w @ xs[t] + cell.u @ h) * cell.b

    h = np.ones(2)
    for t in range(3):
        h = step(h, t)
    return h.sum()


@program(lambda rng: (rnn(rng), rng.normal(size=(3, 3))))
def dataclass_in_branch(cell, xs):
    if xs[0, 0] > 0:
        h = cell.step(cell.b, xs[1])
    else:
        h = cell.u @ cell.b
    return (h * cell.b).sum()


@program(lambda rng: (rng.normal(size=2), rng.normal(size=2)))
def dataclass_built_inside(x, y):
    p = Affine(np.outer(x, y), b=y)
    q = Mlp(p, output=Affine(w=p.w.T, b=x))
    return (q.output(q.hidden(x)) * q.gain).sum()


@program(lambda rng: (rng.normal(size=2), rng.normal(size=2)), tags=["writes"])
def dataclass_with_changing_fields(x, v):
    p = Particle(x, v, mass=2.0)
    for _ in range(3):
        p.velocity = p.velocity - 0.1 * p.position / p.mass
        p.move(0.5)
    return sum([(q**2).sum() for q in p.trail]) * p.mass


@program(
    lambda rng: (Particle(rng.normal(size=2), rng.normal(size=2), rng.uniform(1, 2)),),
    tags=["writes", "arguments"],
)
def dataclass_argument_changed(p):
    p.position = p.position * p.mass
    p.velocity += p.position
    p.mass *= 2
    return (p.position * p.velocity).sum() * p.mass


@program(lambda rng: (affine(rng, 2, 2), rng.normal(size=2)))
def dataclass_replace(layer, x):
    bigger = replace(layer, b=layer.b * 2 + x)
    return (bigger(x) * layer(x)).sum()


@program(lambda rng: (affine(rng, 2, 2), affine(rng, 2, 2)))
def dataclass_arithmetic_by_hand(p, g):
    q = Affine(p.w - 0.1 * g.w, p.b - 0.1 * g.b)
    return np.sin(q.w).sum() + (q.b**2).sum()


@program(lambda rng: (affine(rng, 2, 2),))
def dataclass_as_dict(p):
    total = 0.0
    for name, value in asdict(p).items():
        total += (value**2).sum() * len(name)
    return total


@program(lambda rng: (Gaussian(rng.normal(), rng.uniform(1, 2)), rng.normal(size=3)))
def namedtuple_fields(g, x):
    z = (x - g.mean) / g.scale
    return -0.5 * (z**2).sum() - 3 * np.log(g.scale)


@program(lambda rng: (Gaussian(rng.normal(), rng.uniform(1, 2)), rng.normal(size=3)))
def namedtuple_unpacked_and_indexed(g, x):
    mean, scale = g
    return g[0] * scale + ((x - mean) ** 2).sum() / g[1]


@program(lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(2, 2))))
def namedtuple_as_loop_state(xs, w):
    s = State(np.zeros(2), np.ones(2))
    for x in xs:
        c = s.c * 0.5 + np.tanh(w @ (x + s.h))
        s = State(h=np.sin(c), c=c, steps=s.steps + 1)
    return (s.h * s.c).sum() * s.steps


@program(lambda rng: (rng.normal(size=2), rng.normal(size=2)))
def namedtuple_replace(h, c):
    s = State(h, c)
    t = s._replace(h=s.c * s.h)
    if t.h[0] > 0:
        t = t._replace(steps=3)
    return (t.h + t.steps * t.c).sum() + (s.h**2).sum()


@program(
    lambda rng: (
        [Gaussian(rng.normal(), rng.uniform(1, 2)) for _ in range(3)],
        rng.normal(),
    )
)
def list_of_namedtuples(components, x):
    total = 0.0
    for g in components:
        total += np.exp(-0.5 * ((x - g.mean) / g.scale) ** 2) / g.scale
    return np.log(total)


@program(
    lambda rng: (
        [Gaussian(rng.normal(), rng.uniform(1, 2)) for _ in range(3)],
        rng.normal(),
    )
)
def namedtuples_unpacked_in_loop_and_comprehension(components, x):
    best = max([-(((x - m) / s) ** 2) for m, s in components])
    total = 0.0
    for i, (m, s) in enumerate(components):
        total += m * s * i
    return best * total


@program(lambda rng: (State(rng.normal(size=2), rng.normal(size=2)),))
def namedtuple_in_recursion(s):
    def run(state):
        if state.steps == 3:
            return state
        return run(State(np.tanh(state.h + state.c), state.h * 0.5, state.steps + 1))

    end = run(s)
    return end.h @ end.c


@program(lambda rng: (rnn(rng), rng.normal(size=3)), tags=["tricky", "writes"])
def record_alias(cell, x):
    c = Affine(cell.w * 1.0, cell.b * 1.0)
    d = c
    d.b[0] = x[0] ** 2
    d.w = d.w * 2
    return (c(x) ** 2).sum()


@program(lambda rng: (affine(rng, 2, 2), rng.normal(size=2)), tags=["tricky"])
def record_used_by_two_owners(layer, x):
    shared = Mlp(layer, layer, gain=x[0])
    return (shared.output(shared.hidden(x)) * shared.gain).sum() + layer.b[0]


@program(lambda rng: (affine(rng, 2, 2), rng.normal(size=2)), tags=["tricky"])
def unused_fields_have_zero_gradient(layer, x):
    return (layer.w @ x).sum() ** 2
