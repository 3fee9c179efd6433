"""How each operation is written in LLVM IR, by kind.

In: a statement of the graph and the emitter of its function.
Out: the value that it computes, in registers or memory.
"""
