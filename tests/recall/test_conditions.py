"""A strict question withholds what must not be believed as it stands, and says how much that is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import commit_files, git, put_files
from support.each import each
from support.facts import Clock, make_fact, make_memory, put, verify

from gitmem.memory import Memory
from gitmem.recall.query import Query

if TYPE_CHECKING:
    from collections.abc import Iterator

TITLE = "The gateway drops idle connections"
SOUND = {"holds", "no-claim", "open-task"}
WITHHELD = (("failed", 2), ("suspect", 1), ("unproven", 1), ("stale", 1))


@pytest.fixture(scope="module")
def folder(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with a memory of every status about the same."""
    repo = Path(shutil.copytree(template, tmp_path_factory.mktemp("strict") / "service"))
    commit_files(repo, {"there": ""})
    put(
        repo,
        *(make_fact(key, {"exists": "nope"}, title=TITLE) for key in ("fails", "fails-too")),
        make_fact("old-proof", {"exists": "there"}, title=TITLE),
        make_fact("holds", {"exists": "README.md"}, title=TITLE, ttl="never"),
        make_fact("nobody-tried", "a command nobody approved", title=TITLE),
        make_fact("open-task", {"exists": "nope"}, title=TITLE, kind="task"),
        make_memory("rests", TITLE, requires=["fails"]),
        make_memory("no-claim", TITLE),
    )
    with Memory(repo, clock=Clock()) as memory:
        verify(memory)
        git(repo, "rm", "-q", "there")
        git(repo, "commit", "-q", "-m", "gone")
    return repo


@pytest.fixture
def store(folder: Path) -> Iterator[Memory]:
    with Memory(folder, clock=Clock()) as memory:
        yield memory


@each(
    "asked",
    [
        pytest.param({"text": "gateway"}, id="words"),
        pytest.param({"text": "atewa"}, id="part-of-a-word"),
        pytest.param({"text": ""}, id="newest"),
        pytest.param({"text": "gateway", "syntax": True}, id="syntax"),
        pytest.param({"text": "title:gateway*", "syntax": True}, id="syntax-without-words"),
    ],
)
def test_strict_withholds_what_must_not_be_believed_and_counts_it(store: Memory, asked: dict) -> None:
    lax, strict = (store.recall(Query(strict=strict, **asked)) for strict in (False, True))

    assert ({hit.key for hit in strict.hits}, strict.withheld) == (SOUND, WITHHELD)
    assert (len(lax.hits), lax.withheld) == (8, ())


def test_strict_counts_over_all_scopes(folder: Path, tmp_path: Path) -> None:
    with Memory(shutil.copytree(folder, tmp_path / "service"), clock=Clock()) as memory:
        memory.remember(TITLE, key="mine", scope="private")

        for query in ("gateway", "atewa", ""):
            found = memory.recall(Query(text=query, strict=True))
            assert ({hit.key for hit in found.hits}, found.withheld) == (SOUND | {"mine"}, WITHHELD)


def test_strict_question_is_about_the_past_too(store: Memory) -> None:
    with store.at("HEAD~1") as past:
        found = past.recall(Query(text="gateway", strict=True))

    assert {hit.key for hit in found.hits} == SOUND | {"old-proof"}
    assert dict(found.withheld) == {"failed": 2, "suspect": 1, "unproven": 1}


def test_what_is_sound_is_found_behind_hundreds_of_better_matches_that_failed(repo: Path) -> None:
    put(
        repo,
        *(make_fact(f"f{n:03}", {"exists": "nope"}, title="gateway gateway") for n in range(150)),
        make_memory("sound", "What is known", "of the gateway, by the way"),
    )
    with Memory(repo, clock=Clock()) as memory:
        verify(memory)
        found = memory.recall(Query(text="gateway", strict=True))

    assert [hit.key for hit in found.hits] == ["sound"]
    assert dict(found.withheld)["failed"] >= 60


def test_withheld_matches_that_would_have_been_too_weak_are_not_counted(memory: Memory, repo: Path) -> None:
    put_files(repo, {"gitmem.toml": "[recall]\nrelative_floor = 0.9\n"})
    put(
        repo,
        make_memory("sound", "The gateway", "The gateway and its pool"),
        make_fact("weak", {"exists": "nope"}, title="Something", body="of the gateway " + "and more " * 50),
    )
    verify(memory)

    assert memory.recall(Query(text="gateway pool", strict=True)).withheld == ()


def test_command_says_what_it_withholds_and_how_to_see_it(store: Memory, folder: Path, run_cli) -> None:
    text, found = (
        run_cli("recall", "gateway", "--strict", cwd=folder),
        json.loads(run_cli("recall", "gateway", "--strict", "--json", cwd=folder).out),
    )

    assert {line.split("\t")[0] for line in text.out.splitlines()} == SOUND
    message = "5 more matches are withheld (2 failed, 1 suspect, 1 unproven, 1 stale); to see them, use "
    assert f"{message}--status failed,suspect,unproven,stale instead of --strict" in text.err
    assert found["withheld"] == dict(WITHHELD)
    assert "withheld" not in json.loads(run_cli("recall", "gateway", "--json", cwd=folder).out)
    assert store.recall(Query("gateway", statuses=("failed", "suspect", "unproven", "stale"))).hits


def test_command_refuses_a_factor_that_does_not_exist(run_cli) -> None:
    done = run_cli("recall", "gateway", "--without", "recency,age")

    assert done.status == 2
    assert "unknown factor: age" in done.err
    assert "recency, access, status" in done.err
