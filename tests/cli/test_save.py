"""``gitmem save``: the keys alone on standard output, every refusal with its reason, and 1 where there was one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import git, memory_text, tip
from support.ids import id_of


@pytest.fixture
def shown(run_cli, repo: Path) -> Path:
    """Return the folder of a view of two memories."""
    for key in ("a", "b"):
        run_cli("remember", f"A known thing {key}", "--key", key)
    run_cli("view")
    return repo / ".memory"


def test_saved_keys_are_printed_and_the_message_is_kept(run_cli, shown: Path, repo: Path) -> None:
    (shown / "learned/a.md").write_text(memory_text("Mine"))

    done, again = run_cli("save", "-m", "what we learnt"), run_cli("save")

    assert (done.status, done.out, done.err) == (0, "a\n", "")
    assert git(repo, "log", "-1", "--format=%s", "memory") == "what we learnt"
    assert (again.status, again.out, again.err) == (0, "", "gitmem: nothing to save\n")


def test_refusal_has_a_reason_and_a_hint(run_cli, shown: Path) -> None:
    (shown / "learned/a.md").write_text("---\ntitle: [\x1b[2J\n---\n")
    (shown / "learned/b.md").unlink()
    (shown / "x.tmp").write_text("")

    done = run_cli("save")

    assert done.status == 1
    assert "gitmem: learned/a.md is not saved: a: " in done.err
    assert "gitmem: learned/b.md was deleted and has been restored" in done.err
    assert "gitmem: ignored 1 file in the view that cannot be a memory" in done.err
    assert "\x1b" not in done.err


def test_json_has_every_result_of_a_save(run_cli, shown: Path, repo: Path) -> None:
    (shown / "learned/a.md").unlink()
    (shown / "learned/c.md").write_text(memory_text("New"))
    (shown / "learned/bad.md").write_text("---\nttl: soon\n---\n")

    done = run_cli("save", "--forget", "--json")

    table = json.loads(done.out)
    assert done.status == 1
    assert table["memories"] == [
        {"key": "c", "short_id": id_of("c"), "path": "learned/c.md", "commit": tip(repo, "memory~1"), "is_new": True}
    ]
    assert [r["path"] for r in table["refused"]] == ["learned/bad.md"]
    assert (table["forgotten"], table["restored"], table["others"]) == (["a"], [], 0)


def test_without_a_view_the_hint_makes_one(run_cli) -> None:
    run_cli("remember", "A known thing")

    done = run_cli("save")

    assert (done.status, "hint: create it: gitmem view" in done.err) == (1, True)
