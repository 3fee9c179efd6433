"""Passes over graphs, and the one list (`passes`) that orders them.

In: a graph; the passes of `NATIVE` are given one whose types are known.
Out: a graph that computes the same.
"""
