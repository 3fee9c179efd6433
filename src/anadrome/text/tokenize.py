"""Words and punctuation, split apart and put together again exactly.

Tokens are written as one would read them: `.` and `?` stand alone, `l'` and `-vous`
and `'s` are split off. How a token attaches to its neighbours is what is usual for it
(a full stop to the left, an opening bracket to the right), and only where the text
does something unusual does the token carry a mark. So ordinary text has clean tokens
and *any* text comes back as it was::

    >>> Tokenizer().split('He said: "l\\'ami (a.b)".')
    ['He', 'said', ':', '"￭', "l'", 'ami', '(', 'a', '.￭', 'b', ')', '￭"', '.']
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

GLUE = "\uffed"
"""The mark of a token that attaches where usually there is a space."""

SPACE = "\u2423"
"""The mark of a token with a space where usually there is none."""

# A mark that occurs in the text itself. The tokenizer would split these strings, so
# as whole tokens they cannot mean anything else.
_ESCAPES = {GLUE: "&#65517;", SPACE: "&#9251;"}
_UNESCAPES = {escaped: mark for mark, escaped in _ESCAPES.items()}

# `\w` leaves out the combining marks, which belong to the letter before them.
_COMBINING = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u0670"
    "\u0900-\u0963\u0966-\u0dff\u0e31\u0e34-\u0e4e\u1dc0-\u1dff\u200c\u200d"
)
_LETTER = rf"[\w{_COMBINING}]"
_PIECES = re.compile(
    rf"\d+(?:[.,]\d+)+{_LETTER}*|{_LETTER}+(?:['’\-]{_LETTER}+)*['’]?|\S", re.UNICODE
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ELIDED = _words("l d n j m t s c qu lorsqu puisqu jusqu quoiqu quelqu presqu")
_CONTRACTED = _words("s re ve ll d m")
_HYPHENATED = _words(
    "je tu il elle on nous vous ils elles ce moi toi le la les lui leur y en"
)
_LEFT = frozenset(".,;:!?)]}…%»’'")
_RIGHT = frozenset("([{«¿¡")
_FRENCH_SPACED = frozenset(";:!?»%«")


def normalize(text: str, *, lowercase: bool = False, straighten: bool = True) -> str:
    """The text in Unicode NFC with single plain spaces.

    `straighten` also writes the apostrophe ’ as ', so that l’ami and l'ami are one.
    """
    text = unicodedata.normalize("NFC", text)
    if straighten:
        text = text.replace("\u2019", "'")
    if lowercase:
        # Lower-casing can decompose (İ), so the composed form is asked for again.
        text = unicodedata.normalize("NFC", text.lower())
    return " ".join(text.split())


@dataclass(frozen=True)
class Tokenizer:
    """How text becomes tokens: `join(split(text)) == normalize(text)`, always.

    `french` spacing means a space before `; : ! ? % »` and after `«`.
    """

    lowercase: bool = False
    straighten: bool = True
    french: bool = False

    def normalize(self, text: str) -> str:
        """The text as `join` gives it back; see `normalize`."""
        return normalize(text, lowercase=self.lowercase, straighten=self.straighten)

    def split(self, text: str) -> list[str]:
        """The tokens of a text."""
        cores: list[str] = []
        spaced: list[bool] = []  # whether a space stands before the core
        for word in self.normalize(text).split(" "):
            before = True
            for piece in _PIECES.findall(word):
                for core in _split_clitics(piece):
                    cores.append(core)
                    spaced.append(before)
                    before = False
        tokens = [_ESCAPES.get(core, core) for core in cores]
        for i in range(1, len(cores)):
            left, right = cores[i - 1], cores[i]
            if spaced[i] == self._is_spaced(left, right):
                continue
            mark = SPACE if spaced[i] else GLUE
            # Words stay clean where the neighbour can carry the mark.
            if _is_word(right) and not _is_word(left):
                tokens[i - 1] += mark
            else:
                tokens[i] = mark + tokens[i]
        return tokens

    def join(self, tokens: Iterable[str]) -> str:
        """The text of the tokens."""
        parts: list[str] = []
        left, after = "", ""
        for token in tokens:
            before = ""
            if len(token) > 1 and token[0] in _ESCAPES:
                before, token = token[0], token[1:]
            next_after = ""
            if len(token) > 1 and token[-1] in _ESCAPES:
                next_after, token = token[-1], token[:-1]
            core = _UNESCAPES.get(token, token)
            if parts:
                mark = before or after
                if mark == SPACE or (not mark and self._is_spaced(left, core)):
                    parts.append(" ")
            parts.append(core)
            left, after = core, next_after
        return "".join(parts)

    def _is_spaced(self, left: str, right: str) -> bool:
        """Whether one usually writes a space between two cores."""
        if self.french:
            if right in _FRENCH_SPACED and right != "«":
                return True
            if left == "«":
                return True
        if right in _LEFT or left in _RIGHT:
            return False
        if len(right) > 1:
            if right[0] == "-" and right[1:].lower() in _HYPHENATED:
                return False
            if right[0] == "-" and right[1:3] in ("t-", "T-"):
                return False
            if right[0] in "'’" and right[1:].lower() in _CONTRACTED:
                return False
        return not (len(left) > 1 and left[-1] in "'’" and left[:-1].lower() in _ELIDED)


def _is_word(core: str) -> bool:
    return len(core) > 1 or core.isalnum()


def _split_clitics(piece: str) -> list[str]:
    """The piece with elided words, contractions and inverted pronouns split off."""
    if not any(sign in piece for sign in "'’-"):
        return [piece]
    head: list[str] = []
    # l'ami -> l' ami; qu'est-ce -> qu' est-ce
    while (found := re.match(r"(\w+)['’]", piece)) and found[1].lower() in _ELIDED:
        head.append(found[0])
        piece = piece[found.end() :]
    if not piece:
        return head
    if found := re.search(r"(?<=\w)['’](\w+)$", piece):
        # Paul's -> Paul 's, but don't and o'clock stay whole
        if found[1].lower() in _CONTRACTED:
            return [*head, piece[: found.start()], found[0]]
    if len(piece) > 1 and piece[-1] in "'’":
        return [*head, *_split_clitics(piece[:-1]), piece[-1]]
    tail: list[str] = []
    # donnez-le-moi -> donnez -le -moi; va-t-il -> va -t-il
    while (found := re.search(r"(?<=\w)-([^\W\d_]+)$", piece)) and (
        found[1].lower() in _HYPHENATED
    ):
        suffix = found[0]
        piece = piece[: found.start()]
        if piece[-2:] in ("-t", "-T") and len(piece) > 2:
            suffix = piece[-2:] + suffix
            piece = piece[:-2]
        tail.insert(0, suffix)
    return [*head, piece, *tail]
