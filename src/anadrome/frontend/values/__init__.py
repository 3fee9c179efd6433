"""Values while a function is read: tuples, containers, objects, functions.

In: nodes of the graph, and values that are known already.
Out: what Python's protocols make of them: items, attributes, methods, operators.
"""
