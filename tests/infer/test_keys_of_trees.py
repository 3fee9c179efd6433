"""Trees of one class have one key if all their nodes hold values of the same types."""

from __future__ import annotations

import numpy as np

import anadrome as ad
from anadrome.infer.values import signature_of


def node_class():
    """A class that nobody has made instances of yet."""

    class Node:
        def __init__(self, value, parts=(), **more):
            self.value, self.parts = value, list(parts)
            self.__dict__.update(more)

    return Node


def test_the_number_of_nodes_does_not_matter():
    Node = node_class()
    small = Node(1, [Node(2), Node(3)])
    large = Node(1, [small, Node(4, [Node(5)])])
    assert signature_of(small) == signature_of(large)
    assert hash(signature_of(small)) == hash(signature_of(large))
    assert signature_of(Node(1)) != signature_of(small)


def test_every_node_matters():
    for other in (
        lambda Node: Node(2.0),
        lambda Node: Node(None),
        lambda Node: Node(np.ones(2)),
        lambda Node: Node(2, [1]),
        lambda Node: Node(2, extra=1),
        lambda Node: Node(2, extra=Node(2)),
        lambda Node: node_class()(2),
    ):
        Node = node_class()
        plain = Node(1, [Node(1, [Node(2)])])
        before = signature_of(plain)
        found = signature_of(Node(1, [Node(1, [other(Node)])]))
        assert found != before
        assert signature_of(plain) != found


def test_nodes_may_be_shared_or_hold_themselves():
    Node = node_class()
    shared = Node(1)
    for _ in range(60):
        shared = Node(1, [shared, shared])
    ring = Node(1)
    ring.parts.append(ring)
    assert signature_of(shared) == signature_of(Node(1, [Node(1)]))
    assert signature_of(ring) == signature_of(ring)


def test_a_program_for_one_tree_is_not_run_with_another():
    Node = node_class()

    def total(x, node):
        found = x * node.value
        for part in node.parts:
            found = found + total(x, part)
        return found

    run = ad.jit(ad.value_and_grad(lambda x, node: np.sum(total(x, node))))
    x = np.array([1.0, 2.0])
    for value in (3, 2.5, 7, np.array([1.0, -1.0])):
        tree = Node(1, [Node(2), Node(5, [Node(value)])])
        found, slope = run(x, tree)
        np.testing.assert_allclose(found, np.sum(total(x, tree)))
        np.testing.assert_allclose(slope, 8.0 + value * np.ones(2))
