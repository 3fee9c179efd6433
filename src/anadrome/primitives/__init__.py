"""The functions the compiler does not look into: types, samples, derivatives.

In: callables of NumPy, SciPy, `math` and of users.
Out: one declaration each, found through `registry`.
"""
