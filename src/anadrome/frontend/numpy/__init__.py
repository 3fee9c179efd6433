"""What NumPy does beyond plain calls: ufunc options, indices, stores, copies.

In: calls and updates of arrays.
Out: the primitives and stores that they stand for.
"""
