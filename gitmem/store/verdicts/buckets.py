"""Buckets: one file for the verdicts of all facts whose keys have the same shard, each under ``[key.spec]``.

A store has at most 256 of them. Each verdict is read, compared and merged on its own, so a bucket attracts no more
conflicts or bad data than separate files would. Separate files, the layout of format 1, can still be read; proposals
use them, because a forge merges by line and would report a conflict for changes to adjacent verdicts.
"""

from __future__ import annotations

from gitmem.errors import FormatError
from gitmem.model import FAILS
from gitmem.store import layout
from gitmem.store.verdicts import parse_verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.model import Verdict

    # The text of each verdict by key and the first 16 digits of the specification's hash.
    Sections = dict[tuple[str, str], bytes]

# A key with a dot is quoted (TOML v1.0.0, Keys).
_HEAD = rb'\[(?:"([a-z0-9._-]{1,100})"|([a-z0-9_-]{1,100}))\.([0-9a-f]{16})\]'


# The most errors reported for one bucket: 8 MB of invalid lines gave 2 million problems.
MOST_ERRORS = 20

# The text of a bucket


def split_bucket(content: bytes, path: str) -> tuple[Sections, list[FormatError]]:
    """Return the verdicts in a bucket as text (the first of duplicates), and the errors of other sections.

    At most ``MOST_ERRORS`` errors are returned.
    """
    import re  # 4 ms (measured), only if verdicts changed

    is_head = re.compile(_HEAD).fullmatch
    sections: Sections = {}
    errors: list[FormatError] = []
    for number, head, text in _sections(content):
        head_match = is_head(head)
        if head_match is None and len(errors) == MOST_ERRORS:
            continue
        key = (head_match[1] or head_match[2]).decode("ascii") if head_match else ""
        if head_match is None or not layout.is_key(key):
            errors.append(_error("it is not the section of a verdict", path, number))
        elif layout.bucket_path(key) != path:
            errors.append(_error(f"the verdict of {key} belongs in {layout.bucket_path(key)}", path, number))
        else:
            sections.setdefault((key, head_match[3].decode("ascii")), text)
    return sections, errors[:MOST_ERRORS]


def _sections(content: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield each section's line number, head and text; no value of a verdict spans lines."""
    head, number, lines = b"", 0, list[bytes]()
    for at, line in enumerate(content.split(b"\n"), start=1):
        if line.startswith(b"["):
            if head:
                yield number, head, b"".join(lines)
            head, number, lines = line.rstrip(), at, []
        elif line.strip():
            lines.append(line + b"\n")
    if head:
        yield number, head, b"".join(lines)


def _error(message: str, path: str, line: int) -> FormatError:
    return FormatError(message, code="bad-verdict", path=path, line=line, hint="gitmem verify --all writes it again")


def join_bucket(sections: Sections) -> bytes:
    """Return the text of a bucket, sorted by key; ``split_bucket`` undoes it."""
    return b"\n".join(_head(*name) + text for name, text in sorted(sections.items()))


def _head(key: str, spec: str) -> bytes:
    return f'["{key}".{spec}]\n'.encode() if "." in key else f"[{key}.{spec}]\n".encode()


def parse_section(name: tuple[str, str], text: bytes, path: str) -> Verdict:
    """Return the verdict in one section, or in a file of its own.

    Raises:
        FormatError: It is not a verdict, or belongs to another specification.
    """
    key, spec = name
    if len(text) > layout.VERDICT_LIMIT:
        raise FormatError(f"{len(text)} bytes; the limit is {layout.VERDICT_LIMIT}", code="too-large", path=path)
    verdict = parse_verdict(text, key=key, path=path)
    if verdict.spec[:16] != spec:
        raise FormatError("its name belongs to another specification", code="bad-verdict", path=path)
    return verdict


def sections_of(content: bytes, path: str) -> list[tuple[tuple[str, str], bytes]]:
    """Return the texts of the verdicts in a file by key and specification, whether it has one or several."""
    place = layout.place_of(path)
    if not isinstance(place, layout.StorePath):
        return []
    if place.what == layout.BUCKET:
        return list(split_bucket(content, path)[0].items())
    return [((place.key, place.spec), content)] if place.what == layout.VERDICT else []


# Merging


def unite_verdicts(one: bytes, other: bytes, *, name: tuple[str, str], path: str) -> bytes:
    """Return the later of two verdicts on one specification; of two in the same second, the failing one."""

    def rank(content: bytes) -> tuple[bool, int, bool, bytes]:
        try:
            verdict = parse_section(name, content, path)
        except FormatError:
            return False, 0, False, content
        return True, verdict.at, verdict.outcome == FAILS, content

    return max(one, other, key=rank)


def unite_buckets(base: bytes | None, one: bytes, other: bytes, *, path: str) -> bytes:
    """Merge two buckets verdict by verdict; unreadable sections are left out.

    A verdict that one side removed is removed unless the other side changed it.
    """
    was, mine, yours = (split_bucket(content or b"", path)[0] for content in (base, one, other))
    united: Sections = {}
    for name in mine.keys() | yours.keys():
        before, left, right = was.get(name), mine.get(name), yours.get(name)
        if right in (left, before):
            text = left
        elif left == before:
            text = right
        else:
            text = left or right
            if left is not None and right is not None:
                text = unite_verdicts(left, right, name=name, path=path)
        if text is not None:
            united[name] = text
    return join_bucket(united)
