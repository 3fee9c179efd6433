"""Word alignment: IBM Model 1, the HMM and fast_align, and two directions made one.

In: sentence pairs as numbers.
Out: which words of a pair translate each other.
"""
