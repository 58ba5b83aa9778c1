"""Join versions of a body: line by line, any number at once, in any order the same. Pure.

Each version is compared with the common ancestor. Changes that touch or overlap make one passage; a passage with
several new texts keeps all of them, side by side as Markdown, with their authors. Versions that are there already count
as one line: what anyone removed of them is removed, what anyone added is added.
"""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.git.texts import Hunk, diff_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

# Conflicting versions of lines, side by side in a body, as Markdown.
COUNTS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six"}
_HEAD = r"> \*\*[A-Z0-9][a-z0-9]* versions, to settle\.\*\* (.*) wrote:( nothing\.)?"
_NEXT = r"> (.*) wrote:( nothing\.)?"
_END = r"> \*\*End of the [a-z0-9]+ versions\.\*\*"
# Two conflicts with at most so many common lines between them are one. Source: git, xdiff/xmerge.c,
# xdl_simplify_non_conflicts.
_JOINED_LINES = 3


@frozen
class Leaf:
    """A version of a body.

    Attributes:
        body: Its text.
        who: Returns the author of some of its lines, called with them and what they replaced, both as texts.
    """

    body: str
    who: Callable[[str, str], str]


@frozen
class Lines:
    """One person's version of some lines.

    Attributes:
        who: The name to show.
        text: The lines, without line feeds around them.
    """

    who: str
    text: str


@frozen
class _Passage:
    """Lines of the ancestor, and what each version has instead.

    Attributes:
        before: The ancestor's lines.
        sides: Each version's lines, in the order of the versions.
    """

    before: list[str]
    sides: list[list[str]]


def join_bodies(base: str, leaves: Sequence[Leaf]) -> tuple[str, bool]:
    """Return the joined body, and whether a person must settle something in it that nobody had changed alike."""
    if len({leaf.body for leaf in leaves}) == 1:
        return leaves[0].body, False
    parts: list[str] = []
    is_open = False
    before = _lines_of(base)
    sides = [_lines_of(leaf.body) for leaf in leaves]
    for piece in _passages(before, sides):
        if isinstance(piece, list):
            parts += piece
            continue
        changed = [nth for nth, side in enumerate(piece.sides) if side != piece.before]
        if all(piece.sides[nth] == piece.sides[changed[0]] for nth in changed):
            parts += piece.sides[changed[0]]
            continue
        for part in _refine(_Passage(piece.before, [piece.sides[nth] for nth in changed])):
            if isinstance(part, list):
                parts += part
                continue
            versions = _settle(part, [leaves[nth].who for nth in changed])
            is_open |= len(versions) > 1
            parts.append(format_versions(versions) if len(versions) > 1 else _ended(versions[0].text))
    return "".join(parts), is_open


def _lines_of(text: str) -> list[str]:
    """Return the lines of a text, each with its line feed; versions side by side are one line."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if "> **End of the " not in text:
        return [f"{line}\n" for line in lines]
    import re  # 4 ms (measured), only if there are conflicting versions

    found: list[str] = []
    begun: list[int] = []
    for line in lines:
        if re.fullmatch(_HEAD, line):
            begun.append(len(found))
        found.append(f"{line}\n")
        if begun and re.fullmatch(_END, line):
            at = begun.pop()
            found[at:] = ["".join(found[at:])]
    return found


def _passages(before: list[str], sides: list[list[str]]) -> Iterator[list[str] | _Passage]:
    """Yield, in order, the unchanged lines and the changed passages."""
    hunks = [(hunk, nth) for nth, side in enumerate(sides) for hunk in diff_lines(before, side)]
    hunks.sort(key=lambda pair: (pair[0].start, pair[0].end))
    at, nth = 0, 0
    while nth < len(hunks):
        start, end = hunks[nth][0].start, hunks[nth][0].end
        here: list[list[Hunk]] = [[] for _ in sides]
        while nth < len(hunks) and hunks[nth][0].start <= end:
            hunk, side = hunks[nth]
            here[side].append(hunk)
            end, nth = max(end, hunk.end), nth + 1
        yield before[at:start]
        yield _Passage(before[start:end], [_apply(before, start, end, some) for some in here])
        at = end
    yield before[at:]


def _apply(before: list[str], start: int, end: int, hunks: Iterable[Hunk]) -> list[str]:
    lines: list[str] = []
    for hunk in hunks:
        lines += [*before[start : hunk.start], *hunk.lines]
        start = hunk.end
    return [*lines, *before[start:end]]


def _refine(passage: _Passage) -> Iterator[list[str] | _Passage]:
    """Yield what the versions of a passage have in common at its ends, or of two versions anywhere, and the rest."""
    texts = sorted({tuple(side) for side in passage.sides})
    runs = _common_runs(*map(list, texts)) if len(texts) == 2 and all(texts) else _common_ends(texts)
    if not runs:
        yield passage
        return
    ats = [0] * len(texts)
    for run in [*runs, None]:
        stops = [len(text) for text in texts] if run is None else [start for start, _ in run]
        slices = {text: list(text[at:stop]) for text, at, stop in zip(texts, ats, stops, strict=True)}
        if any(slices.values()):
            yield _Passage([], [slices[tuple(side)] for side in passage.sides])
        if run is not None:
            yield list(texts[0][run[0][0] : run[0][1]])
            ats = [stop for _, stop in run]


def _common_ends(texts: list[tuple[str, ...]]) -> list[list[tuple[int, int]]]:
    """Return the lines with which all texts begin, and those with which they end, as their place in each."""
    shortest = min(map(len, texts))
    head = next((n for n in range(shortest) if len({text[n] for text in texts}) > 1), shortest)
    left = shortest - head
    tail = next((n for n in range(left) if len({text[-1 - n] for text in texts}) > 1), left)
    runs = [[(0, head)] * len(texts), [(len(text) - tail, len(text)) for text in texts]]
    return [run for run in runs if run[0][0] < run[0][1]]


def _common_runs(one: list[str], other: list[str]) -> list[list[tuple[int, int]]]:
    """Return what two texts have in common, as places in both, without a few lines between two changes."""
    runs: list[list[tuple[int, int]]] = []
    at, shift = 0, 0
    for hunk in [*diff_lines(one, other), None]:
        stop = len(one) if hunk is None else hunk.start
        is_end = at == 0 or hunk is None
        if stop - at > (0 if is_end else _JOINED_LINES):
            runs.append([(at, stop), (at + shift, stop + shift)])
        if hunk is not None:
            at, shift = hunk.end, shift + len(hunk.lines) - (hunk.end - hunk.start)
    return runs


def _settle(passage: _Passage, authors: Sequence[Callable[[str, str], str]]) -> list[Lines]:
    """Return the versions of a passage, sorted by text; a single one if all but one were removed."""
    there = {lines.text: lines for lines in parse_versions("".join(passage.before))}
    texts = ["".join(side) for side in passage.sides]
    sides = []
    for text, author in zip(texts, authors, strict=True):
        known = there.get(text.strip("\n"))
        instead_of = min((other for other in texts if other != text), default="")
        sides.append(parse_versions(text) or [known or _plain(author(text, instead_of), text)])
    return join_versions(sides, there)


def join_versions(sides: Sequence[Sequence[Lines]], there: Iterable[str] = ()) -> list[Lines]:
    """Return the versions of all sides, sorted by text, without duplicates and without those that a side removed.

    Args:
        sides: Each side's versions.
        there: The texts of those that were there before.
    """
    known = set(there)
    removed = {text for text in known for side in sides if text not in {lines.text for lines in side}}
    every = sorted((lines for side in sides for lines in side), key=lambda lines: lines.who, reverse=True)
    by_text = {lines.text: lines for lines in every}
    survivors = by_text.keys() - removed or by_text.keys()
    return [by_text[text] for text in sorted(survivors)]


def _ended(text: str) -> str:
    return f"{text}\n" if text else ""


def list_names(body: str) -> list[str]:
    """Return the authors of all conflicting versions in a body, sorted."""
    if "> **End of the " not in body:
        return []
    import re  # 4 ms (measured), only if there are conflicting versions

    names: set[str] = set()
    is_inside = False
    for line in body.split("\n"):
        head = re.fullmatch(_HEAD, line)
        is_inside = bool(head) or (is_inside and not re.fullmatch(_END, line))
        if is_inside and (match := head or re.fullmatch(_NEXT, line)):
            names.add(match.group(1))
    return sorted(names)


def format_versions(versions: list[Lines]) -> str:
    """Return versions as Markdown that people and agents understand without explanation."""
    count = COUNTS.get(len(versions), str(len(versions)))
    heads = [f"**{count} versions, to settle.** {versions[0].who}", *(version.who for version in versions[1:])]
    parts = [
        f"> {head} wrote:\n\n{lines.text}\n\n" if lines.text else f"> {head} wrote: nothing.\n\n"
        for head, lines in zip(heads, versions, strict=True)
    ]
    return "".join([*parts, f"> **End of the {count.lower()} versions.**\n"])


def parse_versions(text: str) -> list[Lines]:
    """Return the versions in a text; none if it holds anything else."""
    if "> **End of the " not in text:
        return []
    import re  # 4 ms (measured), only if there are conflicting versions

    first, *lines = text.strip("\n").split("\n")
    head = re.fullmatch(_HEAD, first)
    if head is None or not lines or not re.fullmatch(_END, lines.pop()):
        return []
    versions: list[tuple[str, list[str]]] = [(head.group(1), [])]
    for line in lines:
        if begins := re.fullmatch(_NEXT, line):
            versions.append((begins.group(1), []))
        elif re.fullmatch(_HEAD, line) or re.fullmatch(_END, line):
            return []
        else:
            versions[-1][1].append(line)
    return [_plain(who, "\n".join(part)) for who, part in versions]


def _plain(who: str, text: str) -> Lines:
    return Lines(who, text.strip("\n"))
