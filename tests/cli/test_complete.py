"""``gitmem complete``: how a command line can go on, by what the commands declare and the store has."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.completed_store import make_completed_store
from support.each import each

from gitmem import cli
from gitmem.cli.commands import all_commands


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with memories, which is only read."""
    return make_completed_store(tmp_path_factory.mktemp("store"))


@pytest.fixture
def completions(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Return a function for what is printed for a command line in a folder."""

    def complete(folder: Path, *words: str) -> list[str]:
        monkeypatch.chdir(folder)
        cli.main(["complete", "fish", *words])
        done = capsys.readouterr()
        assert done.err == ""
        return done.out.splitlines()

    return complete


@each(
    ("words", "expected"),
    [
        (["rec"], ["recall\tfind memories that answer a question"]),
        (["task", "cl"], ["claim\t", "close\t"]),
        (["show", "gat"], ["gate-task\tClose the gates", "gateway\tThe gateway has public keys", "gates\t"]),
        (["task", "show", ""], ["gate-task\tClose the gates"]),
        (["remember", "text", "--requires", "gatew"], ["gateway\t"]),
        (["list", "--kind", "gotcha,pat"], ["gotcha,pattern\t"]),
        (["list", "--tag", ""], ["auth\t"]),
        (["recall", "x", "--status=fa"], ["--status=failed\t"]),
        (["list", "--scope", "pri"], ["private\t"]),
        (["remember", "x", "--importance", "c"], ["critical\t"]),
        (["session", "status", "rel"], ["release-2\t"]),
        (["help", "env"], ["environments\t"]),
        (["task", "close", "--fa"], ["--failed\t"]),
        (["--color", "n"], ["never\t"]),
        (["-C", ".", "sho"], ["show\t"]),
        (["fact", "x", "--", "gate"], []),
        (["nosuch", ""], []),
        (["show", "nothing"], []),
    ],
)
def test_line_is_completed_with_what_the_store_has(
    completions, store: Path, words: list[str], expected: list[str]
) -> None:
    found = completions(store, *words)

    assert len(found) == len(expected)
    assert [one for one in expected if not any(line.startswith(one) for line in found)] == []


def test_collections_of_the_policy_are_completed(completions, store: Path) -> None:
    from gitmem.policy import builtin

    assert [line.partition("\t")[0] for line in completions(store, "recall", "x", "--collection", "")] == sorted(
        builtin().collections
    )


def test_outside_of_a_repository_commands_are_completed_and_keys_are_not(completions, tmp_path: Path) -> None:
    assert completions(tmp_path, "sho") == [f"show\t{all_commands()['show'][1]}"]
    assert completions(tmp_path, "show", "") == []
