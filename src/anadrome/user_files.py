"""Modules in the user's own files, by path: models, cells."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def load_module(path: Path) -> ModuleType:
    """The module in a file, under the file's own name; read once."""
    where = path.resolve()
    name = path.stem
    loaded = sys.modules.get(name)
    if loaded is None or getattr(loaded, "__file__", None) != str(where):
        spec = importlib.util.spec_from_file_location(name, where)
        assert spec is not None
        assert spec.loader is not None
        loaded = importlib.util.module_from_spec(spec)
        sys.modules[name] = loaded
        spec.loader.exec_module(loaded)
    return loaded
