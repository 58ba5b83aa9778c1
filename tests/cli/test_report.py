"""``gitmem report``: a file, standard output, or the data; never over what is somebody's."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

from conftest import commit_files, git
from markupsafe import escape
from support.console import environment, start


def test_a_page_is_written_and_rewritten(run_cli, repo: Path) -> None:
    run_cli("remember", "Deploys need the VPN", "--key", "vpn")

    done, again = run_cli("report"), run_cli("report")

    assert [(one.status, one.out, one.err) for one in (done, again)] == [(0, ".git/gitmem/report.html\n", "")] * 2
    assert git(repo, "status", "--porcelain") == ""
    assert 'id="vpn"' in (repo / ".git/gitmem/report.html").read_text()


def test_page_is_opened_in_the_browser_of_the_person_when_asked(run_cli, repo: Path, tmp_path: Path) -> None:
    run_cli("remember", "Deploys need the VPN", "--key", "vpn")
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    browser.chmod(0o755)

    argv = [sys.executable, "-m", "gitmem", "report", "--open"]
    subprocess.run(argv, cwd=repo, env=environment(BROWSER=str(browser)), check=True, capture_output=True)

    assert opened.read_text() == f"{(repo / '.git/gitmem/report.html').resolve().as_uri()}\n"


def test_file_that_is_not_a_report_is_kept_without_force(run_cli, repo: Path) -> None:
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
    assert not (repo / ".git/gitmem/report.html").exists()


def test_failed_fact_on_the_page_does_not_make_the_command_fail(run_cli, repo: Path) -> None:
    run_cli("fact", "There is a README", "--exists", "README.md", "--key", "readme")
    (repo / "README.md").unlink()
    commit_files(repo, {"x": "x"})
    run_cli("verify")

    done = run_cli("report", "--json")

    assert (done.status, json.loads(done.out)["statuses"]["failed"]) == (0, 1)
    assert json.loads(run_cli("report", "--json", "--at", "HEAD~1").out)["statuses"]["verified"] == 1
    assert run_cli("report", "--at", "HEAD", "--scope", "private").status == 2


def test_page_is_served_as_the_memory_is_now_until_ctrl_c(run_cli, repo: Path) -> None:
    run_cli("remember", "Deploys need the VPN", "--key", "vpn")
    # A script reads the address from a pipe, whose other end nothing empties.
    env = {name: value for name, value in environment().items() if name != "PYTHONUNBUFFERED"}
    process = start([sys.executable, "-m", "gitmem", "report", "--serve"], repo, text=True, env=env)
    try:
        url = process.stdout.readline().strip()
        before = read(url), read(f"{url}state")
        run_cli("remember", "Releases need a tag", "--key", "tag")
        after = read(url), read(f"{url}state")

        assert ['id="tag"' in page for page, _ in (before, after)] == [False, True]
        assert before[1] != after[1]
        assert json.loads(read(f"{url}find?words=deploying")) == ["vpn"]
        assert f'data-served="{escape(after[1])}"' in after[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 0


def read(url: str) -> str:
    with urlopen(url, timeout=30) as answer:
        return answer.read().decode()


def test_serve_refuses_options_of_a_file(run_cli, repo: Path) -> None:
    run_cli("remember", "Deploys need the VPN", "--key", "vpn")

    assert [run_cli("report", "--serve", *more).status for more in (["--json"], ["--at", "HEAD"], ["x.html"])] == [
        2
    ] * 3
    assert run_cli("report", "--serve", "--port", "-1").status == 2
