"""Typed Graph IR to LLVM to callable code, and the kernels that code calls."""
