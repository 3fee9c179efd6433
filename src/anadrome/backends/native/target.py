"""The machine that code is generated for: CPU, features and vector width.

The host is the default.  `ANADROME_TARGET` (or an argument) names a lower
level of the same architecture, so that one machine can test the code that
another will run:

==========  ======================================  ===========
name        CPU                                     vector bits
==========  ======================================  ===========
host        the running CPU, all its features       512/256/128
avx512      x86-64-v4                               512
avx2        x86-64-v3 (with FMA)                    256
baseline    x86-64 (SSE2), or the bare architecture 128
==========  ======================================  ===========
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from functools import cache

import llvmlite
import llvmlite.binding as llvm

LEVELS = ("host", "avx512", "avx2", "baseline")

# What a host must offer before code of a level may run on it.
_NEEDS = {
    "avx512": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    "avx2": ("avx2", "fma", "bmi2"),
}


class TargetError(ValueError):
    """The named target does not exist, or this machine cannot run its code."""


@dataclass(frozen=True)
class Target:
    """A CPU to generate code for; equal targets may share object code."""

    level: str
    triple: str
    cpu: str
    features: str
    vector_bits: int
    has_fma: bool

    @property
    def vector_bytes(self) -> int:
        """The bytes of one vector register."""
        return self.vector_bits // 8

    @property
    def registers(self) -> int:
        """The number of vector registers."""
        return 32 if self.vector_bits == 512 or self._is_arm else 16

    @property
    def _is_arm(self) -> bool:
        return self.triple.startswith(("aarch64", "arm64"))

    def lanes(self, element_bytes: int) -> int:
        """The elements of the given size that one vector register holds."""
        return self.vector_bytes // element_bytes

    @property
    def fingerprint(self) -> str:
        """A text that differs whenever object code might."""
        version = ".".join(map(str, llvm.llvm_version_info))
        return (
            f"{llvmlite.__version__} LLVM {version} {self.triple} "
            f"{self.cpu} {self.features}"
        )


_machines = threading.local()


def target_machine(target: Target, codegen_level: int = 2) -> llvm.TargetMachine:
    """This thread's LLVM code generator for a target (0 ≤ level ≤ 3)."""
    _initialize_llvm()
    machines = _machines.__dict__.setdefault("made", {})
    key = (target, codegen_level)
    if key not in machines:
        machines[key] = llvm.Target.from_triple(target.triple).create_target_machine(
            cpu=target.cpu,
            features=target.features,
            opt=codegen_level,
            reloc="pic",
            codemodel="small",
            jit=True,
        )
    return machines[key]


def select_target(level: str | None = None) -> Target:
    """The target of a level, of `ANADROME_TARGET`, or else the host."""
    level = level or os.environ.get("ANADROME_TARGET") or "host"
    return _make_target(level)


def available_levels() -> tuple[str, ...]:
    """The levels whose code this machine can run, best first."""
    host = _host_features()
    return tuple(
        level for level in LEVELS if all(host.get(f) for f in _NEEDS.get(level, ()))
    )


@cache
def _make_target(level: str) -> Target:
    if level not in LEVELS:
        raise TargetError(
            f"there is no target {level!r}; help: set ANADROME_TARGET to one of "
            + ", ".join(LEVELS)
        )
    if level not in available_levels():
        raise TargetError(
            f"this CPU ({llvm.get_host_cpu_name()}) cannot run {level!r} code; "
            "help: unset ANADROME_TARGET to use what it has"
        )
    triple = llvm.get_process_triple()
    is_x86 = triple.startswith("x86_64")
    if level == "host":
        features = _host_features()
        flags = [("+" if on else "-") + f for f, on in sorted(features.items())]
        wide = all(features.get(f) for f in _NEEDS["avx512"])
        bits = 512 if wide else 256 if features.get("avx2") else 128
        if wide:
            # LLVM halves the vectors of CPUs that lowered their clock for
            # 512-bit code; present ones hardly do, and products need them.
            flags.append("-prefer-256-bit")
        has_fma = bool(features.get("fma")) if is_x86 else not triple.startswith("i")
        name = llvm.get_host_cpu_name()
        return Target(level, triple, name, ",".join(flags), bits, has_fma)
    if level == "avx512":
        return Target(level, triple, "x86-64-v4", "-prefer-256-bit", 512, True)
    if level == "avx2":
        return Target(level, triple, "x86-64-v3", "", 256, True)
    cpu = "x86-64" if is_x86 else "generic"
    return Target(level, triple, cpu, "", 128, has_fma=not is_x86)


@cache
def _host_features() -> dict[str, bool]:
    _initialize_llvm()
    return dict(llvm.get_host_cpu_features())


@cache
def _initialize_llvm() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
