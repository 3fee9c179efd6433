"""Which values depend on what is differentiated, and which may be missing.

In: a graph and its sources.
Out: answers for each value: active, absent, a 0-d array that stands for a scalar.
"""
