"""The catalog holds no secret of the branch, and says where they are."""

from __future__ import annotations

import json

from conftest import memory_text
from support.each import each
from support.facts import make_fact, put, verify

from gitmem.document.parse import parse
from gitmem.index.catalog.redaction import redact_verdict, secrets_of, without_secrets
from gitmem.memory import Memory
from gitmem.model import HOLDS, Verdict
from gitmem.repository.approvals import approve_command

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


def whole(memory: Memory) -> str:
    """Return all that the catalog says of memories: its tables, packed or not, and the words of the full-text index."""
    catalog = memory.repository.catalog()
    catalog.rows("CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab(main, fts, row)")
    named = catalog.rows("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'fts%'")
    assert {("memory",), ("text",), ("tag",), ("task",), ("secret",)} <= set(named)
    return repr([catalog.rows(f"SELECT * FROM {name}") for name in ["temp.words", *(name for (name,) in named)]])


@each(
    "fields",
    [
        {"body": f"Deploy with {TOKEN}."},
        {"title": f"Use {TOKEN}"},
        {"tags": [TOKEN]},
        {"by": {"who": "ana", "agent": TOKEN}},
        {"note": {"deep": ["a", TOKEN]}},
    ],
    ids=["body", "title", "tag", "agent", "unknown field"],
)
def test_secret_on_the_branch_is_in_no_column_and_its_place_is_known(memory: Memory, repo, fields) -> None:
    made = make_fact("k", None, **{"title": "Deploy", **fields})
    put(repo, made)

    rows = memory.repository.catalog().rows("SELECT path, key, rule, line FROM secret")

    ((path, text),) = made.items()
    line = next(n for n, one in enumerate(text.split("\n"), 1) if TOKEN in one)
    assert TOKEN[:12] not in whole(memory)
    assert "[secret: github-token]" in whole(memory)
    assert rows == [(path, "k", "github-token", line)]


@each(
    ("title", "line"),
    [
        (f'"\\x67{TOKEN[1:]}"', 1),
        (f'"{TOKEN[:9]}\\\n  {TOKEN[9:]}"', 2),  # the scan of texts joins broken lines itself
        (">-\n  curl\n  -u deploy:k7mZ9pQx", 1),
    ],
    ids=["escape", "broken line", "folded"],
)
def test_secret_that_only_a_value_spells_is_found(title: str, line: int) -> None:
    document = parse(memory_text(title), path="notes/k.md")

    assert [secret.line for secret in secrets_of(document)] == [line]
    assert "[secret: " in without_secrets(document).title


def test_command_and_claim_stay_exact_so_that_verdicts_count(memory: Memory, repo) -> None:
    command = f"test -n '{TOKEN}' -a -f README.md"
    put(repo, make_fact("k", command, title="Deploys", body=f"With {TOKEN}."))
    (due,) = memory.repository.commands()
    approve_command(memory.repository, due)

    verify(memory)

    assert due.spec.check.words == (command,)
    assert memory.show("k").document["status"] == "verified"
    assert TOKEN not in json.dumps(memory.show("k").document)


def test_rows_go_when_the_memory_is_mended(memory: Memory, repo) -> None:
    put(repo, make_fact("k", None, body=TOKEN))
    assert memory.repository.catalog().rows("SELECT key FROM secret") == [("k",)]

    put(repo, make_fact("k", None, body="In the vault."))

    assert memory.repository.catalog().rows("SELECT key FROM secret") == []


def test_what_holds_none_is_left_alone() -> None:
    document = parse(memory_text("Tokens", body="They rotate.\n"), path="notes/k.md")

    assert secrets_of(document) == []
    assert without_secrets(document) == document


def test_verdict_of_others_says_no_secret() -> None:
    verdict = Verdict("k", "0" * 64, "1" * 64, HOLDS, "c", "d", 1, because=f"exit 1: {TOKEN}", attempt=TOKEN)

    assert TOKEN not in repr(redact_verdict(verdict))
