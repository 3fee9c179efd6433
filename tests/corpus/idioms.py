"""What people write: everyday idioms of Python and NumPy."""

import abc
import copy
import enum
import functools
import itertools
import math

import numpy as np
import scipy.signal as sg
import scipy.special as ss
import scipy.stats as st
from corpus.registry import program

R = np.random.default_rng(1)


def given(*args):
    """The decorator of a program with these arguments."""
    return program(lambda rng: copy.deepcopy(args))


X5 = R.normal(size=5)
M = R.normal(size=(4, 3))
U = R.uniform(0.5, 1.5, size=4)


@given(X5)
def lambdas(x):
    fs = [lambda t, k=k: t**k for k in range(1, 4)]

    def comp(f, g):
        return lambda t: f(g(t))

    h = comp(fs[1], math.sin)
    return sum(f(x[0]) for f in fs) + h(x[1])


@given(M, X5)
def multi(m, x):
    a, *b = x
    c = (d := a * 2) + b[0]
    r = [[v * w for w in b] for v in m[0]]
    return sum(map(sum, r)) + c * d + sum(r[0][1:3])


@given(R.uniform(0.1, 1, size=4))
def dirichlet(a):
    return (
        ss.gammaln(a.sum())
        - ss.gammaln(a).sum()
        + ((a - 1) * np.log(np.array([0.1, 0.2, 0.3, 0.4]))).sum()
    )


@given(X5)
def shadows(x):
    out = []
    buf = np.zeros(3)
    for k in range(3):
        buf[k] = x[k] * x[k + 1]
        out.append(buf.copy())
        buf[0] += x[4]
    return sum((o * o).sum() for o in out)


@given(3.0)
def collatz(x):
    n = 7
    s = x
    while n != 1:
        if n % 2:
            n = 3 * n + 1
            s = s * 1.01 + x
        else:
            n //= 2
            s = math.sqrt(s * s + 1)
    return s


@given(X5)
def dec(x):
    def twice(f):
        @functools.wraps(f)
        def g(*a):
            return f(f(*a))

        return g

    @twice
    def h(v):
        return np.sin(v) + v

    p = functools.partial(np.sum, axis=0)
    return p(h(x))


class Op(enum.Enum):
    ADD = 1
    MUL = 2


@given(X5)
def enums(x):
    ops = [Op.ADD, Op.MUL, Op.ADD]
    r = x[0]
    for o, v in zip(ops, x[1:]):
        if o is Op.ADD:
            r = r + v
        elif o == Op.MUL:
            r = r * v
    return r


class Layer(abc.ABC):
    @abc.abstractmethod
    def __call__(self, x): ...
    def __matmul__(self, x):
        return self(x)


class Dense(Layer):
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, x):
        return np.tanh(x @ self.w + self.b)

    def __len__(self):
        return self.w.size


class Seq(Layer):
    def __init__(self, *ls):
        self.ls = ls

    def __call__(self, x):
        for l in self.ls:
            x = l(x)
        return x

    def __iter__(self):
        return iter(self.ls)

    def __getitem__(self, i):
        return self.ls[i]


@given(R.normal(size=(3, 3)), R.normal(size=(2, 3)))
def layers(w, x):
    net = Seq(Dense(w, 0.1), Dense(w.T, w[0]))
    return net(x).sum() + len(net[0]) * net[1].b.sum() + sum(l.w.sum() for l in net)


class Vec:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def dot(self, o):
        return self.x * o.x + self.y * o.y

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __eq__(self, o):
        return self.x == o.x

    def __lt__(self, o):
        return abs(self) < abs(o)

    @classmethod
    def unit(cls, a):
        return cls(math.cos(a), math.sin(a))

    @staticmethod
    def zero():
        return Vec(0.0, 0.0)


@given(0.4, 1.7)
def vecs(a, b):
    u = Vec.unit(a)
    v = 2.0 * Vec.unit(b) + (-u)
    w = sum([u, v, u], Vec.zero())
    big = max([u, v], key=abs)
    return abs(w) + w.dot(big) + (3.0 if u < v else 1.0) * v.x


@given(X5)
def copies(x):
    a = [x[0], [x[1], x[2]]]
    b = copy.deepcopy(a)
    b[1][0] = b[1][0] * 3
    c = a.copy()
    c[1][1] = x[4]
    return a[0] * a[1][0] + b[1][0] * a[1][1] + c[0]


@given(U)
def stats_(x):
    return (
        st.norm.logpdf(x, 0.3, 1.2).sum()
        + st.gamma.logpdf(x, 2.0).sum()
        + st.t.logpdf(x, 5).sum()
        + st.beta.logpdf(x / 2, x[0] + 1, 2.0).sum()
        + st.poisson.logpmf(3, x).sum()
    )


@given(X5)
def sig(x):
    return (sg.convolve(x, np.array([1.0, 2.0, 1.0])) ** 2).sum() + np.correlate(
        x, x[:3], "same"
    ).sum()


@given(X5)
def ravel_(x):
    m = np.outer(x, x).reshape(5, 5)
    m.ravel()[::6] = 0.0
    n = m.T.copy()
    n[np.diag_indices(5)] = x
    return (
        np.linalg.norm(m)
        + (n[np.triu_indices(5)] ** 2).sum()
        + np.kron(x[:2], x[:3]).sum()
    )


@given(X5)
def stacks(x):
    a = np.stack([x, x**2])
    b = np.concatenate([a, a[:1]], axis=0)
    c = np.hstack([b, b[:, :1]])
    d = np.vsplit(c, 3)
    e = np.array([[v, w] for v, w in itertools.pairwise(x)])
    f = np.block([[e, e], [e, e * 2]])
    return (
        c.sum()
        + (d[1] * d[2]).sum()
        + f.prod()
        + np.tile(x, (2, 2))[1].sum()
        + np.repeat(x, 2).max()
    )


@given(M)
def reds(m):
    return (
        m.sum(axis=(0, 1))
        + m.mean(0).max()
        + m.var(ddof=1)
        + np.prod(m, axis=1).sum()
        + np.max(m, axis=0, initial=-9).sum()
        + np.logaddexp.reduce(m[0])
        + np.ptp(m)
        + m.cumsum(1).min()
        + np.nansum(m)
        + np.linalg.norm(m, axis=1).sum()
    )


@given(X5)
def ufm(x):
    return (
        np.add.reduce(x * x)
        + np.multiply.accumulate(x).sum()
        + np.subtract.outer(x, x)[1:3].sum()
        + np.maximum.reduce(x)
        + np.einsum("i,j->", x, x)
        + np.einsum("i,i", x, x)
    )


@given(X5)
def whr(x):
    return (
        np.where(x > 0, np.sqrt(np.abs(x)), 0.0).sum()
        + np.select([x > 1, x > 0], [x**2, x**3], default=-x).sum()
        + np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), x * 0.5).sum()
    )


@given(2.3, 3)
def recur(x, n):
    def ack(m, y):
        if m == 0:
            return y * x
        return ack(m - 1, math.sin(y)) + ack(m - 1, y * 0.5)

    return ack(n, x)


@given(X5)
def mutual(x):
    def even(k, a):
        return a if k == 0 else odd(k - 1, a * x[k % 5])

    def odd(k, a):
        return a if k == 0 else even(k - 1, a + x[k % 5])

    return even(7, 1.0)


@given(X5)
def gens(x):
    return (
        sum(v * v for v in x if v > 0)
        + max(abs(v) for v in x)
        + math.prod(1 + v * v for v in x)
        + len([1 for v in x if v > 0]) * x[0]
    )


@given(X5)
def dictofl(x):
    g = {0: [1, 2], 1: [3], 2: [3, 4], 3: [], 4: []}
    dist = [0.0] + [1e9] * 4
    for u in range(5):
        for v in g[u]:
            dist[v] = min(dist[v], dist[u] + x[v] ** 2 + 1)
    return sum(dist)


@given(X5)
def inplace2(x):
    a = np.zeros((5, 5))
    a += x
    a[:, 1] -= 2 * x[::-1]
    a[2] /= 1.5
    a **= 2
    b = a[1:4, 1:4]
    b[...] = b.T * 2
    b[b > 1] = 1.0
    a[0], a[1] = a[1].copy(), a[0].copy()
    return a.sum()


@given(X5)
def listmut(x):
    l = list(x)
    l[1:3] = [l[2], l[1] * 2]
    l.insert(0, x[4])
    l.extend([l[0] * l[1]])
    l.reverse()
    del l[2]
    l += [1.0]
    y = l.pop(0)
    return sum(i * v for i, v in enumerate(l)) + y * l.index(1.0) + l.count(1.0)


@given(X5)
def sortk(x):
    items = [(v, i) for i, v in enumerate(x)]
    items.sort(key=lambda p: -p[0])
    s = sorted(items, key=lambda p: p[1] ** 2, reverse=True)
    return sum(v * w[1] for (v, _), w in zip(items, s))


@given(X5, 7)
def seeds(x, seed):
    rng = np.random.default_rng(seed)
    eps = rng.normal(size=5)
    m = rng.random(5) < 0.5
    return ((x + eps) * m).sum() + rng.normal(x[0], abs(x[1]) + 0.1) ** 2


@given(X5)
def prints(x):
    y = x[0]
    assert y == y, f"bad {y}"
    if not np.all(np.isfinite(x)):
        raise ValueError("nan")
    return y * 2 + float(x[1]) + x[2].item() * int(3.7)


@given(X5, None)
def opt(x, w: float | None = None):
    w = 1.0 if w is None else w
    t: float = 0.0
    for v in x:
        t = t + w * v if v > 0 else t - v * w
    return t


@given({"a": {"b": [X5, (X5[0], X5 * 2)]}, "c": X5})
def nested(p):
    q = dict(p.items())
    b = q["a"]["b"]
    return (b[0] * b[1][1]).sum() * b[1][0] + sum(q["c"][k] for k in range(0, 5, 2))


@given(X5)
def whl(x):
    stack = [(0, 1.0)]
    total = 0.0
    while stack:
        i, w = stack.pop()
        if i >= 5:
            total += w
            continue
        stack.append((i + 1, w * x[i]))
        if i % 2 == 0:
            stack.append((i + 2, w * 0.5))
    return total


@given(X5)
def bsum(x):
    len(x)
    s = 0.0
    for mask in range(1 << 3):
        p = 1.0
        for j in range(3):
            if mask >> j & 1:
                p *= x[j]
        s += p * (-1) ** bin(mask).count("1")
    return s


@given(X5)
def starx(x):
    def f(a, b=2.0, *c, d, **e):
        return a * b + sum(c) * d + e["z"]

    args = [x[0], x[1], x[2]]
    kw = {"d": x[3], "z": x[4]}
    first, *mid, last = args
    return f(*args, **kw) + f(first, d=last, z=mid[0])


@given(R.normal(size=(3, 2, 2)))
def matpow(a):
    acc = np.eye(2)
    for m in a:
        acc = acc @ np.linalg.matrix_power(m, 2)
    return (
        np.trace(acc)
        + np.linalg.multi_dot([a[0], a[1], a[2]]).sum()
        + (a @ a.transpose(0, 2, 1)).sum()
    )


@given(X5)
def cplx(x):
    z = x[0] + 1j * x[1]
    w = np.exp(1j * x) * z
    return np.abs(w.sum()) ** 2 + np.real(z * z.conjugate()) + np.angle(z)


@given(X5)
def poly2(x):
    c = [1.0, -2.0, 0.5]
    return sum(ci * x**i for i, ci in enumerate(c)).sum()


@given(X5)
def lru(x):
    @functools.lru_cache(None)
    def c(n):
        return 1 if n < 2 else n * c(n - 1)

    return sum(c(k) * x[k] for k in range(5))


@program(lambda rng: (rng.uniform(0.2, 0.9, size=3) * np.array([1, -1, 1]),))
def messages_of_several_shapes(x):
    s = 0.0
    messages = [("add", x[0]), ("mul", x[1], x[2]), {"k": x[2]}, [x[0], x[1]], 3]
    for message in messages:
        match message:
            case ("add", a):
                s = s + a * a
            case ("mul", a, b):
                s = s + a * b
            case {"k": v}:
                s = s * v
            case [a, *rest]:
                s = s + a * len(rest) * rest[0]
            case int(n):
                s = s * n
    return s


class Momentum:
    def __init__(self, rate):
        self.rate = rate
        self.velocity = {}

    def step(self, params, gradient):
        for k in params:
            self.velocity[k] = 0.9 * self.velocity.get(k, 0.0) + gradient[k]
            params[k] = params[k] - self.rate * self.velocity[k]


@program(lambda rng: (rng.uniform(-1, 1, size=3), 0.1), tags=["writes"])
def a_few_steps_with_momentum(x, rate):
    params = {"a": x.copy(), "b": x[0]}
    optimizer = Momentum(rate)
    for _ in range(4):
        gradient = {"a": 2 * params["a"] * params["b"], "b": np.sum(params["a"] ** 2)}
        optimizer.step(params, gradient)
    return np.sum(params["a"]) * params["b"]


@program(lambda rng: (rng.uniform(0.2, 0.9, size=3) * np.array([1, -1, 1]),))
def clipped_in_one_branch_of_a_where(x):
    y = np.where(x > 0, np.clip(np.sqrt(np.abs(x)), 0.1, 2.0), x**2)
    y[x < 0] *= 3
    return np.sum(y)


@program(lambda rng: (rng.uniform(0.2, 0.9, size=3), rng.uniform(0.5, 1.5)))
def pairs_of_an_array_that_changes_and_a_number(x, s):
    w = x.copy()
    pairs = [(w, s), (x * 2, s * s)]
    pairs[0][0][1] += s
    pairs.append((pairs[0][0], np.sin(s)))
    w[2] *= pairs[1][1]
    total = 0.0
    for a, b in pairs:
        total = total + np.sum(a * a) * b
    return total
