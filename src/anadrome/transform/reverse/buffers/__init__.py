"""Shadows: cotangents of arrays and objects that are changed in place.

In: stores, views and containers of the forward pass.
Out: the accumulation, hand-over and clearing of their cotangents.
"""
