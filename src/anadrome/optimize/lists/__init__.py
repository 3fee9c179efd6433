"""Lists that need not be lists: residuals, scalars, slices, stacked arrays.

In: a graph with lists of known use.
Out: a graph in which arrays and separate values stand for them.
"""
