"""Conflicting versions of lines, side by side in a memory's body: written as Markdown, parsed, and joined. Pure.

When three people change the same lines, they are merged two at a time. A merge takes existing versions apart and sorts
them, so the result is the same whoever was merged first.
"""

from __future__ import annotations

from gitmem.frozen import frozen

COUNTS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six"}
_HEAD = r"> \*\*[A-Z0-9][a-z0-9]* versions, to settle\.\*\* (.*) wrote:( nothing\.)?"
_NEXT = r"> (.*) wrote:( nothing\.)?"
_END = r"> \*\*End of the [a-z0-9]+ versions\.\*\*"


@frozen
class Lines:
    """One person's version of some lines.

    Attributes:
        who: The name to show.
        text: The lines, without line feeds around them.
    """

    who: str
    text: str


def join_versions(one: str, other: str, by_one: str, by_other: str) -> list[Lines]:
    """Return the versions of the same lines on two sides, sorted by text, without duplicates.

    Args:
        one: The lines of one side: versions side by side, or plain lines.
        other: Those of the other side.
        by_one: The author of the first side, if it has plain lines.
        by_other: The author of the other side.
    """
    versions = [
        *(parse_versions(one) or [_plain(by_one, one)]),
        *(parse_versions(other) or [_plain(by_other, other)]),
    ]
    by_text = {lines.text: lines for lines in sorted(versions, key=lambda lines: lines.who, reverse=True)}
    return [by_text[text] for text in sorted(by_text)]


def format_versions(versions: list[Lines]) -> str:
    """Return versions as Markdown that people and agents understand without explanation."""
    count = COUNTS.get(len(versions), str(len(versions)))
    heads = [f"**{count} versions, to settle.** {versions[0].who}", *(one.who for one in versions[1:])]
    parts = [
        f"> {head} wrote:\n\n{one.text}\n\n" if one.text else f"> {head} wrote: nothing.\n\n"
        for head, one in zip(heads, versions, strict=True)
    ]
    return "".join([*parts, f"> **End of the {count.lower()} versions.**\n"])


def parse_versions(text: str) -> list[Lines]:
    """Return the versions in a text; none if it holds anything else."""
    import re  # 4 ms (measured), only if there are conflicting versions

    first, *lines = text.strip("\n").split("\n")
    head = re.fullmatch(_HEAD, first)
    if head is None or not lines or not re.fullmatch(_END, lines.pop()):
        return []
    found: list[tuple[str, list[str]]] = [(head.group(1), [])]
    for line in lines:
        if begins := re.fullmatch(_NEXT, line):
            found.append((begins.group(1), []))
        elif re.fullmatch(_HEAD, line) or re.fullmatch(_END, line):
            return []
        else:
            found[-1][1].append(line)
    return [_plain(who, "\n".join(part)) for who, part in found]


def _plain(who: str, text: str) -> Lines:
    return Lines(who, text.strip("\n"))
