"""Corpora: files of sentences, read with checks, and a grammar that makes them.

In: paths, or a seed.
Out: sentences, pairs, tagged sentences and trees, or an error with file and line.
"""

from anadrome.corpora.checks import CheckReport, Limits, Policies, check_corpus
from anadrome.corpora.conll import TaggedSentence, read_conll, write_conll
from anadrome.corpora.conllu import TreebankSentence, read_conllu, write_conllu
from anadrome.corpora.files import read_lines, scan_lines, write_lines
from anadrome.corpora.formats import (
    FORMATS,
    Format,
    convert,
    find_format,
    scan_corpus,
    scan_pairs,
    scan_texts,
)
from anadrome.corpora.parallel import (
    ParallelCorpus,
    read_parallel,
    read_tsv,
    write_parallel,
    write_tsv,
)
from anadrome.corpora.selection import cross_entropy_differences, select_lowest
from anadrome.corpora.statistics import Statistics, corpus_statistics, word_types
from anadrome.corpora.trees import Tree, read_trees, write_trees

__all__ = [
    "FORMATS",
    "CheckReport",
    "Format",
    "Limits",
    "ParallelCorpus",
    "Policies",
    "Statistics",
    "TaggedSentence",
    "Tree",
    "TreebankSentence",
    "check_corpus",
    "convert",
    "corpus_statistics",
    "cross_entropy_differences",
    "find_format",
    "read_conll",
    "read_conllu",
    "read_lines",
    "read_parallel",
    "read_trees",
    "read_tsv",
    "scan_corpus",
    "scan_lines",
    "scan_pairs",
    "scan_texts",
    "select_lowest",
    "word_types",
    "write_conll",
    "write_conllu",
    "write_lines",
    "write_parallel",
    "write_trees",
    "write_tsv",
]
