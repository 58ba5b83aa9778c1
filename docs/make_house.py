"""Write docs/house.svg, the picture of the house in CONTRIBUTING.md, from the imports of the package.

Run it after a change of the layers: ``.venv/bin/python docs/make_house.py``. A test fails when they differ. Each row is
a room of `gitmem/`, highest layer first (the contract in pyproject.toml); its dots are the rooms that it imports.
Imports point downward only, so all dots are right of the diagonal, but for the exceptions of the contract.
"""

from __future__ import annotations

import ast
import tomllib
from html import escape
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
PACKAGE = PROJECT / "gitmem"
TARGET = Path(__file__).with_name("house.svg")
# Pixels: of a cell, and of the names beside and above the cells.
CELL, NAMES, TOP = 22, 96, 92
STYLE = (
    "text{font:13px sans-serif;fill:#24292f}.line{stroke:#d0d7de}.self{fill:#d0d7de}.dot{fill:#0969da}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.about{fill:#9198a1}.line,.self{stroke:#3d444d;fill:#3d444d}"
    ".dot{fill:#4493f8}}"
)


def layers() -> list[list[str]]:
    """Return the rooms of each layer, highest first."""
    contracts = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    contract = next(one for one in contracts if one["type"] == "layers")
    return [[room.strip() for room in layer.split("|")] for layer in contract["layers"]]


def imports() -> dict[str, set[str]]:
    """Return the rooms that each room imports, also inside functions and for types."""
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        inside = path.relative_to(PACKAGE).parts
        room = inside[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{one.name}" for one in node.names]
            parts = [name.split(".") for name in names if name.startswith("gitmem.")]
            found.setdefault(room, set()).update(part[1] for part in parts)
    return found


def picture() -> str:
    """Return the picture as SVG."""
    storeys, used = layers(), imports()
    rooms = [room for storey in storeys for room in storey]
    wide, high = NAMES + CELL * len(rooms) + 40, TOP + CELL * len(rooms) + 8
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}">',
        f"<style>{STYLE}</style>",
    ]
    for column, room in enumerate(rooms):
        at = NAMES + CELL * column + CELL // 2 + 4
        lines.append(f'<text transform="translate({at},{TOP - 6}) rotate(-60)">{escape(room)}</text>')
    row = 0
    for storey in storeys:
        top = TOP + CELL * row
        lines.append(f'<line class="line" x1="0" x2="{wide}" y1="{top}" y2="{top}"/>')
        for room in storey:
            middle = TOP + CELL * row + CELL // 2
            lines.append(f'<text x="{NAMES - 8}" y="{middle + 4}" text-anchor="end">{escape(room)}</text>')
            for column, other in enumerate(rooms):
                at = NAMES + CELL * column + CELL // 2
                if other == room:
                    lines.append(f'<circle class="self" cx="{at}" cy="{middle}" r="3"/>')
                elif other in used.get(room, ()):
                    lines.append(f'<circle class="dot" cx="{at}" cy="{middle}" r="5"/>')
            row += 1
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    TARGET.write_text(picture(), encoding="utf-8")
