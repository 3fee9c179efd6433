"""Words read by their letters and by their neighbours: what labelling models share.

A word is its embedding beside the last states of two LSTMs over its letters, one in
each direction (Ling et al., "Finding function in form", 2015); layers of bidirectional
LSTMs read the sentence.

Axis letters as in `anadrome.nn`; U different words, L letters, C features of a letter.
Words of like length are spelt together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.models.word_vectors import make_words
from anadrome.nn import (
    Bidirectional,
    MakeCell,
    dropout,
    embed,
    find_cell,
    gaussian,
    run_both_ways,
    steady_dropout,
)
from anadrome.options import Count, Share
from anadrome.random import Key, bernoulli, fold_in, split
from anadrome.text import UNK, TokenBatch, TokenSizes


@dataclass(frozen=True)
class EncoderConfig:
    """The sizes of the encoder, and how it is regularised."""

    embedding: Count = 100  # features of a word
    letter_embedding: Count = 32  # features of a letter
    letter_hidden: Count = 50  # units of each LSTM over letters
    hidden: Count = 128  # units of each LSTM over words, in each direction
    # what reads words and letters: lstm, gru, elman, mut1, …, or a file.py of your own
    cell: str = "lstm"
    layers: Count = 1  # bidirectional layers over words
    dropout: Share = 0.5  # how much of the words' features and states is dropped
    word_dropout: Share = 0.1  # how many words are taken for unknown ones in training


@dataclass(frozen=True)
class TokenEncoder:
    """The weights."""

    words: np.ndarray  # (V, E)
    letters: np.ndarray  # (V', C)
    speller: Bidirectional
    layers: tuple[Bidirectional, ...]


def make_token_encoder(
    config: EncoderConfig, key: Key, sizes: TokenSizes
) -> TokenEncoder:
    """First weights; rows of the words that have a vector are that vector."""
    E, C, G = config.embedding, config.letter_embedding, config.letter_hidden
    H = config.hidden
    keys = split(key, 3 + config.layers)
    make_cell = find_cell(config.cell)
    inputs = [E + 2 * G] + [2 * H] * (config.layers - 1)
    return TokenEncoder(
        make_words(keys[0], sizes, E),
        gaussian(keys[1], (sizes.characters, C), 0.1),
        _both_ways(make_cell, keys[2], C, G),
        tuple(_both_ways(make_cell, keys[3 + k], n, H) for k, n in enumerate(inputs)),
    )


def _both_ways(make_cell: MakeCell, key: Key, E: int, H: int) -> Bidirectional:
    ahead, back = split(key, 2)
    return Bidirectional(make_cell(ahead, E, H), make_cell(back, E, H))


def spell(p: TokenEncoder, batch: TokenBatch) -> np.ndarray:
    """The features (U, 2G) of the different words of a batch, from their letters."""
    features = []
    for words in batch.spelt:
        letters = embed(p.letters, words.characters)  # (L, U, C)
        _, last, first = run_both_ways(p.speller, letters, words.mask)
        features.append(np.concatenate((last[0], first[0]), axis=1))
    return np.concatenate(features)


def encode_tokens(
    p: TokenEncoder, batch: TokenBatch, config: EncoderConfig, key: Key | None
) -> np.ndarray:
    """The states (T, B, 2H) of the tokens of a batch; without a key nothing is dropped.

    Dropout is the same at all times of a sentence (Gal and Ghahramani, 2016).
    """
    words = batch.words
    if key is not None:
        unknown = bernoulli(fold_in(key, 0), config.word_dropout, words.shape)
        words = np.where(unknown, UNK, words)
    spelt = embed(spell(p, batch), batch.spelling)  # (T, B, 2G)
    x = np.concatenate((embed(p.words, words), spelt), axis=2)
    if key is not None:
        x = dropout(x, config.dropout, fold_in(key, 1))
    for k, layer in enumerate(p.layers):
        x, _, _ = run_both_ways(layer, x, batch.mask)
        if key is not None:
            x = steady_dropout(x, config.dropout, fold_in(key, 2 + k))
    return x
