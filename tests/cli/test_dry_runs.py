"""Every ``--dry-run`` speaks of what would happen, and changes nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import commit_files, git, tip
from support.each import each
from support.facts import make_fact, make_memory, put
from support.forge_server import Hub, serving

from gitmem import cli
from gitmem.cli.parser import parser_of
from gitmem.verify.overview.notice.document import LISTS

LINES = {
    "adopt": "adopt --apply --dry-run",
    "curate archive": "curate archive --dry-run",
    "curate decay": "curate decay --dry-run",
    "curate dedupe": "curate dedupe --dry-run",
    "curate expired": "curate expired --dry-run",
    "forge branches": "forge branches --dry-run",
    "forge comment": "forge comment --kind check --pull 12 --dry-run check.json",
    "forge issue": "forge issue --dry-run",
    "forge note": "forge note --kind check --dry-run check.json",
    "forge page": "forge page --dry-run",
    "forge pull": "forge pull --head gitmem/verify --dry-run",
    "import": "import notes.jsonl --dry-run",
    "purge": "purge old --dry-run",
    "settle": "settle --moved --dry-run",
    "sync": "sync --dry-run",
    "undo": "undo --dry-run",
    "verify": "verify --dry-run",
}
# They only list candidates, each with the command that would settle it.
LISTING = ("curate contradictions", "curate refs")
# What says that something was done, unless "be" is before it.
DONE = re.compile(
    r"(?<!be )(?<!nothing was )\b(?:added|changed|imported|updated|retired|archived|superseded|sent|pushed|posted"
    r"|written|deleted|merged|rewritten|recorded|re-pointed|undid|opened)\b"
)


def test_every_command_with_a_dry_run_is_tried() -> None:
    found = set()
    for name in cli.all_commands():
        for whole in [f"{name} {verb}" for verb in cli.verbs_of(name)] or [name]:
            if "--dry-run" in parser_of(whole, cli.load_command(whole))._option_string_actions:
                found.add(whole)

    assert found == {*LINES, *LISTING}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serving() as made:
        for name, value in made.environment().items():
            monkeypatch.setenv(name, value)
        yield made


@pytest.fixture
def work(repo: Path, run_cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something to do for each of them."""
    project = "https://gitlab.example/acme/shop"
    for name, value in (("API_V4_URL", f"{project}/api"), ("PROJECT_ID", "1"), ("PROJECT_URL", project)):
        monkeypatch.setenv(f"CI_{name}", value)
    monkeypatch.setenv("CI_MERGE_REQUEST_IID", "12")
    git(repo.parent, "init", "-q", "--bare", "hub.git")
    git(repo, "remote", "add", "origin", str(repo.parent / "hub.git"))
    run_cli("init", "--offline")
    said, old = "The gateway retries a request three times before it gives up", "2020-01-01T00:00:00Z"
    put(
        repo,
        make_fact("moves", {"contains": "RS256", "in": "src/auth/jwt.py"}, paths=["src/auth/**"], created=old),
        make_memory("old", "An old trap", created=old, kind="gotcha"),
        make_memory("gone", "It was so", created=old, ttl="1d", kind="note"),
        make_memory("one", said, created=old, confidence=0.9),
        make_memory("two", f"{said}.", created=old),
    )
    run_cli("verify")
    run_cli("remember", "Errors are logged once")
    (repo / "notes.jsonl").write_text('{"key": "n", "title": "Deploys happen on Tuesday", "body": "x"}\n')
    (repo / "check.json").write_text(json.dumps({name: [] for name in LISTS}), encoding="utf-8")
    git(repo, "mv", "src/auth", "lib")
    commit_files(repo, {"AGENTS.md": "`lib/jwt.py` signs with `RS256`.\n"})
    run_cli("verify")


@pytest.mark.usefixtures("work", "hub")
@each("line", LINES.values())
def test_dry_run_speaks_of_what_would_happen_and_changes_nothing(line: str, run_cli, repo: Path) -> None:
    before = tip(repo)

    done = run_cli(*line.split())

    assert done.status in (0, 1), done
    assert tip(repo) == before
    said = [text for text in f"{done.out}{done.err}".splitlines() if "would" in text]
    assert said or line == LINES["forge branches"], done  # no branch has a memory of its own here
    assert not [text for text in said if DONE.search(text)], done
