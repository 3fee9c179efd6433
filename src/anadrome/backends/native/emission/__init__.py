"""The code generator: functions, regions, loops, residuals, Python's objects.

In: a graph, statement by statement.
Out: an LLVM module with its entry point.
"""
