"""HTML and SVG, put together so that no text can become markup by mistake."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Part = str | Markup | Iterable["Part"] | None


def join(parts: Part) -> Markup:
    """Parts one after the other; plain text is escaped."""
    if parts is None:
        return Markup("")
    if isinstance(parts, Markup):
        return parts
    if isinstance(parts, str):
        return Markup(escape(parts, quote=False))
    return Markup("".join(join(part) for part in parts))


def tag(name: str, /, *parts: Part, **attributes: str | float | None) -> Markup:
    """An element. `class_` is class, `stroke_width` is stroke-width."""
    text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if not parts and name in ("meta", "line", "path", "circle", "rect", "br"):
        return Markup(f"<{name}{text}/>")
    return Markup(f"<{name}{text}>{join(parts)}</{name}>")


def _value(value: str | float) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value)
