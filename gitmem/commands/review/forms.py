"""The forms of a review for forges and other programs."""

from __future__ import annotations

from gitmem.commands.review import annotations as github
from gitmem.commands.review import markdown
from gitmem.commands.review import page as html
from gitmem.commands.review.table import as_table

__all__ = ("as_table", "page", "render")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.commands.review.model import Review

WRITERS: dict[str, Callable[[Review], str]] = {
    "markdown": markdown.page,
    "html": html.page,
    "github": github.commands,
}


def render(form: str, review: Review) -> str:
    """Return a review in one of the forms of ``WRITERS``; ends with a line feed."""
    return WRITERS[form](review)


def page(review: Review, limit: int) -> str:
    """Return the page of Markdown for a job's summary, of so many bytes at most."""
    return markdown.page(review, limit=limit)
