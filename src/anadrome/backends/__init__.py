"""Graphs as programs that run: readable Python, or native code.

In: an optimised graph.
Out: a callable, and its text.
"""
