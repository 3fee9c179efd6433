"""Rewrites that leave every number as it is, for both backends.

In: a graph.
Out: a smaller one: dead code, common subexpressions, loop invariants removed.
"""
