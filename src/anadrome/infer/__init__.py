"""Types of values and of the results of primitives, and sizes that must agree.

In: values at hand, or the types of a primitive's operands.
Out: types and signatures; errors about sizes, before a program runs.
"""
