"""Compare text that people read whole with a checked-in file; UPDATE_GOLDEN=1 writes the file anew."""

from __future__ import annotations

import os
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "e2e" / "golden"


def steady(text: str, **places: object) -> str:
    """Return output with what differs from run to run replaced by its name: commits, times, ages, and *places*."""
    for name, place in places.items():
        text = text.replace(str(place), f"<{name}>")
    text = re.sub(r"\b[0-9a-f]{64}\b", "<hash>", text)
    text = re.sub(r"\b(?=[0-9a-f]*[0-9])(?:[0-9a-f]{40}|[0-9a-f]{12})\b", "<commit>", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "<time>", text)
    text = re.sub(r"\b\d+[smhd] ago\b", "<n>s ago", text)  # minutes, where the machine is busy
    text = re.sub(r" +(?:now|\d+[mhd])  ([b-df-hj-np-tv-xz]{4,6})\b", r"  <age>  \1", text)
    return re.sub(r"\b\d+(\.\d+)? s\b", "<n> s", text)


def assert_golden(name: str, text: str) -> None:
    """Compare with the file of this name."""
    path = FOLDER / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path} differs: if it is meant so, UPDATE_GOLDEN=1 pytest …"
