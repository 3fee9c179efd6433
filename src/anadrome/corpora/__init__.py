"""Corpora: files of sentences, read with checks, and a grammar that makes them.

In: paths, or a seed.
Out: pairs of sentences, or an error with file and line.
"""

from anadrome.corpora.parallel import (
    ParallelCorpus,
    read_lines,
    read_parallel,
    read_tsv,
    write_parallel,
)
from anadrome.text.errors import InvalidEncoding

__all__ = [
    "InvalidEncoding",
    "ParallelCorpus",
    "read_lines",
    "read_parallel",
    "read_tsv",
    "write_parallel",
]
