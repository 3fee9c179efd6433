"""Syntax: how each statement and expression of Python is read.

In: the syntax tree of a function, found by `source`.
Out: statements of the graph; exits, branches and loops in structured form.
"""
