"""What goes wrong with n-gram models."""

from __future__ import annotations

from anadrome.text import CorpusError


class InvalidDiscounts(CorpusError):
    """A text that Kneser-Ney smoothing cannot be estimated from."""


class InvalidText(CorpusError):
    """A text with words that are reserved."""


class InvalidModel(CorpusError):
    """A file that does not hold an n-gram model, or not a whole one."""
