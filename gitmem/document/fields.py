"""The known fields: their types in one table, and the values of times, time limits and lifetimes.

Unknown fields are preserved and ignored. A field without a value (``tags:``) counts as absent, except ``verify``: a
fact that lost its command must not look like one that never had a check.
"""

from __future__ import annotations

from gitmem.document.builtin_checks import find_row, shapes
from gitmem.document.check_values import FLAG
from gitmem.document.elsewhere import parse_elsewhere
from gitmem.document.times import parse_time
from gitmem.document.variables import check_variables
from gitmem.errors import FormatError
from gitmem.model import STATES, TASK, Problem, is_plain_command, parse_duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from gitmem.model import Document

# The version of the fields that this program knows; a file says `schema: 2` if it needs a newer one.
SCHEMA = 1

# A longer title does not fit on a line with key and status.
TITLE_LIMIT = 100

# A check may run from a second to a day: our limit, so that a file cannot block a run forever (bad input 35).
MAX_TIMEOUT_S = 86_400

# The levels of AI Memory Module ("--importance - critical/high/medium/low").
IMPORTANCE = ("critical", "high", "medium", "low")

# Set by `import`, on memories that the store did not write itself: the name of the note that it was made of, or `true`.
# These never rotate.
IMPORTED = "imported"
# Fields in which other systems keep a memory's id, and the fewest characters of an id that is unique.
_IDS, UNIQUE = ("uuid", "id", "_id", "memory_id", "conversation_id"), 16
# Why a memory was retired that the store itself rotated: nobody called it wrong.
ROTATED = "rotated"

# More attempts than anyone makes at one task.
MOST_ATTEMPTS = 1_000_000

# beads' levels, 0 being the most urgent (also the format of Beans' example file: "priority: 2").
MAX_PRIORITY = 4


def check_fields(fields: dict[str, Any], frontmatter: str = "") -> None:
    """Check the types of the known fields.

    Args:
        fields: The fields.
        frontmatter: Their source, so that an error can name the line in the file.

    Raises:
        FormatError: ``bad-<field>``, or ``unapprovable-command`` for a command that cannot be shown literally;
            ``newer-schema`` if a file of a newer version does not fit the types of this one.
    """
    name = ""
    try:
        for name, value in fields.items():
            rule = _RULES.get(name)
            if rule is not None and value is not None and not rule[0](value):
                raise FormatError(f"`{name}` must be {rule[1]}", code=f"bad-{name}", hint=_hint(rule[0], value))
            if name in _OTHER_RULES:
                _check_other(name, value, fields)
    except FormatError as err:
        err.line = _line_of(name, frontmatter)
        if not is_newer(fields):
            raise
        message = "written for a newer version of gitmem"
        raise FormatError(message, code="newer-schema", line=err.line, hint="update gitmem to read it") from err


def _line_of(name: str, frontmatter: str) -> int:
    """Return the line in the file where a field begins, or 0 if a simple search cannot tell."""
    for line, text in enumerate(frontmatter.split("\n"), start=2):
        if text.startswith((f"{name}:", f'"{name}":', f"'{name}':")):
            return line
    return 0


def is_newer(fields: dict[str, Any]) -> bool:
    """Return whether the frontmatter was written for a newer version: it is shown, but never changed or run."""
    schema = fields.get("schema")
    return isinstance(schema, int) and schema > SCHEMA


def id_in(fields: Mapping[str, Any]) -> str:
    """Return the id that another system gave an imported memory; empty if it may not be unique, as a short number."""
    # A memory with a number may also have the id of the conversation that it is from.
    value = next((fields[name] for name in _IDS if fields.get(name) not in (None, "")), "")
    return value if isinstance(value, str) and len(value) >= UNIQUE and " " not in value else ""


def is_imported(fields: Mapping[str, Any]) -> bool:
    """Return whether a memory with this frontmatter was imported; a value of another system counts as well."""
    return fields.get(IMPORTED) not in (None, False)


def strings_in(value: Any) -> Iterator[str]:
    """Yield every text in a field, including the keys of mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for pair in value.items():
            yield from strings_in(list(pair))
    elif isinstance(value, list):
        for entry in value:
            yield from strings_in(entry)


def warnings_of(document: Document) -> tuple[Problem, ...]:
    """Return ``doctor``'s warnings about a memory that is still readable; may be empty."""
    if not is_newer(document.fields):
        return ()
    return (
        Problem(
            code="newer-schema",
            path=document.path,
            message="written for a newer version of gitmem: read only",
            key=document.key,
            hint="update gitmem to change or check it",
            severity="warning",
        ),
    )


def _hint(rule: Callable[[object], bool], value: object) -> str:
    parts = value if isinstance(value, list) else [value]
    is_typed = rule in (_is_text, _is_texts) and any(isinstance(part, int | float) for part in parts)
    return "quote it if it is text" if is_typed else ""


def _is_text(value: object) -> bool:
    return isinstance(value, str)


_LIST_TYPES = frozenset((str, int))


def _is_texts(value: object) -> bool:
    """Return whether a value is text or a list of texts; whole numbers count (`refs: [12]`), 1.10 would become 1.1."""
    if isinstance(value, list):
        return _LIST_TYPES.issuperset(map(type, value))
    return isinstance(value, str)


def _is_slug(value: object) -> bool:
    # 40 characters: the longest built-in kind has 18; a limit for folder names.
    return (
        isinstance(value, str)
        and value.isascii()
        and len(value) <= 40
        and value[:1].isalpha()
        and value.islower()
        and value.replace("_", "").replace("-", "").isalnum()
    )


def _is_ttl(value: object) -> bool:
    return isinstance(value, str) and _holds(parse_ttl, value)


def _is_timeout(value: object) -> bool:
    return _holds(parse_timeout, value)


def _is_time(value: object) -> bool:
    return isinstance(value, str) and _holds(parse_time, value)


def _holds(parse: Callable[[Any], object], value: object) -> bool:
    try:
        parse(value)
    except FormatError:
        return False
    return True


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_person(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(part, str) for part in value.values())
    return isinstance(value, str)


def _is_retired(value: object) -> bool:
    return (
        isinstance(value, dict)
        and all(_is_text(value[name]) for name in ("by", "why") if name in value)
        and ("when" not in value or _is_time(value["when"]))
    )


def _is_attempt(value: object) -> bool:
    if not (_is_closing(value) and isinstance(value, dict)):
        return False
    # A limit, so that the next number can be written as well.
    return type(value.get("num")) is int and 1 <= value["num"] <= MOST_ATTEMPTS


def _is_closing(value: object) -> bool:
    return (
        isinstance(value, dict)
        and all(_is_text(value[name]) for name in ("who", "agent", "notes", "reason", "outcome") if name in value)
        and all(_is_time(value[name]) for name in ("when", "ended") if name in value)
    )


_RULES: dict[str, tuple[Callable[[object], bool], str]] = {
    **dict.fromkeys(
        ("title", "superseded_by", "correction", "category", "workspace", "project", "task", "verified_by"),
        (_is_text, "text"),
    ),
    **dict.fromkeys(
        (
            "tags",
            "domains",
            "paths",
            "refs",
            "anchors",
            "requires",
            "produces",
            "supersedes",
            "contradicts",
            "confirmed",
        ),
        (_is_texts, "a list of strings"),
    ),
    "kind": (_is_slug, "one word in lower case, such as `gotcha` or `anti_pattern`"),
    "ttl": (_is_ttl, "a length of time such as `30d`, `12h`, `2w` or `90m`, or `never`"),
    "timeout": (_is_timeout, "a length of time such as `30s` or `5m`, from one second to a day"),
    "network": (lambda value: isinstance(value, bool), "`true` or `false`"),
    "outside": (lambda value: isinstance(value, bool), "`true` or `false`"),
    "independent": (lambda value: isinstance(value, bool), "`true` or `false`"),
    "confidence": (_is_share, "a number from 0 to 1"),
    "importance": (lambda value: value in IMPORTANCE, f"one of {', '.join(IMPORTANCE)}"),
    "priority": (
        lambda value: type(value) is int and 0 <= value <= MAX_PRIORITY,
        f"a whole number from 0 to {MAX_PRIORITY}",
    ),
    "created": (_is_time, "a time such as `2026-11-21T09:30:00Z`"),
    "by": (_is_person, "text, or a mapping such as `{who: ana, agent: dev}`"),
    "retired": (_is_retired, "a mapping of `when`, `by` and `why`"),
    "schema": (lambda value: type(value) is int and value >= 1, "a whole number from 1"),
}


# A task's own fields; other kinds may use these names for anything.
_TASK_RULES: dict[str, tuple[Callable[[object], bool], str]] = {
    "state": (lambda value: value in STATES, f"one of {', '.join(STATES)}"),
    "parent": (_is_text, "the key of a task"),
    "claimed": (_is_attempt, "a mapping such as `{num: 1, who: ana, when: 2026-11-21T09:30:00Z}`"),
    "attempts": (
        lambda value: isinstance(value, list) and all(map(_is_attempt, value)),
        "a list of mappings such as `{num: 1, outcome: failed, who: ana, when: 2026-11-21T09:30:00Z, notes: why}`",
    ),
    "closed": (_is_closing, "a mapping of `when`, `who`, `reason`"),
}


# Fields whose rules depend on others, or have messages of their own.
_OTHER_RULES = frozenset(("verify", "refute", "env", *_TASK_RULES))


def _check_other(name: str, value: Any, fields: Mapping[str, Any]) -> None:
    if name == "verify":
        _check_verify(value)
    elif value is None:
        return
    elif name == "refute":
        _check_command(name, value)
    elif name == "env" and fields.get("verify") is not None:
        check_variables(value)
    elif name in _TASK_RULES and fields.get("kind") == TASK:
        _check_task(name, value)


def _check_task(name: str, value: Any) -> None:
    rule, message = _TASK_RULES[name]
    if not rule(value):
        raise FormatError(f"`{name}` of a task must be {message}", code=f"bad-{name}")


def _check_verify(value: Any) -> None:
    if isinstance(value, dict):
        _check_builtin(value)
    elif isinstance(value, list):
        if not value or not value[0] or not all(isinstance(word, str) for word in value):
            raise _bad_verify("a list in `verify` must be a program and its arguments, all as text")
        for word in value:
            _check_shown("verify", word)
    elif isinstance(value, str):
        _check_command("verify", value)
    else:
        raise _bad_verify(
            "`verify` must be a shell command, a list of a program and its arguments, or a built-in check"
        )


def _check_command(name: str, value: Any) -> None:
    if not (isinstance(value, str) and value.strip()):
        raise FormatError(f"`{name}` must be a shell command", code=f"bad-{name}")
    _check_shown(name, value)


def _check_shown(name: str, command: str) -> None:
    if not is_plain_command(command):
        raise FormatError(
            f"`{name}` contains an invisible character, so it could not be approved",
            code="unapprovable-command",
            hint="write the command with printable characters, tabs and newlines only",
        )


def _bad_verify(message: str) -> FormatError:
    return FormatError(message, code="bad-verify")


def _check_builtin(check: dict[str, Any]) -> None:
    row = find_row(check)
    if row is None:
        raise _bad_verify(f"unknown built-in check; choose one of {shapes()}")
    for field, value in check.items():
        count = row.count if field == row.name else 1
        values = value if count > 1 and isinstance(value, list) else [value]
        if len(values) != count:
            raise _bad_verify(f"`{field}` of a built-in check must be a list of {count} texts")
        wanted = row.value_of(field)
        for entry in ["true" if wanted is FLAG and entry is True else entry for entry in values]:
            if not (isinstance(entry, str) and entry):
                raise _bad_verify(f"`{field}` of a built-in check must be text")
            if not wanted.is_valid(entry):
                raise _bad_verify(wanted.refusal.format(name=field, value=entry))
        if count > 1 and all(map(parse_elsewhere, values)):
            raise _bad_verify(f"one place of `{field}` must be in this repository")


def parse_ttl(text: str) -> int | None:
    """Return a lifetime such as ``30d`` in seconds (>= 1), or None for ``never``.

    Raises:
        FormatError: ``bad-ttl``.
    """
    return None if text == "never" else _seconds("ttl", text)


def parse_timeout(value: str | int) -> int:
    """Return a time limit in seconds, 1 to 86,400, from ``30s``, ``5m`` or whole seconds.

    Raises:
        FormatError: ``bad-timeout``.
    """
    seconds = value if type(value) is int else _seconds("timeout", str(value))
    if not 1 <= seconds <= MAX_TIMEOUT_S:
        raise FormatError("a timeout must be from one second to a day", code="bad-timeout")
    return seconds


def _seconds(name: str, text: str) -> int:
    try:
        return parse_duration(text)
    except ValueError as err:
        raise FormatError(f"`{name}`: {err}", code=f"bad-{name}") from err


def format_value(value: Any) -> str:
    """Return a value of a memory's frontmatter as text; not one line yet."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {format_value(entry)}" for name, entry in value.items())
    return ", ".join(map(format_value, value)) if isinstance(value, list) else str(value)
