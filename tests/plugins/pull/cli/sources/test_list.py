"""``gitmem sources``: what there is, and when it was pulled."""

from __future__ import annotations

from pathlib import Path


def test_sources_are_listed_with_what_they_have(run_cli, repo: Path) -> None:
    empty = run_cli("sources")
    run_cli("sources", "add", "code")
    before = run_cli("sources").out
    run_cli("pull")

    assert (empty.status, "gitmem sources add github" in empty.err) == (1, True)
    assert before == "code\tcode\t\t0\t\t\n"
    assert run_cli("sources").out.startswith("code\tcode\t\t3\t20")
