"""Find the names of code that an edit adds, and whether a memory forbids one: "never `date.today()`". Pure."""

from __future__ import annotations

from gitmem.commands.context.near import NO_CODE, SYMBOLS_AT_MOST, is_distinctive_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.agents.event import Edit

# The most characters of one edit, the fewest of a name, and how many words may be between a name and what forbids it.
CHARS, NAME_CHARS, WORDS_BETWEEN = 64 * 1024, 4, 3
# Objects whose names differ from one place to the next.
_SELVES = frozenset(("self", "this", "cls", "super", "it"))
_FORBIDS = frozenset(("never", "not", "don't", "dont", "avoid", "instead", "rather", "no"))
# What turns a prohibition around: "never merge without run_checks".
_TURNS = frozenset(
    "without unless until before except forget forgets but only skip omit because since when if where".split()
)
# Before "not", a word of what is so, not of what must be: "the worker does not use `send_mail`".
_STATES = frozenset(("does", "did", "is", "are", "was", "were", "has", "have", "had"))
# Words behind a name that forbid it.
_AFTER = frozenset(("banned", "forbidden", "deprecated", "prohibited"))
_NEGATED = ("must not", "may not", "is not allowed", "are not allowed")
_NOT_NAMES = [char if char.isalnum() or char in "_.(" else " " for char in map(chr, range(128))]


def added_names(edits: Iterable[Edit]) -> list[str]:
    """Return the names that edits of code add, in order: dotted ones, those of several words, and what is called.

    Of a longer dotted name, its last two parts count as well: ``datetime.datetime.utcnow`` is a ``datetime.utcnow``.
    """
    found: dict[str, None] = {}
    for edit in edits:
        if edit.path.endswith(NO_CODE) or not edit.after:
            continue
        before = set(_names(edit.before[:CHARS]))
        found |= dict.fromkeys(name for name in _names(edit.after[:CHARS]) if name not in before)
    return list(found)[:SYMBOLS_AT_MOST]


def _names(text: str) -> list[str]:
    found: list[str] = []
    for word in text.translate(_NOT_NAMES).replace("(", "( ").split():
        parts = [part for part in word.rstrip("(").strip(".").split(".") if part]
        if not parts or not all(part.isidentifier() for part in parts):
            continue
        found += [part for part in parts if is_distinctive_name(part)]
        if len(parts) > 1 and parts[0] not in _SELVES:
            found += [".".join(parts), ".".join(parts[-2:])]
        elif word.endswith("(") and len(parts[-1]) >= NAME_CHARS:
            found.append(parts[-1])
    return found


def forbids(text: str, name: str) -> bool:
    """Return whether a memory forbids a name; one that may be a word of prose must be written as code in it."""
    is_plain = "." not in name and not is_distinctive_name(name)
    at = text.find(name)
    while at >= 0:
        before, rest = text[:at], text[at + len(name) :]
        is_whole = not (before[-1:].isalnum() or before[-1:] in ("_", ".")) and not (
            rest[:1].isalnum() or rest[:1] == "_"
        )
        is_whole = is_whole and not (rest[:1] == "." and rest[1:2].isalnum())
        is_code = before[-1:] == "`" or rest[:1] == "("
        if is_whole and (is_code or not is_plain) and (_forbidden_by(before) or _is_forbidden(rest)):
            return True
        at = text.find(name, at + 1)
    return False


def _forbidden_by(before: str) -> bool:
    """Return whether the words before a name, in its clause, forbid it."""
    words = _clause(before[-120:][::-1])[::-1].lower().replace("\u2019", "'").split()
    plain = [word.strip("`'\"(*_") for word in words][-WORDS_BETWEEN - 2 :]
    for at in range(len(plain) - 1, max(len(plain) - WORDS_BETWEEN - 2, -1), -1):
        if plain[at] in _TURNS:
            return False
        if plain[at] in _FORBIDS:
            return not (plain[at] == "not" and at and plain[at - 1] in _STATES)
    return False


def _is_forbidden(rest: str) -> bool:
    """Return whether the words behind a name, in its clause, forbid it."""
    words = _clause(rest[:120]).lower().replace("`", " ").replace("()", " ").split()[:WORDS_BETWEEN]
    said = " ".join(words)
    return not _AFTER.isdisjoint(words) or any(said.startswith(negated) for negated in _NEGATED)


def _clause(text: str) -> str:
    """Return a text up to the sign that ends its clause, read forwards or backwards."""
    for at, char in enumerate(text):
        beside = text[at + 1 : at + 2], text[at - 1 : at] if at else " "
        if char in ";\n" or (char in ".:!?," and any(one.isspace() for one in beside if one)):
            return text[:at]
    return text
