"""Derivatives inside programs: nested, of second order, custom, checkpointed.

In: a call of a transformed function in a function that is being read.
Out: its graph, inlined or as a function of its own.
"""
