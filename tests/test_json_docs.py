"""docs/json.md names exactly the fields that commands print with --json."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import commit_files, git

PAGE = Path(__file__).resolve().parent.parent / "docs" / "json.md"
SECTION = re.compile(r"^### (gitmem .+?)\n.*?^```text\n(.+?)^```", re.DOTALL | re.MULTILINE)
TOKEN = re.compile(r"[{}\[\]]|…|\w+\??")

# A form is the forms of its fields, by name; `...` accepts any value, and as a name any further fields.
Form = dict[Any, Any]


def parse(text: str) -> Form:
    """Return the form that a block of the page describes."""
    return _form(iter(TOKEN.findall(text)[1:]))


def _form(tokens: Iterator[str]) -> Form:
    found: Form = {}
    name: Any = ""
    for token in tokens:
        if token == "}":
            break
        if token == "{":
            found[name] = _form(tokens)
        elif token not in "[]":
            name = ... if token == "…" else token
            found[name] = ...
    return found


def differences(form: Form, value: object, place: str = "") -> list[str]:
    """Return the fields that are only documented, or only printed."""
    if isinstance(value, list):
        return [line for one in value for line in differences(form, one, place)]
    if not isinstance(value, dict):
        return []  # null, or a text where nothing is known
    names = {str(name).rstrip("?"): inner for name, inner in form.items() if name is not ...}
    lacking = [f"{place}{n}: not printed" for n in names if n not in value and f"{n}?" not in form]
    further = [f"{place}{n}: not documented" for n in value if n not in names and ... not in form]
    inner = [(n, names[n], value[n]) for n in names if n in value and names[n] is not ...]
    return [*lacking, *further, *(line for n, of, one in inner for line in differences(of, one, f"{place}{n}."))]


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        ({"a": 1, "b": [{"c": 1}]}, []),
        ({"a": 1, "b": [], "d": None}, []),
        ({"b": [{"c": 1, "e": 2}]}, ["a: not printed", "b.e: not documented"]),
        ({"a": 1, "b": [{"c": 1}, {}], "f": 1}, ["f: not documented", "b.c: not printed"]),
    ],
)
def test_difference_between_page_and_output_is_found(printed: object, found: list[str]) -> None:
    assert differences(parse("{a, b: [{c}], d?: {…}}"), printed) == found


def test_page_names_the_fields_that_commands_print(run_cli: Any, repo: Path) -> None:
    documented = {name: parse(block) for name, block in SECTION.findall(PAGE.read_text("utf-8"))}
    wrong: dict[str, list[str]] = {name: ["not run"] for name in documented}

    def compare(section: str, *argv: str) -> None:
        done = run_cli(*section.split()[1:], *argv, "--json")
        assert done.out, done
        found = differences(documented[section], json.loads(done.out))
        wrong[section] = [*(line for line in wrong[section] if line != "not run"), *found]

    git(repo.parent, "init", "-q", "--bare", "hub.git")
    git(repo, "remote", "add", "origin", str(repo.parent / "hub.git"))
    run_cli("init", "--offline")
    rs256 = ("Tokens are signed with RS256", "--key", "rs256", "--contains", "RS256", "--in", "src/auth/jwt.py")
    assert run_cli("fact", *rs256).status == 0
    compare(
        "gitmem remember", "Gateways hold public keys", "--kind", "decision", "--key", "keys", "--requires", "rs256"
    )
    (repo / "run.json").write_text('[{"title": "The import locks the ledger"}, {"title": ""}]')
    compare("gitmem remember --from-run", "run.json", "--partial")
    (repo / "notes.jsonl").write_text('{"key": "n", "title": "Deploys happen on Tuesday", "body": "x"}\n{"a": 1}\n')
    compare("gitmem import", "notes.jsonl")
    compare("gitmem undo")
    compare("gitmem purge", "rs256", "--dry-run")

    run_cli("task", "add", "Add refresh tokens", "--key", "refresh")
    run_cli("task", "add", "Document them", "--key", "doc", "--requires", "refresh", "--parent", "refresh")
    compare("gitmem task ready")
    run_cli("task", "claim", "refresh")
    run_cli("task", "release", "refresh", "--note", "they were too long")
    compare("gitmem task claim", "refresh")
    compare("gitmem task list")
    compare("gitmem task show", "refresh")
    compare("gitmem task tree")

    compare("gitmem sync")
    compare("gitmem propose", "idea")
    run_cli("remember", "Errors are logged once, at the edge of a request")
    compare("gitmem propose --list")
    compare("gitmem propose --switch", "memory")
    compare("gitmem propose --drop", "idea", "--force")

    stated = "`src/auth/jwt.py` signs with `RS256`. Retries are in `src/gateway/retry.py`.\n"
    commit_files(repo, {"AGENTS.md": stated})
    git(repo, "mv", "src/gateway/retry.py", "src/gateway/again.py")
    commit_files(repo, {"src/auth/jwt.py": 'ALGORITHM = "EdDSA"\n'})
    compare("gitmem adopt")
    compare("gitmem adopt", "--apply")
    compare("gitmem check", "--base", "HEAD~1")
    compare("gitmem verify", "--dry-run")
    compare("gitmem verify", "--why")
    run_cli("verify", "--all", "--results", "part.jsonl")
    compare("gitmem verify --record-results", "part.jsonl")
    compare("gitmem why", "rs256")
    compare("gitmem settle")
    compare("gitmem review", "memory~5..memory")

    compare("gitmem recall", "tokens", "--explain", "--strict")
    compare("gitmem recall", "tokens", "--at", "HEAD~1")
    compare("gitmem list")
    compare("gitmem show", "rs256")
    compare("gitmem show", "rs256", "--at", "HEAD~1")
    compare("gitmem log", "rs256")
    compare("gitmem status")
    compare("gitmem context")
    compare("gitmem pre-work", "tokens of the gateway")
    compare("gitmem decisions")
    compare("gitmem report")
    compare("gitmem doctor")

    assert {name: lines for name, lines in wrong.items() if lines} == {}
