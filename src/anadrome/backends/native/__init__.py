"""Typed graphs as native code: lowered, fused, emitted as LLVM IR, linked.

In: an optimised graph whose types are known.
Out: a function of Python; `compile` orders the work, `speculation` falls back.
"""
