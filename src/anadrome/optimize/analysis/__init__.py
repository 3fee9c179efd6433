"""What passes need to know: shapes, memory, dependence between iterations.

In: a graph, or one loop of it.
Out: facts; no statement is changed here.
"""
