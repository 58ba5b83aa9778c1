"""``gitmem remember``: keys, tags, input of every shape, and what is refused."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest
from conftest import git, tip
from support.each import each
from support.ids import id_of

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


@pytest.fixture
def type_in(monkeypatch: pytest.MonkeyPatch):
    """Return a function that puts bytes on standard input."""
    return lambda raw: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))


def text_of(repo: Path, path: str) -> str:
    return git(repo, "show", f"memory:{path}")


def test_only_the_key_is_printed_on_standard_output(run_cli) -> None:
    first, second = run_cli("remember", "Deploys need the VPN"), run_cli("remember", "Deploys need the VPN")

    assert (first.status, first.out) == (0, "deploys-need-the-vpn\n")
    assert first.err == "gitmem: created the branch memory\n"
    assert (second.status, second.out) == (0, "deploys-need-the-vpn\n")
    assert second.err == "gitmem: deploys-need-the-vpn already says this; nothing was written\n"


@pytest.mark.parametrize(
    ("is_joined", "created"), [(False, "created the branch memory; "), (True, "")], ids=["new", "joined"]
)
def test_the_first_write_of_a_clone_says_that_git_knows_no_name(run_cli, repo: Path, *, is_joined: bool, created: str):
    if is_joined:
        run_cli("remember", "Backups run at night")
        git(repo, "update-ref", "refs/remotes/origin/memory", tip(repo))
        git(repo, "update-ref", "-d", "refs/heads/memory")
        git(repo, "config", "remote.origin.url", "../elsewhere")
    for name in ("name", "email"):
        git(repo, "config", "--unset", f"user.{name}")
    git(repo, "config", "user.useConfigOnly", "true")

    first, second = run_cli("remember", "Deploys need the VPN"), run_cli("remember", "Ports are odd on staging")

    assert first.err.startswith(f"gitmem: {created}git does not know your name"), first.err
    assert second.err == ""


def test_json_is_key_path_and_commit(run_cli, repo: Path) -> None:
    done = run_cli("remember", "Deploys need the VPN", "--kind", "gotcha", "--json")

    assert json.loads(done.out) == {
        "key": "deploys-need-the-vpn",
        "short_id": id_of("deploys-need-the-vpn"),
        "path": "gotchas/deploys-need-the-vpn.md",
        "commit": tip(repo),
    }


def test_every_option_is_a_field_of_the_file(run_cli, repo: Path) -> None:
    run_cli("init")

    done = run_cli(
        "remember", "Retry three times.\n\nThe gateway drops the first.", "--key", "retry", "--kind", "anti-pattern",
        "--tag", "net", "--path", "src/gateway/**", "--ref", "src/gateway/retry.py:1-1", "--domain", "http",
        "--requires", "gateway", "--produces", "retries", "--importance", "high", "--confidence", "0.5",
        "--task", "T-1", "--ttl", "30d", "--workspace", "src/gateway", "--verified-by", "tester",
    )  # fmt: skip

    fields = json.loads(run_cli("show", "retry", "--json").out)["frontmatter"]
    made = {name: fields.pop(name) for name in ("created", "by", "project", "tags", "anchors")}
    assert (done.status, done.err) == (0, "")
    assert fields == {
        "title": "Retry three times", "kind": "anti_pattern", "paths": ["src/gateway/**"],
        "refs": ["src/gateway/retry.py:1-1"], "domains": ["http"], "requires": ["gateway"], "produces": ["retries"],
        "importance": "high", "confidence": 0.5, "task": "T-1", "ttl": "30d", "workspace": "src/gateway",
        "verified_by": "tester",
    }  # fmt: skip
    assert made["anchors"][0].startswith("src/gateway/retry.py:1 @ ")
    assert made["by"] == {"who": "Ana"}
    assert made["project"] == "service"
    assert made["tags"][0] == "net"


def test_tags_are_found_in_the_text(run_cli) -> None:
    run_cli("remember", "The login token expires while a database migration runs", "--key", "x")

    assert {"auth", "database"} <= set(json.loads(run_cli("show", "x", "--json").out)["frontmatter"]["tags"])


def test_other_text_with_the_same_first_words_gets_its_own_key(run_cli) -> None:
    start = "The gateway drops requests that carry no trace id when they "

    first = run_cli("remember", start + "come from the batch jobs of the night, which nobody watches at all")
    second = run_cli("remember", start + "are retried by a browser; clients have to send one of their own every time")

    assert first.status == second.status == 0
    assert first.out == "the-gateway-drops-requests-that-carry-no\n"
    assert re.fullmatch(r"the-gateway-drops-requests-that-[0-9a-f]{6}\n", second.out)


def test_near_duplicate_updates_the_memory_and_keeps_what_it_leaves_out(run_cli, repo: Path) -> None:
    first = run_cli(
        "remember", "Deploys need the VPN", "--path", "ops/**", "--importance", "critical", "--tag", "ops",
        "--requires", "vpn",
    )  # fmt: skip

    second = run_cli("remember", "Deploys need the VPN!", "--tag", "net")

    fields = json.loads(run_cli("show", second.out.strip(), "--json").out)["frontmatter"]
    assert second.out == first.out
    assert fields["title"] == "Deploys need the VPN!"
    assert (fields["paths"], fields["requires"], fields["importance"]) == (["ops/**"], ["vpn"], "critical")
    assert {"ops", "net"} <= set(fields["tags"])
    assert git(repo, "log", "--format=%s", "memory").split("\n")[:2] == [
        "learned: update deploys-need-the-vpn",
        "learned: add deploys-need-the-vpn",
    ]


def test_with_an_explicit_key_the_latest_wins_and_git_keeps_the_earlier_one(run_cli, repo: Path) -> None:
    run_cli("remember", "Deploys need the VPN", "--key", "deploys", "--tag", "ops")
    run_cli("remember", "A pipeline deploys now, from any machine", "--key", "deploys")

    shown = json.loads(run_cli("show", "deploys", "--json").out)
    logged = json.loads(run_cli("log", "deploys", "--json").out)["log"]
    assert shown["title"] == "A pipeline deploys now, from any machine"
    assert "ops" not in shown["frontmatter"].get("tags", [])
    assert [row["subject"] for row in logged] == ["learned: update deploys", "learned: add deploys"]
    assert "Deploys need the VPN" in git(repo, "show", f"{logged[1]['commit']}:learned/deploys.md")


@pytest.mark.parametrize(
    ("raw", "title", "body"),
    [
        (b"One line\n", "One line", ""),
        (b"Line one\r\nLine two\r\n", "Line one", "Line two\n"),
        (b"\xef\xbb\xbfWith a mark\n\nbody\n", "With a mark", "body\n"),
        ("e\u0301 decomposed\n".encode(), "é decomposed", ""),
        (b"tab\there\n\n\ta\n", "tab\there", "a\n"),
        (b"-starts with a dash", "-starts with a dash", ""),
        (b"# Heading\n\ntext\n", "Heading", "text\n"),
    ],
    ids=["plain", "CRLF", "byte order mark", "NFD", "tabs", "dash", "heading"],
)
def test_standard_input_is_kept_in_one_form(run_cli, type_in, repo: Path, raw: bytes, title: str, body: str) -> None:
    type_in(raw)

    done = run_cli("remember", "-", "--key", "k")

    shown = json.loads(run_cli("show", "k", "--json").out)
    assert (done.status, shown["title"], shown["body"]) == (0, title, body)
    assert "\r" not in text_of(repo, "learned/k.md")


def test_invalid_text_on_standard_input_is_refused_and_nothing_is_written(run_cli, type_in, repo: Path) -> None:
    for raw, message in (
        (b"", "the text is empty"),
        (b" \n\t\r\n", "the text is empty"),
        (b"a\xffb", "standard input is not valid UTF-8 (byte 1)"),
        (bytes(range(256)), "standard input is not valid UTF-8 (byte 128)"),
        (b"a\x00b", "the text: line 1, column 2 has control character (U+0000)"),
        (b"x" * 1_000_000, "standard input is larger than 65536 bytes, the maximum size of a memory"),
        (b"word " * 13_107, "the memory would be too large"),
        ("a\u202eb".encode(), "the text: line 1, column 2 has RIGHT-TO-LEFT OVERRIDE (U+202E)"),
        (b"one\ntwo \x1b[2J", "the text: line 2, column 5 has control character (U+001B)"),
        (f"it is {TOKEN}".encode(), "the text: it seems to contain a secret (github-token in line 1)"),
    ):
        type_in(raw)

        done = run_cli("remember", "-")

        assert (done.status, done.out) == (2, "")
        assert message in done.err
        assert TOKEN.lower() not in done.err.lower()
        assert git(repo, "for-each-ref", "refs/heads/memory") == ""


def test_invalid_option_is_refused_with_a_reason(run_cli, repo: Path) -> None:
    for words, message, hint in (
        (("--key", "Upper Case"), "invalid key 'Upper Case'", "--key upper-case"),
        (("--key", "../x"), "invalid key '../x'", "--key x"),
        (("--key", "k" * 101), "invalid key", "--key kkk"),
        (("--key=--json",), "invalid key '--json'", "--key json"),
        (
            ("--key", "\x1b"),
            "the key: line 1, column 1 has control character",
            "remove the invisible characters; a memory is read by people and agents",
        ),
        (("--kind", "fact"), "a fact needs a check that proves it", "--kind convention"),
        (("--kind", "Bad Kind!"), "`kind` must be one word", ""),
        (("--ttl", "soon"), "`ttl` must be a length of time", ""),
        (("--confidence", "2"), "`confidence` must be a number from 0 to 1", ""),
        (("--confidence", "nan"), "nan", ""),
        (("--supersedes", "nosuch"), "cannot supersede nosuch: no memory has this key", "gitmem list"),
        (
            ("--tag", "a\u202eb"),
            "tags: line 1, column 2 has RIGHT-TO-LEFT OVERRIDE",
            "remove the invisible characters; a memory is read by people and agents",
        ),
        (
            ("--task", "\x1b[2J"),
            "task: line 1, column 1 has control character",
            "remove the invisible characters; a memory is read by people and agents",
        ),
        (
            ("--title", "a\x07b"),
            "the title: line 1, column 2 has control character",
            "remove the invisible characters; a memory is read by people and agents",
        ),
        (
            ("--path", TOKEN),
            "it seems to contain a secret (github-token",
            "remove the secret; if it ever left this machine, revoke it",
        ),
        (
            ("--title", TOKEN),
            "the title: it seems to contain a secret (github-token in line 1)",
            "remove the secret; if it ever left this machine, revoke it",
        ),
        (
            ("--key", TOKEN.lower()),
            "the key: it seems to contain a secret (github-token",
            "remove the secret; if it ever left this machine, revoke it",
        ),
    ):
        done = run_cli("remember", "a text", *words)

        assert (done.status, done.out) == (2, "")
        assert message in done.err
        assert hint in done.err
        assert TOKEN.lower() not in done.err.lower()
        assert git(repo, "for-each-ref", "refs/heads/memory") == ""


def test_text_that_looks_like_an_option_follows_a_double_dash(run_cli) -> None:
    assert run_cli("remember", "--", "--json").out == "json\n"
    assert run_cli("remember", "--force pushes are refused here").out == "force-pushes-are-refused-here\n"


@pytest.mark.parametrize("name", ["A\x1b[2Jna", "Anä", "A\u202ena"])
def test_name_of_git_s_never_keeps_a_memory_from_being_written(run_cli, repo: Path, name: str) -> None:
    git(repo, "config", "user.name", name)

    done = run_cli("remember", "a text")

    assert done.status == 0
    assert not {"\x1b", "\u202e"} & set(run_cli("show", "a-text").out)


def test_superseded_memory_leaves_search_and_names_its_successor(run_cli) -> None:
    run_cli("remember", "Deploys go by hand", "--key", "old")
    run_cli("remember", "Deploys go by pipeline", "--key", "new", "--supersedes", "old")

    assert [line.split("\t")[0] for line in run_cli("recall", "deploys").out.splitlines()] == ["new"]
    assert json.loads(run_cli("show", "old", "--json").out)["frontmatter"]["superseded_by"] == "new"


def test_finished_run_is_distilled_all_or_nothing(run_cli, repo: Path, type_in) -> None:
    run_cli("init")
    good = {"kind": "gotcha", "title": "The nightly import locks the ledger"}
    (repo / "night.json").write_text(json.dumps([good, {"body": f"It is {TOKEN}"}]))
    before = tip(repo)

    refused = run_cli("remember", "--from-run", "night.json")
    partial = json.loads(run_cli("remember", "--from-run", "night.json", "--partial", "--json").out)

    assert (refused.status, refused.out) == (2, "")
    assert "refused: memories[1]: the text: it seems to contain a secret" in refused.err
    assert "nothing was written" in refused.err
    assert TOKEN not in refused.err
    assert before != tip(repo)
    assert partial["run"] == "night"
    assert [(one["item"], one["key"], one["new"], one["written"]) for one in partial["memories"]] == [
        ("memories[0]", "the-nightly-import-locks-the-ledger", True, True)
    ]
    assert [one["item"] for one in partial["refused"]] == ["memories[1]"]
    assert run_cli("remember", "--from-run", "night.json", "--partial").status == 1
    type_in(json.dumps({"run": "day", "memories": [good]}).encode())
    again = run_cli("remember", "--from-run", "-")
    assert (again.status, again.out) == (0, "the-nightly-import-locks-the-ledger\n")
    assert "already says this; it was updated" in again.err


@each(
    ("argv", "expected"),
    [
        (["a text", "--from-run", "x.json"], "a text cannot be combined with --from-run"),
        (["--from-run", "x.json", "--kind", "gotcha"], "--kind cannot be combined with --from-run"),
        (["--from-run", "x.json", "--tag", "db"], "--tag cannot be combined with --from-run"),
        (["--from-run", "x.json", "--reflector-prompt"], "--from-run cannot be combined with --reflector-prompt"),
        (["a text", "--reflector-prompt"], "a text cannot be combined with --reflector-prompt"),
        (["--reflector-prompt", "--json"], "--json cannot be combined with --reflector-prompt"),
        (["a text", "--partial"], "--partial requires --from-run"),
        ([], "remember needs a text or --from-run FILE"),
    ],
)
def test_contradictory_options_are_wrong_use(run_cli, argv: list[str], expected: str) -> None:
    done = run_cli("remember", *argv)

    assert done.status == 2
    assert expected in done.err


def test_unknown_run_is_reported(run_cli) -> None:
    done = run_cli("remember", "--from-run", "none.json")

    assert done.status == 1
    assert "there is no file none.json" in done.err


@pytest.mark.parametrize("first", [("init",), ("remember", "Deploys need VPN")], ids=str)
def test_person_whom_git_cannot_name_learns_it_once_and_how_to_change_it(repo, run_cli, first):
    for name in ("user.name", "user.email"):
        git(repo, "config", "--unset-all", name)
    git(repo, "config", "user.useConfigOnly", "true")

    said = [run_cli(*args).err.count("git config --global user.email") for args in (first, ("remember", "Use tabs"))]

    assert said == [1, 0]


def test_first_memory_of_a_kind_that_has_no_row_says_so_once(memory, run_cli):
    said = [run_cli("remember", text, "--kind", "nonsense").err for text in ("Deploys need VPN", "Use tabs")]

    assert said[0].startswith("gitmem: nonsense is a new kind, without rules of its own; known kinds are learned, ")
    assert said[1] == ""
