"""Summaries of sessions, from the hook to the memory."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from conftest import NOW, git, put_files, tip
from support.facts import DAY, Clock, count_commits
from support.transcripts import SECRET, edited, message_line, placed, prompt_line, session

from gitmem.agents import on_event
from gitmem.agents.event import COMPACT, END, STOP, Event
from gitmem.agents.session.summary import key_of, waits
from gitmem.agents.transcripts import ledger
from gitmem.errors import GitmemError, NotFoundError
from gitmem.frozen import replace
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.store.state import background


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(repo: Path, clock: Clock):
    with Memory(repo, clock=clock) as opened:
        opened.init(offline=True)
        yield opened


def event_of(repo: Path, path: Path, **fields: str) -> Event:
    return Event(
        **{
            "client": "claude-code",
            "name": END,
            "session": "s1",
            "folder": str(repo),
            "transcript": str(path),
            **fields,
        }
    )


def test_end_of_a_session_writes_a_memory(memory: Memory, repo: Path) -> None:
    event = event_of(repo, placed(session(repo)))

    on_event.session_ended(memory, event)
    assert count_commits(repo) == 2  # the hook itself wrote nothing
    assert on_event.summarize(memory) == [key_of(memory.repository, event)]

    shown = memory.show(key_of(memory.repository, event)).document
    assert (shown["kind"], shown["title"]) == (
        "session",
        "We decided to use backoff as of v1.2 because the gateway drops bursts",
    )
    fields = shown["frontmatter"]
    assert (fields["branch"], fields["workspace"]) == ("main", "main")
    assert fields["by"]["agent"] == "claude-code"
    assert fields["paths"] == ["README.md", "src/gateway/retry.py"]
    assert {"session", "claude-code"} <= set(fields["tags"])
    assert "- `make deploy` last failed: fatal: no such host staging.example.org." in shown["body"]
    assert SECRET not in git(repo, "log", "-p", "memory")


def test_prompts_are_in_a_summary_only_where_the_policy_says_so(memory: Memory, repo: Path) -> None:
    event = event_of(repo, placed(session(repo)))
    on_event.session_ended(memory, event)
    on_event.summarize(memory)
    assert "Make the gateway" not in git(repo, "log", "-p", "memory")

    put_files(repo, {"gitmem.toml": "[session]\nprompts = true\n"})
    on_event.session_ended(memory, event)
    on_event.summarize(memory)

    assert memory.show(key_of(memory.repository, event)).document["body"].startswith("Goal: Make the gateway retry")


def test_home_paths_are_in_no_summary(memory: Memory, repo: Path) -> None:
    home = str(Path.home())
    lines = [
        prompt_line("Look at the pool"),
        edited(repo / "a.py"),
        message_line(f"DECISION: {repo}/a.py reads {home}/.pool"),
    ]
    on_event.session_ended(memory, event_of(repo, placed("\n".join(lines) + "\n")))

    (key,) = on_event.summarize(memory)

    assert "- a.py reads ~/.pool" in memory.show(key).document["body"]
    assert home not in git(repo, "log", "-p", "memory")


def test_learnings_in_the_agents_messages_are_captured_once(memory: Memory, repo: Path) -> None:
    event = event_of(repo, placed(session(repo)))
    for _ in range(2):
        on_event.session_ended(memory, event)
        on_event.summarize(memory)
        memory.captures.drain()

    (hit,) = memory.list(Query(kinds=("learned",))).hits
    assert hit.title == "the gateway drops bursts above 50 requests"


def test_no_secret_is_in_the_state_folder(memory: Memory, repo: Path) -> None:
    on_event.session_ended(memory, event_of(repo, placed(session(repo))))
    on_event.summarize(memory)

    kept = [path.read_bytes() for path in (repo / ".git" / "gitmem" / "summaries").rglob("*") if path.is_file()]
    assert kept
    assert not any(SECRET.encode() in content for content in kept)


def test_compaction_and_end_are_one_memory_which_has_all_of_it(memory: Memory, repo: Path, clock: Clock) -> None:
    path = placed(session(repo))
    assert not on_event.save_before_compaction(memory, event_of(repo, path, name=COMPACT))
    on_event.summarize(memory)
    placed("\n".join([prompt_line("Now write the docs"), edited(repo / "docs.md"), message_line("All done.")]) + "\n")
    clock.now += 3600

    on_event.session_ended(memory, event_of(repo, path))
    (key,) = on_event.summarize(memory)

    body = memory.show(key).document["body"]
    assert body.startswith("Decided:\n- keep RETRIES at 5")
    assert "Changed: docs.md, README.md, src/gateway/retry.py." in body
    assert len(memory.list(Query(kinds=("session",))).hits) == 1


def test_the_same_session_asked_for_again_writes_nothing(memory: Memory, repo: Path) -> None:
    event = event_of(repo, placed(session(repo)))
    on_event.session_ended(memory, event)
    on_event.session_ended(memory, event)
    on_event.summarize(memory)
    before = tip(repo)
    on_event.session_ended(memory, event)

    on_event.summarize(memory)

    assert tip(repo) == before


def test_a_summary_counts_for_three_days_from_the_last_that_happened(memory: Memory, repo: Path, clock: Clock) -> None:
    event = event_of(repo, placed(session(repo)))
    on_event.session_ended(memory, event)
    on_event.summarize(memory)
    clock.now += 2 * DAY
    on_event.session_ended(memory, event)
    on_event.summarize(memory)

    clock.now += 2 * DAY
    assert [hit.key for hit in memory.list(Query(kinds=("session",))).hits] == [key_of(memory.repository, event)]
    clock.now += 2 * DAY
    assert memory.list(Query(kinds=("session",))).hits == ()
    assert memory.show(key_of(memory.repository, event)).document["expired"] is True


def test_what_was_retired_does_not_come_back(memory: Memory, repo: Path) -> None:
    event = event_of(repo, placed(session(repo)))
    on_event.session_ended(memory, event)
    on_event.summarize(memory)
    memory.forget(key_of(memory.repository, event), why="nobody needs it")
    on_event.session_ended(memory, event)

    assert on_event.summarize(memory) == []
    assert memory.show(key_of(memory.repository, event)).document["archived"] is True


def test_a_session_that_says_nothing_leaves_nothing(memory: Memory, repo: Path) -> None:
    on_event.session_ended(memory, event_of(repo, placed(prompt_line("ok") + "\n" + message_line("Fine.") + "\n")))

    assert on_event.summarize(memory) == []
    assert not waits(str(repo / ".git" / "gitmem"))


@pytest.mark.parametrize("fields", [{"transcript": ""}, {"agent": "a1"}], ids=["no transcript", "sub-agent"])
def test_nothing_is_asked_for_without_a_transcript_or_by_a_sub_agent(memory: Memory, repo: Path, fields: dict) -> None:
    on_event.session_ended(memory, event_of(repo, placed(session(repo)), **fields))

    assert not waits(str(repo / ".git" / "gitmem"))


def test_what_cannot_be_read_is_reported_once_and_the_others_are_done(
    memory: Memory, repo: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text(session(repo))
    on_event.session_ended(memory, event_of(repo, tmp_path / "a.jsonl", session="elsewhere"))
    good = event_of(repo, placed(session(repo)))
    on_event.session_ended(memory, good)

    with pytest.raises(GitmemError, match="not in a folder where a client keeps its sessions"):
        on_event.summarize(memory)

    assert memory.show(key_of(memory.repository, good)).document
    assert on_event.summarize(memory) == []


def test_a_request_that_a_killed_process_had_taken_is_done(memory: Memory, repo: Path) -> None:
    event = event_of(repo, placed(session(repo)))
    on_event.session_ended(memory, event)
    (path,) = (repo / ".git" / "gitmem" / "summaries" / "asked").iterdir()
    path.rename(f"{path}.doing")

    assert on_event.summarize(memory) == [key_of(memory.repository, event)]


def test_of_a_client_whose_transcripts_are_not_read_no_summary_is_asked(memory: Memory, repo: Path) -> None:
    on_event.session_ended(memory, event_of(repo, repo / "session.jsonl", client="cursor"))

    assert not waits(memory.repository.git.repository.state)


@pytest.mark.parametrize("content", ["", "[]", "{", json.dumps({"client": "x", "at": "now"})])
def test_a_damaged_request_goes_away(memory: Memory, repo: Path, content: str) -> None:
    folder = repo / ".git" / "gitmem" / "summaries" / "asked"
    folder.mkdir(parents=True)
    (folder / "a.json").write_text(content)

    assert on_event.summarize(memory) == []
    assert not list(folder.iterdir())


def test_hostile_names_stay_in_their_folder(memory: Memory, repo: Path) -> None:
    event = event_of(repo, placed(session(repo)), session="../../../x\0\n" + "y" * 5000, client="claude-code")
    on_event.session_ended(memory, event)

    (key,) = on_event.summarize(memory)

    assert key == key_of(memory.repository, event)
    assert {path.parent.name for path in (repo / ".git" / "gitmem" / "summaries").rglob("*.json")} == {"kept"}


def test_a_process_behind_the_hook_writes_it(repo: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITMEM_BACKGROUND", "on")
    event = Event("claude-code", END, session="s1", folder=str(repo), transcript=str(placed(session(repo))))
    with Memory(repo) as real:
        on_event.session_ended(real, event)

    until = time.monotonic() + 120
    while time.monotonic() < until and not git(repo, "ls-tree", "-r", "--name-only", "memory", "sessions/"):
        time.sleep(0.05)

    assert (
        git(repo, "ls-tree", "-r", "--name-only", "memory", "sessions/")
        == f"sessions/{key_of(memory.repository, event)}.md"
    )
    assert background.list_failures(repo / ".git" / "gitmem") == []


def test_missing_store_is_left_alone(repo: Path) -> None:
    with Memory(repo, clock=Clock(NOW)) as opened:
        on_event.session_ended(opened, event_of(repo, placed(session(repo))))

    assert not os.path.exists(repo / ".git" / "gitmem" / "summaries")


def test_a_summary_is_written_when_a_person_wants_it_while_the_session_goes_on(memory: Memory, repo: Path) -> None:
    event = event_of(repo, placed(session(repo)))
    ledger.enter(memory.repository, replace(event, name=STOP))

    assert on_event.summarize_session(memory) == key_of(memory.repository, event)
    assert on_event.summarize_session(memory, "s1") == key_of(memory.repository, event)
    assert memory.show(key_of(memory.repository, event)).document["kind"] == "session"
    with pytest.raises(NotFoundError):
        on_event.summarize_session(memory, "another")
