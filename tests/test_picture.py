"""docs/adopt.svg is what docs/make_picture.py makes of `gitmem adopt` now, and the report's pictures are small."""

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


def test_pictures_of_the_report_are_small_and_as_wide_as_the_readme_shows_them() -> None:
    for name in ("report.png", "report-dark.png"):
        content = (DOCS / name).read_bytes()
        # A PNG begins with its signature and the chunk IHDR, which begins with the width (RFC 2083, 4.1.1).
        assert (content[:8], content[12:16], int.from_bytes(content[16:20])) == (b"\x89PNG\r\n\x1a\n", b"IHDR", 1200)
        assert len(content) <= 150_000
