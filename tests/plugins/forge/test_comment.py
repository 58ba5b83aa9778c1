"""One comment per kind on a pull request, however often it runs and whoever else writes there."""

from __future__ import annotations

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.forge_server import BOT, COMMIT, Handler, Hub, comment, pull

from gitmem.errors import ForgeError, GitmemError
from gitmem.git.forges.job_environment import ForgeRepository
from gitmem.plugins.forge.comment import READ_LIMIT, body_of, keep, pulls_of, read_text, remove
from gitmem.plugins.forge.ownership import BODY_LIMIT
from gitmem.verify.overview.notice.document import LISTS

SIGN = "<!-- gitmem comment check -->"
PLACE = ForgeRepository("acme/shop", run="https://github.example/acme/shop/actions/runs/77")


def tell(hub: Hub, text: str, **options: bool) -> str:
    """Keep the comment and return what became of it."""
    return keep(hub.forge(), "check", [12], text, **options)[0].action


def test_comment_is_created_once_and_then_updated(hub: Hub) -> None:
    assert [tell(hub, text) for text in ("one", "one", "two")] == ["created", "unchanged", "updated"]

    assert len(hub.comments) == 1
    assert hub.comments[0]["body"].startswith(f"{SIGN}\n\ntwo\n\n")
    assert "runs/77" in hub.comments[0]["body"]
    assert [write.split(" ")[0] for write in hub.writes()] == ["POST", "PATCH"]


def test_same_text_from_another_run_changes_nothing(hub: Hub) -> None:
    tell(hub, "one")
    hub.asked.clear()

    done = keep(hub.forge(run=78), "check", [12], "one")[0]

    assert (done.action, hub.writes()) == ("unchanged", [])
    assert done.url == hub.comments[0]["html_url"]


def test_json_of_a_check_is_rendered_and_no_findings_open_no_comment(hub: Hub) -> None:
    lists = {name: [] for name in LISTS} | {"head": COMMIT, "base": "b" * 40, "memory": "c" * 40, "holds": 2}
    broken = {
        "key": "port",
        "title": "@bob: port 80",
        "path": "facts/port.md",
        "changed": [{"path": "a.toml", "line": 4}],
    }

    quiet = tell(hub, json.dumps(lists))
    document = tell(hub, json.dumps(lists | {"newly_false": [broken]}))
    mended = tell(hub, json.dumps(lists))

    assert (quiet, document, mended) == ("none", "created", "updated")
    assert hub.comments[0]["body"].startswith(f"{SIGN}\n\n### ✅ This change makes no fact false\n")
    body = body_of("check", json.dumps(lists | {"newly_false": [broken]}), hub.forge().place)[0]
    assert f"[a.toml:4](https://github.example/acme/shop/blob/{COMMIT}/a.toml#L4)" in body
    assert "@bob" not in body


def test_each_kind_has_its_own_comment(hub: Hub) -> None:
    tell(hub, "one")

    keep(hub.forge(), "review", [12], "two")

    assert [one["body"].split("\n")[0] for one in hub.comments] == [SIGN, SIGN.replace("check", "review")]


def test_comment_of_a_stranger_with_our_mark_is_left_alone(hub: Hub) -> None:
    fake = f"{SIGN}\n\nAll is fine, merge it!"
    hub.comments = [
        comment(1, fake, "mallory"),
        comment(2, fake, "dependabot[bot]"),
        comment(3, f"I quote: {SIGN}", BOT),
    ]

    assert tell(hub, "one") == "created"
    assert tell(hub, "two") == "updated"
    assert remove(hub.forge(), "check", [12])[0].action == "deleted"

    assert [one["body"] for one in hub.comments] == [fake, fake, f"I quote: {SIGN}"]


def test_comment_is_found_on_the_last_page(hub: Hub) -> None:
    hub.page = 2
    hub.comments = [comment(n, "x", "ana") for n in range(6)] + [comment(9, f"{SIGN}\nold")]

    assert tell(hub, "one") == "updated"


def test_empty_report_updates_an_existing_comment_and_opens_none(hub: Hub) -> None:
    assert tell(hub, " \n") == "none"
    assert tell(hub, "one", only_update=True) == "none"
    tell(hub, "one")

    assert [tell(hub, "two", only_update=True), tell(hub, ""), tell(hub, "")] == ["updated", "updated", "unchanged"]
    assert hub.comments[0]["body"].startswith(f"{SIGN}\n**gitmem check**: all well")


def test_of_two_comments_the_older_one_stays(hub: Hub) -> None:
    hub.comments = [comment(8, f"{SIGN}\nx"), comment(4, f"{SIGN}\ny"), comment(6, "z", "ana")]

    assert tell(hub, "one") == "updated"

    assert [one["id"] for one in hub.comments] == [4, 6]


def test_concurrent_runs_leave_one_comment(hub: Hub) -> None:
    both = threading.Barrier(2, timeout=60)

    def wait(handler: Handler) -> tuple[int, dict[str, str], object]:
        both.wait()  # both have seen that there is none
        return 200, {}, []

    hub.plan("GET /issues/12/comments", wait, wait)

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda text: tell(hub, text), ["same", "same"]))

    assert len(hub.comments) == 1
    assert "created" in done


def test_comment_of_a_concurrent_run_is_kept(hub: Hub) -> None:
    hub.plan("GET /issues/12/comments", (200, {}, []))
    hub.comments = [comment(4, f"{SIGN}\nthe other run's")]

    assert tell(hub, "mine") == "updated"

    assert [one["id"] for one in hub.comments] == [4]
    assert "mine" in hub.comments[0]["body"]


def test_deleting_a_missing_comment_is_no_error(hub: Hub) -> None:
    hub.comments = [comment(4, f"{SIGN}\nx")]
    hub.plan("DELETE /issues/comments/4", (404, {}, {"message": "Not Found"}))

    assert remove(hub.forge(), "check", [12])[0].action == "deleted"


def test_error_of_a_read_only_token_names_the_permission(hub: Hub) -> None:
    hub.plan("POST /issues/12/comments", (403, {}, {"message": "Resource not accessible by integration"}))

    with pytest.raises(ForgeError) as caught:
        tell(hub, "one")

    assert caught.value.hint.startswith("the job needs permissions: pull-requests: write")


def test_text_cannot_forge_the_mark_or_the_signature(hub: Hub) -> None:
    text = "<!-- gitmem run --><sub>Written by gitmem in run 1.</sub>\n<!-- gitmem comment review -->"

    tell(hub, text)

    body = hub.comments[0]["body"]
    assert body.count("<!--") == 2
    assert tell(hub, f"{text}x") == "updated"


def test_long_text_is_truncated_with_a_note() -> None:
    body, _ = body_of("check", "## Found\n\n" + "| a | b |\n" * 20_000, PLACE)

    assert 60_000 < len(body) <= BODY_LIMIT
    assert "more lines do not fit in a comment. `gitmem check` shows them; [the run](https://github.example/" in body
    assert body.rstrip().endswith("run 77</a>.</sub>")


@pytest.mark.parametrize(
    ("repo", "listings"),
    [("acme/shop", 1), ("mallory/shop", 2), (None, 2)],
    ids=["its own branch", "a fork", "a fork that is gone"],
)
def test_open_pull_requests_are_found_by_their_head_commit(hub: Hub, repo: str | None, listings: int) -> None:
    hub.pulls = [
        pull(10, state="closed", repo=repo),
        pull(11, sha="b" * 40, repo=repo),
        pull(13, repo=repo),
        pull(12, repo=repo),
    ]

    assert pulls_of(hub.forge(), COMMIT) == [12, 13]
    assert len(hub.asked) == listings


def test_commit_of_a_fork_is_searched_among_open_pull_requests(hub: Hub) -> None:
    hub.pulls = [pull(n, sha="b" * 40) for n in range(20, 25)] + [pull(12)]
    hub.page = 2
    hub.plan(f"GET /commits/{COMMIT}/pulls", (422, {}, {"message": f"No commit found for SHA: {COMMIT}"}))

    assert pulls_of(hub.forge(), COMMIT) == [12]
    assert pulls_of(hub.forge(), "d" * 40) == []


def test_file_is_read_and_a_link_or_pipe_refused(tmp_path: Path) -> None:
    file, link, pipe = tmp_path / "a.md", tmp_path / "link.md", tmp_path / "pipe.md"
    file.write_bytes(b"a\xff\xc3\xa9")
    link.symlink_to("/proc/self/environ")
    os.mkfifo(pipe)

    assert read_text(str(file)) == "a\ufffd\u00e9"
    for path, document in (
        (link, "it is a symbolic link, which is not followed$"),
        (pipe, "is not a file"),
        (tmp_path, "is not a file"),
        (tmp_path / "x", "No such file or directory$"),
    ):
        with pytest.raises(GitmemError, match=document) as refused:
            read_text(str(path))
        assert refused.value.hint == ""


def test_only_the_beginning_of_a_huge_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    with file.open("wb") as stream:
        stream.truncate(READ_LIMIT * 1000)

    assert len(read_text(str(file))) == READ_LIMIT
