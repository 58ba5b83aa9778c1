"""docs/adopt.svg is what docs/make_picture.py makes of `gitmem adopt` now."""

from __future__ import annotations

import importlib.util
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def test_picture_in_the_readme_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("make_picture", DOCS / "make_picture.py")
    assert spec is not None
    assert spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)

    assert maker.make_picture() == maker.PICTURE.read_text(encoding="utf-8"), "run: python docs/make_picture.py"
