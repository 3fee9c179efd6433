"""What goes wrong with evaluation."""

from __future__ import annotations


class MissingExtra(ImportError):
    """A package that is needed here and comes with an extra of the project."""

    def __init__(self, package: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {package}\nhelp: pip install 'anadrome[toolkit]'",
            name=package,
        )
