"""Where arrays live: copies, clears and buffers elided, layouts chosen.

In: a graph for native code.
Out: a graph with fewer passes over memory.
"""
