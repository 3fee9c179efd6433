"""What goes wrong with the files that a user hands in."""

from __future__ import annotations

from os import PathLike, fspath


class CorpusError(ValueError):
    """A corpus that cannot be read, with the file, the line and a way out."""

    def __init__(
        self,
        message: str,
        *,
        path: str | PathLike[str] | None = None,
        line: int | None = None,
        help: str | None = None,
    ) -> None:
        self.message = message
        self.path = None if path is None else fspath(path)
        self.line = line
        self.help = help
        text = message
        if self.path is not None:
            where = f'File "{self.path}"'
            if line is not None:
                where += f", line {line}"
            text = f"{where}: {message}"
        if help is not None:
            text += f"\nhelp: {help}"
        super().__init__(text)

    def located(self, path: str | PathLike[str]) -> CorpusError:
        """The same error in a file, unless it names one already."""
        if self.path is not None:
            return self
        return type(self)(self.message, path=path, help=self.help)


class MissingFile(CorpusError):
    """A file that is not there, or is not a file."""


class InvalidEncoding(CorpusError):
    """A line that is not UTF-8."""


class EmptyCorpus(CorpusError):
    """A file without a single sentence."""


class EmptyLine(CorpusError):
    """A line without a sentence, which would pair a sentence with nothing."""


class UnequalCounts(CorpusError):
    """Two files that do not have the same number of lines."""


class MalformedLine(CorpusError):
    """A line that breaks the rules of its format, such as one with too few columns."""


class MalformedFile(CorpusError):
    """A file that is not in the format that it is read as."""


class UnknownFormat(CorpusError):
    """A file whose name does not say what is in it."""


class InvalidVocabulary(CorpusError):
    """A file that does not hold a vocabulary or a list of merges."""


class MissingExtra(ImportError):
    """A package that is needed here and comes with an extra of the project."""

    def __init__(self, package: str, purpose: str, extra: str = "toolkit") -> None:
        super().__init__(
            f"{purpose} needs {package}\nhelp: pip install 'anadrome[{extra}]'",
            name=package,
        )
