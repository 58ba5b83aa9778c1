"""The Jinja templates of the page, with their common filters."""

from __future__ import annotations

from functools import cache, partial

from markupsafe import Markup

from gitmem.commands.report.page import markup, sections
from gitmem.commands.report.page.model import LIVE
from gitmem.document.times import format_time
from gitmem.statuses import MARKS, SIGNS
from gitmem.text import web_page
from gitmem.verify.jobs.history import describe_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jinja2 import Environment

# Filters that turn values of the page's data into text.
FILTERS = {
    "line": markup.line,
    "body": markup.body,
    "title": markup.title,
    "plain": markup.plain_title,
    "utc": format_time,
    "ended": describe_end,
    "counted": sections.count_of,
    "grouped": sections.group_digits,
    "culprit": sections.split_culprit,
    "reasons": sections.reasons,
    "numbered": lambda values: list(enumerate(values, 1)),
}


def fill(name: str, commits: str = "", files: str = "", **values: object) -> Markup:
    """Return a template filled with escaped values; commits and files link to these addresses, if there are any."""
    environment = _environment(commits, files)
    return Markup(environment.get_template(name).render(**values))  # noqa: S704 - the template has escaped it


@cache
def _environment(commits: str, files: str) -> Environment:
    environment = web_page.templates(__package__)
    environment.globals |= {
        "MARKS": MARKS,
        "SIGNS": SIGNS,
        "LIVE": LIVE,
        "SHOWN": sections.SHOWN,
        "LISTED": sections.LISTED,
        "COMMITS": commits,
        "HEADINGS": sections.HEADINGS,
    }
    environment.filters |= FILTERS | {"place": partial(markup.place, files=files, commits=commits)}
    return environment
