"""``gitmem list``: one line each in a pipe, and what is documented of its JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import commit_files, git, memory_text, put_files
from support.standing_folder import fill, standing_repo

repo = standing_repo("list")


@pytest.fixture(autouse=True)
def filled(run_cli, repo: Path) -> None:
    fill(repo.parent, "filled", lambda: make_four(run_cli, repo))


def make_four(run_cli, repo: Path) -> None:
    run_cli("init")
    files = {
        "learned/a.md": memory_text("An a", created="2026-01-01T00:00:00Z", tags="[x, y]", paths="[src/auth/**]"),
        "gotchas/b.md": memory_text("A b", created="2026-01-02T00:00:00Z", tags="[x]").replace("learned", "gotcha"),
        "facts/c.md": "---\ntitle: A c\nkind: fact\ncreated: 2026-01-03T00:00:00Z\nverify: {exists: README.md}\n---\n",
    }
    put_files(repo, files)
    run_cli("verify")
    run_cli("remember", "retired", "--key", "old")
    run_cli("forget", "old")


def keys(run_cli, *words: str) -> list[str]:
    return [memory["key"] for memory in json.loads(run_cli("list", *words, "--json").out)["memories"]]


def test_newest_come_first_with_their_cells_apart(run_cli) -> None:
    done = run_cli("list")

    assert (done.status, done.err) == (0, "")
    assert [line.rpartition("\t")[0] for line in done.out.splitlines()] == [
        "c\tfact\tverified\t2026-01-03T00:00:00Z\tA c\tproject",
        "b\tgotcha\t\t2026-01-02T00:00:00Z\tA b\tproject",
        "a\tlearned\t\t2026-01-01T00:00:00Z\tAn a\tproject",
    ]
    for line in done.out.splitlines():
        key, *_, short_id = line.split("\t")
        assert json.loads(run_cli("show", short_id, "--json").out)["key"] == key


def test_keys_of_one_time_are_in_the_order_of_their_numbers(run_cli, repo: Path) -> None:
    text = memory_text("One of many", created="2026-01-01T00:00:00Z")
    put_files(repo, {f"learned/n-{number}.md": text for number in (10, 2, 1)})

    assert keys(run_cli)[-4:] == ["a", "n-1", "n-2", "n-10"]


def test_json_is_as_documented(run_cli) -> None:
    found = json.loads(run_cli("list", "--tag", "y", "--json").out)

    assert found == {
        "memories": [
            {
                "key": "a",
                "short_id": found["memories"][0]["short_id"],
                "kind": "learned",
                "title": "An a",
                "status": "",
                "created": "2026-01-01T00:00:00Z",
                "tags": ["x", "y"],
                "refs": [],
                "scope": "project",
                "store": "",
                "weak": False,
                **dict.fromkeys(("archived", "superseded", "expired"), False),
            }
        ]
    }


def test_filters_leave_only_what_fits(run_cli) -> None:
    for words, expected in (
        (("--kind", "fact,gotcha"), ["c", "b"]),
        (("--kind", "fact", "--kind", "gotcha"), ["c", "b"]),
        (("--tag", "x"), ["b", "a"]),
        (("--tag", "x", "--tag", "y"), ["a"]),
        (("--status", "verified"), ["c"]),
        (("--path", "src/auth/jwt.py"), ["a"]),
        (("--path", "src"), ["a"]),
        (("--limit", "1"), ["c"]),
    ):
        assert keys(run_cli, *words) == expected


def test_all_shows_what_was_retired(run_cli) -> None:
    assert keys(run_cli, "--all") == ["old", "c", "b", "a"]


def test_memories_beyond_the_limit_are_counted(run_cli) -> None:
    assert run_cli("list", "--limit", "1").err == "gitmem: 2 more: --limit 3\n"


def test_none_exits_with_1(run_cli) -> None:
    done = run_cli("list", "--tag", "nosuch")

    assert (done.status, done.out, done.err) == (1, "", "gitmem: no memories found\n")
    assert json.loads(run_cli("list", "--tag", "nosuch", "--json").out) == {"memories": []}


def test_list_at_shows_what_was_known_then(run_cli, repo: Path) -> None:
    run_cli("remember", "known early", "--key", "early")
    commit_files(repo, {"new.py": ""})
    run_cli("remember", "known late", "--key", "late")
    before = git(repo, "commit-tree", "HEAD^{tree}", "-m", "of another history")

    early = run_cli("list", "--at", "HEAD~1")
    none, unknown = run_cli("list", "--at", before), run_cli("list", "--at", "v9")
    private = run_cli("list", "--at", "HEAD", "--scope", "private")

    keys = [row.split("\t")[0] for row in early.out.splitlines()]
    assert ("early" in keys, "late" in keys) == (True, False)
    assert (early.status, none.status, unknown.status, private.status) == (0, 1, 1, 2)
    document = json.loads(run_cli("list", "--at", "HEAD~1", "--json").out)["at"]
    assert document == {
        "rev": "HEAD~1",
        "code": git(repo, "rev-parse", "HEAD~1"),
        "commit": git(repo, "rev-parse", "memory~1"),
    }
    assert run_cli("list", "--at", "").status == 1  # a script's empty variable is not today
    assert f"gitmem: nothing was known yet at {before}" in none.err
    assert "v9: no such commit in this repository\n  hint: give any git revision" in unknown.err


def test_filters_say_for_whom_and_where_it_was_learned(run_cli, repo: Path) -> None:
    fields = {"task": "AUTH-12", "domains": "[auth]", "workspace": "services/api", "by": "{who: Ana, agent: dev}"}
    put_files(repo, {"learned/worked.md": memory_text("It worked", created="2026-01-04T00:00:00Z", **fields)})
    for words, found in (
        (("--task", "auth-12"), ["worked"]),
        (("--domain", "auth"), ["worked"]),
        (("--workspace", "services/"), ["worked"]),
        (("--workspace", "serv"), []),
        (("--by", "DEV"), ["worked"]),
        (("--role", "reviewer"), ["b"]),
        (("--role", "planner", "--tag", "x"), ["b", "a"]),
    ):
        assert keys(run_cli, *words) == found
        if words[0] == "--task":
            hits = json.loads(run_cli("recall", "AUTH-12", "--json").out)["hits"]
            by_field = json.loads(run_cli("recall", "--syntax", "task:auth-12", "--json").out)["hits"]
            assert [hit["key"] for hit in (hits[0], *by_field)] == ["worked", "worked"]
            assert run_cli("list", "--role", "nobody").status == 2


def test_misspelt_kind_that_no_memory_has_is_refused(run_cli, repo: Path) -> None:
    def listed(kind: str) -> tuple[int, str]:
        ran = run_cli("list", "--kind", kind)
        return ran.status, ran.err

    wrong = (2, "gitmem: error: unknown kind: decisions\n  hint: did you mean --kind decision?\n")
    assert (listed("decisions"), listed("milestone")) == (wrong, (1, "gitmem: no memories found\n"))
    put_files(repo, {"decisions/d.md": memory_text("A d").replace("learned", "decisions")})
    assert listed("decisions") == (0, "")
