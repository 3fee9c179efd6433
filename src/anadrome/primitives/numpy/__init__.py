"""The rules of NumPy, `math` and `operator`, one file for each kind of function.

In: nothing; `rules` imports them all.
Out: declarations in the registry.
"""
