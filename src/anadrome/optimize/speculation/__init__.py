"""Rewrites that hold under guards: vectorised loops, shapes taken to be equal.

In: a graph that may be run again from the start.
Out: a faster graph with guards.
"""
