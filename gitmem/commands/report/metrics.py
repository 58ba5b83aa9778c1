"""The state of a memory as OpenMetrics text, which Prometheus also reads.

The output is bounded: no key, title or author is a label. Times are absolute, not ages, since a file is read long after
it was written. Families without data (no job ever ran) are left out. There are only gauges and counters: node exporter
reads Prometheus' older text format, whose parser rejects the type ``info``.
"""

from __future__ import annotations

import math

from gitmem import __version__
from gitmem.document.times import parse_time
from gitmem.errors import FormatError
from gitmem.frozen import frozen
from gitmem.index.catalog import state
from gitmem.store.state import plain_files
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog

GAUGE, COUNTER = "gauge", "counter"
# The most used kinds, counted separately; a store may have any number, and the rest is counted together.
KINDS_AT_MOST = 40
OTHER = "other"
LABEL_LIMIT = 100


@frozen
class Family:
    """One metric with its samples.

    Attributes:
        name: Its name after ``gitmem_``, which ends with its unit if it has one.
        about: A description in one sentence.
        samples: The value, or the values by label; None or empty if there is none.
        label: The name of the label, or empty.
        kind: ``gauge`` or ``counter``.
        unit: ``seconds``, or empty.
    """

    name: str
    about: str
    samples: Mapping[str, float] | float | None
    label: str = ""
    kind: str = GAUGE
    unit: str = ""


@frozen
class Counts:
    """Counts needed only for metrics.

    Attributes:
        due: The number of due facts by reason: ``new``, ``inputs`` or ``ttl``.
        oldest_due: When the oldest verdict of a due fact was made, epoch seconds; 0 if there is none.
        jobs: Times of verify jobs by name, epoch seconds; unknown ones are left out.
        behind: The number of commits missing from the index; None if unknown.
        looks: The number of accesses to memories in this clone.
        hook_failures: The number of failed hook calls in the log.
        hook_failed_at: When the last of them failed, epoch seconds, or 0.
        background_failures: The number of background jobs whose last run failed.
        intervals: Seconds between two runs of each schedule, by scheduler.
        tallies: The counters of this clone, by the names of ``store.local``.
    """

    due: Mapping[str, int]
    oldest_due: int
    jobs: Mapping[str, int]
    behind: int | None
    looks: int
    hook_failures: int
    hook_failed_at: int
    background_failures: int
    intervals: Mapping[str, int]
    tallies: Mapping[str, int]


def count_due(catalog: Catalog, ground: int | None, now: int) -> tuple[dict[str, int], int]:
    """Return the number of due facts by reason, and when the oldest verdict of one was made (epoch seconds or 0)."""
    rows = catalog.rows(
        "SELECT CASE WHEN s.outcome = '' THEN 'new' WHEN s.fresh = 0 THEN 'inputs' ELSE 'ttl' END, count(*),"
        " min(CASE WHEN s.outcome <> '' THEN s.at END) FROM state s CROSS JOIN fact f ON f.id = s.fact"
        f" CROSS JOIN memory m ON m.id = f.id WHERE s.ground = ? AND {state.LIVE} AND {state.CLAIM}"
        f" AND (s.outcome = '' OR s.fresh = 0 OR {state.EXPIRES} < ?) GROUP BY 1",
        (ground or 0, now),
    )
    due = dict.fromkeys(("new", "inputs", "ttl"), 0) | {why: number for why, number, _ in rows}
    return due, min((at for _, _, at in rows if at), default=0)


def moment_of(text: str) -> int:
    """Return a time such as ``2026-11-21T09:30:00Z`` in epoch seconds; 0 if invalid (a damaged line of a log)."""
    try:
        return parse_time(text)
    except FormatError:
        return 0


def families(found: Mapping[str, Any], counts: Counts) -> Iterator[Family]:
    """Yield the metrics of the result of ``status`` and of the other counts."""
    yield Family("version", "The version of gitmem; always 1.", {__version__: 1}, "version")
    yield Family("memories", "Live memories of the project, by kind.", _limit_kinds(found["kinds"]), "kind")
    scopes = {"project": found["memories"], **found["scopes"]}
    yield Family("scope_memories", "Live memories read here, by scope.", scopes, "scope")
    yield Family("archived_memories", "Retired memories of the project.", found["archived"])
    yield Family("facts", "Facts and the memories that rest on them, by status.", found["statuses"], "status")
    yield Family("claims", "Adopted claims, by status.", found["claims"], "status")
    yield Family("flapping_facts", "Facts whose check gives different answers.", len(found["flapping"]))
    yield Family("due_facts", "Facts due for a verify job at HEAD, by reason.", counts.due, "why")
    yield _moment("oldest_due_verdict", "Time of the oldest verdict among the facts that are due.", counts.oldest_due)
    yield Family("waiting_commands", "Checks waiting for approval in this clone.", len(found["waiting"]))
    yield Family("tasks", "Live tasks, by state.", found["tasks"], "state")
    yield from _jobs(found["jobs"] or {}, counts)
    entries = {"waiting": found["spool"]["waiting"], "refused": found["spool"]["refused"]}
    yield Family("spool_entries", "Captured texts not committed yet, or set aside.", entries, "state")
    yield Family("index_current", "Whether the index is up to date with the branch.", found["index"]["is_current"])
    yield Family("index_behind_commits", "Commits not indexed yet.", counts.behind)
    yield Family("memory_looks", "Memories shown in full in this clone.", counts.looks, kind=COUNTER)
    yield from _sessions(counts.tallies)
    yield Family("problem_files", "Files of the store that cannot be read.", found["problems"])
    yield Family("to_settle", "Memories with two merged versions to settle.", len(found["to_settle"]))
    yield Family("hook_failures", "Failed calls of hooks in this clone's log.", counts.hook_failures)
    yield _moment("hook_last_failure", "Time of the last failed hook call.", counts.hook_failed_at)
    yield Family("background_failures", "Background jobs whose last run failed.", counts.background_failures)
    if found["view"]:
        unsaved = {*found["view"]["unsaved"], *found["view"]["held"]}
        yield Family("view_unsaved_files", "Unsaved files in the view.", len(unsaved))


def _sessions(tallies: Mapping[str, int]) -> Iterator[Family]:
    captured, refused = tallies[plain_files.CAPTURES], tallies[plain_files.REFUSALS]
    yield Family("captures", "Texts captured from sessions in this clone.", captured, kind=COUNTER)
    yield Family("capture_refusals", "Texts that could not be captured in this clone.", refused, kind=COUNTER)
    shown = {"start": tallies[plain_files.STARTS], "prompt": tallies[plain_files.PROMPTS]}
    about = "Times that a session of this clone was given context, by event."
    yield Family("context_injections", about, shown, "event", kind=COUNTER)
    about = "Memories in the context that sessions were given."
    yield Family("injected_memories", about, tallies[plain_files.SHOWN], kind=COUNTER)


def _jobs(jobs: Mapping[str, Any], counts: Counts) -> Iterator[Family]:
    at = counts.jobs
    yield _moment("newest_verdict", "Time of the newest verdict known here.", at.get("verdict", 0))
    if last := jobs.get("last"):
        yield _moment("verify_last_run", "Time of the last verify job in this clone.", at.get("last", 0))
        about = "Duration of the last verify job."
        yield Family("verify_last_run_duration_seconds", about, last["seconds"], unit="seconds")
        facts = {"due": last["due"], "failed": last["failed"], "unchecked": last["unchecked"]}
        yield Family("verify_last_run_facts", "Facts of the last verify job, by result.", facts, "outcome")
        about = "Whether the last verify job finished, or is still running."
        yield Family("verify_last_run_success", about, last["state"] in ("ended", "running"))
        # One series per judged commit: bounded by a forge's schedule, not by a person's typing.
        named = {last["commit"]: 1} if last["commit"] else {}
        yield Family("verify_last_run_commit", "The code commit of the last verify job; always 1.", named, "commit")
        about = "Commits that HEAD is ahead of that commit."
        yield Family("verify_last_run_behind_commits", about, last["behind"])
    recorded = {"anybody": at.get("branch", 0), "other_machines": at.get("claimed", 0)}
    known = {by: when for by, when in recorded.items() if when}
    about = "Time when verdicts were last recorded on the branch: by anyone, and from other machines' result files."
    yield Family("verdicts_recorded_timestamp_seconds", about, known, "by", unit="seconds")
    about = "Time between the runs of a schedule."
    yield Family("schedule_interval_seconds", about, counts.intervals, "what", unit="seconds")
    if counts.intervals:
        about = "Whether a schedule has stopped running, or its last job failed."
        yield Family("schedule_problem", about, bool(jobs["silent"]))
        about = "How long a schedule has been overdue, once it counts as stopped."
        yield Family("schedule_silence_seconds", about, jobs["silent_s"], unit="seconds")


def _moment(name: str, about: str, at: int) -> Family:
    return Family(f"{name}_timestamp_seconds", about, at or None, unit="seconds")


def _limit_kinds(kinds: Mapping[str, int]) -> dict[str, int]:
    """Return counts of the most used kinds, by name, and the sum of all others."""
    most = sorted(kinds, key=lambda kind: (-kinds[kind], kind))[:KINDS_AT_MOST]
    limit_kinds = {kind: kinds[kind] for kind in sorted(most) if kind != OTHER}
    rest = sum(kinds.values()) - sum(limit_kinds.values())
    return limit_kinds | ({OTHER: rest} if rest else {})


def format_metrics(families: Sequence[Family], *, repository: str) -> str:
    """Return families as text; each sample names the repository, to distinguish several on one machine."""
    lines = []
    for family in families:
        samples = {"": family.samples} if isinstance(family.samples, int | float) else family.samples
        if not samples:
            continue
        name = f"gitmem_{family.name}"
        lines.append(f"# TYPE {name} {family.kind}")
        lines += [f"# UNIT {name} {family.unit}"] if family.unit else []
        lines.append(f"# HELP {name} {_escape(family.about)}")
        sample = f"{name}_total" if family.kind == COUNTER else name
        for label, value in samples.items():
            pairs = [("repository", repository), *([(family.label, label)] if family.label else [])]
            labels = ",".join(f'{key}="{_escape(text[:LABEL_LIMIT])}"' for key, text in pairs)
            lines.append(f"{sample}{{{labels}}} {_number(value)}")
    return "\n".join([*lines, "# EOF", ""])


def _escape(text: str) -> str:
    """Return text for a label or a help line, without active terminal escapes."""
    return display(text).replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _number(value: float) -> str:
    assert math.isfinite(value)
    return f"{int(value)}" if value == int(value) else repr(value)
