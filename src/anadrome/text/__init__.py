"""Text as numbers: tokenizers, word pieces, vocabularies, batches.

In: sentences.
Out: padded arrays of token numbers with masks, and sentences again.
"""

from anadrome.text.batching import BatchStream, mask_lengths, plan_batches
from anadrome.text.bpe import BytePairEncoding
from anadrome.text.codec import TextCodec
from anadrome.text.errors import CorpusError
from anadrome.text.moses import MosesTokenizer
from anadrome.text.pairs import PairBatch, PairSizes, make_pair_batch
from anadrome.text.phrases import (
    EncodedTree,
    Phrase,
    PhraseBatch,
    make_phrase_batch,
)
from anadrome.text.pretrained import PretrainedCodec, load_codec
from anadrome.text.streams import Rows, TextSizes, Window, WindowStream
from anadrome.text.tokenize import Tokenizer, normalize
from anadrome.text.tokens import (
    EncodedTokens,
    TokenBatch,
    TokenSizes,
    make_token_batch,
)
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
    "BatchStream",
    "BytePairEncoding",
    "CorpusError",
    "EncodedTokens",
    "EncodedTree",
    "MosesTokenizer",
    "PairBatch",
    "PairSizes",
    "Phrase",
    "PhraseBatch",
    "PretrainedCodec",
    "Rows",
    "TextCodec",
    "TextSizes",
    "TokenBatch",
    "TokenSizes",
    "Tokenizer",
    "Vocabulary",
    "Window",
    "WindowStream",
    "load_codec",
    "make_pair_batch",
    "make_phrase_batch",
    "make_token_batch",
    "mask_lengths",
    "normalize",
    "pad_sentences",
    "plan_batches",
]
