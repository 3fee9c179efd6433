"""Reverse mode: the forward pass, its residuals, and the backward pass after it.

In: a graph and its sources.
Out: a graph with both passes; `loops` makes the backward pass of a loop.
"""
