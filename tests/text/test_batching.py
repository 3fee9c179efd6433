import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anadrome.text import BOS, EOS, PAD, BatchStream, make_pair_batch, plan_batches

LENGTHS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=60)


def corpus(count=100, seed=0):
    rng = np.random.default_rng(seed)
    source = [rng.integers(4, 50, rng.integers(1, 12)) for _ in range(count)]
    target = [rng.integers(4, 50, rng.integers(1, 12)) for _ in range(count)]
    return source, target


@given(LENGTHS, st.integers(1, 200), st.integers(0, 5))
def test_every_pair_is_in_one_batch_within_the_budget(lengths, budget, epoch):
    array = np.array(lengths, dtype=int).reshape(-1, 2)
    source, target = array[:, 0], array[:, 1]
    plan = plan_batches([source, target], budget=budget, epoch=epoch)
    assert sorted(i for batch in plan for i in batch) == list(range(len(lengths)))
    for batch in plan:
        width = max(source[batch].max(), target[batch].max()) + 1
        assert len(batch) == 1 or width * len(batch) <= budget


def test_the_order_is_a_function_of_seed_and_epoch():
    lengths = np.random.default_rng(0).integers(1, 20, (2, 200))

    def order(seed, epoch):
        plan = plan_batches(lengths, budget=100, seed=seed, epoch=epoch)
        return [batch.tolist() for batch in plan]

    assert order(3, 1) == order(3, 1)
    assert order(3, 1) != order(3, 2)
    assert order(3, 1) != order(4, 1)


def test_like_lengths_are_together():
    lengths = np.random.default_rng(0).integers(1, 20, 1000)
    plan = plan_batches([lengths, lengths], budget=200)
    padded = sum((lengths[batch].max() + 1) * len(batch) for batch in plan)
    assert padded < 1.1 * (lengths + 1).sum()


def test_max_sentences():
    plan = plan_batches([np.ones(10)] * 2, budget=1000, max_examples=3)
    assert sorted(len(batch) for batch in plan) == [1, 3, 3, 3]
    with pytest.raises(ValueError, match="at least one"):
        plan_batches([np.ones(1)] * 2, budget=0)


def test_batch_arrays():
    source = [np.array([5, 6, 7]), np.array([8])]
    target = [np.array([9]), np.array([10, 11])]
    batch = make_pair_batch(source, target, np.array([0, 1]))
    assert batch.source.tolist() == [[5, 6, 7, EOS], [8, EOS, PAD, PAD]]
    assert batch.source_lengths.tolist() == [4, 2]
    assert batch.source_mask.tolist() == [[1, 1, 1, 1], [1, 1, 0, 0]]
    assert batch.target_in.tolist() == [[BOS, 9, PAD], [BOS, 10, 11]]
    assert batch.target_out.tolist() == [[9, EOS, PAD], [10, 11, EOS]]
    assert batch.target_mask.tolist() == [[1, 1, 0], [1, 1, 1]]
    assert batch.size == 5
    transposed = make_pair_batch(source, target, np.array([0, 1]), time_major=True)
    for name in ("source", "source_mask", "target_in", "target_out", "target_mask"):
        assert (getattr(transposed, name) == getattr(batch, name).T).all()
        assert getattr(transposed, name).flags.c_contiguous


def stream_of(source, target, **options):
    lengths = [np.array([len(s) for s in side]) for side in (source, target)]
    return BatchStream(
        lengths, lambda indices: make_pair_batch(source, target, indices), **options
    )


def test_a_stream_goes_on_where_it_was_left():
    source, target = corpus()
    whole = stream_of(source, target, budget=60, seed=7)
    taken = [next(whole) for _ in range(60)]
    assert whole.epoch > 1
    for left in (0, 5, len(whole.plan(0)), 41):
        first = stream_of(source, target, budget=60, seed=7)
        for _ in range(left):
            next(first)
        state = json.loads(json.dumps(first.state()))
        second = stream_of(source, target, budget=60, seed=99)
        second.restore(state)
        for expected in taken[left:]:
            assert (next(second).indices == expected.indices).all()


def test_one_epoch_from_batch_k():
    stream = stream_of(*corpus(), budget=60)
    every = [batch.indices.tolist() for batch in stream.batches(2)]
    rest = [batch.indices.tolist() for batch in stream.batches(2, start=3)]
    assert rest == every[3:]
    assert stream.state() == {"seed": 0, "epoch": 0, "batch": 0}


def test_a_position_of_another_corpus_is_refused():
    stream = stream_of(*corpus(), budget=60)
    with pytest.raises(ValueError, match="was the corpus or the budget changed"):
        stream.restore({"seed": 0, "epoch": 0, "batch": 10_000})
    with pytest.raises(ValueError, match="nothing"):
        stream_of([], [], budget=5)
    with pytest.raises(ValueError, match="not equally many"):
        stream_of([np.array([4])], [], budget=5)
