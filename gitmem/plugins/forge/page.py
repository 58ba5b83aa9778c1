"""The memory branch's page on forges: ``README.md`` and the badge, written by the job that records verdicts."""

from __future__ import annotations

from gitmem.errors import NotFoundError
from gitmem.frozen import replace
from gitmem.statuses import describe_claims
from gitmem.store import layout
from gitmem.store.commit import CommitPlan
from gitmem.verify.overview.notice.document import parse_status
from gitmem.verify.overview.notice.inert import inert
from gitmem.verify.overview.notice.notice import render
from gitmem.verify.overview.notice.permalinks import Links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.repository import OpenRepository

# The most bytes of failures on the page.
LIMIT = 100_000


def page(table: Mapping[str, Any]) -> str:
    """Return the page for the JSON of ``gitmem status``: without ages, so that it changes only when something does."""
    findings = parse_status(table)
    kinds, statuses, claims = (table.get(name, {}) for name in ("kinds", "statuses", "claims"))
    rows = [f"| {inert(kind, 100)} | {number} |" for kind, number in kinds.items() if number]
    counts = [f"{number} {status}" for status, number in statuses.items() if number]
    facts = ", ".join(filter(None, [*counts, describe_claims(claims)]))
    parts = [
        layout.PAGE_MARK,
        "# What this repository knows",
        f"![facts: {facts or 'none yet'}]({layout.BADGE_PATH})",
        render(replace(findings, memory=""), Links(), LIMIT).rstrip("\n"),
        "\n".join(["| kind | memories |", "|---|---|", *rows]) if rows else "",
        "This branch is the memory of this repository, written by gitmem: each memory"
        " is a Markdown file, each fact has a check, and `verdicts/` says what the checks showed. Search it with"
        " `gitmem recall WORDS`.",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def write(repository: OpenRepository, table: Mapping[str, Any], badge: str) -> str:
    """Write the page and the badge to the memory branch, and return the commit; empty if nothing changed.

    A ``README.md`` written by someone else is left alone.
    """
    wanted = {layout.README_PATH: page(table).encode(), layout.BADGE_PATH: badge.encode()}

    def plan(tip: str | None) -> CommitPlan | None:
        if tip is None:
            raise NotFoundError("there is no memory branch yet", hint="gitmem init")
        there = {path: _content(repository, tip, path) for path in wanted}
        writes = {path: text for path, text in wanted.items() if there[path] != text}
        readme = there[layout.README_PATH]
        if readme and not readme.startswith(layout.PAGE_MARK.encode()):
            writes.pop(layout.README_PATH, None)
        subject = "page: what the last job showed"
        return CommitPlan(subject, writes=tuple(sorted(writes.items())), machine=True) if writes else None

    written = repository.commit(plan, "forge")
    return written.commit if written is not None else ""


def _content(repository: OpenRepository, tip: str, path: str) -> bytes:
    return repository.git.run("cat-file", "blob", f"{tip}:{path}", check=False).stdout
