"""``gitmem forge note --dry-run``: shows the note without a token."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitmem.verify.overview.notice.document import LISTS


def test_note_is_shown_without_a_token(run_cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "check.json").write_text(json.dumps({name: [] for name in LISTS}), encoding="utf-8")
    project = "https://gitlab.example/acme/shop"
    for name, value in (("API_V4_URL", f"{project}/api"), ("PROJECT_ID", "1"), ("PROJECT_URL", project)):
        monkeypatch.setenv(f"CI_{name}", value)
    monkeypatch.setenv("CI_MERGE_REQUEST_IID", "12")

    done = run_cli("forge", "note", "--kind", "check", "--dry-run", str(tmp_path / "check.json"))

    assert done.status == 0, done
    assert "This change makes no fact false" in done.out
