"""Linear algebra: products leave loops, are joined, transposed, accumulated.

In: a graph for native code.
Out: fewer and larger products; `hoist_products` and `sums_over_iterations`.
"""
