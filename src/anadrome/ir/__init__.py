"""The graph that programs become: nodes, operations, types, printer, verifier.

In: nothing but `errors`; every other room of the compiler imports this one.
Out: `Graph`, `Apply`, `Constant`, the types of values and their alias classes.
"""
