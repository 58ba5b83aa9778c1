"""Capture is checked before it is on disk, and takes milliseconds."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import NOW
from support.each import each

from gitmem.errors import NoRepositoryError, RefusedError, UsageError
from gitmem.memory import Memory
from gitmem.store.state.plain_files import waiting_captures
from gitmem.store.state.spool import Spool

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_captured_text_waits_with_what_was_said_of_it(memory, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = memory.capture("The gateway drops idle connections", kind="gotcha", paths=["src/**"], refs=[])

    entry = Spool(repo / ".git" / "gitmem").read(name)

    assert entry is not None
    assert (entry["text"], entry["kind"], entry["at"]) == ("The gateway drops idle connections", "gotcha", NOW)
    assert entry["options"] == {"paths": ["src/**"]}


@each(
    ("text", "options", "error"),
    [
        ("ok", {}, RefusedError),
        (f"the token is {SECRET}", {}, RefusedError),
        ("a text", {"refs": [f"https://x:{SECRET}@example.com"]}, RefusedError),
        ("a te\u202ext", {}, RefusedError),
        ("a text", {"verify": "true"}, UsageError),
    ],
    ids=["low-value", "secret", "secret-in-a-field", "hidden", "check"],
)
def test_what_may_not_be_written_is_refused_before_it_is_on_disk(
    memory, repo: Path, text: str, options: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error) as caught:
        memory.capture(text, **options)

    assert SECRET not in str(caught.value)
    assert not waiting_captures(repo / ".git" / "gitmem")


def test_nothing_is_captured_where_there_is_no_store(repo: Path) -> None:
    with Memory(repo) as opened, pytest.raises(NoRepositoryError):
        opened.capture("The gateway drops idle connections")

    assert not (repo / ".git" / "gitmem" / "spool").exists()
