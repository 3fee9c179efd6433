"""Phrase-based statistical translation: from two files of text to a tuned decoder.

In: sentences and their translations, or the tables of another program.
Out: alignments, phrase tables, translations with the phrases they are made of.
"""
