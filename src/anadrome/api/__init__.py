"""What users call: `grad`, `vjp`, `jacobian`, `jit`, `source`, `show` and the rest.

In: a plain Python function and, when it is called, its arguments.
Out: a callable that asks `driver` for a program and runs it.
"""
