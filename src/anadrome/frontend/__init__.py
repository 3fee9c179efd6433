"""Python source becomes a graph: the function is interpreted on types.

In: a function and the types of its arguments.
Out: a `Program`: its graph, what it captures, the guards that it was read under.
"""
