"""Vector code along rows, and the loops around it, for fused expressions.

In: an expression, its operands and its outputs.
Out: a kernel, called through `loop_driver` for any number of axes.
"""
