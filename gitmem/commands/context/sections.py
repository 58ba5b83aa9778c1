"""The sections of the digest: the text of each memory, fitting them into a budget, and the digest as JSON."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.index.catalog import places_of, refs_of, short_ids
from gitmem.index.catalog.agent_text import excerpt
from gitmem.model import VERIFIED
from gitmem.store.scopes import PROJECT
from gitmem.text import display
from gitmem.text.budget import count_tokens, first_sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.commands.context.relevance import RelevanceRow
    from gitmem.index.catalog import Catalog

# The longest line of the digest, title in it, and reason for a failure, in characters. A command shows the whole.
TEXT_LIMIT, TITLE_LIMIT, REASON_LIMIT = 320, 160, 200
# The tokens that the digest takes besides its items (opening, headings, omissions, last verification, how to search),
# and besides an item's own words (bullet, brackets, colon), counted in the output of `gitmem context`.
FRAME_TOKENS, LINE_TOKENS = 125, 6

WARNINGS, WORKING, RELEVANT, RECENT = "WARNINGS", "WORKING ON", "RELEVANT FACTS", "RECENT WORK"
NEWEST = "NEWEST"
FACT = "fact"
# The sections' names for agents, if they contain only what relates to the current work.
HEADINGS = {WORKING: "IN PROGRESS", RELEVANT: "ABOUT YOUR BRANCH, CHANGED FILES AND TASKS"}
# A memory that is only among the newest may be unrelated to the current work: it gets one line.
HEADLINE = 56


@frozen
class DigestItem:
    """One memory of the digest.

    Attributes:
        key: Its key; empty for a line about the store itself.
        kind: Its kind.
        status: Its status, or empty.
        text: The shown text, cleaned: one line, and code blocks with their lines, indented.
        score: Its relevance; 0 if the section is sorted by time or weight.
        scope: Its scope.
        number: The number of memories that it represents.
        is_whole: Whether the text is the memory's whole text.
        refs: What the memory refers to, as written.
    """

    key: str
    kind: str
    status: str
    text: str
    score: float = 0.0
    scope: str = PROJECT
    number: int = 1
    is_whole: bool = False
    refs: tuple[str, ...] = ()


@frozen
class DigestSection:
    """One section: its name, its items, the total, and how to see the rest."""

    name: str
    items: tuple[DigestItem, ...]
    total: int
    rest: str

    @property
    def more(self) -> int:
        """Return how many memories no item represents."""
        return self.total - sum(item.number for item in self.items)


def _read(catalog: Catalog, number: int) -> tuple[str, str, tuple[str, ...]]:
    """Return the title, the text and the references of a memory."""
    sql = "SELECT m.title, t.body FROM memory m JOIN text t ON t.id = m.id WHERE m.id = ?"
    title, body = catalog.row(sql, (number,))
    return title, body, refs_of(catalog, [number]).get(number, ())


def item_of(catalog: Catalog, row: RelevanceRow, status: str, score: float, limit_tokens: int) -> DigestItem:
    """Return a memory as an item: its title, and as many whole sentences of its body as the limit allows."""
    title, body, refs = _read(catalog, row.id)
    short_id = short_ids(catalog, [row.key]).get(row.key, "")
    text, is_whole = excerpt(title, body, refs, limit_tokens=limit_tokens, key=short_id)
    shown = display(text, lines=True)
    return DigestItem(row.key, row.kind, status, shown, round(score, 3), is_whole=is_whole, refs=refs)


def headline_of(catalog: Catalog, row: RelevanceRow, status: str) -> DigestItem:
    """Return a memory as an item of one line: its whole text if that is short, or its first sentence."""
    title, body, refs = _read(catalog, row.id)
    short_id = short_ids(catalog, [row.key]).get(row.key, "")
    text, is_whole = excerpt(title, body, (), limit_tokens=HEADLINE // 4, key=short_id)
    if not is_whole or len(text) > HEADLINE or "\n" in text:
        text, is_whole = sentence_of(title, body), False
    return DigestItem(row.key, row.kind, status, display(text) + places_of(refs), is_whole=is_whole, refs=refs)


def sentence_of(title: str, body: str) -> str:
    """Return the first sentence of a memory: its title, or, if that was cut, the sentence that it begins."""
    start = title.removesuffix("…")
    if start == title or not body.startswith(start):
        return cut(title, TITLE_LIMIT)
    return cut(first_sentence(" ".join(body[: 2 * TEXT_LIMIT].split())), TEXT_LIMIT)


def cut(text: str, limit: int) -> str:
    """Return a text as one clean line of at most *limit* characters."""
    line = display(" ".join(text[: 2 * limit].split()))
    return line if len(line) <= limit else line[: limit - 1] + "…"


def fit(name: str, items: Iterable[DigestItem], budget: int, rest: str, *, total: int) -> DigestSection:
    """Return the first items that fit, and the total; later ones are not made. Warnings show at least one."""
    fitting: list[DigestItem] = []
    spent = 0
    for item in items:
        spent += item_cost(item)
        if spent > budget and not (name == WARNINGS and not fitting):
            break
        fitting.append(item)
    return DigestSection(name, tuple(fitting), total, rest)


def kind_heading(kind: str, status: str) -> str:
    """Return the heading for relevant memories of a kind: ``RELEVANT FACTS`` only for what is proved."""
    if status == VERIFIED:
        return RELEVANT
    if kind == FACT:
        return "FACTS NOT PROVED"
    name = kind.replace("_", "-").upper()
    return name if name == "LEARNED" else f"{name[:-1]}IES" if name.endswith("Y") else f"{name}S"


def item_cost(item: DigestItem) -> int:
    """Return the tokens of an item as printed."""
    return count_tokens(f"{item.key} {item.status} {item.text}") + LINE_TOKENS


def cost(sections: Iterable[DigestSection]) -> int:
    """Return the tokens of the items in some sections."""
    return sum(item_cost(item) for section in sections for item in section.items)


def as_table(sections: Sequence[DigestSection], catalog: Catalog | None) -> dict[str, object]:
    """Return the digest as the documented JSON: sections, their tokens, and how many memories are not shown.

    Without a catalog, all are memories of other scopes, which are named by their keys.
    """
    own = [i.key for section in sections for i in section.items if i.scope == PROJECT]
    ids = short_ids(catalog, own) if catalog is not None else {}
    return {
        "sections": [
            {
                "name": section.name,
                "items": [
                    {
                        "key": i.key,
                        "kind": i.kind,
                        "status": i.status,
                        "text": i.text,
                        "score": i.score,
                        "scope": i.scope,
                        "number": i.number,
                        "short_id": ids.get(i.key, i.key) if i.scope == PROJECT else i.key,
                        "whole": i.is_whole,
                        "refs": list(i.refs),
                    }
                    for i in section.items
                ],
                "total": section.total,
                "more": section.more,
                "rest": section.rest,
            }
            for section in sections
        ],
        "tokens": cost(sections) + FRAME_TOKENS,
        "more": sum(section.more for section in sections),
    }
