"""Likelihoods, filters and dynamic programs."""

import math

import numpy as np
from corpus.registry import program


def chain(rng):
    return rng.normal(size=(4, 3)), rng.normal(size=(3, 3))


def logsumexp(x, axis=None):
    m = np.max(x, axis=axis, keepdims=True)
    s = np.log(np.sum(np.exp(x - m), axis=axis, keepdims=True)) + m
    return np.squeeze(s, axis=axis)


@program(
    lambda rng: (rng.normal(size=(5, 3)), rng.normal(size=3), np.array([0, 1, 1, 0, 1]))
)
def logistic_regression(x, w, y):
    z = x @ w
    return np.mean(np.log1p(np.exp(-(2 * y - 1) * z))) + 0.1 * w @ w


@program(
    lambda rng: (
        rng.normal(size=(5, 3)),
        rng.normal(size=3),
        rng.integers(0, 4, size=5),
    )
)
def poisson_regression(x, w, counts):
    eta = x @ w
    return np.sum(np.exp(eta) - counts * eta)


@program(lambda rng: (rng.normal(size=(4, 3)), np.array([2, 0, 1, 1])))
def softmax_cross_entropy_by_loops(logits, labels):
    loss = 0.0
    for row, label in zip(logits, labels):
        biggest = max(row)
        total = 0.0
        for v in row:
            total += math.exp(v - biggest)
        loss -= row[label] - biggest - math.log(total)
    return loss / len(labels)


@program(
    lambda rng: (
        rng.normal(size=3),
        rng.normal(size=(3, 2)),
        rng.normal(size=3),
        rng.normal(size=(5, 2)),
    )
)
def gaussian_mixture_log_likelihood(logits, means, log_scales, data):
    weights = logits - logsumexp(logits)
    total = 0.0
    for x in data:
        z = ((x - means) / np.exp(log_scales)[:, None]) ** 2
        total += logsumexp(weights - 0.5 * z.sum(axis=1) - 2 * log_scales)
    return total


@program(
    lambda rng: (
        rng.normal(size=(4, 2)),
        rng.uniform(0.5, 1.5),
        rng.uniform(0.5, 1.5),
        rng.normal(size=4),
    )
)
def gaussian_process_marginal_likelihood(x, length, noise, y):
    d = x[:, None] - x[None]
    k = np.exp(-0.5 * (d**2).sum(-1) / length**2) + noise**2 * np.eye(4)
    chol = np.linalg.cholesky(k)
    alpha = np.linalg.solve(chol.T, np.linalg.solve(chol, y))
    return -0.5 * y @ alpha - np.log(np.diag(chol)).sum()


@program(
    lambda rng: (rng.normal(size=(4, 2)), rng.normal(size=2), rng.normal(size=(2, 2)))
)
def multivariate_normal_density(x, mean, a):
    cov = a @ a.T + np.eye(2)
    r = x - mean
    maha = np.sum(r @ np.linalg.inv(cov) * r, axis=1)
    sign, logdet = np.linalg.slogdet(cov)
    return np.sum(-0.5 * (maha + logdet + 2 * np.log(2 * np.pi)))


@program(
    lambda rng: (rng.normal(size=(4, 1)), rng.uniform(0.1, 0.5), rng.uniform(0.1, 0.5))
)
def kalman_filter(observations, process, measurement):
    a = np.array([[1.0, 0.1], [0.0, 0.95]])
    h = np.array([[1.0, 0.0]])
    mean, cov = np.zeros(2), np.eye(2)
    loglik = 0.0
    for y in observations:
        mean = a @ mean
        cov = a @ cov @ a.T + process * np.eye(2)
        s = h @ cov @ h.T + measurement
        gain = cov @ h.T / s
        r = y - h @ mean
        loglik -= 0.5 * (np.log(s[0, 0]) + r[0] ** 2 / s[0, 0])
        mean = mean + gain @ r
        cov = cov - gain @ h @ cov
    return loglik + mean[0]


@program(
    lambda rng: (
        rng.uniform(0.1, 1, size=(2, 2)),
        rng.uniform(0.1, 1, size=(2, 3)),
        [0, 2, 1, 1],
    )
)
def hmm_forward(transition, emission, observed):
    a = transition / transition.sum(axis=1, keepdims=True)
    b = emission / emission.sum(axis=1, keepdims=True)
    alpha = 0.5 * b[:, observed[0]]
    for o in observed[1:]:
        alpha = (alpha @ a) * b[:, o]
    return np.log(alpha.sum())


@program(
    lambda rng: (
        rng.uniform(0.1, 1, size=(2, 2)),
        rng.uniform(0.1, 1, size=(2, 3)),
        [0, 2, 1],
    ),
    tags=["writes"],
)
def hmm_forward_scaled_with_table(transition, emission, observed):
    alpha = np.zeros((3, 2))
    loglik = 0.0
    for t, o in enumerate(observed):
        for j in range(2):
            if t == 0:
                alpha[t, j] = emission[j, o]
            else:
                alpha[t, j] = emission[j, o] * sum(
                    alpha[t - 1, i] * transition[i, j] for i in range(2)
                )
        scale = alpha[t].sum()
        alpha[t] /= scale
        loglik += np.log(scale)
    return loglik


@program(chain)
def crf_log_partition(unary, pairwise):
    alpha = unary[0]
    for score in unary[1:]:
        alpha = logsumexp(alpha[:, None] + pairwise, axis=0) + score
    return logsumexp(alpha)


@program(lambda rng: (*chain(rng), [0, 2, 2, 1]))
def crf_negative_log_likelihood(unary, pairwise, tags):
    gold = unary[0, tags[0]]
    for t in range(1, len(tags)):
        gold += unary[t, tags[t]] + pairwise[tags[t - 1], tags[t]]
    alpha = unary[0]
    for t in range(1, len(tags)):
        alpha = (
            np.array([logsumexp(alpha + pairwise[:, j]) for j in range(3)]) + unary[t]
        )
    return logsumexp(alpha) - gold


@program(chain)
def viterbi_score(unary, pairwise):
    best = unary[0]
    for score in unary[1:]:
        best = np.max(best[:, None] + pairwise, axis=0) + score
    return np.max(best) ** 2


@program(chain, tags=["writes"])
def viterbi_with_backpointers(unary, pairwise):
    best, back = unary[0], []
    for score in unary[1:]:
        table = best[:, None] + pairwise
        back.append(table.argmax(axis=0))
        best = table.max(axis=0) + score
    path = [int(best.argmax())]
    for pointers in reversed(back):
        path.append(int(pointers[path[-1]]))
    total = 0.0
    for t, tag in enumerate(reversed(path)):
        total += np.sin(unary[t, tag])
    return total


@program(lambda rng: (rng.normal(size=(3, 4)), rng.uniform(0.5, 1.0)), tags=["writes"])
def soft_edit_distance(cost, gap):
    n, m = cost.shape
    d = np.zeros((n + 1, m + 1))
    d[:, 0] = gap * np.arange(n + 1)
    d[0, :] = gap * np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            choices = np.array(
                [
                    d[i - 1, j - 1] + cost[i - 1, j - 1],
                    d[i - 1, j] + gap,
                    d[i, j - 1] + gap,
                ]
            )
            d[i, j] = -logsumexp(-choices)
    return d[n, m]


@program(lambda rng: (rng.normal(size=(3, 4)), rng.uniform(0.5, 1.0)), tags=["writes"])
def hard_alignment_with_rolling_row(score, gap):
    previous = [-gap * j for j in range(5)]
    for i in range(3):
        current = [previous[0] - gap]
        for j in range(4):
            best = max(
                previous[j] + score[i, j], previous[j + 1] - gap, current[j] - gap
            )
            current.append(best)
        previous = current
    return previous[-1] * gap


@program(
    lambda rng: (
        rng.normal(size=6),
        [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (0, 3)],
    ),
    tags=["writes"],
)
def lattice_sum_over_arcs(weights, arcs):
    alpha = {0: 0.0}
    for (source, target), w in zip(arcs, weights):
        incoming = alpha[source] + w
        if target in alpha:
            alpha[target] = np.logaddexp(alpha[target], incoming)
        else:
            alpha[target] = incoming
    return alpha[3]


@program(lambda rng: (rng.normal(size=(5, 3)), rng.normal(size=3)), tags=["writes"])
def segmental_lattice_language_model(embedding, w):
    n = 4
    alpha = np.full(n + 1, -1e9)
    alpha[0] = 0.0
    for end in range(1, n + 1):
        for start in range(max(0, end - 3), end):
            piece = np.tanh(embedding[start:end].sum(axis=0)) @ w
            alpha[end] = np.logaddexp(alpha[end], alpha[start] + piece)
    return alpha[n]


@program(lambda rng: (rng.normal(size=(3, 3)), [0, 1]), tags=["writes"])
def ctc_forward(logits, target):
    logp = logits - logsumexp(logits, axis=1)[:, None]
    labels = [2]
    for t in target:
        labels += [t, 2]
    alpha = [logp[0, labels[0]], logp[0, labels[1]]] + [-1e9] * (len(labels) - 2)
    for t in range(1, 3):
        new = []
        for s in range(len(labels)):
            a = alpha[s]
            if s > 0:
                a = np.logaddexp(a, alpha[s - 1])
            if s > 1 and labels[s] != 2 and labels[s] != labels[s - 2]:
                a = np.logaddexp(a, alpha[s - 2])
            new.append(a + logp[t, labels[s]])
        alpha = new
    return np.logaddexp(alpha[-1], alpha[-2])


@program(lambda rng: (rng.normal(size=(4, 2)), rng.normal(size=(2, 2))))
def soft_kmeans_step(data, centres):
    for _ in range(2):
        d = ((data[:, None] - centres[None]) ** 2).sum(-1)
        r = np.exp(-d)
        r = r / r.sum(axis=1, keepdims=True)
        centres = (r.T @ data) / r.sum(axis=0)[:, None]
    return (centres**2).sum()


@program(
    lambda rng: (rng.normal(size=(4, 2)), rng.normal(size=(2, 2)) + [[3.0], [-3.0]]),
    tags=["writes"],
)
def hard_kmeans_step(data, centres):
    total = np.zeros((2, 2))
    count = [1, 1]
    for x in data:
        k = int(np.argmin(((x - centres) ** 2).sum(axis=1)))
        total[k] += x
        count[k] += 1
    new = [(total[k] + centres[k]) / count[k] for k in range(2)]
    return (np.stack(new) ** 2).sum()


@program(lambda rng: (rng.normal(size=4), rng.normal(size=4), rng.normal(size=4)))
def variational_lower_bound(mean, log_sd, noise):
    z = mean + np.exp(log_sd) * noise
    kl = 0.5 * np.sum(mean**2 + np.exp(2 * log_sd) - 2 * log_sd - 1)
    return -np.sum((z - 1.0) ** 2) - kl


@program(lambda rng: (rng.normal(size=2), rng.normal(size=2)))
def hamiltonian_monte_carlo_energy(q, p):
    logp = lambda v: -0.5 * v @ v - 0.1 * (v**4).sum()
    grad = lambda v: -v - 0.4 * v**3
    start = -logp(q) + 0.5 * p @ p
    for _ in range(3):
        p = p + 0.1 * grad(q)
        q = q + 0.2 * p
        p = p + 0.1 * grad(q)
    return -logp(q) + 0.5 * p @ p - start + q[0]


@program(lambda rng: (rng.uniform(1, 3, size=3), rng.uniform(0.1, 0.9, size=3)))
def dirichlet_density_with_lgamma(alpha, p):
    p = p / p.sum()
    norm = math.lgamma(alpha.sum())
    for a in alpha:
        norm -= math.lgamma(a)
    return norm + ((alpha - 1) * np.log(p)).sum()


@program(lambda rng: (rng.normal(size=4), rng.uniform(1.0, 2.0)))
def huber_loss_by_branches(residuals, delta):
    total = 0.0
    for r in residuals:
        if abs(r) <= delta:
            total += 0.5 * r * r
        else:
            total += delta * (abs(r) - 0.5 * delta)
    return total + delta**2


@program(lambda rng: (rng.uniform(0.5, 2.0, size=4), [1, 0, 1, 1], rng.normal()))
def censored_survival_likelihood(times, observed, log_rate):
    rate = np.exp(log_rate)
    total = 0.0
    for t, seen in zip(times, observed):
        if not seen:
            total -= rate * t**1.5
            continue
        total += log_rate + 0.5 * np.log(t) - rate * t**1.5
    return total


@program(lambda rng: (rng.normal(size=4), rng.normal(size=4)))
def pairwise_ranking_loss(scores, relevance):
    loss, pairs = 0.0, 0
    for i in range(4):
        for j in range(4):
            if relevance[i] <= relevance[j]:
                continue
            loss += np.log1p(np.exp(scores[j] - scores[i]))
            pairs += 1
    return loss / pairs + 0.1 * relevance @ scores
