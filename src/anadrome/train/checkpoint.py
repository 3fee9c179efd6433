"""Checkpoints: everything that training needs to go on after it was interrupted.

A checkpoint is a few files in a folder::

    step-00000500.params.0c1ad27f.safetensors
    step-00000500.optimizer.5bd20e91.safetensors
    step-00000500.json

The manifest (JSON) is written last. It has the step, the configuration, the state of
random generators and batches, and the SHA-256 of every file and of itself, so a
checkpoint that was torn or damaged is recognised and an older one is used. The names
of the files hold the beginning of their SHA-256: saving a step anew touches nothing
that the manifest in force depends on.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from anadrome.train.atomic import TEMPORARY, sync_folder, write_atomically
from anadrome.train.errors import (
    CheckpointError,
    CheckpointWarning,
    CorruptCheckpoint,
)
from anadrome.train.records import flatten, unflatten

_FORMAT = "anadrome checkpoint 1"
_MANIFEST = re.compile(r"step-(\d{8,})\.json")
_FILE = re.compile(r"step-(\d{8,})\.[A-Za-z0-9_-]+\.[0-9a-f]{8}\.safetensors")
_NAME = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint that was read: its arrays are those of the records, by name."""

    step: int
    config: dict[str, Any]
    state: dict[str, Any]
    arrays: dict[str, dict[str, np.ndarray]]
    path: Path

    def restore(self, record: str, like: Any) -> Any:
        """The record of this name ("params"), built like the given one."""
        if record not in self.arrays:
            raise CheckpointError(
                f"{self.path}: there is no record {record!r}, only "
                + ", ".join(map(repr, sorted(self.arrays)))
            )
        try:
            return unflatten(like, self.arrays[record])
        except CheckpointError as error:
            raise type(error)(
                f"{self.path}, record {record!r}: {error}\n"
                "help: build the model with the configuration in the checkpoint"
            ) from None


def save_checkpoint(
    folder: str | PathLike[str],
    step: int,
    records: Mapping[str, Any],
    *,
    config: Any = None,
    state: Mapping[str, Any] | None = None,
    keep: int = 3,
    protect: Collection[int] = (),
) -> Path:
    """Write a checkpoint and return the path of its manifest.

    Records are nested dataclasses, dictionaries, lists and tuples of arrays. `config`
    is a dataclass or a dictionary, `state` a dictionary; both of what JSON can hold,
    generator states included (`generator_state`). When the checkpoint is complete, all
    but the last `keep` are deleted, and those of the steps in `protect`.
    """
    safetensors = _import_safetensors()
    if keep < 1:
        raise ValueError("at least the new checkpoint must be kept")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"step-{step:08d}"
    manifest: dict[str, Any] = {
        "format": _FORMAT,
        "step": step,
        "config": _plain(config),
        "state": _plain(dict(state or {})),
        "files": {},
    }
    # What cannot be written as JSON is found out before any file is.
    _encode(manifest)
    contents = {}
    for name, record in records.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} cannot be part of a file name")
        contents[name] = safetensors.save(
            # Views are copied: only whole arrays can be saved.
            {key: np.array(a, order="C") for key, a in flatten(record).items()}
        )
    path = folder / f"{stem}.json"
    for name, content in contents.items():
        digest = hashlib.sha256(content).hexdigest()
        file = f"{stem}.{name}.{digest[:8]}.safetensors"
        write_atomically(folder / file, content)
        manifest["files"][name] = {
            "file": file,
            "bytes": len(content),
            "sha256": digest,
        }
    manifest["checksum"] = _checksum(manifest)
    write_atomically(path, _encode(manifest))
    _prune(folder, step, keep, set(protect))
    return path


def list_checkpoints(folder: str | PathLike[str]) -> list[int]:
    """The steps of which there is a manifest, oldest first; they may be damaged."""
    folder = Path(folder)
    if not folder.is_dir():
        return []
    found = (_MANIFEST.fullmatch(p.name) for p in folder.iterdir())
    return sorted(int(match[1]) for match in found if match)


def load_checkpoint(folder: str | PathLike[str], step: int) -> Checkpoint:
    """The checkpoint of a step, checked against its manifest."""
    safetensors = _import_safetensors()
    path = Path(folder) / f"step-{step:08d}.json"
    manifest = _read_manifest(path)
    if manifest["step"] != step:
        raise CorruptCheckpoint(f"{path}: this is the manifest of {manifest['step']}")
    arrays = {}
    for name, entry in manifest["files"].items():
        file = path.parent / entry["file"]
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            raise CorruptCheckpoint(f"{path}: {file.name} is missing") from None
        if len(content) != entry["bytes"]:
            raise CorruptCheckpoint(
                f"{file}: the file has {len(content)} bytes instead of {entry['bytes']}"
            )
        if hashlib.sha256(content).hexdigest() != entry["sha256"]:
            raise CorruptCheckpoint(
                f"{file}: the content is damaged (its SHA-256 differs)"
            )
        arrays[name] = dict(safetensors.load(content))
    return Checkpoint(step, manifest["config"], manifest["state"], arrays, path)


def load_newest_checkpoint(folder: str | PathLike[str]) -> Checkpoint | None:
    """The newest complete checkpoint of a folder; None if there never was one.

    A damaged one is passed over with a `CheckpointWarning`. If all are damaged, that is
    an error: training should not begin anew in silence.
    """
    reasons = []
    for step in reversed(list_checkpoints(folder)):
        try:
            found = load_checkpoint(folder, step)
        except CorruptCheckpoint as error:
            reasons.append(str(error))
            continue
        for reason in reasons:
            warnings.warn(
                f"{reason}; going on from step {step} instead",
                CheckpointWarning,
                stacklevel=2,
            )
        return found
    if reasons:
        raise CorruptCheckpoint(
            "no checkpoint can be used:\n  "
            + "\n  ".join(reasons)
            + "\nhelp: remove these files to begin anew"
        )
    return None


def generator_state(rng: np.random.Generator) -> dict[str, Any]:
    """The state of a random generator, in a form that JSON can hold."""
    state: dict[str, Any] = _plain(rng.bit_generator.state)
    return state


def restore_generator(state: Mapping[str, Any]) -> np.random.Generator:
    """The generator that goes on where `generator_state` was asked."""
    kind = getattr(np.random, str(state["bit_generator"]), None)
    if not (isinstance(kind, type) and issubclass(kind, np.random.BitGenerator)):
        raise CheckpointError(f"there is no bit generator {state['bit_generator']!r}")
    bits = kind()
    bits.state = _with_arrays(state)
    return np.random.Generator(bits)


def _import_safetensors() -> Any:
    try:
        from safetensors import numpy as safetensors
    except ImportError:
        raise CheckpointError(
            "checkpoints need safetensors\nhelp: pip install 'anadrome[toolkit]'"
        ) from None
    return safetensors


def _plain(value: Any) -> Any:
    """The value in what JSON can hold; dataclasses become dictionaries."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {f.name: _plain(getattr(value, f.name)) for f in fields}
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": value.dtype.str}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Path):
        return str(value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise TypeError(f"a {type(value).__name__} cannot be kept in a manifest")


def _with_arrays(value: Any) -> Any:
    if isinstance(value, Mapping):
        if value.keys() == {"array", "dtype"}:
            return np.array(value["array"], dtype=value["dtype"])
        return {key: _with_arrays(part) for key, part in value.items()}
    return value


def _encode(manifest: Mapping[str, Any]) -> bytes:
    return (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode()


def _checksum(manifest: Mapping[str, Any]) -> str:
    body = {key: value for key, value in manifest.items() if key != "checksum"}
    return hashlib.sha256(_encode(body)).hexdigest()


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise CheckpointError(f"{path}: there is no such checkpoint") from None
    except ValueError:
        raise CorruptCheckpoint(f"{path}: the manifest is not JSON") from None
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
        raise CorruptCheckpoint(f'{path}: this is no manifest of "{_FORMAT}"')
    if manifest.get("checksum") != _checksum(manifest):
        raise CorruptCheckpoint(
            f"{path}: the manifest is damaged (its checksum differs)"
        )
    return manifest


def _prune(folder: Path, newest: int, keep: int, protect: set[int]) -> None:
    """Delete old checkpoints, and what interrupted ones left behind."""
    steps = [step for step in list_checkpoints(folder) if step <= newest]
    dropped = set(steps[:-keep]) - protect
    for step in dropped:
        # Without its manifest a checkpoint no longer counts, whatever comes next.
        (folder / f"step-{step:08d}.json").unlink(missing_ok=True)
    if dropped:
        sync_folder(folder)
    used: set[str] = set()
    unknown: set[int] = set()
    for step in list_checkpoints(folder):
        try:
            manifest = _read_manifest(folder / f"step-{step:08d}.json")
        except CorruptCheckpoint:
            unknown.add(step)  # somebody may want to rescue its files
        else:
            used |= {entry["file"] for entry in manifest["files"].values()}
    for path in folder.iterdir():
        match = _FILE.fullmatch(path.name)
        left = match and path.name not in used and int(match[1]) not in unknown
        if left or path.name.startswith(TEMPORARY):
            path.unlink(missing_ok=True)
