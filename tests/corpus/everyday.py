"""What people write: models, simulations and little classes."""

import collections
import copy
import functools
import itertools
import math
import operator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import scipy.linalg as sla
import scipy.special as ss
from corpus.registry import program

R = np.random.default_rng(0)


def given(*args):
    """The decorator of a program with these arguments."""
    return program(lambda rng: copy.deepcopy(args))


X5 = R.normal(size=5)
M = R.normal(size=(4, 3))
S = R.normal(size=(4, 4))


@given(
    {"w": R.normal(size=3), "b": 0.1},
    R.normal(size=(6, 3)),
    np.array([0, 1, 1, 0, 1, 0.0]),
)
def logreg(p, X, y):
    z = X @ p["w"] + p["b"]
    return -np.mean(
        y * np.log(ss.expit(z)) + (1 - y) * np.log1p(-ss.expit(z))
    ) + 0.1 * np.sum(p["w"] ** 2)


@given(np.array([0.5, 1.2, 0.3]), R.normal(size=6), R.normal(size=6))
def gp(theta, x, y):
    l, s, n = np.exp(theta)
    K = s**2 * np.exp(-0.5 * (x[:, None] - x[None, :]) ** 2 / l**2) + n**2 * np.eye(
        len(x)
    )
    L = np.linalg.cholesky(K)
    a = sla.solve_triangular(L, y, lower=True)
    return (
        0.5 * a @ a + np.sum(np.log(np.diag(L))) + 0.5 * len(x) * math.log(2 * math.pi)
    )


@given(R.normal(size=(2, 2)) * 0.3, R.normal(size=(5, 2)))
def kalman(A, ys):
    m = np.zeros(2)
    Pm = np.eye(2)
    ll = 0.0
    for y in ys:
        m = A @ m
        Pm = A @ Pm @ A.T + 0.1 * np.eye(2)
        Sg = Pm + 0.5 * np.eye(2)
        r = y - m
        ll -= 0.5 * (r @ np.linalg.solve(Sg, r) + np.linalg.slogdet(Sg)[1])
        K = Pm @ np.linalg.inv(Sg)
        m = m + K @ r
        Pm = (np.eye(2) - K) @ Pm
    return ll


@given(R.normal(size=(3, 3)), R.normal(size=(3, 4)), [0, 1, 3, 2, 1])
def hmm(T, E, obs):
    logT = T - ss.logsumexp(T, axis=1, keepdims=True)
    logE = E - ss.logsumexp(E, axis=1, keepdims=True)
    a = np.full(3, -np.log(3)) + logE[:, obs[0]]
    for o in obs[1:]:
        a = ss.logsumexp(a[:, None] + logT, axis=0) + logE[:, o]
    return ss.logsumexp(a)


@given(R.normal(size=(4, 2)), R.normal(size=(4, 2)) * 0.1)
def nbody(pos, vel):
    pos = pos.copy()
    vel = vel.copy()
    for _ in range(5):
        acc = np.zeros_like(pos)
        for i in range(len(pos)):
            for j in range(len(pos)):
                if i != j:
                    d = pos[j] - pos[i]
                    acc[i] += d / (np.dot(d, d) + 0.1) ** 1.5
        vel += 0.01 * acc
        pos += 0.01 * vel
    return np.sum(vel**2)


@given(100.0, 105.0, 0.2, 0.5)
def black_scholes(s, k, v, t):
    d1 = (math.log(s / k) + (0.01 + v * v / 2) * t) / (v * math.sqrt(t))
    d2 = d1 - v * math.sqrt(t)

    def N(z):
        return 0.5 * (1 + math.erf(z / math.sqrt(2)))

    return s * N(d1) - k * math.exp(-0.01 * t) * N(d2)


@given(np.array([1.0, 0.5]), 0.3)
def rk4(y, mu):
    def f(y):
        return np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])

    h = 0.1
    for _ in range(20):
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y[0] ** 2 + y[1]


@given(0.1, 0.9)
def adam_hyper(lr, b1):
    x = np.array([1.0, -2.0])
    m = np.zeros(2)
    v = np.zeros(2)
    for t in range(1, 6):
        g = 2 * x + np.sin(x)
        m = b1 * m + (1 - b1) * g
        v = 0.999 * v + 0.001 * g * g
        x = x - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return np.sum(x**2)


@given(R.normal(size=(6, 6)), R.normal(size=(3, 3)))
def conv(img, k):
    h, w = img.shape
    kh, kw = k.shape
    out = np.zeros((h - kh + 1, w - kw + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(img[i : i + kh, j : j + kw] * k)
    return np.maximum(out, 0).sum()


@given({k: R.normal(size=(4, 4)) * 0.5 for k in "qkvo"}, R.normal(size=(5, 4)))
def attention(p, x):
    q, k, v = (x @ p[n] for n in "qkv")
    q, k, v = (a.reshape(5, 2, 2).transpose(1, 0, 2) for a in (q, k, v))
    s = np.einsum("hid,hjd->hij", q, k) / np.sqrt(2)
    mask = np.tril(np.ones((5, 5), dtype=bool))
    s = np.where(mask, s, -1e9)
    w = np.exp(s - s.max(axis=-1, keepdims=True))
    w /= w.sum(axis=-1, keepdims=True)
    o = np.einsum("hij,hjd->ihd", w, v).reshape(5, 4) @ p["o"]
    mu = o.mean(-1, keepdims=True)
    sd = o.std(-1, keepdims=True)
    return np.sum(((o - mu) / (sd + 1e-5)) ** 3)


@given(2.0)
def newton(a):
    x = 1.0
    while abs(x * x - a) > 1e-12:
        x -= (x * x - a) / (2 * x)
    return x


@given(0.3, 0.2)
def mandel(re, im):
    c = complex(re, im)
    z = 0j
    s = 0.0
    for _ in range(6):
        z = z * z + c
        s += abs(z) ** 2
    return s


class Shape:
    scale = 2.0

    def __init__(self, r):
        self.r = r

    @property
    def diameter(self):
        return 2 * self.r

    def area(self):
        return 0.0

    def total(self):
        return self.area() * self.scale + self.diameter


class Circle(Shape):
    def area(self):
        return math.pi * self.r**2


class Square(Shape):
    scale = 3.0

    def __init__(self, r, k=1.5):
        super().__init__(r)
        self.k = k

    def area(self):
        return self.k * self.r * self.r


@given(1.3)
def shapes(r):
    return sum(s.total() for s in [Circle(r), Square(r), Square(2 * r, k=r)])


@given(X5)
def reduce_(x):
    return functools.reduce(lambda a, b: a * np.sin(b) + a, x, 1.0) + sum(
        itertools.accumulate(x, operator.mul)
    )


@given(X5)
def product_(x):
    return sum(a * b**2 for a, b in itertools.product(x, repeat=2) if a > b) + max(
        x
    ) * min(x)


@given(X5)
def heap(x):
    h = list(x)
    h.sort()
    return h[0] * h[1] + h[-1] ** 2


@given(0.7, 5)
def memo(x, n):
    cache = {}

    def fib(k):
        if k in cache:
            return cache[k]
        r = x if k < 2 else fib(k - 1) * x + fib(k - 2)
        cache[k] = r
        return r

    return fib(n)


class Params(NamedTuple):
    a: float
    b: np.ndarray


@given(Params(2.0, X5))
def named(p):
    q = p._replace(a=p.a**2)
    a, b = q
    return a * np.sum(b**2) + q.a


@dataclass
class Node:
    value: float
    kids: list = field(default_factory=list)


@given(Node(1.0, [Node(2.0, [Node(0.5)]), Node(3.0)]), 0.7)
def tree(n, w):
    return math.tanh(w * n.value + sum(tree(k, w) for k in n.kids))


@given(1.5, [("add", 2.0), ("mul", 3.0), ("sq",), ("neg",)])
def interp(x, code):
    for ins in code:
        match ins:
            case ("add", v):
                x = x + v
            case ("mul", v):
                x = x * v
            case ("sq",):
                x = x * x
            case _:
                x = -x
    return x


@given(X5)
def walrus(x):
    t = 0.0
    for v in x:
        if (s := v * v) > 0.1:
            t += s
    return t


@given(X5)
def masks(x):
    y = x.copy()
    y[y < 0] *= 0.1
    y[[0, 2]] += x[[1, 1]]
    np.add.at(y, [0, 0, 1], x[:3])
    z = np.zeros((2, 3))
    z[1] = y[:3]
    z[:, 0] -= y[4]
    return (z * z).sum() + np.clip(y, -0.5, 0.5).sum() + y[::-2].prod()


@given(M)
def outs(m):
    o = np.empty_like(m)
    np.multiply(m, m, out=o)
    np.add(o, 1.0, out=o)
    m2 = m.T
    v = m2[1:, ::2]
    return o.sum() + (v**3).sum()


@given(X5)
def nonlocal_(x):
    total = 0.0

    def add(v):
        nonlocal total
        total += v * v
        return total

    r = [add(v) for v in x]
    return total * r[1]


@given(X5)
def tryf(x):
    s = 0.0
    for k in range(7):
        try:
            s += x[k] ** 2
        except IndexError:
            s *= 1.1
        finally:
            s += 0.1 * x[0]
    return s


@given(X5)
def strings(x):
    names = ["a", "b", "c", "d", "e"]
    d = dict(zip(names, x))
    d["a"] = d.pop("b") * 2
    acc = collections.defaultdict(float)
    for n in "abcac":
        if n in d:
            acc[n] += d[n] ** 2
    return sum(acc.values()) + d.get("zz", 1.0) * len(f"{len(d)}")


@given(X5)
def kwargs_(x):
    def g(*a, scale=1.0, **k):
        return scale * sum(a) * k.get("t", 2.0)

    return g(*x, scale=x[0], t=x[1]) + g(x[2])


@given(X5)
def fft(x):
    f = np.fft.rfft(x)
    f[1] *= 2
    return np.abs(np.fft.irfft(f, 5)).sum()


@given(S)
def linalg(s):
    a = s @ s.T + 4 * np.eye(4)
    w, _v = np.linalg.eigh(a)
    _q, r = np.linalg.qr(a)
    _u, sg, _vt = np.linalg.svd(s)
    return (
        np.sum(np.log(w))
        + np.abs(np.diag(r)).sum()
        + sg.max()
        + np.linalg.norm(s)
        + np.linalg.det(s)
        + sla.expm(s * 0.1).trace()
    )


@given(X5)
def sortr(x):
    i = np.argsort(x)
    return (
        (np.sort(x) * np.arange(5)).sum()
        + x[i[0]] ** 2
        + np.median(x)
        + np.percentile(x, 30)
        + np.cumsum(x)[3] * np.diff(x).max()
    )


@given(R.uniform(1, 2, size=(3, 4)))
def game(c):
    V = np.zeros(3)
    for _ in range(10):
        Q = c[:, :3] + 0.9 * V
        V = np.log(np.sum(np.exp(-Q), axis=1)) * -1
    return V @ V


@given(X5, 0.5)
def viterbi(x, t):
    best = [x[0], -x[0]]
    for v in x[1:]:
        best = [max(best[0] + v, best[1] - t), max(best[1] - v, best[0] * t)]
    return max(best)


@given(X5)
def poly(x):
    r = 0.0
    for c in reversed(x):
        r = r * 0.5 + c**2
    return np.polyval(x, 0.3) * r


@given(X5)
def interp1(x):
    return np.interp(0.37, np.linspace(0, 1, 5), x) ** 2 + np.trapezoid(x * x)


@given(R.normal(size=(5, 3)), np.array([2, 0, 1, 1, 2]))
def xent(logits, y):
    z = logits - logits.max(1, keepdims=True)
    lp = z - np.log(np.exp(z).sum(1, keepdims=True))
    return -lp[np.arange(5), y].mean()


@given(R.normal(size=(6, 2)), R.normal(size=(2, 2)))
def softk(x, c):
    for _ in range(3):
        d = ((x[:, None, :] - c[None]) ** 2).sum(-1)
        w = np.exp(-d)
        w = w / w.sum(1, keepdims=True)
        c = (w.T @ x) / w.sum(0)[:, None]
    return (c**2).sum()


@given(X5)
def stackq(x):
    st = [x[0]]
    for v in x[1:]:
        if len(st) > 1 and v > 0:
            a = st.pop()
            b = st.pop()
            st.append(a * b + v)
        else:
            st.append(v * 2)
    q = collections.deque(st)
    q.appendleft(1.0)
    q.append(2.0)
    return sum(a * i for i, a in enumerate(q, start=1))


@given(X5)
def whileelse(x):
    i = 0
    s = 0.0
    while i < len(x):
        if x[i] > 5:
            break
        s += x[i] ** 3
        i += 1
    else:
        s *= 2
    for v in x:
        if v > 100:
            break
    else:
        s += 1.0 * x[0]
    return s
