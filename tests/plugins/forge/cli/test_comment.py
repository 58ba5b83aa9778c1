"""``gitmem forge comment``: addresses, notes, JSON, and what is refused before anything is sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.each import each
from support.forge_server import COMMIT, Hub, pull

CHECK = ("forge", "comment", "--kind", "check")


@pytest.fixture
def page(tmp_path: Path) -> str:
    path = tmp_path / "page.md"
    path.write_text("## gitmem check\n\nhello @bob\n")
    return str(path)


def test_address_is_printed_and_the_action_is_reported(run_cli, hub: Hub, page: str) -> None:
    done = run_cli(*CHECK, "--pull", "12", page)

    assert (done.status, done.out) == (0, f"{hub.comments[0]['html_url']}\n")
    assert done.err == "gitmem: pull request 12: the comment is created\n"
    assert "hello @&#8203;bob" in hub.comments[0]["body"]


def test_json_has_every_pull_request(run_cli, hub: Hub, page: str) -> None:
    hub.pulls = [pull(12)]

    found = json.loads(run_cli(*CHECK, "--commit", COMMIT, "--run", "5", "--json", page).out)

    assert found == {
        "kind": "check",
        "pulls": [{"pull": 12, "action": "created", "url": hub.comments[0]["html_url"]}],
    }
    assert "runs/5" in hub.comments[0]["body"]


def test_no_comment_is_posted_when_no_pull_request_has_the_commit_as_its_head(run_cli, hub: Hub, page: str) -> None:
    done = run_cli(*CHECK, "--commit", COMMIT, page)

    assert (done.status, done.out) == (0, "")
    assert done.err == "gitmem: no open pull request for aaaaaaaaaaaa; no comment posted\n"


def test_completion_can_be_uninstalled(run_cli, hub: Hub, page: str) -> None:
    run_cli(*CHECK, "--pull", "12", page)

    done = [run_cli(*CHECK, "--pull", "12", "--delete").err for _ in range(2)]

    assert [message.split(": ", 2)[2] for message in done] == [
        "the comment is deleted\n",
        "there is no comment, and none is needed\n",
    ]
    assert hub.comments == []


def test_a_dry_run_shows_it_without_a_token_and_sends_nothing(
    run_cli, hub: Hub, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")

    done = run_cli(*CHECK, "--pull", "12", "--dry-run", page)
    found = json.loads(run_cli(*CHECK, "--pull", "12", "--dry-run", "--json", page).out)

    assert done.out.startswith("<!-- gitmem comment check -->\n\n## gitmem check\n\nhello @&#8203;bob\n")
    assert "would be posted to pull request 12 of acme/shop\n" in done.err
    assert found["body"].rstrip() == done.out.rstrip()
    assert hub.asked == []


@each(
    ("words", "message"),
    [
        (("--pull", "12"), "comment needs either a FILE or --delete"),
        (("--pull", "12", "--delete", "x.md"), "comment needs either a FILE or --delete"),
        (("--commit", "abc123", "x.md"), "--commit needs a full commit name"),
        (("x.md",), "one of the arguments --pull --commit is required"),
        (("--pull", "0", "x.md"), "--pull"),
        (("--pull", "12", "--commit", COMMIT, "x.md"), "not allowed with"),
    ],
)
def test_a_wrong_command_line_is_refused(run_cli, hub: Hub, words: tuple[str, ...], message: str) -> None:
    done = run_cli(*CHECK, *words)

    assert done.status == 2
    assert message in done.err
    assert hub.asked == []


def test_missing_file_is_an_error(run_cli, hub: Hub) -> None:
    done = run_cli(*CHECK, "--pull", "12", "nowhere.md")

    assert done.status == 3
    assert "nowhere.md cannot be read: No such file or directory" in done.err


def test_without_a_token_nothing_is_sent(run_cli, hub: Hub, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")

    done = run_cli(*CHECK, "--pull", "12", page)

    assert done.status == 3
    assert "GITHUB_TOKEN: ${{ github.token }}" in done.err
