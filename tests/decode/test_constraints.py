"""Constraints: a wide beam finds what exhaustive search finds under the same ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import HistoryModel, TableModel

from anadrome.decode import (
    Diversity,
    Forbidden,
    Limits,
    NoRepeat,
    PowerPenalty,
    Prefix,
    Required,
    SearchTrace,
    beam_search,
    exhaustive_search,
    greedy_search,
    sample,
)

SEEDS = st.integers(0, 10_000)
WORDS = st.integers(3, 5)  # of a vocabulary of 6: 0, 1 are forbidden, 2 is </s>
PHRASES = st.lists(st.lists(WORDS, min_size=1, max_size=3), max_size=2)
SIZE = 2


def holds(tokens, phrase):
    n = len(phrase)
    runs = [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
    return runs.count(tuple(phrase))


@st.composite
def rules(draw):
    """Some constraints for two sentences."""
    made = []
    if draw(st.booleans()):
        made.append(Forbidden(draw(PHRASES)))
    if draw(st.booleans()):
        made.append(NoRepeat(draw(st.integers(1, 3))))
    if draw(st.booleans()):
        prefixes = [draw(st.lists(WORDS, max_size=2)) for _ in range(SIZE)]
        made.append(Prefix(prefixes))
    if draw(st.booleans()):
        made.append(Required([draw(PHRASES) for _ in range(SIZE)]))
    return made


def is_allowed(tokens, sentence, constraints):
    """Whether a finished output obeys all constraints, said in another way."""
    for rule in constraints:
        match rule:
            case Forbidden():
                good = not any(holds(tokens, phrase) for phrase in rule.sequences)
            case NoRepeat():
                n = rule.length
                runs = [tokens[i : i + n] for i in range(len(tokens) - n + 1)]
                good = len(set(runs)) == len(runs)
            case Prefix():
                prefix = tuple(rule.prefixes[sentence])
                good = tokens[: len(prefix)] == prefix
            case Required():
                good = all(
                    holds(tokens, phrase) >= times
                    for phrase, times in rule.phrases[sentence].items()
                )
        if not good:
            return False
    return True


@settings(max_examples=60, deadline=None)
@given(SEEDS, rules())
def test_exhaustive_search_gives_all_that_is_allowed(seed, constraints):
    limits = Limits(max_length=5)
    options = {"limits": limits, "n_best": 10_000, "penalty": PowerPenalty(1.0)}
    free = exhaustive_search(HistoryModel(seed), range(SIZE), SIZE, **options)
    bound = exhaustive_search(
        HistoryModel(seed), range(SIZE), SIZE, constraints=constraints, **options
    )
    for sentence in range(SIZE):
        wanted = [
            (h.tokens, h.log_prob)
            for h in free[sentence]
            if is_allowed(h.tokens, sentence, constraints)
        ]
        assert [(h.tokens, h.log_prob) for h in bound[sentence]] == wanted


@settings(max_examples=20, deadline=None)
@given(SEEDS, rules())
def test_a_wide_beam_is_exhaustive(seed, constraints):
    options = {
        "limits": Limits(max_length=5), "n_best": 4, "penalty": PowerPenalty(1.0),
        "constraints": constraints,
    }  # fmt: skip
    every = exhaustive_search(HistoryModel(seed), range(SIZE), SIZE, **options)
    found = beam_search(HistoryModel(seed), range(SIZE), SIZE, beam=150, **options)
    for mine, wanted in zip(found, every, strict=True):
        mine = [h for h in mine if h.finished]
        assert [h.tokens for h in mine] == [h.tokens for h in wanted]
        for one, two in zip(mine, wanted):
            np.testing.assert_allclose(one.score, two.score)
            np.testing.assert_allclose(one.attention, two.attention)


@settings(max_examples=60, deadline=None)
@given(SEEDS, rules(), st.integers(1, 5))
def test_what_is_found_is_allowed_in_any_company(seed, constraints, beam):
    model, limits = HistoryModel(seed), Limits(max_length=9)
    options = {"beam": beam, "n_best": beam, "limits": limits}
    found = beam_search(model, range(SIZE), SIZE, constraints=constraints, **options)
    for sentence, mine in enumerate(found):
        for h in mine:
            if h.finished:
                assert is_allowed(h.tokens, sentence, constraints)
            total, attention = model.score_tokens(sentence, h.tokens)
            np.testing.assert_allclose(h.log_prob, total)
            np.testing.assert_allclose(h.attention, attention)
    # the sentences the other way round, and each alone
    turned = [_turned(rule) for rule in constraints]
    again = beam_search(model, [1, 0], SIZE, constraints=turned, **options)
    alone = beam_search(model, [0], 1, constraints=constraints, **options)
    assert [h.tokens for h in again[1]] == [h.tokens for h in found[0]]
    assert [h.tokens for h in again[0]] == [h.tokens for h in found[1]]
    assert [h.tokens for h in alone[0]] == [h.tokens for h in found[0]]


def _turned(rule):
    match rule:
        case Prefix():
            return Prefix(rule.prefixes[::-1])
        case Required():
            return Required([list(given.elements()) for given in rule.phrases[::-1]])
    return rule


@settings(max_examples=40, deadline=None)
@given(SEEDS, rules())
def test_a_beam_of_one_is_greedy(seed, constraints):
    constraints = [rule for rule in constraints if not isinstance(rule, Required)]
    options = {"limits": Limits(max_length=7), "constraints": constraints}
    beams = beam_search(HistoryModel(seed), range(SIZE), SIZE, beam=1, **options)
    if not all(beams):  # nothing is possible
        with pytest.raises(ValueError, match="no token is possible"):
            greedy_search(HistoryModel(seed), range(SIZE), SIZE, **options)
        return
    greedy = greedy_search(HistoryModel(seed), range(SIZE), SIZE, **options)
    assert [found[0].tokens for found in beams] == [h.tokens for h in greedy]


@pytest.mark.parametrize("beam", [1, 3, 8])
def test_a_small_beam_finds_unlikely_phrases(beam):
    """</s> is likely, and so is one token, but none of those that are required."""
    with np.errstate(divide="ignore"):
        likely = np.log(np.array([0, 0, 0.5, 0.44, 0.04, 0.01, 0.01]))
    model = TableModel([likely] * 12)
    required = Required([[[6, 5], [4]], [[5, 5, 6]], []])
    found = beam_search(
        model, range(3), 3, beam=beam, limits=Limits(max_length=12),
        constraints=[required], penalty=PowerPenalty(1.0),
    )  # fmt: skip
    assert all(mine[0].finished for mine in found)
    assert holds(found[0][0].tokens, (6, 5))
    assert holds(found[0][0].tokens, (4,))
    assert holds(found[1][0].tokens, (5, 5, 6))


def test_a_phrase_that_is_required_twice_occurs_twice():
    model = TableModel([_flat()] * 8)
    (found,) = beam_search(
        model, [0], 1, beam=4, limits=Limits(max_length=8),
        constraints=[Required([[[3, 4], [3, 4]]])],
    )  # fmt: skip
    assert found[0].finished
    assert holds(found[0].tokens, (3, 4)) == 2


def _flat():
    with np.errstate(divide="ignore"):
        return np.log(np.array([0, 0, 0.8, 0.1, 0.1]))


def test_samples_obey():
    drawn = sample(
        HistoryModel(0), range(4), 4, np.random.default_rng(0), samples=5,
        limits=Limits(max_length=9), constraints=[NoRepeat(2), Forbidden([[3, 4]])],
    )  # fmt: skip
    for mine in drawn:
        for h in mine:
            assert is_allowed(h.tokens, 0, [NoRepeat(2), Forbidden([[3, 4]])])


def test_wrong_constraints_are_refused():
    with pytest.raises(ValueError, match="cannot be forbidden"):
        Forbidden([[]])
    with pytest.raises(ValueError, match="cannot be required"):
        Required([[[3]], [[]]])
    with pytest.raises(ValueError, match="sentence 1: no output goes on"):
        Required([[], [[3, 2]]])
    with pytest.raises(ValueError, match="cannot repeat"):
        NoRepeat(0)
    model = HistoryModel(0)
    with pytest.raises(ValueError, match="into one constraint"):
        beam_search(model, [0], 1, constraints=[Required([[]]), Required([[]])])
    with pytest.raises(ValueError, match="the token 9 is required"):
        beam_search(model, [0], 1, constraints=[Required([[[9]]])])
    with pytest.raises(ValueError, match="holds the token 9"):
        beam_search(model, [0], 1, constraints=[Prefix([[9]])])
    with pytest.raises(ValueError, match="cannot share a beam"):
        beam_search(
            model, [0], 1, beam=4, constraints=[Required([[]])], diversity=Diversity(2)
        )


def test_a_trace_of_a_constrained_search():
    trace = SearchTrace()
    (found,) = beam_search(
        HistoryModel(1), [0], 1, beam=3, limits=Limits(max_length=6),
        constraints=[Required([[[5, 4]]])], trace=trace,
    )  # fmt: skip
    (tree,) = trace.trees
    assert tree.tokens(tree.best) == found[0].tokens
