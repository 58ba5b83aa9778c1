"""What is purged: memories with their titles, or a secret in the forms in which it is written."""

from __future__ import annotations

from urllib.parse import quote

from gitmem.document.parse import parse
from gitmem.errors import FormatError, NotFoundError, RefusedError
from gitmem.frozen import frozen
from gitmem.store import layout
from gitmem.store.purged import KEY, TEXT, TRACE, Eraser
from gitmem.text import format_json
from gitmem.text.fingerprints import SHORTEST, Fingerprint, fingerprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.git import Git

# A line of a memory that is at least this long is looked for afterwards; shorter ones are in many texts.
LINE_AT_LEAST = 20


@frozen
class Subject:
    """What is purged.

    Attributes:
        marks: Its fingerprints (``store.purged``).
        known: The texts that are removed.
        lines: The texts that must be nowhere afterwards.
    """

    marks: tuple[tuple[str, Fingerprint], ...]
    known: tuple[bytes, ...] = ()
    lines: tuple[bytes, ...] = ()

    def eraser(self) -> Eraser:
        """Return what removes it; texts are only searched by fingerprint where they are not known."""
        return Eraser(self.marks, self.known, scans=not self.known)


def of_keys(git: Git, keys: Sequence[str], tips: Sequence[str]) -> Subject:
    """Return memories by their exact keys, with the titles that they ever had.

    Raises:
        NotFoundError: One of them is in no history.
    """
    marks = [(KEY, fingerprint(key.encode())) for key in keys]
    eraser = Eraser(marks)
    found = set[str]()
    versions = set[str]()
    for line in git.text("rev-list", "--objects", *tips).split("\n"):
        oid, _, path = line.partition(" ")
        if path and eraser.drops(path):
            place = layout.place_of(path)
            assert isinstance(place, layout.StorePath), "its path has a key"
            found.add(place.key)
            versions |= {oid} if place.what == layout.MEMORY else set()
    for key in keys:
        if key not in found:
            raise NotFoundError(f"no memory was ever called {key} here", hint="see the keys: gitmem list --all")
    titles, lines = set(keys), set[str]()
    for _, content in git.read_blobs(sorted(versions), limit=layout.MEMORY_LIMIT):
        text = (content or b"").decode("utf-8", "replace")
        titles |= _titles(text)
        lines |= {line.strip() for line in text.split("\n") if len(line.strip()) >= LINE_AT_LEAST}
    traces = sorted({title for title in titles if len(title.encode()) >= SHORTEST}, key=lambda text: (-len(text), text))
    known = tuple(trace.encode() for trace in traces)
    own = {line.encode() for line in lines if not _is_field(line)} | {
        text for text in known if text.decode() not in keys
    }
    return Subject(
        (*marks, *((TRACE, fingerprint(text)) for text in known)), (*known, *map(str.encode, keys)), tuple(own)
    )


def of_secret(secret: str) -> Subject:
    """Return a secret as it is, and as JSON and URLs write it.

    Raises:
        RefusedError: It is too short, or has several lines.
    """
    if len(secret.encode()) < SHORTEST:
        raise RefusedError(
            f"a text of fewer than {SHORTEST} bytes is in too many places", hint="give a longer part of it"
        )
    forms = {secret, format_json(secret)[1:-1], format_json(secret, is_ascii=True)[1:-1], quote(secret, safe="")}
    known = tuple(one.encode() for one in sorted(forms, key=lambda form: (-len(form), form)))
    return Subject(tuple((TEXT, fingerprint(text)) for text in known), known, known)


def _titles(text: str) -> set[str]:
    try:
        title = parse(text, path="purged.md").title
    except FormatError:
        return set()
    return {title} if title else set()


def _is_field(line: str) -> bool:
    """Return whether a line is a field that says nothing on its own, such as a time or an author."""
    return line.partition(":")[0] in ("created", "by", "kind", "tags", "scope", "updated", "ttl", "retired")


def refuse_named(secret: Subject, paths: Iterable[str]) -> None:
    """Refuse to purge a secret that is in the name of a memory: its file must go as a whole.

    Raises:
        RefusedError: It is in a name.
    """
    for path in paths:
        place = layout.place_of(path)
        key = place.key if isinstance(place, layout.StorePath) else ""
        if key and any(text.lower() in key.encode() for text in secret.known):
            raise RefusedError("the name of a memory contains it", hint=f"purge that memory first: gitmem purge {key}")
