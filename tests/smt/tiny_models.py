"""Random tiny phrase tables and language models, and a search that tries everything."""

from __future__ import annotations

import itertools
import math

import numpy as np

from anadrome.ngram.model import NgramModel
from anadrome.smt.phrase_table import make_table
from anadrome.smt.sentences import WordNumbers

SOURCE, TARGET = "abcd", "wxyz"


def random_table(rng, *, oriented=True, scores=2):
    """A table of phrases of one or two words; some words have none."""
    source, target = WordNumbers(SOURCE), WordNumbers(TARGET)
    pairs = set()
    for phrase in (*SOURCE[:3], "ab", "bc", "ca", "dd"):
        for _ in range(rng.integers(1, 3)):
            length = rng.integers(1, 3)
            pairs.add((phrase, "".join(rng.choice(list(TARGET), length))))
    ordered = sorted(pairs)

    def flat(side, words):
        numbers = [words.find(w) for p in ordered for w in p[side]]
        lengths = [len(p[side]) for p in ordered]
        return np.array(numbers), np.concatenate([[0], np.cumsum(lengths)])

    return make_table(
        source,
        target,
        flat(0, source),
        flat(1, target),
        np.log(rng.uniform(0.05, 1.0, (len(ordered), scores))),
        [f"score {k}" for k in range(scores)],
        reordering=np.log(rng.dirichlet(np.ones(6), len(ordered)))
        if oriented
        else None,
    )


def random_lm(rng, order=3):
    sentences = [list(rng.choice(list(TARGET), rng.integers(1, 6))) for _ in range(12)]
    return NgramModel.estimate(sentences, order, fallback=(0.5, 1.0, 1.5), native=False)


def all_derivations(decoder, words, distortion):
    """Every derivation: (score, ((start, end, entry), …)), scored by hand."""
    table, lm, weights = decoder.table, decoder.lm, decoder.weights
    n = len(words)
    spans = {}
    for i, j in itertools.combinations(range(n + 1), 2):
        entries = list(table.find(words[i:j]))
        if not entries and j == i + 1:
            entries = [-1]
        if entries:
            spans[i, j] = entries
    oriented = table.reordering.shape[1] == 6
    size = table.scores.shape[1]

    def values(path):
        found = np.zeros(decoder.features.size)
        state = lm.start
        last = None
        for start, end, entry in path:
            before = -1 if last is None else last[1] - 1
            found[1] -= abs(start - before - 1)
            target = [words[start]] if entry < 0 else table.target_phrase(entry)
            found[2] -= len(target)
            found[3] -= 100 * (entry < 0)
            found[4] += 1
            for word in target:
                log_prob, state = lm.score(state, word)
                found[0] += log_prob * math.log(10)
            if entry >= 0:
                found[5 : 5 + size] += table.scores[entry]
            if last is None:
                kind = 0 if start == 0 else 2
            else:
                kind = 0 if last[1] == start else 1 if end == last[0] else 2
            if oriented and entry >= 0:
                found[5 + size + kind] += table.reordering[entry][kind]
            if oriented and last is not None and last[2] >= 0:
                at = 5 + size + 3 + kind
                found[at] += table.reordering[last[2]][3 + kind]
            last = (start, end, entry)
        found[0] += lm.score(state, "</s>")[0] * math.log(10)
        return found

    def extend(path, covered):
        if len(covered) == n:
            found = values(path)
            yield float(found @ weights), tuple(path), found
            return
        gap = min(set(range(n)) - covered)
        before = path[-1][1] if path else 0
        for (i, j), entries in spans.items():
            if covered & set(range(i, j)):
                continue
            if distortion >= 0:
                if abs(i - before) > distortion:
                    continue
                if i != gap and j - gap > distortion:
                    continue
            for entry in entries:
                yield from extend([*path, (i, j, entry)], covered | set(range(i, j)))

    return sorted(extend([], set()), key=lambda d: -d[0])
