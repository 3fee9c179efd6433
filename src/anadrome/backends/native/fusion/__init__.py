"""Elementwise statements that wait, and become one loop over their arrays.

In: statements that may wait, in the order of the program.
Out: fused loops with their outputs, written through `kernels`.
"""
