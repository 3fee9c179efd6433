"""Models small enough to try everything."""

import numpy as np


class HistoryModel:
    """Random distributions that depend on the sentence and on all tokens so far.

    The state is a list of (sentence, tokens); attention is random, too, so that a
    misplaced row shows.
    """

    def __init__(self, seed, vocabulary=6, positions=4, spread=1.0):
        self.seed, self.vocabulary = seed, vocabulary
        self.positions, self.spread = positions, spread
        self.rows = []  # how many rows each step was asked for

    def start(self, source):
        return [(int(s), ()) for s in source]

    def step(self, state, last_tokens):
        assert len(state) == len(last_tokens)
        self.rows.append(len(state))
        state = [(s, (*said, int(t))) for (s, said), t in zip(state, last_tokens)]
        return state, np.stack([self.log_probs(*row) for row in state])

    def reorder(self, state, indices):
        return [state[i] for i in indices]

    def attention(self, state):
        return np.stack([self.weights(*row) for row in state])

    def log_probs(self, sentence, said):
        rng = np.random.default_rng([self.seed, sentence, *said])
        logits = rng.normal(size=self.vocabulary) * self.spread
        return logits - np.log(np.exp(logits).sum())

    def weights(self, sentence, said):
        rng = np.random.default_rng([self.seed, sentence, *said, 99])
        return rng.dirichlet(np.ones(self.positions))

    def score_tokens(self, sentence, tokens, bos=1):
        """The log-probability of an output, and its attention."""
        said, total, looked = (bos,), 0.0, []
        for token in tokens:
            total += self.log_probs(sentence, said)[token]
            looked.append(self.weights(sentence, said))
            said = (*said, token)
        return total, np.stack(looked)


class TableModel:
    """The same log-probabilities whatever was said: for hand-made cases.

    `table[t]` is the distribution of token t; the state is the step.
    """

    def __init__(self, table):
        self.table = [np.asarray(row, dtype=float) for row in table]

    def start(self, source):
        return np.zeros(len(source), dtype=int)

    def step(self, state, last_tokens):
        return state + 1, np.stack([self.table[t] for t in state])

    def reorder(self, state, indices):
        return state[indices]
