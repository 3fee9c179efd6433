"""How fast dictionaries are learned from a raw stream, beside sentencepiece.

    python -m benchmarks.dictionaries TEXT [--tokens 2048 10000]

Adapted byte-pair encoding (algorithm 3 of the thesis) over the characters of a text,
spaces included, in seconds of processor time, without the compilation of the first
call: for growing parts of the text, whose times should grow as they do, then beside
sentencepiece, in turns, the fastest of several.
Sentencepiece learns byte-pair encoding from the same characters as lines of at most
4,000 of them, and does not split at spaces, with one thread.
"""

from __future__ import annotations

import argparse
import io
import resource
import time
from pathlib import Path

from anadrome.text.dictionary import learn_dictionary

PARTS = (1_000_000, 2_000_000, 4_000_000)
ROUNDS = 3
LINE = 4000
"""What sentencepiece takes for a sentence at most, less than 4192 bytes."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("text", type=Path)
    parser.add_argument("--tokens", type=int, nargs="*", default=[2048, 10_000])
    given = parser.parse_args()
    text = given.text.read_text()
    learn_dictionary(text[: PARTS[0]], 100, "adapted")  # compiles
    for part in (*(n for n in PARTS if n < len(text)), len(text)):
        seconds = min(ours(text[:part], given.tokens[0]) for _ in range(ROUNDS))
        print(
            f"{part:>9,} characters, {given.tokens[0]:,} tokens: {seconds:.2f} s, "
            f"{1e9 * seconds / part:,.0f} ns for a character"
        )
    for tokens in given.tokens:
        times = [
            (ours(text, tokens), sentencepiece(text, tokens)) for _ in range(ROUNDS)
        ]
        mine, theirs = map(min, zip(*times))
        print(
            f"{tokens:,} tokens: {mine:.2f} s, sentencepiece {theirs:.2f} s: "
            f"{mine / theirs:.2f} of its time"
        )


def ours(text: str, tokens: int) -> float:
    """Seconds of processor time."""
    begun = time.process_time()
    made = learn_dictionary(text, tokens, "adapted")
    assert len(made.tokens) == tokens
    return time.process_time() - begun


def sentencepiece(text: str, tokens: int) -> float:
    """Seconds of processor time."""
    from sentencepiece import SentencePieceTrainer

    lines = (text[k : k + LINE] for k in range(0, len(text), LINE))
    begun = _processor_time()
    SentencePieceTrainer.train(
        sentence_iterator=lines,
        model_writer=io.BytesIO(),
        vocab_size=tokens,
        model_type="bpe",
        split_by_whitespace=False,
        split_by_unicode_script=False,
        split_by_number=False,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        max_sentence_length=4192,
        num_threads=1,
        minloglevel=2,
    )
    return _processor_time() - begun


def _processor_time() -> float:
    """Of all threads of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
