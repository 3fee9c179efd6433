"""What goes wrong with evaluation."""

from __future__ import annotations

from anadrome.text.errors import MissingExtra

__all__ = ["MissingExtra"]
