"""Every number that is printed about a store agrees with the list that it is about, in every command."""

from __future__ import annotations

import json
import re

import pytest
from conftest import commit_files, git

from gitmem.model import STATUSES

RECORDS = """\
{"kind":"fact","key":"port","title":"The port is 1","verify":{"contains":"PORT = 1","in":"a.py"}}
{"kind":"fact","key":"limit","title":"The limit is 1","paths":["b.py"],"verify":{"contains":"LIMIT = 1","in":"b.py"}}
{"kind":"fact","key":"both","title":"Rests and is blocked","verify":{"lacks":"zzz","in":"c*.py"},"requires":["port"]}
{"kind":"fact","key":"blocked","title":"No secrets in c","verify":{"lacks":"qqq","in":"c*.py"}}
{"kind":"fact","key":"waits","title":"The tool runs","verify":"./tool --check"}
{"kind":"learned","key":"rests","title":"The port is documented","requires":["port"],"refs":["c.py:1"]}
{"kind":"convention","key":"tabs","title":"Use tabs in Makefiles","paths":["b.py"]}
{"kind":"decision","key":"mongo","title":"Rejected: use MongoDB for everything","paths":["b.py"]}
{"kind":"gotcha","key":"gone","title":"Something that was true once"}
{"kind":"pattern","key":"new","title":"The new pattern for it","supersedes":["gone"]}
{"kind":"note","key":"brief","title":"A note"}
"""


@pytest.fixture
def crowded(repo, run_cli):
    """A store with memories of most kinds, facts of every status, and claims that hold and that failed."""
    document = "- `a.py` and `b.py` matter\n- `LIMIT` is read\n- `GONE` is read by `gone.py`\n"
    commit_files(
        repo,
        {
            "a.py": "PORT = 1\n",
            "b.py": "LIMIT = 1\n",
            "c.py": "X = 1\n",
            "d.py": "D = 1\n",
            "gone.py": "GONE = 1\n",
            "AGENTS.md": document,
        },
    )
    assert run_cli("init").status == 0
    (repo / "records.jsonl").write_text(RECORDS)
    assert run_cli("import", "records.jsonl").status == 0
    (repo / "records.jsonl").unlink()
    run_cli("adopt", "--apply")
    run_cli("remember", "Line one of d is odd", "--key", "odd", "--ref", "d.py:1")
    run_cli("verify")
    git(repo, "rm", "-q", "c.py", "gone.py")
    commit_files(repo, {"a.py": "PORT = 2\n", "d.py": "E = 1\n"}, "break some")
    run_cli("verify")
    return repo


def numbers(text: str) -> dict[str, int]:
    """Return the numbers before words in a line: ``3 failed, 2 suspect``."""
    return {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", text)}


def listed(run_cli, *options: str) -> list[dict]:
    return json.loads(run_cli("list", "--limit", "100", "--json", *options).out)["memories"]


def test_status_counts_what_list_lists(crowded, run_cli) -> None:
    found = json.loads(run_cli("status", "--json").out)

    everything = listed(run_cli)
    assert found["memories"] == len(everything) == sum(found["kinds"].values())
    for kind, number in found["kinds"].items():
        assert number == sum(one["kind"] == kind for one in everything), kind
    for status in STATUSES:
        both = found["statuses"][status] + found["claims"][status]
        assert both == sum(one["status"] == status for one in everything) == len(listed(run_cli, "--status", status))
    for status in ("failed", "suspect", "blocked"):
        keys = [one["key"] for one in found[status]]
        assert len(keys) == len(set(keys)) == found["statuses"][status] + found["claims"][status], status
    assert {one["kind"] for one in everything if one["status"] == "failed"} == {"fact", "claim"}
    assert all(found["statuses"][status] for status in STATUSES), found["statuses"]


def test_what_verify_says_of_now_is_what_status_says(crowded, run_cli) -> None:
    now = run_cli("verify").out.rpartition("Now: ")[2]
    found = json.loads(run_cli("status", "--json").out)

    facts, *others = now.rstrip(".\n").split("; ")
    suspects = sum(int(number) for number in re.findall(r"(\d+) (?:memory|memories) suspect", now))
    said = numbers(facts)
    said["suspect"] = said.get("suspect", 0) + suspects
    assert said == {status: number for status, number in found["statuses"].items() if number}
    assert any("names and values of documents hold" in part for part in others)


def test_progress_and_summary_of_verify_agree_with_its_results(crowded, run_cli) -> None:
    ran = run_cli("verify", "--all", "--json")
    found = json.loads(ran.out)
    outcomes = [one["outcome"] for one in found["results"]]
    text = run_cli("verify", "--all").out

    said = numbers(text.rstrip().rpartition("\n")[2].partition(";")[0].partition(": ")[2].partition("(")[0])
    assert said.get("failed", 0) == outcomes.count("fails")
    assert f"{len(outcomes)} due: " in text
    assert f"{outcomes.count('blocked')} blocked" in text
    assert f"{outcomes.count('skipped')} skipped" in text


def test_headings_of_context_count_and_name_the_lines_below_them(crowded, run_cli) -> None:
    out = run_cli("context", "--path", "b.py").out

    groups: dict[str, list[str]] = {}
    for line in out.splitlines():
        if found := re.match(r"(.*[A-Z]{2}) \((\d+)\)$", line):
            heading, number = found.groups()
            groups[heading] = []
            wanted = int(number)
        elif line.startswith("│ ") and not line.startswith("│ …"):
            groups[heading].append(line)
            assert len(groups[heading]) <= wanted, line
        elif not line and groups:
            assert len(groups[heading]) == wanted, heading
    keys = [key for lines in groups.values() for line in lines for key in re.findall(r"\[(\S+)\]$", line)]
    assert len(keys) == len(set(keys)), "a memory is on one line"
    recent = groups.pop("◷ RECENT WORK")
    assert recent
    marked = [line for lines in groups.values() for line in lines if line.startswith("│ ✓")]
    assert groups["✓ RELEVANT FACTS"] == marked
    assert "Rejected" in "".join(groups["DECISIONS"])
    assert "The tool runs" in "".join(recent)
    assert "Use tabs" in "".join(groups["CONVENTIONS"])


def test_overview_counts_what_waits_once(crowded, run_cli) -> None:
    out = " ".join(run_cli().out.split())

    found = json.loads(run_cli("status", "--json").out)
    facts = numbers(out.partition("facts: ")[2].partition(" names and values")[0])
    assert {status: facts.get(status, 0) for status in STATUSES} == found["statuses"]
    assert "1 command waiting for approval" in out
    assert "due or stale" not in out  # the only fact that is not proved is the one that waits
    assert "1 memory with changed lines of code: gitmem curate refs" in out


def test_check_counts_the_lines_that_it_lists(crowded, run_cli) -> None:
    out = run_cli("check", "--base", "HEAD~1").out

    said = numbers(out.rstrip().rpartition("\n")[2].partition("facts: ")[2].replace("become false", "become"))
    listed = [line.split("  ", 1)[1] for line in out.splitlines() if "  " in line]
    assert said["become"] == sum(line.startswith("becomes false") for line in listed)
    assert said["are"] == sum(line.startswith("is suspect") for line in listed)
    assert said["could"] == sum(line.startswith("could not be checked") for line in listed) + said["of"]


def test_numbers_of_the_report_agree_with_each_other(crowded, run_cli) -> None:
    run_cli("report", "report.html")
    page = (crowded / "report.html").read_text()
    table = json.loads(run_cli("report", "--json").out)

    live = sum(one.get("place", "live") == "live" for one in table["memories"])
    gone = len(table["memories"]) - live
    assert gone == 1
    assert f"{live} memories in all." in page
    assert f"{live} memories by kind" in page
    assert f"then {gone} that are superseded, expired or archived." in page
    for status, number in table["statuses"].items():
        assert number == sum(one["status"] == status for one in table["memories"])


def test_badge_and_page_of_the_branch_count_as_status_does(crowded, run_cli) -> None:
    found = json.loads(run_cli("status", "--json").out)
    failed = found["statuses"]["failed"] + found["claims"]["failed"]

    assert json.loads(run_cli("badge", "-", "--json").out)["message"] == f"{failed} failed"
    alternative = re.search(r"!\[facts: (.*?)\]", run_cli("forge", "page", "--dry-run").out)
    assert alternative
    facts = numbers(alternative[1].partition("names and values")[0])
    assert {status: facts.get(status, 0) for status in STATUSES} == found["statuses"]


def test_first_sync_says_that_the_remote_has_the_memory_now(crowded, run_cli, tmp_path) -> None:
    git(crowded, "init", "-q", "--bare", str(tmp_path / "remote.git"))
    git(crowded, "remote", "add", "origin", str(tmp_path / "remote.git"))

    assert run_cli("sync").out == "↑ 17 memories, 9 verdicts to origin\n"
    assert run_cli("sync").out == "up to date with origin\n"
