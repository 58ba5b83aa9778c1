"""A memory that was imported as a note of another system, and the note again. Pure.

A note is its head, frontmatter and heading, and the text below it, which is the body of the memory. The head is stored
with the memory where it says more than the title does; so a note comes out as it came in.
"""

from __future__ import annotations

import re

from gitmem.document.fields import IMPORTED
from gitmem.document.format import format_field
from gitmem.document.parse import unify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.model import Document

HEAD = "imported_head"
# The number of lines below the note's text that say what long fields of its head say.
ADDED = "imported_added"
# What Excalidraw for Obsidian writes into the frontmatter of a drawing.
DRAWING_FIELD = "excalidraw-plugin"
# A longer head would not leave room for the fields of the memory.
HEAD_LIMIT = 3 * 1024
ENDINGS = (".md", ".markdown", ".mdc")
_HEADING = re.compile(r"(?m)^# .*$")
# What precedes the name of a section in the name of a note.
_SECTION = re.compile(r"\.(?:md|markdown|mdc|enex|jex)#", re.I)
_WORD = re.compile(r"\w+")
_TITLE = re.compile(r"(?m)\A(---\n(?:.*\n)*?)title:.*$")
_EMBEDDED = re.compile(r"!\[\[([^\[\]|#\n]+\.\w{2,5})(?:[#|][^\[\]\n]*)?\]\]|!\[[^\]\n]*\]\(<?([^)\s>]+)>?[^)\n]*\)")


def head_of(text: str, body: str, title: str, path: str) -> str | None:
    """Return the head of a note to store; None if the title gives it, or the body is not in the note.

    Args:
        text: The note.
        body: What becomes the body of the memory.
        title: The title of the memory.
        path: The note's path.
    """
    plain, core = unify(text.removeprefix("\ufeff")).rstrip(), body.strip()
    if "\n" in core:  # the first of several lines keeps its indentation
        trimmed = body.rstrip()
        core = trimmed[trimmed.rfind("\n", 0, len(trimmed) - len(core)) + 1 :]
    at = plain.rfind(core) if core else -1
    if core and at < 0:
        return None
    head = plain[:at] if core else f"{plain}\n"
    return None if head == default_head(title, path) or len(head.encode()) > HEAD_LIMIT else head


def default_head(title: str, path: str) -> str:
    """Return the head of a note without frontmatter: a heading, unless the file's name says the same."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return "" if title == " ".join(stem.split()) else f"# {title}\n\n"


def file_of_note(name: str) -> str:
    """Return the name of the file that a note was in; notes of one file are named ``a.md#key`` or ``a.enex#title``."""
    match = _SECTION.search(name)
    return name[: match.end() - 1] if match else name


def note_path(document: Document) -> tuple[str, str]:
    """Return the folder from which a memory was imported and its path in it; empty if it was not, or not safely.

    The path comes from a file of other people: it leads nowhere else, and names nothing hidden.
    """
    name = document.fields.get(IMPORTED)
    folder, _, path = name.lstrip(".").partition("/") if isinstance(name, str) else ("", "", "")
    is_safe = is_note_path(path) and folder.isprintable() and "\\" not in folder and folder.strip() != ""
    return (folder, path) if is_safe else ("", "")


def is_note_path(path: str) -> bool:
    """Return whether a path that other people wrote is a note's below its folder, and names nothing hidden."""
    return (
        path.lower().endswith(ENDINGS)
        and path.isprintable()
        and not any(part.startswith(".") or not part.strip() or part != part.rstrip(" .") for part in path.split("/"))
        and "\\" not in path
        and len(path.encode()) < 1024
    )


def is_drawing(document: Document) -> bool:
    """Return whether a memory was imported from a drawing of Excalidraw, whose text alone is imported."""
    return DRAWING_FIELD in document.fields and isinstance(document.fields.get(IMPORTED), str)


def note_text(document: Document, path: str) -> str:
    """Return the note for a memory, with its title and text of today."""
    head = document.fields.get(HEAD)
    if not isinstance(head, str):
        head = default_head(document.title, path)
    elif not _words(document.title) <= _words(head):
        head = _with_title(head, document.title)
    return head + _without_added(document, head)


def _words(text: str) -> set[str]:
    """Return the words of a text: a heading has marks of links that the title does not have."""
    return set(_WORD.findall(text))


def _without_added(document: Document, head: str) -> str:
    """Return the body without the lines that fields of the head gave it, unless they were changed."""
    count, lines = document.fields.get(ADDED), document.body.rstrip("\n").split("\n")
    if not isinstance(count, int) or not 0 < count <= len(lines):
        return document.body
    name = lines[-count].lstrip(":").partition(":")[0]
    remaining = "\n".join(lines[:-count]).rstrip("\n")
    # A nested value has the names above it: "fields tags type".
    is_of_head = bool(name) and any(f"{word}:" in head for word in (name, name.partition(" ")[0]))
    return (f"{remaining}\n" if remaining else "") if is_of_head else document.body


def count_added(whole: str, body: str, title: str) -> int | None:
    """Return how many lines a memory's body has below a note's text; None if there is none.

    Args:
        whole: The memory's body; the title and what is below if the note has no text.
        body: The note's text.
        title: The memory's title.
    """
    added = whole.removeprefix(body if body.strip() else title).strip("\n")
    return added.count("\n") + 1 if added and len(added) < len(whole) else None


def _with_title(head: str, title: str) -> str:
    """Return a head with another title in its heading or its frontmatter; unchanged if it has neither."""
    if _HEADING.search(head):
        return _HEADING.sub(lambda _: f"# {title}", head, count=1)
    return _TITLE.sub(lambda match: match[1] + format_field("title", title).rstrip("\n"), head, count=1)


def embedded_files(body: str) -> list[str]:
    """Return the files, other than notes and addresses, that a note embeds."""
    names = [wiki or link for wiki, link in _EMBEDDED.findall(body)]
    return [name for name in names if "://" not in name and not name.startswith("data:") and not name.endswith(ENDINGS)]
