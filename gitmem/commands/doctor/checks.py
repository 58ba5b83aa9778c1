"""Problems of checks and the policy: unobserved or undeclared reads, settings without effect."""

from __future__ import annotations

import sys

from gitmem.errors import GitmemError
from gitmem.index.catalog import fact_state, state
from gitmem.model import Problem
from gitmem.policy.settings import MOST_TOKENS, OWN
from gitmem.store.scopes import POLICY_PATH
from gitmem.text.hazards.hazard import find_hazards
from gitmem.verify.trace.undeclared_reads import READS_NAMED, parse_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.policy import Policy
    from gitmem.repository import OpenRepository

REVOKE = "revoke it, because it stays in the history; then remove it: gitmem edit {}"
COST = "a fact without paths depends on the whole tree"


def describe_tracing(repository: OpenRepository, path: str, rung: str) -> str:
    """Return in one line whether the reads of checks can be observed on this machine, and the cost if not."""
    if sys.platform != "linux":
        return f"Linux only: {COST}"
    if (repository.config.trace or repository.policy().verify.trace) == "off":
        return f"switched off by a setting: {COST}"
    from gitmem.verify.run import evidence
    from gitmem.verify.sandbox import sandbox
    from gitmem.verify.trace.strace import PROGRAM

    if sandbox.find_program(PROGRAM, path) is None:
        return f"strace is not installed: {COST}"
    if not evidence.find_tracer(path, rung):
        return f"strace does not work here: {COST}"
    return "strace observes which files checks read"


def list_undeclared(repository: OpenRepository, catalog: Catalog) -> list[Problem]:
    """Return the facts that read files missing from their paths, by the verdicts that count now, by key."""
    rows = catalog.rows(
        "SELECT m.key, m.path FROM fact f JOIN memory m ON m.id = f.id WHERE f.inputs LIKE '[\"paths\"%' AND"
        f" {state.LIVE} ORDER BY m.key"
    )
    paths = dict(rows)
    try:
        ground = repository.ground() if paths else None
    except GitmemError:
        return []  # the code is unreadable, which is reported elsewhere
    verdicts = fact_state.verdicts_of(catalog, ground, list(paths), repository.local) if paths else {}
    problems = []
    for key, verdict in sorted(verdicts.items()):
        read = parse_paths(verdict.undeclared)
        if read:
            message = (
                f"its check also reads {', '.join(read[:READS_NAMED])}, which its paths do not include: changes "
                "there are missed"
            )
            hint = f"gitmem edit {key} --path …; or let gitmem observe its reads: gitmem edit {key} --path ''"
            problems.append(Problem("undeclared-read", paths[key], message, key=key, hint=hint, severity="warning"))
    return problems


def list_secrets(catalog: Catalog, allowed: Sequence[str]) -> list[Problem]:
    """Return the memories that hold a secret, by path; the secret itself is never repeated.

    Args:
        catalog: The catalog.
        allowed: The rules that this person's configuration switches off.
    """
    secrets: dict[tuple[str, str], list[str]] = {}
    for path, key, rule, line in catalog.rows("SELECT path, key, rule, line FROM secret ORDER BY path, line"):
        if rule not in allowed:
            secrets.setdefault((path, key), []).append(f"{rule} in line {line}")
    return [
        Problem(
            "secret",
            path,
            f"it contains a secret ({', '.join(places[:READS_NAMED])})",
            key=key,
            hint=REVOKE.format(key),
        )
        for (path, key), places in secrets.items()
    ]


def list_poisoned(catalog: Catalog) -> list[Problem]:
    """Return the memories that a person should review before an agent reads them, by path; no text is repeated."""
    problems = []
    rows = catalog.rows(
        "SELECT m.key, m.path, m.title, t.body FROM memory m JOIN text t ON t.id = m.id"
        f" WHERE {state.LIVE} ORDER BY m.path"
    )
    for key, path, title, body in rows:
        hazards = find_hazards(f"{title}\n{body}")
        if hazards:
            places = {h.message: f"line {h.line - 1} of the body" if h.line > 1 else "the title" for h in hazards}
            message = "; ".join(f"{message} ({place})" for message, place in [*places.items()][:READS_NAMED])
            severity = min(h.severity for h in hazards)  # "error" before "warning"
            hint = f"read it: gitmem show {key}; then: gitmem edit {key}, or: gitmem forget {key}"
            problems.append(Problem("poisoned-text", path, message, key=key, hint=hint, severity=severity))
    return problems


def list_without_effect(policy: Policy) -> list[Problem]:
    """Return settings in the store's policy that have no effect, because others can write it; by name."""
    problems = []
    for name, value in _settings(policy.changes, ""):
        if name in OWN:
            message = f"{name} has no effect in the policy, because others can write it"
            problems.append(_policy_problem(message, f"set it in your own configuration: {OWN[name]}"))
        elif name.endswith("_tokens") and isinstance(value, int) and value > MOST_TOKENS:
            message = f"{name} is {value}, above the maximum; {MOST_TOKENS} is used"
            problems.append(_policy_problem(message, f"set it to {MOST_TOKENS} or less"))
    return problems


def _settings(table: Mapping[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    for key, value in sorted(table.items()):
        if isinstance(value, dict):
            yield from _settings(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _policy_problem(message: str, hint: str) -> Problem:
    return Problem("policy-no-effect", POLICY_PATH, message, hint=hint, severity="warning")
