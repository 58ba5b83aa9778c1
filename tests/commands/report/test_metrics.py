"""The state of a memory as metrics, read back by the client library's own parsers."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, put_files
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text
from support.facts import DAY, Clock, make_fact, make_memory, put, verify
from support.schedules import installed
from support.sessions import prompt_event, started

from gitmem.agents import on_event
from gitmem.commands.capture.keep import keep
from gitmem.commands.report.metrics import KINDS_AT_MOST, Family, _limit_kinds, format_metrics
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.store.state import hook_log
from gitmem.store.state.spool import Spool
from gitmem.write.new_memory import NewMemory

NONE = {"exists": "none"}
README = {"exists": "README.md"}


@pytest.fixture
def timed(repo: Path):
    clock = Clock()
    with Memory(repo, clock=clock) as memory:
        memory.init(offline=True)
        yield memory, clock


def read(memory: Memory) -> dict[tuple[str, ...], float]:
    """Return samples by name and labels without the repository's."""
    found = {}
    for family in parse_openmetrics(memory.jobs.metrics()):
        for sample in family.samples:
            labels = [value for name, value in sample.labels.items() if name != "repository"]
            found[sample.name.removeprefix("gitmem_"), *labels] = sample.value
    return found


def test_numbers_are_those_of_the_store(timed, repo: Path) -> None:
    memory, clock = timed
    put(repo, make_fact("a", NONE), make_fact("b", README, requires=["a"]), make_fact("c", README, ttl="2d"))
    put(repo, make_fact("d", "make"), make_memory("e", "E"), make_memory("f", "F", kind="convention"))
    put_files(repo, {"facts/broken.md": "nonsense"})
    verify(memory)
    memory.forget("f")
    memory.show("e")
    memory.show("e")
    memory.tasks.add("Something to do")
    clock.now += 3 * DAY

    found = read(memory)

    assert found["memories", "fact"] == 4
    assert found["memories", "gotcha"] == 1
    assert found["scope_memories", "project"] == 6
    assert [found["facts", status] for status in ("failed", "suspect", "unproven", "stale", "verified")] == [
        1, 1, 1, 1, 0
    ]  # fmt: skip
    assert [found["due_facts", why] for why in ("new", "inputs", "ttl")] == [1, 0, 1]
    assert found["oldest_due_verdict_timestamp_seconds",] == NOW
    assert found["newest_verdict_timestamp_seconds",] == NOW
    assert (found["waiting_commands",], found["problem_files",], found["archived_memories",]) == (1, 1, 1)
    assert found["tasks", "open"] == 1
    assert found["memory_looks_total",] == 2
    assert (found["index_current",], found["index_behind_commits",]) == (1, 0)


def test_last_job_its_schedule_and_its_silence_are_reported(timed, repo: Path) -> None:
    memory, clock = timed
    put(repo, make_fact("a", README))
    head = git(repo, "rev-parse", "HEAD")
    assert not [name for name, *_ in read(memory) if name.startswith(("verify", "schedule"))]
    installed(repo, "6h")
    verify(memory)
    commit_files(repo, {"a.py": "1\n"})
    clock.now += DAY

    found = read(memory)

    assert found["verify_last_run_timestamp_seconds",] == NOW
    assert found["verify_last_run_commit", head] == 1
    assert found["verify_last_run_behind_commits",] == 1
    assert found["verify_last_run_success",] == 1
    assert found["verify_last_run_facts", "due"] == 1
    assert found["verdicts_recorded_timestamp_seconds", "anybody"] == NOW
    assert found["schedule_interval_seconds", "cron"] == 6 * 3600
    assert (found["schedule_problem",], found["schedule_silence_seconds",]) == (1, DAY)


def test_failures_of_hooks_are_counted_with_the_moment_of_the_last(timed, repo: Path) -> None:
    memory, _ = timed
    state = str(repo / ".git/gitmem")
    for _ in range(3):
        hook_log.note(state, "codex", "stop", ValueError())

    found = read(memory)

    assert found["hook_failures",] == 3
    assert found["hook_last_failure_timestamp_seconds",] > NOW


def test_captured_text_on_its_way_is_counted(timed) -> None:
    memory, _ = timed
    memory.capture("The gateway drops requests without a trace id, which nobody had known before")

    assert read(memory)["spool_entries", "waiting"] == 1


def test_private_memories_are_a_number_and_no_more(timed, repo: Path) -> None:
    memory, _ = timed
    memory.remember("the gateway drops what has no trace id", key="secret-key", scope="private")

    text = memory.jobs.metrics()

    assert 'gitmem_scope_memories{repository="service",scope="private"} 1\n' in text
    assert "secret-key" not in text


def test_no_words_of_a_memory_are_reported(timed, repo: Path) -> None:
    memory, _ = timed
    put(repo, make_fact("somewhere", NONE, title="Everything", by={"who": "Anastasia"}))
    verify(memory)

    text = memory.jobs.metrics()

    assert not any(word in text for word in ("somewhere", "Everything", "Anastasia"))
    assert memory.list(Query(limit=5)).hits[0].status == "failed"


def test_older_format_that_node_exporter_reads_says_the_same(timed, repo: Path) -> None:
    memory, _ = timed
    installed(repo, "6h")
    put(repo, make_fact("a", README))
    verify(memory)
    text = memory.jobs.metrics()

    old = {(s.name, *s.labels.values()): s.value for family in parse_text(text) for s in family.samples}
    new = {(s.name, *s.labels.values()): s.value for family in parse_openmetrics(text) for s in family.samples}

    assert old == new
    # Go's parser of it refuses other types (expfmt, "unknown metric type").
    assert {line.split()[3] for line in text.split("\n") if line.startswith("# TYPE")} <= {"gauge", "counter"}
    assert text.endswith("\n# EOF\n")


def test_units_are_the_ends_of_names(timed, repo: Path) -> None:
    memory, _ = timed
    put(repo, make_fact("a", README))
    verify(memory)

    units = {family.name: family.unit for family in parse_openmetrics(memory.jobs.metrics())}

    assert units["gitmem_verify_last_run_duration_seconds"] == "seconds"
    assert all(name.endswith("_seconds") is (unit == "seconds") for name, unit in units.items())


def test_label_is_read_back_as_it_was_whatever_it_says() -> None:
    text = format_metrics([Family("x", 'About "it" \\ all', {'a"b\\c\nd\x1b': 2.5}, "kind")], repository="r\u202e")

    (family,) = parse_openmetrics(text)

    (sample,) = family.samples
    assert family.documentation == 'About "it" \\ all'
    assert sample.labels["kind"] == 'a"b\\c\\x0ad\\x1b'  # as it is shown everywhere
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert sample.value == 2.5


def test_kinds_without_end_are_counted_together() -> None:
    found = _limit_kinds({f"kind{n:03}": n for n in range(100)} | {"other": 1})

    assert len(found) == KINDS_AT_MOST + 1
    assert sum(found.values()) == sum(range(100)) + 1
    assert found["kind099"] == 99


def test_captures_refusals_and_what_sessions_were_given_are_counted(timed, repo: Path) -> None:
    memory, _ = timed
    put(repo, make_memory("e", "Kafka offsets survive rebalancing"))
    keep(memory.repository, NewMemory("the gateway drops idle sockets", {}))
    Spool(memory.repository.git.repository.state).note_refused("a secret")
    on_event.session_started(memory, started())
    on_event.answer_prompt(memory, prompt_event("do kafka offsets survive rebalancing", "s2"))

    found = read(memory)

    assert (found["captures_total",], found["capture_refusals_total",]) == (1, 1)
    assert (found["context_injections_total", "start"], found["context_injections_total", "prompt"]) == (1, 1)
    assert found["injected_memories_total",] >= 2
