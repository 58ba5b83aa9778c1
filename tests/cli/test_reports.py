"""``--format`` and ``--report``: where the forms go, and that no file of a stranger's is written through."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from conftest import commit_files
from support.code_changes import RS256, change
from support.each import each
from support.facts import make_fact, put


@pytest.fixture
def broken(run_cli, repo: Path) -> None:
    run_cli("init")
    put(repo, make_fact("breaks", RS256))
    change(repo, {"src/auth/jwt.py": "EdDSA\n"})


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(
    ("command", "headline"), [("check", "❌ This change makes 1 fact false"), ("verify", "❌ 1 fact does not hold")]
)
def test_one_run_prints_one_form_and_writes_others(run_cli, tmp_path: Path, monkeypatch, command, headline) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    (tmp_path / "summary").write_text("before\n", encoding="utf-8")
    sarif, junit = tmp_path / "a.sarif", tmp_path / "a=b.xml"

    done = run_cli(command, "--format", "github", "--report", f"sarif={sarif}", "--report", f"junit={junit}")

    assert done.status == 1
    (line,) = [line for line in done.out.splitlines() if line.startswith("::")]
    assert line.startswith("::error file=src/auth/jwt.py,line=1,title=" if command == "check" else "::error title=")
    assert json.loads(sarif.read_text())["runs"][0]["results"][0]["properties"]["key"] == "breaks"
    assert [case.get("name") for case in Xml.parse(junit).iter("testcase")] == ["breaks"]
    assert (tmp_path / "summary").read_text().startswith(f"before\n### {headline}\n")


@pytest.mark.usefixtures("broken")
def test_full_step_summary_does_not_exceed_its_limit(run_cli, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    (tmp_path / "summary").write_text("x" * (1024 * 1024 - 4200), encoding="utf-8")

    run_cli("check", "--format", "github")

    text = (tmp_path / "summary").read_text(encoding="utf-8")
    assert len(text.encode()) <= 1024 * 1024
    assert "more lines did not fit: `gitmem check --each`" in text


@pytest.mark.usefixtures("broken")
def test_link_in_the_place_of_a_report_is_replaced_and_not_written_through(run_cli, repo: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    (repo / "report.md").symlink_to(tmp_path / "mine")
    commit_files(repo, {})

    done = run_cli("check", "--report", "markdown=report.md")

    assert ((tmp_path / "mine").read_text(), done.out[:1]) == ("mine", "✗")
    assert not (repo / "report.md").is_symlink() and (repo / "report.md").read_text().startswith("### ❌ This change")


@pytest.mark.usefixtures("broken")
def test_pipe_is_written_to(run_cli) -> None:
    assert run_cli("check", "--report", "sarif=/dev/null").status == 1
    assert Path("/dev/null").is_char_device()


@pytest.mark.usefixtures("broken")
@each(
    ("words", "status", "message"),
    [
        (["--json", "--format", "sarif"], 2, "--json and --format cannot be combined"),
        (["--report", "pdf=x"], 2, "cannot write the form pdf"),
        (["--report", "sarif"], 2, "needs a form and a file"),
        (["--report", "sarif=missing/x"], 3, "missing/x: "),
        (["--format", "pdf"], 2, "pdf"),
    ],
)
def test_wrong_use_says_so_before_anything_is_judged(run_cli, words, status, message) -> None:
    done = run_cli("check", *words)

    assert (done.status, message in done.err, done.out) == (status, True, "")
