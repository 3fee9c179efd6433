"""The rules of SciPy, read when a program first uses the package.

In: nothing; `registry` imports what a program needs.
Out: declarations in the registry.
"""
