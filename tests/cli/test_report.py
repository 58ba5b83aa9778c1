"""``gitmem report``: a file, standard output, or the data; never over what is somebody's."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import commit_files


def test_a_page_is_written_and_written_anew(run_cli, repo: Path) -> None:
    run_cli("remember", "Deploys need the VPN", "--key", "vpn")

    done, again = run_cli("report"), run_cli("report", "gitmem-report.html")

    assert [(one.status, one.out, one.err) for one in (done, again)] == [(0, "gitmem-report.html\n", "")] * 2
    assert 'id="vpn"' in (repo / "gitmem-report.html").read_text()


def test_what_is_no_report_stays_without_force(run_cli, repo: Path) -> None:
    run_cli("remember", "Deploys need the VPN", "--key", "vpn")

    refused = run_cli("report", "README.md")

    assert (refused.status, "is not a gitmem report" in refused.err) == (2, True)
    assert (repo / "README.md").read_text() == "# A service\n"
    assert run_cli("report", "README.md", "--force").status == 0


def test_standard_output_and_json_hold_the_same_memories(run_cli, repo: Path) -> None:
    run_cli("remember", "Deploys need the VPN", "--key", "vpn")

    page, data = run_cli("report", "-"), run_cli("report", "--json")

    assert page.out.startswith("<!doctype html>")
    assert [memory["key"] for memory in json.loads(data.out)["memories"]] == ["vpn"]
    assert not (repo / "gitmem-report.html").exists()


def test_a_failure_that_the_page_shows_is_none_of_the_commands(run_cli, repo: Path) -> None:
    run_cli("fact", "There is a README", "--exists", "README.md", "--key", "readme")
    (repo / "README.md").unlink()
    commit_files(repo, {"x": "x"})
    run_cli("verify")

    done = run_cli("report", "--json")

    assert (done.status, json.loads(done.out)["statuses"]["failed"]) == (0, 1)
    assert json.loads(run_cli("report", "--json", "--at", "HEAD~1").out)["statuses"]["verified"] == 1
    assert run_cli("report", "--at", "HEAD", "--scope", "private").status == 2
