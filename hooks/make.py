"""Write the shims of this folder from gitmem's own; a test fails when the two differ.

Run it after a change of ``gitmem/commands/install/shim.py``: ``.venv/bin/python hooks/make.py``.
"""

from __future__ import annotations

from pathlib import Path

from gitmem.commands.install import shim

if __name__ == "__main__":
    for event in (*shim.EVENTS, *shim.CHECKS):
        path = Path(__file__).with_name(event)
        path.write_text(shim.text_of(event), encoding="utf-8")
        path.chmod(0o755)
