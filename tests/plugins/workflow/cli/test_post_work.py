"""``gitmem post-work``: from standard input to a file, and refused with how many tokens there are."""

from __future__ import annotations

import io
import json
import sys

from conftest import commit_files
from plugins.workflow.test_post_work import BUILT


def test_text_of_standard_input_is_written_with_every_option(repo, run_cli, monkeypatch) -> None:
    commit_files(repo, {"a.py": "line\n" * 9})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BUILT.encode())))

    done = run_cli(
        "post-work", "-", "--role", "dev", "--story", "LED-1", "--component", "storage", "--ref", "a.py:1-9",
        "--importance", "high", "--title", "Ledger writes", "--key", "w", "--tag", "db", "--path", "src/**",
    )  # fmt: skip

    fields = json.loads(run_cli("show", "w", "--json").out)["frontmatter"]
    assert (done.status, done.out) == (0, "w\n")
    assert (fields["title"], fields["task"], fields["refs"], fields["paths"], fields["importance"], fields["kind"]) == (
        "Ledger writes", "LED-1", ["a.py:1-9"], ["src/**"], "high", "code_pattern",
    )  # fmt: skip
    assert fields["tags"][:2] == ["db", "storage"]


def test_too_short_and_without_lines_are_refused(run_cli) -> None:
    run_cli("init")

    short, nowhere = run_cli("post-work", "Built.", "--ref", "a.py:1"), run_cli("post-work", BUILT)

    assert (short.status, nowhere.status) == (2, 2)
    assert "this has 2 tokens; a useful description needs at least 50" in short.err
    assert "hint: --ref src/auth/jwt.py:89-145" in nowhere.err
