"""Text as numbers: tokenizers, word pieces, vocabularies, batches.

In: sentences.
Out: padded arrays of token numbers with masks, and sentences again.
"""

from anadrome.text.batching import (
    Batch,
    BatchStream,
    make_batch,
    mask_lengths,
    plan_batches,
)
from anadrome.text.bpe import BytePairEncoding
from anadrome.text.codec import TextCodec
from anadrome.text.errors import CorpusError
from anadrome.text.tokenize import Tokenizer, normalize
from anadrome.text.vocabulary import (
    BOS,
    EOS,
    PAD,
    SPECIALS,
    UNK,
    Vocabulary,
    pad_sentences,
)

__all__ = [
    "BOS",
    "EOS",
    "PAD",
    "SPECIALS",
    "UNK",
    "Batch",
    "BatchStream",
    "BytePairEncoding",
    "CorpusError",
    "TextCodec",
    "Tokenizer",
    "Vocabulary",
    "make_batch",
    "mask_lengths",
    "normalize",
    "pad_sentences",
    "plan_batches",
]
