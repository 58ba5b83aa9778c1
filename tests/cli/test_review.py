"""``gitmem review``: its words, its forms, its exit status."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from conftest import git
from support.each import each
from support.golden import assert_golden, steady
from support.reviews import TOKEN, commit, fact, rich, text  # noqa: F401 - a fixture

from gitmem.cli import review as command
from gitmem.cli.output import Output


@pytest.fixture
def leak(repo: Path) -> str:
    """Return a change that has an error, a warning and a note."""
    base = commit(repo, {"gotchas/a.md": text("A")})
    agent = "{who: ana, agent: dev}"
    commit(repo, {"gotchas/b.md": text("B \x1b[31m", TOKEN, by=agent), "facts/c.md": fact("C", "test -f a\x00b")})
    commit(repo, {"gotchas/b.md": text("B", TOKEN, by=agent), "facts/c.md": fact("C", "test -f a")})
    return f"{base}..memory"


def test_a_rich_change_is_reported_as_before(rich) -> None:  # noqa: F811
    out = io.StringIO()

    command.print_review(rich, Output(stdout=out, stderr=out, color="never"))

    assert_golden("review.txt", steady(out.getvalue()))


@each(("fail_on", "status"), [("error", 1), ("note", 1), ("never", 0), ("", 1)])
def test_exit_status_is_by_severity(run_cli, leak: str, fail_on: str, status: int) -> None:
    assert run_cli("review", leak, *(("--fail-on", fail_on) if fail_on else ())).status == status


def test_warnings_fail_only_on_request(run_cli, repo: Path) -> None:
    base = commit(repo, {"gotchas/a.md": text("A")})
    commit(repo, {"facts/c.md": fact("C", "test -f a")})

    assert run_cli("review", f"{base}..memory").status == 0
    assert run_cli("review", f"{base}..memory", "--fail-on", "warning").status == 1


def test_the_policy_says_what_fails_where_nothing_was_typed(run_cli, repo: Path) -> None:
    base = commit(repo, {"gitmem.toml": '[review]\nfail_on = "warning"\n'})
    commit(repo, {"facts/c.md": fact("C", "test -f a")})

    assert run_cli("review", f"{base}..memory").status == 1


def test_without_a_remote_an_adoption_is_summed_up(run_cli, repo: Path) -> None:
    claims = {f"claims/c{at}.md": f"---\nkind: claim\nverify: {{exists: src}}\n---\n# C{at}\n" for at in range(9)}
    base = commit(repo, {"learned/l.md": "---\nkind: learned\n---\n# A lesson\n"})
    commit(repo, claims)

    done = run_cli("review")

    assert done.out.count("added claim") == 5 + 1
    assert "… 4 more added claims" in done.out
    assert "added learned l" in done.out
    assert "no remote memory to compare with" in done.err
    assert run_cli("review", base).out.count("added claim") == 9


def test_json_is_as_documented(run_cli, leak: str, repo: Path) -> None:
    found = json.loads(run_cli("review", leak, "--json").out)

    assert set(found) == {
        *("base", "head", "from", "to", "code", "commits", "authors", "summary", "findings", "statuses", "changes"),
        *("settings", "verdicts", "notes", "fail_on", "proofs"),
    }
    assert (found["head"], found["code"]) == (git(repo, "rev-parse", "memory"), git(repo, "rev-parse", "HEAD"))
    assert {"severity", "code", "message", "key", "path", "line", "hint"} == set(found["findings"][0])
    change = next(one for one in found["changes"] if one["key"] == "c")
    assert change["command"]["text"] == "test -f a"
    assert change["command"]["approval"] == "not approved"
    assert TOKEN not in json.dumps(found)


@each("form", ["text", "markdown", "html", "github", "json"])
def test_no_form_repeats_a_secret_or_a_control_character(run_cli, leak: str, form: str) -> None:
    done = run_cli("review", leak, "--format", form)

    assert TOKEN not in done.out
    assert "\x1b" not in done.out
    assert "secret" in done.out


def test_reports_are_written_beside_the_text(run_cli, leak: str, tmp_path: Path) -> None:
    files = {form: tmp_path / f"r.{form}" for form in ("markdown", "html", "github")}

    done = run_cli("review", leak, *(word for form, file in files.items() for word in ("--report", f"{form}={file}")))

    assert done.out.endswith("\n")
    assert files["markdown"].read_text().startswith("## gitmem review\n")
    assert files["html"].read_text().startswith("<!doctype html>")
    assert files["github"].read_text().startswith("gitmem review: ")


def test_a_form_of_another_command_is_refused(run_cli, leak: str) -> None:
    done = run_cli("review", leak, "--report", "sarif=x")

    assert (done.status, done.err.split("\n")[0]) == (2, "gitmem: error: --report cannot write the form sarif")


def test_the_step_summary_is_written_on_the_forge(run_cli, leak: str, tmp_path: Path, monkeypatch) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))

    run_cli("review", leak, "--format", "github")

    assert summary.read_text().startswith("## gitmem review\n")
