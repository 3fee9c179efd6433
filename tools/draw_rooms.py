"""Draw the rooms of the source tree, from the tree: docs/images/rooms.svg.

    python tools/draw_rooms.py

Every folder is a box with the first line of its docstring and the names of its files;
the arrows are the way of a program through the compiler, and "uses" are the imports
that the files really have. A test draws the picture again and compares.
"""

from __future__ import annotations

import ast
import html
import textwrap
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "anadrome"
PICTURE = ROOT / "docs" / "images" / "rooms.svg"

PIPELINE = (
    "api",
    "driver",
    "frontend",
    "transform",
    "optimize",
    "backends/python",
    "backends/native",
)
FOUNDATIONS = ("primitives", "infer", "ir")
TOOLKIT = (
    "cli",
    "viz",
    "tasks",
    "smt",
    "train",
    "evaluate",
    "decode",
    "models",
    "ngram",
    "corpora",
    "text",
    "nn",
)

# Rooms inside others in the order in which a program meets them; the rest by name.
ORDER = (
    *("syntax", "values", "calls", "numpy", "speculation"),
    *("dependence", "forward", "reverse", "expansion"),
    *("analysis", "simplify", "lists", "memory", "linear", "speculation"),
    *("lowering", "fusion", "kernels", "gemm", "vectormath", "emission"),
    *("parallelism", "linking", "disk", "runtime"),
)

WIDE, NARROW, GAP, LINE = 860, 360, 26, 15
SMALL = 10.5  # the letters of names of files, a fixed-width font
COLOURS = {"pipeline": "#e8f0fa", "foundation": "#eef6ea", "toolkit": "#fbf1e4"}


@dataclass
class Room:
    """A folder of the source tree."""

    path: str
    sign: str
    files: list[str]
    uses: Counter[str]
    rooms: list[Room] = field(default_factory=list)


def read_room(path: str) -> Room:
    """A folder with its docstring, its files and what they import."""
    folder = SOURCE / path
    sign = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    files = sorted(p.stem for p in folder.glob("*.py") if not p.stem.startswith("__"))
    inner = [
        read_room(f"{path}/{p.name}")
        for p in sorted(folder.iterdir(), key=_order)
        if (p / "__init__.py").exists()
    ]
    uses: Counter[str] = Counter()
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and not node.level:
                uses[_room_of(node.module or "")] += 1
    del uses[_top(path)], uses[""]
    return Room(path, sign.split("\n")[0], files, uses, inner)


def _order(path: Path) -> tuple[int, str]:
    known = path.name in ORDER
    return ORDER.index(path.name) if known else len(ORDER), path.name


def _top(path: str) -> str:
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "backends" else parts[0]


def _room_of(module: str) -> str:
    """The top room of an imported module, if it is one of ours."""
    root, *parts = module.split(".")
    if root != "anadrome" or not parts or not (SOURCE / parts[0]).is_dir():
        return ""
    return _top("/".join(parts))


class Drawing:
    """Boxes, arrows and text, as SVG."""

    def __init__(self) -> None:
        self.items: list[str] = []

    def text(self, x: float, y: float, text: str, style: str = "") -> None:
        self.items.append(f'<text x="{x}" y="{y}" {style}>{html.escape(text)}</text>')

    def box(self, x: float, y: float, w: float, h: float, fill: str) -> None:
        self.items.append(
            f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="6" fill="{fill}" '
            'stroke="#8a97a6"/>'
        )

    def arrow(self, x: float, y: float, length: float) -> None:
        self.items.append(
            f'<path d="M{x} {y} v{length}" stroke="#445" stroke-width="2" '
            'marker-end="url(#head)"/>'
        )

    def room(self, room: Room, x: float, y: float, w: float, fill: str) -> float:
        """Draw a room and those inside; its height."""
        start = len(self.items)
        name = room.path.rpartition("/")[2] if room.path.count("/") > 1 else room.path
        self.text(x + 10, y + 20, name, 'font-weight="bold" font-size="14"')
        bottom = y + 20
        for line in textwrap.wrap(room.sign, int(w / 6.4)):
            bottom += LINE
            self.text(x + 10, bottom, line, 'font-size="11.5"')
        if room.files:
            names = "\u00a0· ".join(room.files)
            for line in textwrap.wrap(names, int((w - 20) / (SMALL * 0.6))):
                bottom += LINE
                self.text(x + 10, bottom, line, 'class="files"')
        if fill != "white":
            used = "\u00a0· ".join(name for name, _ in room.uses.most_common())
            if used:
                for line in textwrap.wrap(f"uses {used}", int(w / 6.4)):
                    bottom += LINE
                    self.text(x + 10, bottom, line, 'class="uses"')
        bottom += 8
        columns = 2 if w > 500 else 1
        inner = (w - 10 * (columns + 1)) / columns
        for k in range(0, len(room.rooms), columns):
            row = room.rooms[k : k + columns]
            heights = [
                self.room(r, x + 10 + i * (inner + 10), bottom, inner, "white")
                for i, r in enumerate(row)
            ]
            bottom += max(heights) + 8
        back = Drawing()
        back.box(x, y, w, bottom - y, fill)
        self.items[start:start] = back.items
        return bottom - y


def draw() -> str:
    """The whole picture."""
    d = Drawing()
    y = 40.0
    d.text(20, 26, "A program's way through the compiler", 'class="title"')
    for k, path in enumerate(PIPELINE):
        height = d.room(read_room(path), 20, y, WIDE, COLOURS["pipeline"])
        y += height
        if k + 1 < len(PIPELINE):
            label = "or" if path == "backends/python" else ""
            if label:
                d.text(WIDE / 2 + 14, y + 18, label, 'font-size="12"')
            else:
                d.arrow(WIDE / 2 + 20, y, GAP - 6)
        y += GAP
    left = y
    x = WIDE + 60
    d.text(x, 26, "The toolkit, on the public interface", 'class="title"')
    y = 40.0
    for path in TOOLKIT:
        y += d.room(read_room(path), x, y, NARROW, COLOURS["toolkit"]) + 12
    y += 30
    d.text(x, y, "What the compiler stands on", 'class="title"')
    y += 14
    for path in FOUNDATIONS:
        y += d.room(read_room(path), x, y, NARROW, COLOURS["foundation"]) + 12
    width, height = x + NARROW + 20, max(left, y)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">\n'
        "<style>.title { font-size: 17px; font-weight: bold }\n"
        f".files {{ font: {SMALL}px monospace; fill: #334 }}\n"
        ".uses { font-size: 11px; font-style: italic; fill: #667 }</style>\n"
        '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="4" refY="4" '
        'orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#445"/></marker></defs>\n'
        f'<rect width="{width}" height="{height}" fill="white"/>\n'
    )
    return head + "\n".join(d.items) + "\n</svg>\n"


if __name__ == "__main__":
    PICTURE.write_text(draw())
