"""``gitmem task add``: every form of a gate, every option, and what is refused."""

from __future__ import annotations

import json

from support.each import each


def test_add_prints_the_key_and_writes_what_was_given(run_cli):
    run_cli("task", "add", "The release", "--key", "release-2")
    done = run_cli(
        *("task", "add", "Refresh tokens", "--contains", "refresh", "--in", "src/**", "--priority", "0"),
        *("--parent", "release-2", "--requires", "auth", "--produces", "refresh", "--path", "src/auth", "--tag", "x"),
        *("--ttl", "9d", "--body", "All of them.", "--ref", "T-1", "--importance", "high"),
    )

    assert (done.status, done.out) == (0, "refresh-tokens-all-of-them\n")
    assert "waits for auth" in done.err
    found = json.loads(run_cli("show", "refresh-tokens-all-of-them", "--json").out)
    fields = {k: v for k, v in found["frontmatter"].items() if k not in ("created", "by", "project", "title", "tags")}
    assert fields == {
        "kind": "task", "paths": ["src/auth"], "refs": ["T-1"], "verify": {"contains": "refresh", "in": "src/**"},
        "ttl": "9d", "requires": ["auth"], "produces": ["refresh"], "importance": "high", "priority": 0,
        "parent": "release-2", "state": "open",
    }  # fmt: skip
    assert found["body"] == "All of them.\n"


def test_command_waits_for_approval_without_a_terminal(run_cli):
    run_cli("task", "add", "Refresh tokens", "--key", "t", "--", "grep", "-q", "refresh", "src/auth/jwt.py")

    done = run_cli("task", "close", "t")

    assert done.status == 3
    assert "not approved here: grep -q refresh src/auth/jwt.py" in done.err


@each(
    ("words", "status", "message"),
    [
        (("Do it", "--priority", "9"), 2, "from 0 to 4"),
        (("Do it", "--parent", "nobody"), 1, "there is no memory nobody"),
        (("Do it", "--exists", "a", "--absent", "b"), 2, "one check"),
        (("Do it", "--verify", "true"), 2, "proves nothing"),
        ((" ",), 2, "a task needs a title"),
    ],
)
def test_wrong_use_is_refused(memory, run_cli, words: tuple[str, ...], status: int, message: str):
    done = run_cli("task", "add", *words)

    assert (done.status, done.out) == (status, "")
    assert message in done.err
