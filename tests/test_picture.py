"""docs/adopt.svg is drawn from what `gitmem adopt` printed, in the form it has now; the report's pictures are small."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from conftest import commit_files, git

DOCS = Path(__file__).resolve().parent.parent / "docs"


def test_picture_in_the_readme_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("make_picture", DOCS / "make_picture.py")
    assert spec is not None
    assert spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)

    assert maker.make_picture() == maker.PICTURE.read_text(encoding="utf-8"), "run: python docs/make_picture.py"


def test_picture_shows_the_forms_that_adopt_prints_now(repo: Path, run_cli) -> None:  # type: ignore[no-untyped-def]
    document = "- `src/a.py` has the limits\n- `src/gateway/retry.py` waits\n"
    commit_files(repo, {"AGENTS.md": document, "src/a.py": "LIMIT = 3\n" * 9})
    git(repo, "mv", "src/a.py", "src/b.py")
    git(repo, "rm", "-q", "src/gateway/retry.py")
    commit_files(repo, {}, "Tidy names")
    shown = re.sub(r"\x1b\[[\d;]*m", "", (DOCS / "example" / "adopt.ansi").read_text(encoding="utf-8"))

    printed = run_cli("adopt").out

    for form in (r"^✗ \S+:\d+  \S+ does not exist$", r"^    since [0-9a-f]{10} “.+” \(.+, [\d-]{10}\)$",
                 r"^    should say: \S+$", r"^\d+ documents?: \d+ false, \d+ holds?\b"):  # fmt: skip
        assert re.search(form, printed, re.M), form
        assert re.search(form, shown, re.M), form


def test_pictures_of_the_report_are_small_and_as_wide_as_the_readme_shows_them() -> None:
    for name in ("report.png", "report-dark.png"):
        content = (DOCS / name).read_bytes()
        # A PNG begins with its signature and the chunk IHDR, which begins with the width (RFC 2083, 4.1.1).
        assert (content[:8], content[12:16], int.from_bytes(content[16:20])) == (b"\x89PNG\r\n\x1a\n", b"IHDR", 1200)
        assert len(content) <= 150_000
