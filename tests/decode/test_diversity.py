"""Beams in groups, and the penalty for coverage."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import HistoryModel, TableModel

from anadrome.decode import (
    CoveragePenalty,
    Diversity,
    Limits,
    OffsetPenalty,
    WhenCertain,
    WhenFull,
    beam_search,
    exhaustive_search,
)

SEEDS = st.integers(0, 10_000)
LIMITS = Limits(max_length=7)


def outputs(found):
    return [[(h.tokens, round(h.score, 9)) for h in mine] for mine in found]


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(1, 5))
def test_one_group_is_a_plain_beam(seed, beam):
    options = {"beam": beam, "n_best": beam, "limits": LIMITS}
    plain = beam_search(HistoryModel(seed), range(3), 3, **options)
    grouped = beam_search(
        HistoryModel(seed), range(3), 3, diversity=Diversity(1, 3.0), **options
    )
    assert outputs(grouped) == outputs(plain)


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.sampled_from([(2, 2), (2, 3), (3, 1), (1, 4)]))
def test_groups_are_as_one_after_the_other(seed, shape):
    """Against a plain search for one sentence, group by group, with lists."""
    groups, places = shape
    strength, beam, model = 0.7, groups * places, HistoryModel(seed)
    (found,) = beam_search(
        model, [1], 1, beam=beam, n_best=beam, limits=LIMITS, stopping=WhenFull(),
        diversity=Diversity(groups, strength),
    )  # fmt: skip
    beams = [[((1,), 0.0)] for _ in range(groups)]
    widths, ended, cut = [places] * groups, {}, {}
    for t in range(LIMITS.max_length):
        said = []
        for g in range(groups):
            options = []
            for words, total in beams[g]:
                log_probs = model.log_probs(1, words)
                options += [((*words, v), total + log_probs[v]) for v in range(2, 6)]
            options.sort(key=lambda o: -(o[1] - strength * said.count(o[0][-1])))
            kept = options[: widths[g]]
            said += [words[-1] for words, _ in kept]
            beams[g] = [o for o in kept if o[0][-1] != 2]
            widths[g] -= len(kept) - len(beams[g])
            ended |= {w[1:]: p for w, p in kept if w[-1] == 2}
            if t + 1 == LIMITS.max_length:
                cut |= {w[1:]: p for w, p in beams[g]}
        if len(ended) >= beam:
            break
    wanted = sorted(ended.items(), key=lambda item: -item[1])
    wanted += sorted(cut.items(), key=lambda item: -item[1])
    assert [h.tokens for h in found] == [words for words, _ in wanted][:beam]
    np.testing.assert_allclose(
        [h.log_prob for h in found], [p for _, p in wanted][:beam]
    )


def test_groups_differ_where_a_beam_does_not():
    with np.errstate(divide="ignore"):
        table = [np.log([0, 0, 0.001, 0.9, 0.06, 0.039])] * 3
        table.append(np.log([0, 0, 1.0, 0, 0, 0]))
    options = {"beam": 2, "n_best": 2, "limits": Limits(max_length=4)}
    model = TableModel(table)
    plain = beam_search(model, [0], 1, **options)[0]
    diverse = beam_search(model, [0], 1, diversity=Diversity(2, 4.0), **options)[0]
    shared = sum(a == b for a, b in zip(plain[0].tokens, plain[1].tokens))
    assert shared == 3
    assert diverse[0].tokens[:3] == (3, 3, 3)
    assert diverse[1].tokens[:3] == (4, 4, 4)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_groups_in_any_company(seed):
    options = {
        "beam": 6, "n_best": 6, "limits": LIMITS, "diversity": Diversity(3, 0.5),
    }  # fmt: skip
    together = outputs(beam_search(HistoryModel(seed), range(4), 4, **options))
    for sentence in range(4):
        alone = beam_search(HistoryModel(seed), [sentence], 1, **options)
        assert outputs(alone) == [together[sentence]]
        assert len(set(together[sentence])) == len(together[sentence])


COVERAGE = CoveragePenalty(0.5, lengths=(4, 2, 3))


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_coverage_in_a_wide_beam_is_exhaustive(seed):
    options = {
        "limits": Limits(max_length=4), "n_best": 6, "penalty": OffsetPenalty(0.6),
        "coverage": COVERAGE,
    }  # fmt: skip
    every = exhaustive_search(HistoryModel(seed, 5), range(3), 3, **options)
    for stopping in (WhenCertain(), WhenFull()):
        found = beam_search(
            HistoryModel(seed, 5), range(3), 3, beam=81, stopping=stopping, **options
        )
        assert outputs(found) == outputs(every)


def test_coverage_by_hand():
    weights = np.array([[0.5, 0.3, 0.0, 0.2], [0.7, 0.0, 0.0, 0.3]])
    # 1.2 counts as 1; the third position is empty, the fourth is padding
    wanted = 0.2 * (np.log(1.0) + np.log(0.3) + np.log(1e-6))
    assert CoveragePenalty(0.2, (3,)).score(0, weights) == pytest.approx(wanted)
    whole = CoveragePenalty(0.2).score(0, weights)
    assert whole == pytest.approx(wanted + 0.2 * np.log(0.5))


def test_wrong_requests_are_refused():
    model = TableModel([np.log(np.full(5, 0.2))] * 3)
    with pytest.raises(ValueError, match="needs a scorer that attends"):
        beam_search(model, [0], 1, coverage=CoveragePenalty())
    with pytest.raises(ValueError, match="cannot be divided into 2"):
        beam_search(model, [0], 1, beam=5, diversity=Diversity(2))
    for wrong in (lambda: Diversity(0), lambda: Diversity(2, -1.0)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(ValueError, match="beta"):
        CoveragePenalty(-1.0)
