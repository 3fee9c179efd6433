"""The search as a tree."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import HistoryModel

from anadrome.decode import (
    Diversity,
    Fate,
    Limits,
    PowerPenalty,
    SearchTrace,
    WhenFull,
    beam_search,
)

LIMITS = Limits(max_length=6)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1, 2, 4]), st.booleans())
def test_the_tree_is_what_the_search_did(seed, beam, grouped):
    model, trace = HistoryModel(seed), SearchTrace()
    found = beam_search(
        model, range(3), 3, beam=beam, n_best=beam, limits=LIMITS, trace=trace,
        penalty=PowerPenalty(1.0), diversity=Diversity(beam) if grouped else None,
    )  # fmt: skip
    plain = beam_search(
        HistoryModel(seed), range(3), 3, beam=beam, n_best=beam, limits=LIMITS,
        penalty=PowerPenalty(1.0), diversity=Diversity(beam) if grouped else None,
    )  # fmt: skip
    assert [[h.tokens for h in f] for f in found] == [
        [h.tokens for h in f] for f in plain
    ]
    for sentence, (tree, mine) in enumerate(zip(trace.trees, found, strict=True)):
        assert tree.tokens(tree.best) == mine[0].tokens
        for i, node in enumerate(tree.nodes[1:], start=1):
            assert node.parent < i
            assert tree.nodes[node.parent].fate is Fate.KEPT
            assert node.length == len(tree.path(i))
            total, _ = model.score_tokens(sentence, tree.tokens(i))
            np.testing.assert_allclose(node.log_prob, total)
        ended = {
            (tree.tokens(i), node.score)
            for i, node in enumerate(tree.nodes)
            if node.fate in (Fate.FINISHED, Fate.CUT)
        }
        assert {(h.tokens, h.score) for h in mine} <= ended
        for length in range(1, LIMITS.max_length + 1):
            fates = [n.fate for n in tree.nodes if n.length == length]
            assert len(fates) - fates.count(Fate.PRUNED) <= beam


def test_the_tree_can_be_read_and_thinned():
    trace = SearchTrace()
    beam_search(HistoryModel(4), [0], 1, beam=2, limits=Limits(max_length=3),
                stopping=WhenFull(), trace=trace)  # fmt: skip
    (tree,) = trace.trees
    words = ["<pad>", "<s>", "</s>", "a", "b", "c"]
    lines = tree.table(words).splitlines()
    assert len(lines) == len(tree.nodes)
    assert lines[0] == "<s> 0.000"
    assert sum(line.endswith("×") for line in lines) == sum(
        node.fate is Fate.PRUNED for node in tree.nodes
    )
    thin = tree.without_pruned()
    assert all(node.fate is not Fate.PRUNED for node in thin.nodes)
    assert thin.tokens(thin.best) == tree.tokens(tree.best)
    some = tree.without_pruned(spared=1)
    assert len(thin.nodes) < len(some.nodes) < len(tree.nodes)
    assert {tree.nodes[i].length for i in tree.children(0)} == {1}
