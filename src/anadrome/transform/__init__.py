"""Derivatives of graphs: forward mode, reverse mode, checkpoints.

In: an optimised graph and the parameters to differentiate.
Out: the graph of the derivative, which is a program like any other.
"""
