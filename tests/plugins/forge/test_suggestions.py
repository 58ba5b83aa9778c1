"""Corrections on a pull request's own lines: once, if the line is unchanged, and deleted when fixed."""

from __future__ import annotations

import json

from support.forge_server import COMMIT, Hub, comment

from gitmem.plugins.forge import suggestions
from gitmem.verify.overview.notice.document import LISTS

PATCH = "@@ -1,3 +4,4 @@ intro\n before\n-Port 1\n+Port 8080\n+Port 9\n after"


def report(*stated: dict[str, object]) -> str:
    """Return a check of a fact that documents state."""
    row = {"key": "port", "title": "The port", "stated": list(stated)}
    return json.dumps({name: [] for name in LISTS} | {"newly_false": [row]})


def line(text: str, right: str, *, path: str = "README.md", number: int = 50) -> dict[str, object]:
    return {"path": path, "line": number, "text": text, "corrected": right, "in_diff": True}


def test_a_line_of_the_difference_gets_one_suggestion_which_goes_when_it_is_mended(hub: Hub) -> None:
    hub.patches = {"README.md": PATCH}
    stranger = comment(1, f"{suggestions.SIGN} 0 -->", "mallory")
    hub.reviews = [stranger]
    text = report(line("Port 8080", "Port 9090"), line("not shown", "x"), line("Port 9", "Port 1", path="other.md"))

    for _ in range(2):
        suggestions.keep(hub.forge(), 12, text)
    _, made = hub.reviews
    suggestions.keep(hub.forge(), 12, report())

    assert {name: made[name] for name in ("path", "line", "side", "commit_id")} == {
        "path": "README.md", "line": 5, "side": "RIGHT", "commit_id": COMMIT,
    }  # fmt: skip
    assert made["body"].endswith("\n\n```suggestion\nPort 9090\n```")
    assert hub.writes() == ["POST /pulls/12/comments", f"DELETE /pulls/comments/{made['id']}"]
    assert hub.reviews == [stranger]


def test_a_report_of_a_stranger_cannot_end_the_block_or_suggest_a_secret(hub: Hub) -> None:
    hub.patches = {"README.md": PATCH}
    token = "AKIA" + "IOSFODNN7EXAMPLF"  # split, so that no scanner takes this file for a leak
    text = report(line("Port 8080", "``` @all"), line("Port 9", token), line("after", "two\nlines"))

    suggestions.keep(hub.forge(), 12, text)

    assert [one["body"].partition("\n\n")[2] for one in hub.reviews] == ["````suggestion\n``` @all\n````"]


def test_refused_suggestion_is_no_failure(hub: Hub) -> None:
    hub.patches = {"README.md": PATCH}
    hub.planned = [("POST /pulls/12/comments", (422, {}, {"message": "line must be part of the diff"}))]

    suggestions.keep(hub.forge(), 12, report(line("Port 8080", "Port 9090")))

    assert hub.reviews == []
