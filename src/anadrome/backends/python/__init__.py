"""Graphs as readable Python, registered with `linecache` for debuggers.

In: an optimised graph.
Out: the source of a function, and the function.
"""
