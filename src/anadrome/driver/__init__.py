"""From a call to a program: which one is made, kept, found again and run.

In: a function, a transformation of it, the types of the arguments.
Out: a compiled program, from memory, from the disk, or built by `pipeline`.
"""
