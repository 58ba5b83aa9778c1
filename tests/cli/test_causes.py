"""Listings by cause: what a folder that is gone costs in lines, and how each fact can be seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import commit_files, git
from support.facts import make_fact, put
from support.ids import id_of

FACTS, GONE = 300, 208


def store_of_300(repo: Path) -> None:
    """Make a store whose facts are about 300 files, most of them in one folder; some rest on others."""
    files = {f"src/python/m{n:03}.py": f"VALUE = {n}\n" for n in range(GONE)}
    files |= {f"lib/m{n:03}.py": f"VALUE = {n}\n" for n in range(GONE, FACTS)}
    commit_files(repo, files)
    facts = []
    for number, path in enumerate(files):
        kinds = ({"exists": path}, {"contains": "VALUE", "in": path}, {"matches": rf"= {number}\b", "in": path})
        more = {"requires": [f"f{number - 20:03}"]} if number >= FACTS - 12 else {}
        facts.append(make_fact(f"f{number:03}", kinds[number % 3], title=f"The module {path} has its value", **more))
    facts += [make_fact(f"rest{n}", {"exists": "README.md"}, requires=[f"f{n:03}"]) for n in range(6)]
    put(repo, *facts)


@pytest.mark.whole_system
def test_facts_of_a_deleted_folder_take_few_lines_in_every_listing(run_cli, repo: Path) -> None:
    store_of_300(repo)
    run_cli("verify")
    git(repo, "rm", "-q", "-r", "src/python")
    git(repo, "commit", "-q", "-m", "Remove src/python")
    head = git(repo, "rev-parse", "HEAD")[:12]

    first, again, status, context = (run_cli(*words) for words in (["verify"], ["verify"], ["status"], ["context"]))
    check = run_cli("check", "--base", "HEAD~1")

    for done in (first, again, check):
        lines = (done.out + done.err).splitlines()
        assert len(lines) <= 25, done.out
        assert any("138 facts" in line or "208 facts" in line for line in lines), done.out
        assert max(len(line) for line in lines) <= 160
    assert "to list each: gitmem status --each" in first.out
    assert f"✗ 208 facts broken by {head} (Ana: Remove src/python)\n" in first.out
    assert "6 memories that rest on them: rest0, rest1, rest2, rest3, rest4, rest5" in status.out
    assert len([line for line in status.out.splitlines() if line.startswith("  ")]) <= 10
    assert len(context.out.split("\n\n")[1].splitlines()) <= 8
    run_cli("report", "page.html")
    page = (repo / "page.html").read_text()
    assert "208 facts broken by one commit" in page
    assert f"{head}" in page
    each = run_cli("status", "--each").out
    assert sum(line.startswith("  ✗ f") for line in each.splitlines()) == GONE
    assert head in run_cli("verify", "--why").out


def test_each_lists_every_fact_on_a_line(run_cli, repo: Path) -> None:
    commit_files(repo, {f"a{n}.txt": "x" for n in range(4)})
    put(repo, *(make_fact(f"f{n}", {"exists": f"a{n}.txt"}) for n in range(4)))
    run_cli("verify")
    git(repo, "rm", "-q", *(f"a{n}.txt" for n in range(4)))
    git(repo, "commit", "-q", "-m", "Remove them")

    check, each = run_cli("check", "--base", "HEAD~1"), run_cli("check", "--base", "HEAD~1", "--each")
    verify = run_cli("verify", "--each")

    markdown = run_cli("check", "--base", "HEAD~1", "--format", "markdown").out
    assert "#### Becomes false (4)\n\n- **4 facts become false — … does not exist**\n  - **Fact f0** (" in markdown
    assert f"  - … and 1 more: Fact f3 ({id_of('f3')})\n" in markdown
    assert check.out.startswith("✗ 4 facts become false — … does not exist\n    f0, f1, f2, f3\n")
    assert "to list each: gitmem check --each --base HEAD~1\n" in check.out
    assert [line.split("  ")[0] for line in each.out.splitlines()[:4]] == ["✗ f0", "✗ f1", "✗ f2", "✗ f3"]
    assert verify.out.count("failed — a") == 4


def test_failure_is_news_once(run_cli, repo: Path) -> None:
    put(repo, make_fact("f", {"exists": "a.txt"}))
    words = ("verify", "--fail-on")

    first, again = run_cli(*words, "news"), run_cli(*words, "news")

    assert (first.status, again.status) == (1, 0)
    assert (run_cli("verify").status, run_cli(*words, "failed").status, run_cli(*words, "never").status) == (1, 1, 0)
    assert json.loads(run_cli("verify", "--json").out)["statuses"]["failed"] == 1
