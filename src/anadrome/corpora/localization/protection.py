"""Templates translated so that every code comes back once, or not at all.

Codes are masked, the sentence is translated whole, and the masks are looked for in the
translation. If one is lost, doubled or in a place where it would break the message, the
stretches between the codes are translated one by one. If that is no good either, there
is no translation, and a reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from anadrome.corpora.localization.placeholders import (
    Code,
    Template,
    are_balanced,
    is_icu,
    placeholders,
)

Translate = Callable[[list[str]], list[str]]

_MASK = re.compile(r"⟦\s*(\d{1,4})\s*⟧")
_UNKNOWN = "<unk>"
# A sign before a letter that opens a menu: &File, E&xit, _File; but not AT&T or a_b.
_KEY = re.compile(r"&(?=[^\W_])(?<!\w&)|(?<=\w)&(?=[a-z])|(?<![\w_])_(?=[^\W_])")


@dataclass(frozen=True)
class Outcome:
    """The translation of a template, or None and why there is none."""

    template: Template | None
    reason: str = ""


@dataclass(frozen=True)
class _Run:
    """What is translated as one sentence, and what stays around it."""

    before: tuple[str | Code, ...]
    inner: Template
    after: tuple[str | Code, ...]
    key: str = ""  # the sign and the letter of an access key, taken out of `inner`


def translate_templates(
    templates: Sequence[Template], translate: Translate
) -> list[Outcome]:
    """The translation of each template; a function translates plain sentences."""
    runs = [_split_runs(template) for template in templates]
    flat = [run for several in runs for run in several if _has_language(run.inner)]
    masked = _translate_all(translate, [_mask(run.inner) for run in flat])
    made: dict[_Run, Template | str] = {}
    for run in flat:
        made[run] = _restore(run, masked[_mask(run.inner)])
    # What failed is tried again in pieces, if there are any.
    failed = [run for run, found in made.items() if isinstance(found, str)]
    pieces = _translate_all(
        translate,
        [
            part.strip()
            for run in failed
            if run.inner.codes
            for part in run.inner.parts
            if isinstance(part, str) and _is_language(part)
        ],
    )
    for run in failed:
        if run.inner.codes:
            made[run] = _assemble(run, pieces)
    return [
        _join(template, several, made) for template, several in zip(templates, runs)
    ]


def _split_runs(template: Template) -> list[_Run]:
    """The lines of a template, each with its spaces and outer tags set aside."""
    lines: list[list[str | Code]] = [[]]
    breaks: list[Code] = []
    for part in template.parts:
        if isinstance(part, Code) and part.is_break:
            breaks.append(part)
            lines.append([])
        else:
            lines[-1].append(part)
    runs = []
    for i, line in enumerate(lines):
        before, inner, after = _peel(line)
        if i < len(breaks):
            after = (*after, breaks[i])
        runs.append(_take_key(_Run(before, replace(template, parts=inner), after)))
    return runs


def _peel(
    line: list[str | Code],
) -> tuple[tuple[str | Code, ...], tuple[str | Code, ...], tuple[str | Code, ...]]:
    """A line without the spaces at its ends and the tags around all of it."""
    before: list[str | Code] = []
    after: list[str | Code] = []
    inner = list(line)
    while inner:
        first, last = inner[0], inner[-1]
        if isinstance(first, str) and (text := first.lstrip()) != first:
            before.append(first[: len(first) - len(text)])
            inner[:1] = [text] if text else []
        elif isinstance(last, str) and (text := last.rstrip()) != last:
            after.insert(0, last[len(text) :])
            inner[-1:] = [text] if text else []
        elif (
            len(inner) > 1
            and isinstance(first, Code)
            and isinstance(last, Code)
            and (first.edge, last.edge) == ("open", "close")
            and are_balanced(p for p in inner[1:-1] if isinstance(p, Code))
        ):
            before.append(first)
            after.insert(0, last)
            inner = inner[1:-1]
        else:
            break
    return tuple(before), tuple(inner), tuple(after)


def _take_key(run: _Run) -> _Run:
    """The run without the sign of its access key, if it has exactly one."""
    places = [
        (i, found)
        for i, part in enumerate(run.inner.parts)
        if isinstance(part, str)
        for found in _KEY.finditer(part)
    ]
    text = run.inner.language
    if len(places) != 1 or (places[0][1][0] == "_" and text.count("_") > 1):
        return run
    i, found = places[0]
    part = run.inner.parts[i]
    assert isinstance(part, str)
    parts = list(run.inner.parts)
    parts[i] = part[: found.start()] + part[found.end() :]
    inner = replace(run.inner, parts=tuple(parts), strict=run.inner.strict | {found[0]})
    return replace(run, inner=inner, key=found[0] + part[found.end()])


def _mask(template: Template) -> str:
    codes = iter(range(len(template.parts)))
    return "".join(
        part if isinstance(part, str) else f"⟦{next(codes)}⟧" for part in template.parts
    )


def _translate_all(translate: Translate, texts: Iterable[str]) -> dict[str, str]:
    """The translation of each text, which is asked for once."""
    wanted = list(dict.fromkeys(texts))
    if not wanted:
        return {}
    found = translate(wanted)
    if len(found) != len(wanted):
        raise ValueError(f"{len(found)} translations of {len(wanted)} sentences")
    # A translation is one line, whatever the function thinks of it.
    return {text: " ".join(made.split()) for text, made in zip(wanted, found)}


def _restore(run: _Run, text: str) -> Template | str:
    """The run with the translation, masks replaced, or what is wrong with it."""
    codes = run.inner.codes
    numbers = [int(number) for number in _MASK.findall(text)]
    if sorted(numbers) != list(range(len(codes))):
        return "a placeholder was lost or doubled"
    parts: list[str | Code] = []
    for i, piece in enumerate(_MASK.split(text)):
        if i % 2:
            parts.append(codes[int(piece)])
        elif piece:
            parts.append(piece)
    return _checked(run, tuple(parts))


def _assemble(run: _Run, pieces: dict[str, str]) -> Template | str:
    """The run with each stretch of language translated by itself."""
    parts: list[str | Code] = []
    for part in run.inner.parts:
        if isinstance(part, str) and _is_language(part):
            text = part.strip()
            head, tail = part[: part.index(text)], part[part.index(text) + len(text) :]
            made = pieces[text]
            if not _is_language(made):
                return "a stretch between placeholders has no translation"
            parts.append(head + made + tail)
        else:
            parts.append(part)
    return _checked(run, tuple(parts))


def _checked(run: _Run, parts: tuple[str | Code, ...]) -> Template | str:
    source, made = run.inner, replace(run.inner, parts=parts)
    said, given = made.language, source.language
    if not _is_language(said):
        return "the translation is empty"
    if _UNKNOWN in said and _UNKNOWN not in given:
        return "the translation holds an unknown word"
    if "⟦" in said and "⟦" not in given:
        return "a placeholder was lost or doubled"
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in said):
        return "the translation holds control characters"
    if placeholders(made) != placeholders(source):
        return "the translation has a placeholder that the source does not have"
    if any(said.count(sign) > given.count(sign) for sign in source.strict):
        return "the translation has signs that would be read as a placeholder"
    if [c.text for c in made.codes if c.is_positional] != [
        c.text for c in source.codes if c.is_positional
    ]:
        return "placeholders without numbers changed their order"
    if are_balanced(source.codes) and not are_balanced(made.codes):
        return "tags are no longer nested"
    return _put_key(run, made)


def _put_key(run: _Run, made: Template) -> Template | str:
    """The translation with an access key: the same letter, or else the first."""
    if not run.key:
        return made
    sign, letter = run.key[0], run.key[1]
    choices: list[tuple[int, int, int]] = []  # how good, which part, where in it
    for i, part in enumerate(made.parts):
        if isinstance(part, str):
            for found in re.finditer(r"[^\W_]", part):
                same = found[0].lower() == letter.lower()
                initial = found.start() == 0 or not part[found.start() - 1].isalnum()
                rank = 0 if same and initial else 1 if same else 2
                choices.append((rank, i, found.start()))
    if not choices:
        return "there is no letter for the access key"
    rank, i, at = min(choices)
    parts = list(made.parts)
    text = parts[i]
    assert isinstance(text, str)
    if rank == 2 and unicodedata.east_asian_width(text[at]) in "WF":
        # Menus of East Asian languages show the Latin letter after the text.
        shown, last = f"({sign}{letter.upper()})", parts[-1]
        if isinstance(last, str):
            end = len(last.rstrip(" .…:："))
            parts[-1] = last[:end] + shown + last[end:]
        else:
            parts.append(shown)
    else:
        parts[i] = text[:at] + sign + text[at:]
    return replace(made, parts=tuple(parts))


def _join(
    template: Template, runs: list[_Run], made: dict[_Run, Template | str]
) -> Outcome:
    if is_icu(str(template)):
        return Outcome(None, "plurals and choices of ICU are left to people")
    parts: list[str | Code] = []
    for run in runs:
        found = made.get(run, run.inner)
        if isinstance(found, str):
            return Outcome(None, found)
        parts += (*run.before, *found.parts, *run.after)
    whole = replace(template, parts=tuple(parts))
    # What two neighbours make together is seen only here: "100 %" and "_d".
    if placeholders(whole) != placeholders(template):
        return Outcome(None, "the translation runs into a placeholder")
    return Outcome(whole)


def _has_language(template: Template) -> bool:
    return any(isinstance(part, str) and _is_language(part) for part in template.parts)


def _is_language(text: str) -> bool:
    return any(sign.isalpha() for sign in text)
