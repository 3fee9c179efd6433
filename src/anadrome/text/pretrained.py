"""Codecs of word pieces that another tool has learnt: sentencepiece, tokenizers."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from anadrome.text import codec
from anadrome.text.codec import TextCodec
from anadrome.text.errors import InvalidVocabulary, MissingExtra, MissingFile
from anadrome.text.vocabulary import BOS, EOS, PAD, SPECIALS, UNK, Vocabulary, load_json

FORMAT = "anadrome pretrained codec 1"
_SPELLINGS = {
    PAD: ("<pad>", "[PAD]"),
    BOS: ("<s>", "[BOS]", "[CLS]", "<bos>"),
    EOS: ("</s>", "[EOS]", "[SEP]", "<eos>", "<|endoftext|>"),
    UNK: ("<unk>", "[UNK]"),
}


class PretrainedCodec:
    """How the text of one language becomes numbers, by the model of another tool.

    The numbers differ from those of the tool: `<pad>`, `<s>`, `</s>` and `<unk>` are
    0 to 3 here, as everywhere in this package.
    """

    def __init__(self, content: bytes, path: str | PathLike[str]) -> None:
        self._content = content
        self._tool = _open(content, path)
        pieces = self._tool.pieces()
        specials = {name: k for k, names in _SPELLINGS.items() for name in names}
        ordinary = [k for k, piece in enumerate(pieces) if piece not in specials]
        self.vocabulary = Vocabulary(pieces[k] for k in ordinary)
        self._theirs = np.full(len(self.vocabulary), -1, np.int64)
        self._theirs[len(SPECIALS) :] = ordinary
        self._ours = np.full(len(pieces), UNK, np.int64)
        self._ours[ordinary] = np.arange(len(SPECIALS), len(self.vocabulary))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PretrainedCodec) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> PretrainedCodec:
        """The codec of a `.model` of sentencepiece or a `tokenizer.json`."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise MissingFile(error.strerror or str(error), path=path) from None
        return cls(content, path)

    def split(self, text: str) -> list[str]:
        """The pieces of a text."""
        tokens = self.vocabulary.tokens
        return [tokens[k] for k in self.encode(text)]

    def encode(self, text: str) -> np.ndarray:
        """The numbers (T,) of a text, without `<s>` and `</s>`."""
        return self._ours[np.array(self._tool.encode(text), np.int64)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of numbers, up to the first `</s>`; what is unknown is left out."""
        kept = []
        for k in ids:
            if k == EOS:
                break
            if k >= len(SPECIALS):
                kept.append(int(self._theirs[k]))
        return self._tool.decode(kept)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the codec, with the model in it, as JSON."""
        model = base64.b64encode(self._content).decode("ascii")
        record = {"format": FORMAT, "model": model}
        Path(path).write_text(json.dumps(record) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> PretrainedCodec:
        """The codec that `save` wrote."""
        record = load_json(path, FORMAT)
        try:
            content = base64.b64decode(str(record["model"]), validate=True)
        except (KeyError, binascii.Error):
            raise InvalidVocabulary("the model in it is damaged", path=path) from None
        return cls(content, path)


def load_codec(path: str | PathLike[str]) -> TextCodec | PretrainedCodec:
    """The codec in a file, of whichever kind it is."""
    if load_json(path, codec.FORMAT, FORMAT)["format"] == FORMAT:
        return PretrainedCodec.load(path)
    return TextCodec.load(path)


class _SentencePiece:
    def __init__(self, content: bytes) -> None:
        try:
            import sentencepiece
        except ImportError:
            raise MissingExtra("sentencepiece", "this model", "text") from None
        self._processor = sentencepiece.SentencePieceProcessor()
        self._processor.LoadFromSerializedProto(content)

    def pieces(self) -> list[str]:
        made = self._processor
        return [made.IdToPiece(k) for k in range(made.GetPieceSize())]

    def encode(self, text: str) -> list[int]:
        return list(self._processor.EncodeAsIds(text))

    def decode(self, ids: list[int]) -> str:
        return str(self._processor.DecodeIds(ids))


class _Tokenizers:
    def __init__(self, content: bytes) -> None:
        try:
            import tokenizers
        except ImportError:
            raise MissingExtra("tokenizers", "this model", "text") from None
        self._tokenizer = tokenizers.Tokenizer.from_str(content.decode("utf-8"))

    def pieces(self) -> list[str]:
        numbers: dict[str, int] = self._tokenizer.get_vocab(with_added_tokens=True)
        pieces = [f"<unused {k}>" for k in range(1 + max(numbers.values(), default=-1))]
        for piece, k in numbers.items():
            pieces[k] = piece
        return pieces

    def encode(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def decode(self, ids: list[int]) -> str:
        return str(self._tokenizer.decode(ids))


def _open(content: bytes, path: str | PathLike[str]) -> Any:
    """The tool that made the model: JSON is of tokenizers, all else sentencepiece."""
    made = _Tokenizers if content.lstrip()[:1] == b"{" else _SentencePiece
    try:
        return made(content)
    except MissingExtra:
        raise
    except Exception as error:  # both tools raise exceptions of many kinds
        reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise InvalidVocabulary(
            f"this is no model of sentencepiece or tokenizers ({reason[0]})",
            path=path,
        ) from None
