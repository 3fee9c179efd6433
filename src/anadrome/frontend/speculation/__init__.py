"""What the reader may assume for native code, and guards.

In: a program that may be run again from the start.
Out: lists of fixed length, squeezed axes, each with a guard.
"""
