"""The arguments that clients may send, with their limits, and the form of answers; clients are shown these schemas.

Every argument is bounded here: a client's text is as untrusted as a memory's.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from gitmem.model import STATUSES

Line = Annotated[str, Field(max_length=200)]
Key = Annotated[str, Field(min_length=1, max_length=160)]
Lines = Annotated[list[Line], Field(max_length=20)]
Words = Annotated[str, Field(min_length=1, max_length=2000)]
Text = Annotated[str, Field(min_length=1, max_length=20_000)]
Scope = Literal["", "project", "private", "domain", "universal"]
Home = Literal["", "project", "private", "universal"]
Category = Literal["mistake-pattern", "best-practice", "codebase-knowledge", "preference"]
# mypy cannot see that this is a literal of each.
Status = Literal[STATUSES]  # type: ignore[valid-type]


class Row(BaseModel):
    """One memory that was found; its words are in the answer's text."""

    key: str
    short_id: str = ""
    kind: str
    status: str
    scope: str


class Hits(BaseModel):
    """The results of a query."""

    hits: list[Row]
    more: int
    text: str
    notes: str


class Got(BaseModel):
    """One memory."""

    key: str
    short_id: str = ""
    kind: str
    status: str
    scope: str
    text: str
    notes: str


class Context(BaseModel):
    """The digest for a session."""

    text: str
    tokens: int
    more: int
    notes: str


class FactCounts(BaseModel):
    """The number of facts with each status, and the keys of those that need attention."""

    statuses: dict[str, int]
    failed: list[str]
    suspect: list[str]
    waiting: list[str]
    text: str
    notes: str


class WriteResult(BaseModel):
    """The result of a write."""

    key: str
    short_id: str = ""
    scope: str
    commit: str
    changed: bool
    notes: str


class FactProposal(BaseModel):
    """A recorded fact: whether it is proved now, or waits until a person approves its command."""

    key: str
    short_id: str = ""
    commit: str
    waits: bool
    notes: str
