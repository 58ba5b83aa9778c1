"""A session has seen what it was shown, until its context is lost."""

from __future__ import annotations

import os

from support.sessions import place, prompt_event, ran, started

from gitmem.agents.event import COMPACTED, RESUME
from gitmem.agents.session import log
from gitmem.store.state import plain_files


def shown(where, event, **keys: str) -> None:
    log.keep(where, event, log.ShownMemories(keys, "c0ffee"), now=1)


def seen(where, session: str = "s1") -> dict[str, str]:
    return log.statuses_in_context(log.entries_of(where, session))


def test_what_was_shown_is_seen_with_its_status(tmp_path) -> None:
    where = place(tmp_path)
    shown(where, started(), a="verified", b="")
    shown(where, prompt_event("x"), a="failed")

    assert seen(where) == {"a": "failed", "b": ""}
    assert seen(where, "s2") == {}


def test_a_compaction_forgets_and_a_resumption_does_not(tmp_path) -> None:
    where = place(tmp_path)
    shown(where, started(), a="")
    shown(where, started(source=RESUME), b="")
    assert seen(where) == {"a": "", "b": ""}

    shown(where, started(source=COMPACTED), c="")
    assert seen(where) == {"c": ""}


def test_a_session_without_a_name_has_no_log(tmp_path) -> None:
    where = place(tmp_path)
    shown(where, started(session=""), a="")

    assert not os.path.exists(where.root)


def test_a_disk_that_does_not_allow_it_is_no_failure(tmp_path) -> None:
    (tmp_path / "sessions").write_text("a file in its place")

    shown(place(tmp_path), started(), a="")


def test_only_the_latest_sessions_are_kept(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(log, "SESSIONS_KEPT", 2)
    where = place(tmp_path)
    for number in range(4):
        shown(where, started(f"../s{number}"), a="")
        os.utime(log._path(where, f"../s{number}"), (number, number))

    log.sweep(where)

    assert log.sessions(where) == ["../s3", "../s2"]


def test_what_a_session_wrote_itself_is_seen_and_not_counted_as_brought(tmp_path) -> None:
    where = place(tmp_path)
    shown(where, prompt_event("x"), a="")
    shown(where, ran("gitmem remember ..."), b="")

    assert seen(where) == {"a": "", "b": ""}
    assert (
        plain_files.read_count(tmp_path, plain_files.PROMPTS),
        plain_files.read_count(tmp_path, plain_files.SHOWN),
    ) == (1, 1)
    assert plain_files.shown_keys(tmp_path) == {"a": 0}
