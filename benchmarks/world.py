"""Generate a fictional project of two years for the benchmark of factors: its memories over time, and today's truth.

Nothing here knows how recall ranks. Code changes; people and agents write down what they see, read what helps them,
and forget to tidy up. The right answers to a question follow from the code alone: a memory is judged

* 3 if it says what is true today of the component in question,
* 1 if it only mentions that in passing,
* 0 if it is out of date, a wrong guess, or about another component.

The chances below were written down before anything was measured, and were not changed after. They are rough guesses at
how teams behave; signals are wrong on purpose now and then: an old memory is often still true, a wrong one is read as
well, links go to what was replaced, and many memories name no path, no check and no workspace.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

DAY_S = 86_400
# The day that questions are asked on: 2026-06-01 in UTC.
TODAY = 1_780_272_000
SPAN_DAYS = 730

COMPONENTS = (
    *("gateway", "billing", "auth", "search", "mailer", "uploader", "scheduler", "reports", "catalog", "checkout"),
    *("inventory", "profiles", "webhooks", "exporter", "indexer", "sessions"),
)
# Of each property: the name in the code, how it is asked for, how it is said (three ways), and its values.
PROPERTIES: tuple[tuple[str, str, tuple[str, str, str], tuple[int, ...]], ...] = (
    ("RETRIES", "how often is a failed request tried again before giving up",
     ("A failed request is tried again {} times", "Give up after {} retries of a request",
      "Requests that failed are repeated, {} times at most"), (2, 3, 4, 5, 7)),
    ("TIMEOUT_S", "how long do we wait for an answer before the timeout",
     ("The timeout for an answer is {} seconds", "We wait {} seconds for an answer, not longer",
      "An answer that takes more than {} seconds is a timeout"), (5, 10, 15, 30, 60)),
    ("POOL_SIZE", "how many connections does the pool keep open",
     ("The pool keeps {} connections open", "At most {} open connections in the pool",
      "Connections are pooled: {} stay open"), (4, 8, 16, 24, 32)),
    ("CACHE_TTL_S", "how long do cached entries live",
     ("Cached entries live {} seconds", "An entry of the cache expires after {} seconds",
      "The cache forgets entries when they are {} seconds old"), (30, 60, 120, 300, 900)),
    ("BATCH", "how many rows are written in one batch",
     ("Rows are written in batches of {}", "One batch writes {} rows",
      "Writing is batched, {} rows at a time"), (50, 100, 200, 500, 1000)),
    ("RATE", "what is the rate limit per client",
     ("The rate limit is {} calls a second per client", "A client may make {} calls a second",
      "Clients are limited to a rate of {} calls per second"), (5, 10, 20, 50, 100)),
    ("MAX_MB", "how large may a body be before it is refused",
     ("Bodies larger than {} MB are refused", "A body may have {} MB, a larger one is refused",
      "We refuse a body of more than {} MB"), (1, 2, 8, 16, 64)),
    ("WORKERS", "how many workers run at the same time",
     ("{} workers run at the same time", "The number of workers that run in parallel is {}",
      "At the same time, {} workers are running"), (1, 2, 4, 6, 12)),
)  # fmt: skip
FILLERS = (
    "It was measured under load.", "See the runbook for how to change it.", "The on-call engineer confirmed this.",
    "We found out in the incident review.", "The defaults of the library are different.", "Operations asked for it.",
    "This surprised everybody in the team.", "Ask before you touch it.", "The staging system is the same.",
    "It is read once at the start.", "The tests rely on it.", "A customer noticed first.",
)  # fmt: skip

# How often a value changed in two years: 0 to 3 times.
CHANGES = (0, 0, 1, 1, 1, 2, 3)
# The chance that ...
NAMES_COMPONENT = 0.35  # a memory names the component in its words: who writes it there knows where they are
NAMES_PATHS = 0.6  # it names the files it is about
NAMES_WORKSPACE = 0.4  # it names the folder it was learnt in
HAS_CHECK = 0.4  # it is a fact with a built-in check
HAS_COMMAND = 0.1  # it is a fact whose command nobody approved
IS_SUPERSEDED = 0.25  # who writes the new one retires the old one
IS_GUESSED = 0.3  # somebody also guessed, wrongly, at some time
IS_REPEATED = 0.5  # somebody mentions it in passing, later
IS_ANCHORED = 0.5  # a fact about the settings file requires the memory; ...
FOLLOWS = 0.8  # ... and when the value changes, the link follows
RESTS = 0.2  # a memory that is out of date requires the fact that was its reason
SAYS_IMPORTANCE = 0.3  # its author says how important it is, which says nothing of whether it is true
SAYS_CONFIDENCE = 0.5  # its author says how sure they are
READS = 6  # looks at the memories of a question since, at most; ...
READS_WELL = 0.65  # ... of which so many go to one that is true, the others to any
NAMED_IN_QUESTION = 0.5  # the question names the component
CHANGED_LATELY = 0.4  # a component's settings file was touched since the last verify


@dataclass
class Told:
    """One memory: its key, frontmatter and text, what it is judged for its question, and how often it was read."""

    key: str
    kind: str
    title: str
    body: str
    grade: int
    fields: dict[str, Any] = field(default_factory=dict)
    reads: list[int] = field(default_factory=list)

    def text(self) -> str:
        """Return the file."""
        head = {"title": self.title, "kind": self.kind, **self.fields}
        lines = "".join(f"{name}: {json.dumps(value)}\n" for name, value in head.items())
        return f"---\n{lines}---\n{self.body}\n"


@dataclass(frozen=True)
class Question:
    """A question, where it is asked, and the judged answers by key (1 or 3)."""

    text: str
    component: str
    judged: dict[str, int]


class World:
    """The project: its code before and after the last changes, its memories, and the questions."""

    def __init__(self, seed: int) -> None:
        """Make it."""
        self._rng = Random(seed)
        self.told: list[Told] = []
        self.questions: list[Question] = []
        self.values: dict[tuple[str, str], int] = {}
        for component in COMPONENTS:
            for row in PROPERTIES:
                self._add(component, *row)
        self.touched = sorted(c for c in COMPONENTS if self._chance(CHANGED_LATELY))

    def _chance(self, share: float) -> bool:
        return self._rng.random() < share

    def _add(self, component: str, name: str, asked: str, ways: Sequence[str], values: Sequence[int]) -> None:
        """Live through two years of one property of one component."""
        rng, stem = self._rng, f"{component}-{name.lower().replace('_', '-')}"
        changes = sorted(rng.uniform(20, SPAN_DAYS) for _ in range(rng.choice(CHANGES)))[::-1]
        starts = [SPAN_DAYS - rng.uniform(0, 60), *changes]
        history = rng.sample(values, len(starts))
        self.values[component, name] = history[-1]
        group: list[Told] = []
        for nth, (start, value) in enumerate(zip(starts, history, strict=True)):
            is_true = nth == len(starts) - 1
            end = 0.0 if is_true else starts[nth + 1]
            noted = rng.uniform(end, start)
            one = self._said(f"{stem}-{nth}", component, name, (ways, value), noted, 3 * is_true)
            if group and self._chance(IS_SUPERSEDED):
                one.fields["supersedes"] = [group[-1].key]
            group.append(one)
            if self._chance(IS_REPEATED):
                group.append(
                    self._mention(f"{stem}-{nth}-seen", component, (ways, value), rng.uniform(end, noted), is_true)
                )
        if self._chance(IS_GUESSED):
            wrong = rng.choice([value for value in values if value != history[-1]])
            guess = self._said(f"{stem}-guess", component, name, (ways, wrong), rng.uniform(0, SPAN_DAYS), 0)
            guess.kind = "learned"
            guess.fields.pop("verify", None)
            if "confidence" in guess.fields:
                guess.fields["confidence"] = round(rng.uniform(0.2, 0.7), 2)
            group.append(guess)
        self._link(stem, component, name, group)
        self._read(group)
        self.told += group
        place = f" in the {component}" if self._chance(NAMED_IN_QUESTION) else ""
        self.questions.append(Question(asked + place, component, {one.key: one.grade for one in group if one.grade}))

    def _said(
        self, key: str, component: str, name: str, said: tuple[Sequence[str], int], days: float, grade: int
    ) -> Told:
        """Return what somebody writes down of a value so many days ago."""
        rng, (ways, value) = self._rng, said
        place = f" in the {component}" if self._chance(NAMES_COMPONENT) else ""
        title = rng.choice(ways).format(value) + place
        kind, fields = (
            rng.choice(("gotcha", "decision", "learned", "codebase_knowledge", "convention")),
            self._fields(component, days),
        )
        if self._chance(HAS_CHECK):
            kind = "fact"
            fields |= {
                "verify": {"contains": f"{name} = {value}\n", "in": f"src/{component}/settings.py"},
                "ttl": "never",
            }
        elif self._chance(HAS_COMMAND):
            kind, fields = "fact", fields | {"verify": f"grep -q '{name} = {value}' src/{component}/settings.py"}
        if kind in ("decision", "convention"):
            fields |= {"project": "service", "importance": fields.get("importance", "medium")}
        body = " ".join(rng.sample(FILLERS, rng.randint(1, 4)))
        return Told(key, kind, title, body, grade, fields)

    def _mention(self, key: str, component: str, said: tuple[Sequence[str], int], days: float, is_true: bool) -> Told:
        """Return a passing mention, in a longer text about something else."""
        ways, value = said
        words = self._rng.sample(FILLERS, 4)
        body = " ".join([*words[:2], self._rng.choice(ways).format(value) + ".", *words[2:]])
        return Told(
            key,
            "observation",
            f"Notes on a day with the {component}",
            body,
            int(is_true),
            self._fields(component, days),
        )

    def _fields(self, component: str, days: float) -> dict[str, Any]:
        fields: dict[str, Any] = {"created": _time(TODAY - int(days * DAY_S))}
        if self._chance(NAMES_PATHS):
            fields["paths"] = [self._rng.choice((f"src/{component}/**", f"src/{component}/settings.py"))]
        if self._chance(NAMES_WORKSPACE):
            fields["workspace"] = f"src/{component}"
        if self._chance(SAYS_IMPORTANCE):
            fields["importance"] = self._rng.choice(("high", "medium", "low"))
        if self._chance(SAYS_CONFIDENCE):
            fields["confidence"] = round(self._rng.uniform(0.5, 1), 2)
        return fields

    def _link(self, stem: str, component: str, name: str, group: Sequence[Told]) -> None:
        said = [one for one in group if one.kind != "observation" and not one.key.endswith("-guess")]
        old, new = said[0], said[-1]
        if self._chance(IS_ANCHORED):
            target = new if self._chance(FOLLOWS) else old
            fields = {
                "created": _time(TODAY - 400 * DAY_S),
                "paths": [f"src/{component}/settings.py"],
                "requires": [target.key],
            }
            title = f"Settings are read from one file ({name.lower()})"
            self.told.append(
                Told(
                    f"{stem}-anchor",
                    "fact",
                    title,
                    "",
                    0,
                    fields | {"verify": {"exists": f"src/{component}/settings.py"}},
                )
            )
        for one in said[:-1]:
            if self._chance(RESTS) and "verify" not in one.fields:
                reason = Told(
                    f"{one.key}-reason", "fact", f"Why {name.lower()} was so", "", 0, {"created": one.fields["created"]}
                )
                reason.fields["verify"] = {
                    "contains": f"{name} was set for a reason",
                    "in": f"src/{component}/settings.py",
                }
                one.fields["requires"] = [reason.key]
                self.told.append(reason)

    def _read(self, group: Sequence[Told]) -> None:
        true = [one for one in group if one.grade]
        for _ in range(self._rng.randint(0, READS)):
            one = self._rng.choice(true if self._chance(READS_WELL) else list(group))
            one.reads.append(TODAY - int(self._rng.uniform(0, 20) * DAY_S))

    def code(self, *, after: bool) -> Iterator[tuple[str, str]]:
        """Yield the files of the code: as they were last verified, or after the last changes, which touch no value."""
        for component in COMPONENTS:
            lines = "".join(f"{name} = {self.values[component, name]}\n" for name, *_ in PROPERTIES)
            yield (
                f"src/{component}/settings.py",
                lines + ("# Tidied up.\n" if after and component in self.touched else ""),
            )


def _time(seconds: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def commit(repo: Path, ref: str, files: Iterator[tuple[str, str]] | Sequence[tuple[str, str]]) -> None:
    """Commit files to a branch."""
    stream = [f"commit {ref}\ncommitter Bench <bench@example.org> {TODAY - 90 * DAY_S} +0000\ndata 1\nx\n".encode()]
    done = subprocess.run(
        ["git", "-C", str(repo), "rev-parse", "-q", "--verify", ref], capture_output=True, text=True, check=False
    )
    stream += [f"from {done.stdout.strip()}\n".encode()] if done.stdout.strip() else []
    for path, text in files:
        data = text.encode()
        stream.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data))
    subprocess.run(["git", "-C", str(repo), "fast-import", "--quiet"], input=b"".join(stream), check=True)
