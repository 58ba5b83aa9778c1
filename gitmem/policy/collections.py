"""Collections: kinds that are read, written and stored by the same rules. Pure.

A kind names its collection (``[kinds.NAME] collection``), and ``[collections.NAME]`` holds the rules. This module is
loaded only if a policy has such a table, or a person names a collection.

Source: AI Memory Module, "Five-Collection Architecture" and "Collection Comparison Summary". What its document
prescribes is the profile ``bmad``; without a profile, collections only group.
"""

from __future__ import annotations

from gitmem.config import WrongValue, setting, settings
from gitmem.policy.kinds import CAPTURE, IMPORT, PROMPT, PULLED, REMEMBER, REQUEST, START, WORK, WORKFLOW
from gitmem.policy.settings import (
    read_collection,
    read_field_names,
    read_flag,
    read_lifetime,
    read_line,
    read_lines,
    read_one_of,
    read_whole,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from gitmem.policy.kinds import Kind

# The readers: a session's start (and `context`), `pre-work`, a prompt, and explicit requests (recall, MCP, Python).
READERS = (START, WORK, PROMPT, REQUEST)
PROJECT, PRIVATE = "project", "private"
WRITERS = (REMEMBER, WORKFLOW, CAPTURE, IMPORT)
# The other name in the AI Memory Module's document.
ALIASES = {"jira-data": "jira"}
# Suffixes of files that prompts name. AI Memory Module, "Validation regex": py, js, ts, md, yaml, sql, sh.
_SUFFIXES = frozenset(
    """
        py js ts md yaml yml sql sh jsx tsx go rs java kt c h cc cpp hpp cs rb php swift toml json html css vue ipynb
        proto tf
        """.split()
)


def some_of(*words: str) -> Callable[[Any], tuple[str, ...]]:
    """Return a reader for a list of these words."""

    def parse(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not set(words).issuperset(map(str, value)):
            raise WrongValue(f"a list of {', '.join(words)}")
        return tuple(word for word in words if word in value)

    return parse


_SCOPE = read_one_of("", PROJECT, PRIVATE, "universal")


@settings
class Collection:
    """The rules of one collection.

    Attributes:
        name: The collection, as kinds name it.
    """

    name: str
    description: str = setting("", read_line, "one line for people")
    kind: str = setting("", read_collection, "the kind of what is written to it without a kind; empty = its first")
    readers: tuple[str, ...] = setting(READERS, some_of(*READERS), "who reads it unless it is named")
    writers: tuple[str, ...] = setting(WRITERS, some_of(*WRITERS), "who may write to it")
    prompt_words: tuple[str, ...] = setting(
        (), read_lines, "prompts with one of these phrases read it; with neither this nor `prompt_paths`, all do"
    )
    prompt_paths: bool = setting(False, read_flag, "whether prompts that name a file read it")
    ttl_s: int | None = setting(None, read_lifetime, "when its memories leave search, for kinds without a `ttl`")
    min_tokens: int = setting(0, read_whole(0, 100_000), "minimum tokens of one of its memories")
    max_tokens: int = setting(0, read_whole(0, 100_000), "maximum tokens of one of its memories; 0 = any number")
    required: tuple[str, ...] = setting((), read_field_names, "fields that its memories must have, with their kind's")
    scope: str = setting("", _SCOPE, 'where it is kept; "project": also refused in shared scopes; empty = as written')


COLLECTIONS: dict[str, Collection] = {
    row.name: row
    for row in (
        Collection("discussions", "session summaries, decisions and their reasons", kind="discussion"),
        Collection("code-patterns", "how things were built, with code locations"),
        Collection("conventions", "how things are done, in all projects"),
        # AI Memory Module, "Tier 2: by design": not read for prompts, nor before work.
        Collection("github", "issues, pull requests, commits and releases", readers=(REQUEST,)),
        Collection("jira", "issues and comments from Jira", readers=(REQUEST,)),
    )
}
assert {name for name, row in COLLECTIONS.items() if row.readers == (REQUEST,)} == set(PULLED)


def all_collections(kinds: Mapping[str, Kind], own: Mapping[str, Collection]) -> dict[str, Collection]:
    """Return every collection by name, sorted: the built-in ones, the policy's *own*, and those that kinds name."""
    names = {kind.collection for kind in kinds.values() if kind.collection}
    rows = {name: COLLECTIONS.get(name) or Collection(name) for name in names}
    return dict(sorted({**rows, **own}.items()))


def unread(rows: Mapping[str, Collection], reader: str, prompt: str) -> frozenset[str]:
    """Return the collections that a reader does not read; for a prompt, by its routing rules."""
    return frozenset(
        name
        for name, row in rows.items()
        if reader not in row.readers or (reader == PROMPT and not _is_routed(row, prompt))
    )


def _is_routed(row: Collection, prompt: str) -> bool:
    if not row.prompt_words and not row.prompt_paths:
        return True
    words = _between_spaces(prompt)
    is_phrase_in = any(_between_spaces(phrase) in words for phrase in row.prompt_words)
    return is_phrase_in or (row.prompt_paths and names_file(prompt))


def _between_spaces(text: str) -> str:
    """Return the words of a text in lower case, with a space before and after each."""
    words = "".join(char if char.isalnum() else " " for char in text.lower()).split()
    return f" {' '.join(words)} "


def names_file(text: str) -> bool:
    """Return whether a text names a file of code, or a path with a folder."""
    return any(is_file(word.split(":", 1)[0]) for word in words_of(text))


def words_of(text: str) -> Iterator[str]:
    """Yield the words of a text without surrounding punctuation; addresses are skipped."""
    yield from (word.strip("`'\"()[]{}<>,;:!?.") for word in text.split() if "://" not in word)


def is_file(word: str) -> bool:
    """Return whether a word looks like the path of a file of code."""
    stem, dot, suffix = word.rpartition(".")
    is_named = bool(dot) and len(stem) > 1 and suffix.lower() in _SUFFIXES
    return is_named or (word.count("/") >= 2 and all(word.strip("/").split("/")))
