"""Format memories for an agent: complete entries within a budget, each with its kind and author, fenced as data."""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.index.catalog import places_of, short_ids, state
from gitmem.index.catalog.disputes import doubted
from gitmem.model import FAILED, GOAL, VERIFIED
from gitmem.statuses import warning_of
from gitmem.store.scopes import PROJECT, SOURCE
from gitmem.text import display, fence
from gitmem.text.budget import count_tokens, opening_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.model import Hit

# The smallest limit of the clients is 10,000 characters, and 8,000 leaves room for their JSON; a little
# less leaves room for the text that an adapter adds.
CHARACTERS = 7800
# gitmem's own titles have up to 100 characters, notes on attempts 1,000 (`tasks.life`); other tools may write any
# length.
LINE_CHARS = 1000
# The limit of an agent's name outside the fence; the clients' own names have a dozen characters.
NAME_CHARS = 40
# What is said of a failed fact whose text also says why.
NO_LONGER = "no longer true. "


@frozen
class MemoryText:
    """The text of one entry, with the memory's key and status if it shows one, and whether it shows all of its text."""

    text: str
    key: str = ""
    status: str = ""
    is_whole: bool = True


@frozen
class Part:
    """One section of a digest.

    Attributes:
        heading: Its heading; empty for none.
        entries: Its entries, most important first; each is shown completely or not at all.
        more: How many more entries exist.
        rest: The command that shows those, or empty.
    """

    heading: str
    entries: tuple[MemoryText, ...]
    more: int = 0
    rest: str = ""

    def text(self) -> str:
        """Return the section as text; empty if it has no entries."""
        lines = [entry.text for entry in self.entries]
        if self.more > 0:
            lines.append(f"… {self.more} more" + (f": {self.rest}" if self.rest else ""))
        heading = [f"## {self.heading}"] if self.heading else []
        return "\n".join([*heading, *lines]) if lines else ""


@frozen
class About:
    """What is known about a memory besides its text.

    Attributes:
        agent: The agent that wrote it; empty for a person.
        is_own: Whether its verdict was made in this clone.
        why: Why its status is in doubt, or empty.
        against: The memory that contradicts it and is more credible, until a person settles it; or empty.
        is_explained: Whether the shown text itself says why.
        short_id: Its short id in its store, or empty.
        is_claimed: Whether the policy counts only signed memories, and no allowed signer signed it.
        is_signed: Whether the policy counts a verdict of another clone only if an allowed signer signed it.
    """

    agent: str = ""
    is_own: bool = True
    why: str = ""
    against: str = ""
    is_explained: bool = False
    short_id: str = ""
    is_claimed: bool = False
    is_signed: bool = False


def about(catalog: Catalog, ground: int | None, keys: Iterable[str], *, now: int) -> dict[str, About]:
    """Return by key who wrote memories, whether their verdicts were made here, why they are in doubt, and their ids."""
    agents = dict(catalog.each(f"SELECT m.key, m.agent {state.BY_KEY}", keys))
    statuses = state.statuses_by_key(catalog, ground, agents, now=now)
    against, ids = doubted(catalog, agents), short_ids(catalog, agents)
    claimed, is_signed = state.list_claimed(catalog, agents), state.counts_only_signed(catalog)
    return {
        key: About(
            *(agents[key], status.is_own, status.why, against.get(key, "")),
            short_id=ids.get(key, ""),
            is_claimed=key in claimed,
            is_signed=is_signed,
        )
        for key, status in statuses.items()
    }


@frozen
class MemoryLabel:
    """What is said of a memory in brackets before its text.

    Attributes:
        key: Its key; empty for a line about the store itself.
        kind: Its kind.
        status: Its status, or empty.
        scope: Its scope.
    """

    key: str
    kind: str
    status: str
    scope: str = PROJECT


def entry_of(label: MemoryLabel, text: str, known: About | None, *, is_whole: bool = True) -> MemoryText:
    """Format one memory as an entry: key, kind, scope, status and author, then its text.

    Args:
        label: Which memory it is.
        text: The text to show.
        known: Who wrote it; None if that is not known here.
        is_whole: Whether the text is complete.
    """
    if not label.key:
        return MemoryText(f"- {text}")
    entry = " ".join(label_and_text(label, text, known))
    return MemoryText(entry, label.key, label.status, is_whole)


def label_and_text(label: MemoryLabel, text: str, known: About | None) -> tuple[str, str]:
    """Return the label of a memory, in gitmem's own words and slugs, and its text with a warning if it is in doubt.

    Everything that shows a memory to an agent is made by this: no belief without its status, reason and author.
    """
    status, scope = label.status, label.scope
    whose = "" if known is None else by(known.agent)
    shown = status
    if status == VERIFIED and known and not known.is_own:
        shown = f"{status}, {'signed' if known.is_signed else 'claimed'} by others"
    where = "pulled, not a memory" if scope == SOURCE else scope if scope != PROJECT else ""
    unsigned = "not signed" if known is not None and known.is_claimed else ""
    words = (label.kind, where, shown, whose, unsigned)
    doubt = warning_of(status) and ((known and known.why) or warning_of(status))
    why = f"{display(doubt)}. "
    if known is not None and known.is_explained:
        why = NO_LONGER if status == FAILED else ""
    warned = f"{status.upper()}: {why}" if doubt else ""
    if known and known.against:
        warned += f"DISPUTED: it contradicts {known.against}, and no person has settled which is true. "
    # A short id of another scope would be looked up in the project.
    named = (known.short_id if known is not None and scope == PROJECT else "") or label.key
    return f"- [{named}] ({', '.join(filter(None, map(display, words)))})", f"{warned}{text}"


def by(agent: str) -> str:
    """Return who wrote a memory, safe to show outside the fence: an agent's name becomes a slug."""
    if not agent:
        return "by a person"
    if agent.isascii() and agent.islower() and len(agent) <= NAME_CHARS and all(map(str.isalnum, agent.split("-"))):
        return f"by agent {agent}"  # a slug already, as most are
    from gitmem.text.slugs import slug  # 2 ms with the stemmer (measured)

    name = slug(agent, limit=NAME_CHARS)
    return f"by agent {name}" if name else "by an agent"


def hit_text(catalog: Catalog | None, hit: Hit, *, limit_tokens: int) -> tuple[str, bool]:
    """Return the text of a hit and whether it is complete; without a catalog, the hit's snippet."""
    body = hit.snippet
    if catalog is not None:
        row = catalog.row(
            "SELECT t.body FROM text t JOIN memory m ON m.id = t.id WHERE m.key = ? AND m.path = ?", (hit.key, hit.path)
        )
        body = row[0] if row else body
    key = (hit.short_id if hit.scope == PROJECT and not hit.store else "") or hit.reference
    text, is_whole = excerpt(hit.title, body, hit.refs, limit_tokens=limit_tokens, key=key)
    return text, is_whole and (catalog is not None or not body)


def excerpt(title: str, body: str, refs: Sequence[str], *, limit_tokens: int, key: str) -> tuple[str, bool]:
    """Return the title of a memory with as much of its text as fits, and whether that is all of it.

    Args:
        title: Its title; not repeated if the text begins with it.
        body: Its text.
        refs: Its references.
        limit_tokens: The limit for the text, which is cut after complete sentences and lines of code.
        key: The key for the command that shows the rest.
    """
    title = one_line(title)
    start = title.removesuffix("…")
    # A session summary made by rules begins with the goal, which is also its title.
    body = body.removeprefix(GOAL) if body.startswith(GOAL + start) else body
    shown, is_whole = beginning_of(body, limit_tokens=limit_tokens)
    if not shown:
        return (title + places_of(refs), True) if is_whole else (f"{title} (more: gitmem show {key})", False)
    opened = title if title.endswith(":") else f"{title}:"
    gap = "" if shown.startswith("\n") else " "
    text = shown if shown.startswith(start) else f"{opened}{gap}{shown}"
    tail = places_of(refs) + ("" if is_whole else f" (more: gitmem show {key})")
    return text + (f"\n {tail}" if tail and "\n" in text else tail), is_whole


def beginning_of(body: str, *, limit_tokens: int) -> tuple[str, bool]:
    """Return the beginning of a memory's text within a limit of tokens, and whether that is all of it.

    Prose becomes one line and ends after a sentence. A code block, fenced or indented, keeps its lines; if it is too
    long, it ends after a line. Text that begins with code begins with a line feed. All lines but the first are
    indented, so that none of them looks like an entry or a heading.
    """
    pieces: list[str] = []
    for is_code, part in _segments(body):
        text = part if is_code else " ".join(part.split())
        left = limit_tokens - count_tokens("".join(pieces)) if pieces else limit_tokens
        fits = count_tokens(text) <= left
        shown = text if fits else _first_lines(text, left) if is_code else opening_of(text, limit_tokens=left)
        if shown:
            pieces.append(f"\n{shown}\n" if is_code else f"  {shown}" if pieces else shown)
        if shown != text:
            return "".join(pieces).rstrip(), False
    return "".join(pieces).rstrip(), True


def _first_lines(block: str, limit_tokens: int) -> str:
    """Return the first lines of a code block that fit, with its fence closed if it has one; empty if none fits."""
    lines = block.split("\n")
    is_fenced = bool(_fence_of(lines[0].removeprefix("  ")))
    opening, closing = (lines[:1], lines[-1:]) if is_fenced else ([], [])
    lines = lines[1:-1] if is_fenced else lines
    while lines and count_tokens("\n".join((*opening, *lines, "  …", *closing))) > limit_tokens:
        lines.pop()
    return "\n".join((*opening, *lines, "  …", *closing)) if lines else ""


def _segments(body: str) -> list[tuple[bool, str]]:
    """Split a text into pieces, each with whether it is a code block; indent code, leave out empty pieces."""
    if not any(sign in body for sign in ("```", "~~~", _INDENT, "\t")):
        return [(False, body)] if body.strip() else []
    lines, segments, at, number = body.split("\n"), [], 0, 0
    while number < len(lines):
        indented = _end_of_indented(lines, number)
        end = indented or _end_of_block(lines, number)
        if end:
            block = map(_dedented, lines[number:end]) if indented else lines[number:end]
            code = (f"  {line.rstrip()}" for line in block)
            segments += [(False, "\n".join(lines[at:number])), (True, "\n".join(code))]
            at = end
        number = max(end, number + 1)
    return [(is_code, part) for is_code, part in (*segments, (False, "\n".join(lines[at:]))) if part.strip()]


# Source: CommonMark 0.31.2, section 4.4: indented code is four spaces or a tab deeper, and follows an empty line.
_INDENT = "    "


def _end_of_indented(lines: Sequence[str], first: int) -> int:
    """Return the number of the line after the indented code that begins at this line; 0 if none begins there."""
    if not _is_indented(lines[first]) or (first and lines[first - 1].strip()):
        return 0
    end = first + 1
    for number, line in enumerate(lines[first:], first + 1):
        if _is_indented(line):
            end = number
        elif line.strip():
            break
    return end


def _is_indented(line: str) -> bool:
    return line.startswith((_INDENT, "\t")) and bool(line.strip())


def _dedented(line: str) -> str:
    return line.removeprefix("\t") if line.startswith("\t") else line.removeprefix(_INDENT)


def _end_of_block(lines: Sequence[str], first: int) -> int:
    """Return the number of the line after the code block that this line opens; 0 if it opens none.

    Parsed without ``re``, which takes 5 ms to import (measured), because hooks show only a few memories.
    """
    fence = _fence_of(lines[first])
    if not fence:
        return 0
    # The closing fence has the same character and nothing after it; it is as long as the opening one, else the longest.
    closing = [
        (number, len(its))
        for number, line in enumerate(lines[first + 1 :], first + 2)
        if (its := _fence_of(line)) and its[0] == fence[0] and not line.lstrip(" ").rstrip(" \t").strip("`~")
    ]
    least = min(len(fence), max((length for _, length in closing), default=0))
    return next((number for number, length in closing if length >= least), 0)


def _fence_of(line: str) -> str:
    """Return the backticks or tildes, three or more, with which a line begins; else an empty string."""
    text = line.lstrip(" ")
    if len(line) - len(text) > 3 or not text.startswith(("```", "~~~")):
        return ""
    return text[: len(text) - len(text.lstrip(text[0]))]


def one_line(text: str) -> str:
    """Return a title or note of unknown origin as one short line, so that it cannot look like an entry."""
    line = " ".join(text.split())
    return line if len(line) <= LINE_CHARS else line[: LINE_CHARS - 1] + "…"


def fit_parts(parts: Sequence[Part], *, tokens: int, characters: int) -> list[Part]:
    """Drop entries from the end until the parts fit; the very first entry always stays."""
    fitted = list(parts)
    while sum(len(part.entries) for part in fitted) > 1 and _exceeds(fitted, tokens, characters):
        at = max(nth for nth, part in enumerate(fitted) if part.entries)
        fitted[at] = replace(fitted[at], entries=fitted[at].entries[:-1], more=fitted[at].more + 1)
    return fitted


def _exceeds(parts: Sequence[Part], tokens: int, characters: int) -> bool:
    text = body_of(parts)
    return len(text) > characters or count_tokens(text) > tokens


def body_of(parts: Sequence[Part]) -> str:
    """Return the parts as one text."""
    return "\n\n".join(filter(None, (part.text() for part in parts)))


def fence_parts(parts: Sequence[Part], *, source: str | None = None) -> str:
    """Return the parts as data between two markers that no text in them can close; empty if there are no parts."""
    return fence.fence_text(body_of(parts), source=source)


def keys_of(parts: Sequence[Part]) -> dict[str, str]:
    """Return the keys of the memories shown, in order, with their statuses."""
    return {entry.key: entry.status for part in parts for entry in part.entries if entry.key}


def cut_keys_of(parts: Sequence[Part]) -> list[str]:
    """Return the keys of the memories that are shown incompletely."""
    return [entry.key for part in parts for entry in part.entries if entry.key and not entry.is_whole]
