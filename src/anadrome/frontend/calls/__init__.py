"""Calls: arguments meet parameters; functions are inlined, recursive ones kept.

In: a callee and its arguments, as nodes.
Out: the callee's statements, or an application of a primitive or of a graph.
"""
