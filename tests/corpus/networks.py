"""Neural networks written out by hand."""

import numpy as np
from corpus.registry import program


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def cross_entropy(logits, label):
    m = logits.max()
    return m + np.log(np.exp(logits - m).sum()) - logits[label]


def mlp_parameters(rng):
    sizes = [3, 4, 2]
    return [
        (rng.normal(size=(n, m)), rng.normal(size=m)) for n, m in zip(sizes, sizes[1:])
    ]


@program(lambda rng: (mlp_parameters(rng), rng.normal(size=(2, 3))), tags=["float32"])
def mlp_with_list_of_pairs(params, x):
    for w, b in params[:-1]:
        x = np.tanh(x @ w + b)
    w, b = params[-1]
    return ((x @ w + b) ** 2).mean()


@program(
    lambda rng: (mlp_parameters(rng), rng.normal(size=(2, 3)), np.array([1, 0])),
    tags=["float32"],
)
def mlp_classifier(params, x, labels):
    h = x
    for i, (w, b) in enumerate(params):
        h = h @ w + b
        if i < len(params) - 1:
            h = np.maximum(h, 0.0)
    logp = np.log(softmax(h))
    loss = -logp[np.arange(2), labels].mean()
    return loss + 0.01 * sum([(w**2).sum() for w, _ in params])


@program(
    lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=3)),
    tags=["float32"],
)
def layer_norm(x, gain, bias):
    mean = x.mean(axis=-1, keepdims=True)
    var = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    y = (x - mean) / np.sqrt(var + 1e-2) * gain + bias
    return np.sin(y).sum()


@program(
    lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=3)),
    tags=["float32"],
)
def batch_norm(x, gain, bias):
    mu = x.mean(axis=0)
    var = x.var(axis=0)
    return np.tanh((x - mu) / np.sqrt(var + 1e-2) * gain + bias).sum()


@program(
    lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=(2, 2)), rng.normal()),
    tags=["writes"],
)
def conv2d_by_loops(image, kernel, bias):
    h, w = image.shape
    kh, kw = kernel.shape
    out = np.zeros((h - kh + 1, w - kw + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(image[i : i + kh, j : j + kw] * kernel) + bias
    return np.maximum(out, 0.0).sum() + (out**2).mean()


@program(
    lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=(3, 3))), tags=["writes"]
)
def conv2d_by_shifted_sums(image, kernel):
    padded = np.zeros((6, 6))
    padded[1:-1, 1:-1] = image
    out = np.zeros((4, 4))
    for i in range(3):
        for j in range(3):
            out += kernel[i, j] * padded[i : i + 4, j : j + 4]
    return np.tanh(out).sum()


@program(lambda rng: (rng.normal(size=(4, 4)),), tags=["writes"])
def max_pooling_by_loops(image):
    out = np.zeros((2, 2))
    for i in range(2):
        for j in range(2):
            out[i, j] = image[2 * i : 2 * i + 2, 2 * j : 2 * j + 2].max()
    return (out**2).sum()


@program(
    lambda rng: (rng.normal(size=(5, 2)), 0.3 * rng.normal(size=(3, 2, 2))),
    tags=["float32"],
)
def temporal_convolution(x, kernels):
    out = []
    for t in range(len(x) - 2):
        y = sum([x[t + k] @ kernels[k] for k in range(3)])
        out.append(np.tanh(y))
    return np.stack(out).max(axis=0).sum()


def rnn_arguments(rng):
    return (
        rng.normal(size=(2, 3)),
        rng.normal(size=(3, 3)),
        rng.normal(size=3),
        rng.normal(size=(4, 2)),
    )


@program(rnn_arguments)
def rnn_by_loop(w, u, b, xs):
    h = np.zeros(3)
    for x in xs:
        h = np.tanh(x @ w + h @ u + b)
    return h.sum()


@program(
    lambda rng: (
        rng.normal(size=(2, 3)),
        rng.normal(size=(3, 3)),
        rng.normal(size=(4, 5, 2)),
    )
)
def rnn_on_batch(w, u, xs):
    h = np.zeros((5, 3))
    loss = 0.0
    for t in range(xs.shape[0]):
        h = np.tanh(xs[t] @ w + h @ u)
        loss += (h**2).mean()
    return loss / xs.shape[0]


@program(rnn_arguments, tags=["writes"])
def bidirectional_rnn(w, u, b, xs):
    forward, backward = [], []
    h = np.zeros(3)
    for x in xs:
        h = np.tanh(x @ w + h @ u)
        forward.append(h)
    h = b
    for x in xs[::-1]:
        h = np.tanh(x @ w + h @ u)
        backward.append(h)
    backward.reverse()
    both = [np.concatenate([f, g]) for f, g in zip(forward, backward)]
    return (np.stack(both)[:, 1:4] ** 2).sum()


def lstm_arguments(rng):
    return 0.5 * rng.normal(size=(5, 12)), rng.normal(size=12), rng.normal(size=(3, 2))


@program(lstm_arguments)
def lstm_with_split(w, b, xs):
    h, c = np.zeros(3), np.zeros(3)
    for x in xs:
        z = np.concatenate([x, h]) @ w + b
        i, f, o, g = np.split(z, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return (h * c).sum()


@program(lstm_arguments, tags=["writes"])
def lstm_with_state_arrays(w, b, xs):
    n = len(xs)
    h, c = np.zeros((n + 1, 3)), np.zeros((n + 1, 3))
    for t in range(n):
        z = xs[t] @ w[:2] + h[t] @ w[2:] + b
        z[:9] = sigmoid(z[:9])
        z[9:] = np.tanh(z[9:])
        c[t + 1] = z[3:6] * c[t] + z[:3] * z[9:]
        h[t + 1] = z[6:9] * np.tanh(c[t + 1])
    return (h**2).sum()


@program(
    lambda rng: (
        {k: rng.normal(size=(2, 3)) for k in "zrh"},
        {k: rng.normal(size=(3, 3)) for k in "zrh"},
        rng.normal(size=(3, 2)),
    )
)
def gru_with_dicts(w, u, xs):
    h = np.zeros(3)
    for x in xs:
        z = sigmoid(x @ w["z"] + h @ u["z"])
        r = sigmoid(x @ w["r"] + h @ u["r"])
        candidate = np.tanh(x @ w["h"] + (r * h) @ u["h"])
        h = (1 - z) * h + z * candidate
    return h.sum()


@program(
    lambda rng: (
        rng.normal(size=(2, 3)),
        rng.normal(size=(3, 3)),
        rng.normal(size=(4, 2)),
        np.array([1, 1, 0, 0]),
    )
)
def rnn_with_mask(w, u, xs, mask):
    h = np.zeros(3)
    for x, m in zip(xs, mask):
        new = np.tanh(x @ w + h @ u)
        h = m * new + (1 - m) * h
    return (h**2).sum()


@program(
    lambda rng: (
        rng.normal(size=(6, 3)),
        rng.normal(size=(3, 3)),
        rng.normal(size=(3, 6)),
        [1, 4, 2, 5, 0],
    )
)
def language_model(embedding, u, out, words):
    h = np.zeros(3)
    loss = 0.0
    for current, following in zip(words, words[1:]):
        h = np.tanh(embedding[current] + h @ u)
        loss += cross_entropy(h @ out, following)
    return loss / (len(words) - 1)


@program(
    lambda rng: (
        {
            "embed": rng.normal(size=(5, 3)),
            "enc": rng.normal(size=(3, 3)),
            "dec": rng.normal(size=(6, 3)),
            "out": rng.normal(size=(3, 5)),
        },
        [1, 3, 2],
        [2, 4, 0],
    )
)
def encoder_decoder_with_attention(p, source, target):
    states, h = [], np.zeros(3)
    for word in source:
        h = np.tanh(p["embed"][word] + h @ p["enc"])
        states.append(h)
    states = np.stack(states)
    s, loss, previous = h, 0.0, 0
    for word in target:
        weights = softmax(states @ s)
        context = weights @ states
        s = np.tanh(np.concatenate([context, p["embed"][previous]]) @ p["dec"] + s)
        loss += cross_entropy(s @ p["out"], word)
        previous = word
    return loss


@program(
    lambda rng: (
        rng.normal(size=(3, 4)),
        rng.normal(size=(4, 4)),
        rng.normal(size=(4, 4)),
        rng.normal(size=(4, 4)),
    )
)
def self_attention(x, wq, wk, wv):
    q, k, v = x @ wq, x @ wk, x @ wv
    scores = q @ k.T / np.sqrt(4)
    mask = np.tril(np.ones((3, 3)))
    scores = np.where(mask > 0, scores, -1e9)
    return (softmax(scores) @ v).sum()


@program(
    lambda rng: (
        rng.normal(size=(3, 4)),
        rng.normal(size=(2, 4, 2)),
        rng.normal(size=(2, 4, 2)),
    ),
    tags=["float32"],
)
def multi_head_attention_by_loop(x, wq, wk):
    heads = []
    for q, k in zip(wq, wk):
        weights = softmax((x @ q) @ (x @ k).T)
        heads.append(weights @ x[:, :2])
    return (np.concatenate(heads, axis=1) * x).sum()


@program(
    lambda rng: (
        rng.normal(size=(3, 2)),
        rng.normal(size=3),
        rng.normal(size=2),
        rng.normal(size=(4, 3)),
    )
)
def additive_attention_by_loop(w, u, v, states):
    scores = []
    for h in states:
        scores.append(np.tanh(h @ w) @ v + h @ u)
    weights = softmax(np.array(scores))
    context = np.zeros(3)
    for a, h in zip(weights, states):
        context = context + a * h
    return (context**2).sum()


@program(
    lambda rng: (
        rng.normal(size=(4, 2)),
        rng.normal(size=(2, 2)),
        rng.normal(size=(4, 6)),
        3,
    ),
    tags=["float32"],
)
def gated_recursive_network(x, w, g, depth):
    level = [v for v in x]
    while len(level) > 1:
        new = []
        for left, right in zip(level, level[1:]):
            candidate = np.tanh((left + right) @ w)
            gate = softmax(np.concatenate([left, right]) @ g[:, :depth])
            new.append(gate[0] * candidate + gate[1] * left + gate[2] * right)
        level = new
    return level[0].sum()


@program(
    lambda rng: (rng.normal(size=(4, 2)), rng.normal(size=(4, 2)), rng.normal(size=2)),
    tags=["float32"],
)
def recursive_autoencoder(words, w, b):
    nodes, loss = [v for v in words], 0.0
    while len(nodes) > 1:
        pair = np.concatenate(nodes[:2])
        h = np.tanh(pair @ w + b)
        rebuilt = h @ w.T
        loss += ((rebuilt - pair) ** 2).sum()
        nodes = nodes[2:] + [h]
    return loss


@program(
    lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(2, 8))), tags=["float32"]
)
def tree_lstm(words, u):
    def encode(tree):
        if isinstance(tree, int):
            return np.tanh(words[tree]), words[tree]
        (hl, cl), (hr, cr) = encode(tree[0]), encode(tree[1])
        z = (hl + hr) @ u
        i, f, o, g = z[:2], z[2:4], z[4:6], z[6:]
        c = sigmoid(i) * np.tanh(g) + sigmoid(f) * (cl + cr)
        return sigmoid(o) * np.tanh(c), c

    h, c = encode(((0, 1), (2, (1, 0))))
    return (h + c).sum()


@program(
    lambda rng: (
        rng.normal(size=(4, 2)),
        rng.normal(size=(2, 2)),
        {0: [1, 2], 1: [0], 2: [0, 3], 3: [2]},
    ),
    tags=["float32"],
)
def graph_message_passing(x, w, neighbours):
    for _ in range(2):
        messages = []
        for node in range(len(x)):
            incoming = sum([x[other] for other in neighbours[node]])
            messages.append(np.tanh(incoming @ w + x[node]))
        x = np.stack(messages)
    return x.sum()


@program(
    lambda rng: (
        rng.normal(size=(4, 2)),
        rng.normal(size=(2, 2)),
        np.array([0, 0, 1, 3]),
        np.array([1, 2, 2, 0]),
    ),
    tags=["writes"],
)
def graph_convolution_with_edge_lists(x, w, source, target):
    h = np.zeros_like(x)
    np.add.at(h, target, x[source] @ w)
    degree = np.ones(4)
    np.add.at(degree, target, 1.0)
    return np.tanh(h / degree[:, None] + x).sum()


@program(
    lambda rng: (rng.normal(size=(5, 2)), np.array([0, 0, 1, 2, 2])), tags=["writes"]
)
def segment_softmax(x, segment):
    z = np.exp(x[:, 0])
    total = np.zeros(3)
    np.add.at(total, segment, z)
    p = z / total[segment]
    return (p * x[:, 1]).sum()


@program(
    lambda rng: (rng.normal(size=(6, 3)), [[0, 1], [2, 3, 4], [5]]), tags=["float32"]
)
def ragged_batch_pooling(tokens, sentences):
    pooled = []
    for words in sentences:
        vectors = tokens[words]
        pooled.append(vectors.max(axis=0) + vectors.mean(axis=0))
    return np.prod(np.stack(pooled), axis=0).sum()


@program(
    lambda rng: (
        rng.normal(size=(5, 2)),
        rng.normal(size=(5, 2)),
        2,
        0,
        np.array([1, 3, 4]),
    ),
    tags=["float32"],
)
def skip_gram_negative_sampling(centre, context, word, positive, negatives):
    v = centre[word]
    loss = -np.log(sigmoid(context[positive] @ v))
    for n in negatives:
        loss -= np.log(sigmoid(-context[n] @ v))
    return loss


@program(
    lambda rng: (rng.normal(size=3), rng.normal(size=(3, 3)), rng.normal(size=3)),
    tags=["writes"],
)
def adam_steps_on_inner_problem(x, a, b):
    m, v = np.zeros(3), np.zeros(3)
    for t in range(1, 4):
        g = a.T @ (a @ x - b)
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g**2
        x = x - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 0.1)
    return (x**2).sum()


@program(
    lambda rng: (rng.normal(size=(2, 2)), rng.normal(size=2), rng.uniform(0.05, 0.2)),
    tags=["float32"],
)
def learned_learning_rate(w, x, rate):
    def loss(v):
        return ((v @ x - 1.0) ** 2).sum()

    def gradient(v):
        return 2 * np.outer(v @ x - 1.0, x)

    for _ in range(3):
        w = w - rate * gradient(w)
    return loss(w)


@program(
    lambda rng: (
        rng.normal(size=(3, 4)),
        rng.uniform(0.3, 0.7, size=(3, 4)),
        rng.normal(size=4),
    ),
    tags=["float32"],
)
def dropout_with_given_noise(x, noise, w):
    keep = noise > 0.5
    h = np.where(keep, x / 0.5, 0.0)
    return np.tanh(h @ w).sum() + 0.1 * x.sum()


@program(
    lambda rng: (
        rng.normal(size=(4, 2)),
        rng.normal(size=(2, 2)),
        rng.normal(size=(2, 2)),
    ),
    tags=["float32"],
)
def residual_blocks_with_highway(x, w, g):
    for _ in range(3):
        t = sigmoid(x @ g)
        x = t * np.tanh(x @ w) + (1 - t) * x
    return x.mean()


@program(
    lambda rng: (
        rng.normal(size=(2, 3)),
        rng.normal(size=(3, 2)),
        rng.normal(size=3),
        rng.normal(size=3),
    ),
    tags=["float32"],
)
def normalising_flow(w, u, b, x):
    logdet = 0.0
    for wi, ui in zip(w, u.T):
        a = wi @ x + b[0]
        x = x + ui * np.tanh(a)
        logdet += np.log(np.abs(1 + (1 - np.tanh(a) ** 2) * (ui @ wi)) + 0.1)
    return logdet - 0.5 * x @ x


@program(lambda rng: (rng.normal(size=4), rng.normal(size=(4, 4))), tags=["float32"])
def hopfield_energy_until_stable(x, w):
    w = (w + w.T) / 2
    energy = -0.5 * x @ w @ x
    for _ in range(5):
        x = np.tanh(w @ x)
        new = -0.5 * x @ w @ x
        if abs(new - energy) < 1e-1:
            break
        energy = new
    return energy + x.sum()


@program(
    lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=(3, 5)), 3), tags=["writes"]
)
def greedy_decoder_feeds_back(embedding, out, steps):
    h, word, total = np.zeros(3), 0, 0.0
    for _ in range(steps):
        h = np.tanh(h + embedding[word])
        logits = h @ out
        word = int(np.argmax(logits[:4]))
        total += np.log(softmax(logits)[word])
    return total


@program(lambda rng: (rng.normal(size=(3, 4)), 2), tags=["float32"])
def beam_search_score(logits, width):
    beams = [(0.0, [])]
    for row in logits:
        logp = row - np.log(np.exp(row).sum())
        grown = [(s + logp[k], path + [k]) for s, path in beams for k in range(4)]
        grown = sorted(grown, key=lambda b: -b[0])
        beams = grown[:width]
    return beams[0][0] + 0.5 * beams[1][0]
