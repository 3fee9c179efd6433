"""Forward mode: every value is accompanied by its tangent.

In: a graph and its sources.
Out: a graph that returns the value and its tangent.
"""
