"""Phrase-based statistical translation: from two files of text to a tuned decoder.

In: sentences and their translations, or the tables of another program.
Out: alignments, phrase tables, translations with the phrases they are made of.
"""

from anadrome.smt.alignment.alignments import (
    Alignments,
    alignment_error_rate,
    make_alignments,
    read_alignments,
    write_alignments,
)
from anadrome.smt.alignment.fast_align import FastAlign, train_fast_align
from anadrome.smt.alignment.hmm import Hmm, train_hmm
from anadrome.smt.alignment.ibm1 import train_ibm1
from anadrome.smt.alignment.symmetrise import symmetrise
from anadrome.smt.constraints import Given, parse_constraints, translate_given
from anadrome.smt.decoder import Decoder, Derivation, Searched, Searching
from anadrome.smt.extract import extract_phrases
from anadrome.smt.features import Features
from anadrome.smt.moses_ini import load_moses, read_moses_ini
from anadrome.smt.moses_table import (
    read_moses_table,
    write_moses_reordering,
    write_moses_table,
)
from anadrome.smt.network import NeuralLm, add_unknown_counts
from anadrome.smt.neural import add_phrase_scores, align_by_attention, top_targets
from anadrome.smt.phrase_table import PhraseTable, filter_table
from anadrome.smt.sentences import Sentences, number_sentences
from anadrome.smt.system import Config, System, is_system, train_system
from anadrome.smt.tune import Tuning, tune

__all__ = [
    "Alignments",
    "Config",
    "Decoder",
    "Derivation",
    "FastAlign",
    "Features",
    "Given",
    "Hmm",
    "NeuralLm",
    "PhraseTable",
    "Searched",
    "Searching",
    "Sentences",
    "System",
    "Tuning",
    "add_phrase_scores",
    "add_unknown_counts",
    "align_by_attention",
    "alignment_error_rate",
    "extract_phrases",
    "filter_table",
    "is_system",
    "load_moses",
    "make_alignments",
    "number_sentences",
    "parse_constraints",
    "read_alignments",
    "read_moses_ini",
    "read_moses_table",
    "symmetrise",
    "top_targets",
    "train_fast_align",
    "train_hmm",
    "train_ibm1",
    "train_system",
    "translate_given",
    "tune",
    "write_alignments",
    "write_moses_reordering",
    "write_moses_table",
]
