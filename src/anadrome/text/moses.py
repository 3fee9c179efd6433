"""The tokens of Moses: punctuation normalised, split and joined as its scripts do.

For corpora and figures that are to be compared with those of others; `Tokenizer`
gives back every text exactly, this one does not.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from anadrome.text.errors import MissingExtra


@dataclass(frozen=True)
class MosesTokenizer:
    """The tokenizer of a language (`en`, `de`, `fr`, …) by sacremoses."""

    language: str = "en"
    lowercase: bool = False

    def normalize(self, text: str) -> str:
        """The text with plain quotation marks, dashes and spaces."""
        text = _tools(self.language)[0].normalize(text)
        return (text.lower() if self.lowercase else text).strip()

    def split(self, text: str) -> list[str]:
        """The tokens of a text."""
        made = _tools(self.language)[1]
        return list(made.tokenize(self.normalize(text), escape=False))

    def join(self, tokens: Iterable[str]) -> str:
        """The text of the tokens."""
        made = _tools(self.language)[2]
        return str(made.detokenize(list(tokens), unescape=False))


@functools.cache
def _tools(language: str) -> tuple[Any, Any, Any]:
    """The normaliser, the tokenizer and the detokenizer of a language."""
    try:
        import sacremoses
    except ImportError:
        raise MissingExtra("sacremoses", "Moses' tokenisation", "text") from None
    return (
        sacremoses.MosesPunctNormalizer(language),
        sacremoses.MosesTokenizer(language),
        sacremoses.MosesDetokenizer(language),
    )
