"""Compiled programs on disk, between processes.

In: a graph's hash, and object code with what Python must know beside it.
Out: the same program again, or nothing if anything has changed.
"""
