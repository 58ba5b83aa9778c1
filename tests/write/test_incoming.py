"""Memories from elsewhere are checked like typed ones, and get generated fields."""

from __future__ import annotations

import pytest
from conftest import NOW, memory_text
from support.each import each

from gitmem.document.parse import parse
from gitmem.errors import RefusedError
from gitmem.policy import builtin
from gitmem.write.draft import Author
from gitmem.write.incoming import ForeignMemory, Incoming, UnsafeError, incoming_exact, incoming_new

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
ANA = Author("Ana", "", "service")


def new(body: str, *, key: str = "", kind: str = "learned", **fields: object) -> Incoming:
    return incoming_new(ForeignMemory(key, {"kind": kind, **fields}, body, "x:1"), ANA, builtin(), now=NOW)


def exact(text: str) -> Incoming:
    return incoming_exact(parse(text, path="a.md"), "x:1", folder="", archived=False, policy=builtin())


def test_key_does_not_say_the_frontmatter_of_a_text() -> None:
    assert new("---\ntags: [a]\n---\nPorts are odd").key == "ports-are-odd"


def test_title_key_tags_and_metadata_are_made_where_the_source_has_none() -> None:
    found = new("JWT tokens expire early. The clock of the gateway is wrong.\r\n" + "x " * 60)
    fields = parse(found.text, path="a.md").fields

    assert (found.key, found.is_explicit) == ("jwt-tokens-expire-early-the-clock-of", False)
    assert (fields["title"], fields["project"], fields["by"]) == (
        "JWT tokens expire early. The clock of the gateway is wrong",
        "service",
        {"who": "Ana"},
    )
    assert "auth" in fields["tags"]
    assert (found.time, fields["created"]) == (0, "2026-09-21T14:13:20Z")


def test_time_and_person_of_the_source_stay() -> None:
    found = new("a text", created="2024-01-27T12:53:20Z", by={"agent": "supervisor"}, key="a")

    assert (found.time, found.is_explicit) == (1706360000, True)
    assert "by: {agent: supervisor}" in found.text


@each(
    "attempt",
    [
        lambda: new(f"the token is {TOKEN}"),
        lambda: new("a text", session=TOKEN),
        lambda: new("a text", title=f"t {TOKEN}"),
        lambda: new("a text", key=TOKEN.lower(), note=[f"it's {TOKEN}"]),
        lambda: new("a text \u202e reversed"),
        lambda: new("a text", note="a \u202e b"),
        lambda: exact(memory_text("A", body=f"{TOKEN}\n")),
        lambda: exact(memory_text("A", note='"gh\\x70' + TOKEN[3:] + '"')),
        lambda: exact(memory_text("A", note='"a \\u202e b"')),
    ],
)
def test_secret_or_hidden_character_is_refused_wherever_it_stands_and_not_repeated(attempt) -> None:
    with pytest.raises(UnsafeError) as caught:
        attempt()

    assert TOKEN not in caught.value.message
    assert "\u202e" not in caught.value.message


@each(
    ("attempt", "said"),
    [
        (lambda: new("a text", kind="fact"), "a fact needs a check that proves it"),
        (lambda: new("a text", kind="code_pattern"), "needs a reference to lines of code"),
        (lambda: new("a text", ttl="soon"), "`ttl` must be a length of time"),
        (lambda: new("x" * 70_000), "too large"),
    ],
)
def test_memory_that_breaks_its_kinds_rules_is_refused(attempt, said: str) -> None:
    with pytest.raises(RefusedError, match=said):
        attempt()


def test_file_of_ours_stays_as_it_is_though_it_lacks_what_a_new_one_needs() -> None:
    text = "---\r\nkind: decision  # no metadata\r\n---\r\nbody"

    assert exact(text).text == text


@each(("verify", "is_command"), [("make test", True), ('["true"]', True), ("{exists: README.md}", False)])
def test_only_commands_wait_for_approval(verify: str, is_command: bool) -> None:
    assert exact(memory_text("A", verify=verify).replace("learned", "fact")).has_command is is_command
