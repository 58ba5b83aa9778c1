"""Saved questions tell when their answers change, and nothing when they do not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import git
from support.facts import make_fact, make_memory, put
from support.hubs import add_to, followed, served, synced, token_file
from support.postgres import HubDatabase

from gitmem.errors import ConfigError
from gitmem.hub.identity import TokenFile
from gitmem.hub.questions import CHANGED, GONE, NEW, Change, Question, list_changes, read_questions, write_questions


def test_changes_are_what_came_what_went_and_what_is_different() -> None:
    before = {"api:a": ("verified", "A"), "api:b": ("", "B"), "web:c": ("", "C"), "web:d": ("", "D")}
    now = {"web:d": ("", "D"), "api:a": ("failed", "A"), "web:c": ("", "C reworded"), "web:e": ("suspect", "E")}

    assert list_changes(before, now) == [
        Change(CHANGED, "api:a", "failed", "A", was="verified"),
        Change(GONE, "api:b", "", "B"),
        Change(CHANGED, "web:c", "", "C reworded"),
        Change(NEW, "web:e", "suspect", "E"),
    ]
    assert list_changes(now, dict(reversed(now.items()))) == []


def test_questions_are_for_their_owner_alone_and_read_as_written(tmp_path: Path) -> None:
    path = tmp_path / "state" / "questions.json"
    saved = {
        "b": Question(
            "https://hub.example.org", (("q", "wörds"), ("kind", "gotcha")), {"api:a": ("failed", "A \u202e")}
        ),
        "a": Question("https://hub.example.org", (("q", "x"),)),
    }
    write_questions(path, saved)

    assert read_questions(path) == saved
    assert [*read_questions(path)] == ["a", "b"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_questions(tmp_path / "missing") == {}


PARTS = (
    ("1", "null"),
    ('["q"]', "null"),
    ("[[1, 2, 3]]", "null"),
    ("[]", '{"a": 1}'),
    ("[]", '{"a": ["x"]}'),
    ("[]", "[1]"),
)
TEXTS = [f'{{"questions": {{"a": {{"site": "s", "asked": {asked}, "answer": {answer}}}}}}}' for asked, answer in PARTS]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"questions": []}', '{"questions": {"a": {}}}', "\xff", "[" * 100_000, *TEXTS]
)
def test_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "q").write_bytes(text.encode("latin-1"))

    with pytest.raises(ConfigError, match="it is damaged"):
        read_questions(tmp_path / "q")


@pytest.fixture
def _own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GITMEM_HUB_TOKEN", "alice-token")


@pytest.mark.usefixtures("_own_settings")
def test_person_saves_a_question_and_hears_what_changed(
    run_cli, hub: HubDatabase, template: Path, tmp_path: Path
) -> None:
    api = Path(shutil.copytree(template, tmp_path / "api"))
    put(api, make_memory("storm", "A retry storm"), make_fact("port", title="A storm closes the port"))
    add_to(hub, api)
    synced(hub, tmp_path)
    tokens = TokenFile(token_file(tmp_path, alice=()))
    with followed(hub, tmp_path) as node, served(hub, node, tokens) as address:
        saved = run_cli("hub", "ask", "--save", "storms", "storm", "in", "a", "port", "--hub", address)
        same = run_cli("hub", "ask")
        put(api, make_memory("storm2", "Another storm"), make_memory("storm", "A retry storm of all clients"))
        synced(hub, tmp_path)
        node.catch_up_now()
        changed = run_cli("hub", "ask", "--json")
        after = run_cli("hub", "ask", "storms")
        add_to(hub, api, readers=("bob",))
        removed = run_cli("hub", "ask")
        listed = run_cli("hub", "ask", "--list")
    away = run_cli("hub", "ask")
    forgotten = run_cli("hub", "ask", "--forget", "storms")
    none = [run_cli("hub", "ask"), run_cli("hub", "ask", "--list"), run_cli("hub", "ask", "storms")]

    assert (saved.status, saved.out, "its answer has 2 memories" in saved.err) == (0, "", True)
    assert (same.status, same.out, same.err) == (0, "", "")
    assert changed.status == 1
    assert [(one["what"], one["reference"]) for one in json.loads(changed.out)["changes"]["storms"]] == [
        ("changed", "api:storm"),
        ("new", "api:storm2"),
    ]
    assert (after.status, after.out) == (0, "")
    assert (removed.status, [line.split("\t")[1:3] for line in removed.out.splitlines()]) == (
        1,
        [["gone", "api:port"], ["gone", "api:storm"], ["gone", "api:storm2"]],
    )
    assert listed.out == f"storms\tstorm in a port\t{address}\t0\n"
    assert (away.status, away.out, away.err.count("storms was not asked: ")) == (3, "", 1)
    assert (forgotten.status, forgotten.out) == (0, "storms\n")
    assert [one.status for one in none] == [0, 1, 1]


@pytest.mark.usefixtures("_own_settings")
def test_hub_is_the_persons_own_and_wrong_uses_are_refused(run_cli, repo: Path, tmp_path: Path, monkeypatch) -> None:
    git(repo, "config", "gitmem.hub", "https://evil.example")
    monkeypatch.chdir(repo)
    unset = run_cli("hub", "ask", "--save", "a", "words")
    (tmp_path / ".gitconfig").write_text("[gitmem]\n\thub = http://127.0.0.1:1\n")
    own = run_cli("hub", "ask", "--save", "a", "words")

    assert (unset.status, "no hub is set" in unset.err) == (2, True)
    assert (own.status, "a was not asked: " in own.err) == (3, True)
    assert run_cli("hub", "ask", "--list").out.split("\t")[2] == "http://127.0.0.1:1"
    for words in (("--save", "a"), ("--save", "a", "--list"), ("x", "--list"), ("x", "--forget", "y")):
        assert run_cli("hub", "ask", *words).status == 2
