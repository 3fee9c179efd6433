"""Loops whose batch axis is divided among threads.

In: a loop of the graph.
Out: which axis is the batch, and a body that works on some of its rows.
"""
