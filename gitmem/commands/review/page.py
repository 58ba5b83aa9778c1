"""A review as one self-contained HTML page: no script, nothing loaded, light and dark, readable on a phone.

The template ``page.html`` escapes every text, and the page's content security policy blocks scripts and loading in case
something slips through.
"""

from __future__ import annotations

from importlib.resources import files

from gitmem.commands.review import model as f
from gitmem.commands.review.markdown import HEADINGS
from gitmem.text import web_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.review.model import Review

# The most that a browser shows unfolded: nobody reads a page with 20,000 memories.
SHOWN = 5_000
FINDINGS_SHOWN = 2_000
TAGS = {f.GONE: "del", f.NEW: "ins", f.SAME: ""}


def page(review: Review) -> str:
    """Return the page."""
    style = (files(__package__) / "page.css").read_text("utf-8")
    commands = [
        (change.key, change.command)
        for change in review.changes
        if change.command is not None and change.command.form != "builtin"
    ]
    return (
        web_page.templates(__package__)
        .get_template("page.html")
        .render(
            review=review,
            groups=f.folded(review.findings),
            policy=web_page.policy(style),
            style=style,
            commands=commands,
            changes=[(what, HEADINGS[what], review.of(what)) for what in f.KINDS],
            tags=TAGS,
            limit=SHOWN,
            findings_limit=FINDINGS_SHOWN,
        )
    )
