"""The fields of a memory as callers pass them: one table each for what was learned, for a check and for an edit."""

from __future__ import annotations

from gitmem.document.api_options import TypedDict, refuse_wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class StepFields(TypedDict, total=False):
    """The fields of a memory that a step of a workflow takes as well; an empty one is left out.

    ``more`` has fields of your own, by name: they are stored, and their words are searched.
    """

    tags: Sequence[str]
    domains: Sequence[str]
    paths: Sequence[str]
    refs: Sequence[str]
    anchors: Sequence[str]
    requires: Sequence[str]
    produces: Sequence[str]
    supersedes: Sequence[str]
    contradicts: Sequence[str]
    after: Sequence[str]
    ttl: str | None
    importance: str | None
    confidence: float | None
    task: str | None
    workspace: str | None
    branch: str | None
    project: str | None
    created: str | None
    priority: int | None
    verified_by: str | None
    by: Mapping[str, Any] | str | None
    more: Mapping[str, Any]


class MemoryFields(StepFields, total=False):
    """Further fields of a memory."""

    category: str | None


class StepOptions(StepFields, total=False):
    """What a step of a workflow takes besides; ``force`` writes even if another memory says the same."""

    title: str
    key: str
    force: bool


class PostWorkOptions(StepOptions, total=False):
    """What the record of a finished piece of work takes: its kind is ``code_pattern`` or ``outcome``."""

    kind: str


class CommandFields(MemoryFields, total=False):
    """How the command of a check runs."""

    refute: str | Sequence[str] | None
    timeout: str | int | None
    network: bool | None
    outside: bool | None
    independent: bool | None
    env: Sequence[str]


class CheckFields(TypedDict, total=False):
    """A built-in check by name, and its fields (docs/checks.md); names that Python reserves have others."""

    exists: str | None
    absent: str | None
    contains: str | None
    matches: str | None
    lacks: str | None
    same: str | Sequence[str] | None
    value: str | None
    agree: Sequence[str] | None
    symbol: str | None
    script: str | None
    depends: str | None
    within: str | Sequence[str] | None
    or_within: str | Sequence[str] | None
    exactly: bool | None
    equals: str | None
    at_least: str | None
    in_range: str | None
    at: str | None


class TreeOptions(TypedDict, total=False):
    """What a new check is judged on: ``staged`` or ``dirty`` changes as well; or left ``unproven``."""

    unproven: bool
    tree: str


class JudgingOptions(TreeOptions, total=False):
    """How a new check is judged besides: ``approve`` its command for the person who typed it.

    ``force`` writes even if another memory says the same.
    """

    approve: bool
    force: bool


class EditOptions(JudgingOptions, total=False):
    """What ``Memory.edit`` takes besides.

    ``correction``: the new title means the same; ``judge``: run the check although only the words changed.
    """

    correction: bool
    judge: bool


class FactOptions(CommandFields, CheckFields, JudgingOptions, total=False):
    """What ``Memory.fact`` takes besides: further text, an explicit key, and all of the above."""

    body: str
    key: str


class TaskFields(CommandFields, total=False):
    """The fields of a new task."""

    verify: Any
    state: str
    parent: str


def frontmatter_of(options: Mapping[str, Any], table: type, *, what: str) -> dict[str, Any]:
    """Return options as fields of a memory's frontmatter, with those of the caller's own.

    Args:
        options: The options.
        table: The table of those that there are.
        what: What takes them, such as ``Memory.remember``.

    Raises:
        UsageError: There is no such option, or a list is a text.
    """
    refuse_wrong(options, table, what=what)
    return {**{name: value for name, value in options.items() if name != "more"}, **options.get("more", {})}
