"""Word alignment: which word of a sentence belongs to which one of its translation.

In: pairs of sentences as numbers, or alignments in files.
Out: alignment points of every pair, in one direction or of both together.
"""
