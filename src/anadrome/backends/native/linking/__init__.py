"""LLVM modules become object code, and object code a function of Python.

In: the text of a module.
Out: addresses, and callables that check and convert their arguments.
"""
