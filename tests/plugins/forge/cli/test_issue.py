"""``gitmem forge issue``: what fails by the memory branch of this clone, and forges without issues."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import commit_files
from support.forge_server import Hub
from support.ids import id_of


@pytest.fixture
def broken(run_cli, repo: Path) -> None:
    """Make a fact fail, and a memory that rests on it suspect."""
    run_cli("fact", "Tokens are signed for @bob", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")
    run_cli("remember", "The gateway has public keys only", "--key", "k", "--requires", "f")
    commit_files(repo, {"src/auth/jwt.py": "EdDSA\n"})
    run_cli("verify", "--why")


@pytest.mark.usefixtures("broken")
def test_failed_and_suspect_facts_are_listed_with_their_culprit(run_cli, hub: Hub) -> None:
    done = run_cli("forge", "issue")

    assert (done.status, done.out) == (0, f"{hub.issues[0]['html_url']}\n")
    assert done.err == "gitmem: 1 failed, 1 suspect: the issue is opened\n"
    failed, suspect = [line for line in hub.issues[0]["body"].split("\n") if line.lstrip().startswith("- ")]
    assert "**Tokens are signed for @&#8203;bob** (" in failed
    assert ")<br>src/auth/jwt.py does not contain 'RS256'; broken by [`" in failed
    assert failed.endswith("; written by Ana")
    assert suspect == f"  - 1 memory rests on it: The gateway has public keys only ({id_of('k')})"
    assert run_cli("forge", "issue").err == "gitmem: 1 failed, 1 suspect: the issue is up to date\n"


@pytest.mark.usefixtures("broken")
def test_it_is_closed_when_the_code_is_mended(run_cli, hub: Hub, repo: Path) -> None:
    run_cli("forge", "issue")
    commit_files(repo, {"src/auth/jwt.py": "RS256\n"})
    run_cli("verify")

    found = json.loads(run_cli("forge", "issue", "--json").out)

    assert found == {"action": "closed", "number": 40, "url": hub.issues[0]["html_url"], "failed": 0, "suspect": 0}


@pytest.mark.usefixtures("broken")
def test_a_dry_run_shows_it_and_sends_nothing(run_cli, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")

    done, found = run_cli("forge", "issue", "--dry-run"), run_cli("forge", "issue", "--dry-run", "--json")

    assert done.out.startswith("Memory: facts that do not hold\n\n<!-- gitmem issue -->\n")
    assert json.loads(found.out)["labels"] == ["gitmem"]
    assert hub.asked == []


def test_disabled_issues_are_an_error_only_with_failures_to_report(run_cli, hub: Hub, request) -> None:
    disabled = (410, {}, {"message": "Issues has been disabled in this repository."})
    hub.plan("GET /issues", disabled, disabled)
    run_cli("init")

    well = run_cli("forge", "issue")
    request.getfixturevalue("broken")
    bad = run_cli("forge", "issue")

    assert (well.status, well.err) == (0, "gitmem: nothing fails: issues are disabled, and none is needed\n")
    assert bad.status == 3
    assert "issues are disabled in acme/shop, but there are failures to report: 1 failed, 1 suspect" in bad.err
