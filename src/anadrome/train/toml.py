"""TOML files of options: read with errors that name the file, written plainly."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anadrome.options import OptionError


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a file."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, IsADirectoryError):
        raise OptionError(f"{path}: there is no such file") from None
    except UnicodeDecodeError:
        raise OptionError(f"{path}: the file is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise OptionError(f"{path}: this is not TOML ({error})") from None


def write_toml(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """The text of tables of plain values. What is None is left out."""
    parts = []
    for table, values in tables.items():
        lines = [f"[{table}]"]
        lines += [f"{k} = {_value(v)}" for k, v in values.items() if v is not None]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        # JSON's strings are TOML's, but for the delete character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    raise TypeError(f"a {type(value).__name__} cannot be written as TOML")
