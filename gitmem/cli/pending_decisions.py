"""All that waits for a person's decision: ``gitmem settle`` without a key."""

from __future__ import annotations

import json

from gitmem.cli.names import short_names, shown_names, with_short_ids
from gitmem.cli.output import Output, quantity
from gitmem.cli.terminal import ask, is_interactive
from gitmem.document import conflict
from gitmem.frozen import frozen, replace
from gitmem.index.catalog.disputes import list_disputes
from gitmem.index.catalog.state import LIVE, TO_SETTLE
from gitmem.repository.private import has_private, open_private
from gitmem.statuses import MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gitmem.memory import Memory

FAILING, SUSPECT, DISPUTE, ASIDE, PRIVATE = "failing", "suspect", "contradiction", "set aside", "personal data"
MERGED = "two versions"
PERSONAL = "personal-data"
# More characters of a text set aside fill the screen.
TEXT_CHARS = 600


@frozen
class Choice:
    """One way to decide.

    Attributes:
        what: In words.
        command: The command that does it.
        act: The same, done here; None if it needs more words than yes.
    """

    what: str
    command: str
    act: Callable[[], object] | None = None


@frozen
class Decision:
    """One pending decision.

    Attributes:
        kind: One of the constants above.
        key: The memory, or the name of a text that was set aside.
        lines: What the person must see.
        choices: What can be done.
        other: The older memory of a contradiction; else empty.
    """

    kind: str
    key: str
    lines: tuple[str, ...]
    choices: tuple[Choice, ...]
    other: str = ""


def list_decisions(memory: Memory) -> list[Decision]:
    """Return the pending decisions: failing memories, conflicts, contradictions, texts set aside, personal data."""
    return [*_failing(memory), *_merged(memory), *_disputes(memory), *_set_aside(memory), *_personal(memory)]


def print_decisions(memory: Memory, out: Output, *, as_json: bool) -> int:
    """Walk a person through all decisions at a terminal, else print them; return 1 if any is left."""
    decisions = list_decisions(memory)
    if as_json:
        out.json(with_short_ids(memory, {"decisions": tables_of(decisions)}))
        return int(bool(decisions))
    if not decisions:
        out.line(("no pending decisions", "green"))
        return 0
    names = shown_names(memory, [decision.key for decision in decisions], out)
    if is_interactive():
        return _walk(decisions, names, out)
    for decision in decisions:
        _print(decision, names[decision.key], out)
    return 1


def list_decisions_about(memory: Memory, key: str) -> list[Decision]:
    """Return the contradictions and the kept versions of one memory."""
    return [decision for decision in (*_merged(memory), *_disputes(memory)) if key in (decision.key, decision.other)]


def print_decisions_about(decisions: Sequence[Decision], memory: Memory, out: Output) -> None:
    """Print decisions about one memory that was printed, with the versions in its field ``conflict``."""
    names = shown_names(memory, [decision.key for decision in decisions], out)
    for decision in decisions:
        _print(replace(decision, lines=()) if decision.kind == MERGED else decision, names[decision.key], out)


def tables_of(decisions: Sequence[Decision]) -> list[dict[str, object]]:
    """Return decisions as documented JSON."""
    return [
        {
            "kind": decision.kind,
            "key": decision.key,
            "text": list(decision.lines),
            "ways": {c.what: c.command for c in decision.choices},
        }
        for decision in decisions
    ]


def _failing(memory: Memory) -> list[Decision]:
    document = memory.status().document
    return [
        Decision(
            SUSPECT if status == "suspect" else FAILING,
            line["key"],
            (f"{MARKS[status]} {status}: {line['title']}", *filter(None, [line["because"]])),
            (Choice("decide about it", f"gitmem settle {line['short_id'] or line['key']}"),),
        )
        for status in ("failed", "suspect")
        for line in document[status]
    ]


def _merged(memory: Memory) -> list[Decision]:
    """Return the memories in which a merge kept two versions (``gitmem doctor`` reports them as well)."""
    rows: Sequence[tuple[str, str, str]] = memory.repository.catalog().rows(
        "SELECT m.key, m.title, t.fields FROM memory m JOIN text t ON t.id = m.id WHERE m.shadowed = 0"
        f" AND {TO_SETTLE} ORDER BY m.key"
    )
    names = short_names(memory, [key for key, _, _ in rows])
    decisions = []
    for key, title, fields in rows:
        keep = Choice(
            "it is right as it is",
            f"gitmem edit {names[key]} --settled",
            lambda key=key: memory.edit(key, fields={"conflict": ""}),  # type: ignore[misc]
        )
        change = Choice("choose a version", f"gitmem edit {names[key]}")
        lines = (title, conflict.summary(json.loads(fields)) or "two versions were merged")
        decisions.append(Decision(MERGED, key, lines, (change, keep)))
    return decisions


def _disputes(memory: Memory) -> list[Decision]:
    decisions, catalog = [], memory.repository.catalog()
    disputes = list_disputes(catalog)
    names = short_names(memory, [key for dispute in disputes for key in (dispute.key, dispute.other)])
    for dispute in disputes:
        by = [f"by agent {agent}" if agent else "by a person" for agent in (dispute.agent, dispute.other_agent)]
        key, other = dispute.key, dispute.other
        lines = (
            f"newer: {dispute.title} ({names[key]}, {by[0]})",
            f"older: {dispute.other_title} ({names[other]}, {by[1]})",
        )
        why = f"{other} holds"
        choices = (
            Choice(
                "the newer one is true",
                f"gitmem settle {names[other]} --superseded-by {names[key]}",
                lambda key=key, other=other: memory.supersede(other, key),  # type: ignore[misc]
            ),
            Choice(
                "the older one is true",
                f"gitmem settle {names[key]} --retire --why '{names[other]} holds'",
                lambda key=key, why=why: memory.forget(key, why=why),  # type: ignore[misc]
            ),
            Choice("both are true", f"gitmem settle {names[key]} --both", lambda key=key: memory.bulk.reconcile(key)),  # type: ignore[misc]
        )
        decisions.append(Decision(DISPUTE, key, lines, choices, other))
    return decisions


def _set_aside(memory: Memory) -> list[Decision]:
    decisions = []
    for refused in memory.captures.list_refused():
        name = refused.name
        lines = (f"{refused.kind or 'text not kept'}: {refused.why}", *refused.text[:TEXT_CHARS].splitlines())
        accept = Choice(
            "make a memory of it",
            f"gitmem doctor --captured --accept {name}",
            lambda name=name: memory.captures.accept(name),  # type: ignore[misc]
        )
        drop = Choice(
            "delete it",
            f"gitmem doctor --captured --drop {name}",
            lambda name=name: memory.captures.drop(name),  # type: ignore[misc]
        )
        decisions.append(Decision(ASIDE, name, lines, (accept, drop) if refused.text else (drop,)))
    return decisions


def _personal(memory: Memory) -> list[Decision]:
    opened = memory.repository
    if not has_private(opened.git):
        return []
    store = open_private(opened)
    if store.find_tip() is None:
        return []
    rows: Sequence[tuple[str, str]] = store.catalog().rows(
        f"SELECT m.key, m.title FROM memory m JOIN text t ON t.id = m.id WHERE {LIVE} AND instr(t.tags, ?)"
        " ORDER BY m.key",
        (f'"{PERSONAL}"',),
    )
    decisions = []
    for key, title in rows:
        promote = Choice("it may be shared: into the project's memory", f"gitmem promote {key} --to project")
        forget = Choice("delete it", f"gitmem forget {key}", lambda key=key: memory.forget(key))  # type: ignore[misc]
        decisions.append(Decision(PRIVATE, key, (f"{title} (private; it has personal data)",), (promote, forget)))
    return decisions


def _print(decision: Decision, name: str, out: Output) -> None:
    out.line((decision.kind, "yellow"), "  ", (name, "key"))
    for line in decision.lines:
        out.line("    ", line)
    for choice in decision.choices:
        out.line("  ", choice.what)
        out.line("    ", (choice.command, "key"))
    out.line()


def _walk(decisions: Sequence[Decision], names: Mapping[str, str], out: Output) -> int:
    """Ask the person about one decision after the other; return 1 if any is left."""
    left = 0
    for number, decision in enumerate(decisions, 1):
        out.line((f"{number} of {len(decisions)}", "dim"))
        _print(decision, names[decision.key], out)
        possible = [choice for choice in decision.choices if choice.act is not None]
        if not possible:
            left += 1
            continue
        out.flush()
        ways = ", ".join(f"{nth} {choice.what}" for nth, choice in enumerate(possible, 1))
        answer = ask(f"{ways}, Enter: later, q: stop > ")
        if answer is None or answer == "q":
            left += len(decisions) - number + 1
            break
        chosen = possible[int(answer) - 1] if answer.isdecimal() and 0 < int(answer) <= len(possible) else None
        if chosen is None or chosen.act is None:
            left += 1
            continue
        chosen.act()
        out.confirm(chosen.what)
    if left:
        out.note(f"{quantity(left, 'decision')} left: gitmem settle")
    return int(bool(left))
