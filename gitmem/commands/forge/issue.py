"""One issue that says what fails now: opened when something does, edited as the list changes, closed when all is well.

A comment, which people are notified of, is written only where something failed that the issue did not list before, and
where the issue is closed or opened again. Somebody who closes it while facts still fail is believed: it is opened again
when another one fails.
"""

from __future__ import annotations

import re
from hashlib import sha256

from gitmem.commands.forge.ownership import (
    BODY_LIMIT,
    address_of,
    is_same,
    login_of,
    mark,
    marked,
    number_of,
    ours,
    signed,
    who_am_i,
)
from gitmem.frozen import frozen
from gitmem.verify.overview.notice.inert import inert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.commands.forge.client import Forge
    from gitmem.commands.forge.place import ForgeRepository

NEEDS = "issues: write"
TITLE, LABEL = "Memory: facts that do not hold", "gitmem"
# Failures that the issue remembers to have listed: 9 characters each. Lines of the list, and characters of each text.
REMEMBERED, LISTED, TEXT_KEPT = 2_000, 200, 300
# Failures that a comment names.
NEWS = 20
# Characters that stay for headings, the last line and the word about the cut.
_APART = 2_000
_MARK = mark("issue")
_LISTED_BEFORE = re.compile(r"<!-- gitmem failed((?: [0-9a-f]{8})*) -->")


@frozen
class Failing:
    """What fails or is suspect now; each a mapping with ``key``, ``title``, ``because``, ``broken`` and ``by``.

    Attributes:
        failed: What its own check says is false.
        suspect: What rests on that.
    """

    failed: Sequence[Mapping[str, str]] = ()
    suspect: Sequence[Mapping[str, str]] = ()

    def __bool__(self) -> bool:
        """Return whether anything does."""
        return bool(self.failed or self.suspect)


@frozen
class IssueResult:
    """What became of the issue.

    Attributes:
        action: ``opened``, ``updated``, ``reopened``, ``closed``, ``unchanged``, ``none`` where there is none and none
            is needed, or ``left`` where somebody closed it and nothing new failed.
        number: Its number; 0 where there is none.
        url: Its address, or empty.
    """

    action: str
    number: int = 0
    url: str = ""


def body_of(failing: Failing, place: ForgeRepository) -> str:
    """Return the issue's text: marked, inert, within the forge's limit, and signed."""
    remembered = "".join(f" {digest}" for digest in sorted(_digests(failing)))
    head = f"{_MARK}\n<!-- gitmem failed{remembered} -->\n\n"
    if not failing:
        return signed(f"{head}All well: no fact in this repository's memory fails now.", place)
    parts = [f"{head}Facts in this repository's memory that no longer hold."]
    left = BODY_LIMIT - _APART - len(parts[0])
    for heading, rows in (("Failed", failing.failed), ("Suspect: they rest on one of these", failing.suspect)):
        if not rows:
            continue
        lines = [f"\n### {heading} ({len(rows)})\n"]
        for row in rows[:LISTED]:
            shown = _row(row)
            if left < len(shown):
                break
            left -= len(shown) + 1
            lines.append(shown)
        missing = len(rows) - len(lines) + 1
        lines += [f"- … and {missing} more: `gitmem status`"] if missing else []
        parts.append("\n".join(lines))
    return signed("\n".join(parts), place)


def _row(row: Mapping[str, str]) -> str:
    parts = [f"- **{inert(row['key'], 120)}**: {inert(row['title'], TEXT_KEPT)}"]
    parts += [f"— {inert(row['because'], TEXT_KEPT)}"] if row["because"] else []
    more = [inert(row["broken"], TEXT_KEPT)] if row["broken"] else []
    more += [f"written by {inert(row['by'], 120)}"] if row["by"] else []
    parts += [f"({'; '.join(more)})"] if more else []
    return f"{' '.join(parts)} · `gitmem settle {re.sub('[^a-z0-9._-]', '-', row['key'])}`"


def asked_for(failing: Failing, place: ForgeRepository) -> dict[str, Any]:
    """Return what opens the issue."""
    return {"title": TITLE, "body": body_of(failing, place), "labels": [LABEL]}


def keep(forge: Forge, failing: Failing) -> IssueResult:
    """Make the issue say what fails now.

    Raises:
        ForgeError: The forge cannot be reached, or refuses; with status 410 where issues are disabled.
    """
    mine = _find(forge)
    if mine is None:
        return _open(forge, failing) if failing else IssueResult("none")
    before = _LISTED_BEFORE.search(str(mine.get("body") or ""))
    fresh = _digests(failing) - set(before[1].split() if before else ())
    body, is_open = body_of(failing, forge.place), mine.get("state") == "open"
    changes = {} if is_same(mine.get("body"), body) else {"body": body}
    action, news = "updated", _news([row for row in failing.failed if _digest(row["key"]) in fresh])
    if is_open and not failing:
        changes |= {"state": "closed", "state_reason": "completed"}
        action, news = "closed", "All well: no fact fails any more."
    elif not is_open and fresh:
        changes |= {"state": "open"}
        action = "reopened"
    elif not is_open and failing:
        return IssueResult("left", number_of(mine, "number"), address_of(mine))
    if not changes:
        return IssueResult("unchanged" if is_open else "none", number_of(mine, "number"), address_of(mine))
    done = _change(forge, mine, action, changes)
    if news:
        body = signed(news, forge.place)
        forge.write("POST", forge.repo(f"issues/{done.number}/comments"), {"body": body}, needs=NEEDS)
    return done


def _news(rows: Sequence[Mapping[str, str]]) -> str:
    """Return what a comment says of what failed again; empty where nothing did."""
    if not rows:
        return ""
    some = [_row(row) for row in rows[:NEWS]]
    more = [f"- … and {len(rows) - NEWS} more"] if len(rows) > NEWS else []
    return "\n".join([f"{len(rows)} more {'fact fails' if len(rows) == 1 else 'facts fail'}:", "", *some, *more])


def _open(forge: Forge, failing: Failing) -> IssueResult:
    """Open the issue; of two that were opened at once, the older one stays open."""
    made = forge.write("POST", forge.repo("issues"), asked_for(failing, forge.place), needs=NEEDS)
    number = number_of(made, "number")
    names = [one.get("name") if isinstance(one, dict) else one for one in made.get("labels") or ()]
    if LABEL not in names:  # dropped without a word where the token may not label while it opens
        _change(forge, made, "labelled", {"labels": [LABEL]})
    mine = _list(forge, f"labels={LABEL}&state=open", login_of(made))
    if all(number <= number_of(one, "number") for one in mine):
        return IssueResult("opened", number, address_of(made))
    _change(forge, made, "closed", {"state": "closed", "state_reason": "not_planned"})
    return keep(forge, failing)


def _find(forge: Forge) -> Mapping[str, Any] | None:
    """Return our issue: the oldest that is open, else the newest that is closed; None where there is none.

    Where none has the label, those that are open are looked through: somebody may have taken it off.
    """
    found = _list(forge, f"labels={LABEL}&state=all") or _list(forge, "state=open")
    still_open = [one for one in found if one.get("state") == "open"]
    return next(iter(still_open or found[::-1]), None)


def _list(forge: Forge, filtered: str, login: str = "") -> list[Mapping[str, Any]]:
    every = forge.items(forge.repo(f"issues?{filtered}&per_page=100"), needs=NEEDS)
    found = [one for one in marked(every, _MARK) if not one.get("pull_request")]
    return ours(found, login or who_am_i(forge)) if found else []


def _change(forge: Forge, mine: Mapping[str, Any], action: str, changes: Mapping[str, Any]) -> IssueResult:
    number = number_of(mine, "number")
    made = forge.write("PATCH", forge.repo(f"issues/{number}"), changes, needs=NEEDS)
    return IssueResult(action, number, address_of(made) or address_of(mine))


def _digests(failing: Failing) -> set[str]:
    return {_digest(row["key"]) for row in failing.failed[:REMEMBERED]}


def _digest(key: str) -> str:
    return sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:8]
