"""Readers for values in a policy, which return the value or say what is allowed. Pure."""

from __future__ import annotations

from gitmem.config import WrongValue
from gitmem.model import ENGLISH, FACTORS, NO_LANGUAGE, is_plain_command, parse_duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_DAY_S = 86_400

# The fields that a kind may require, to detect misspelt ones: the design's field names (DESIGN, section 3).
FIELDS = frozenset(
    (
        *(
            "title",
            "kind",
            "tags",
            "domains",
            "paths",
            "refs",
            "verify",
            "ttl",
            "timeout",
            "network",
            "outside",
            "refute",
        ),
        *("requires", "produces", "supersedes", "superseded_by", "confidence", "importance", "priority", "category"),
        *("workspace", "project", "created", "by", "task", "parent"),
    )
)

# Folders at the root of a store that hold no memories of a kind (DESIGN, section 2; the private and run boards).
RESERVED_FOLDERS = frozenset(("archive", "verdicts", "private", "runs"))


# The most that a branch can make an agent read at once: the maximum budget of MCP's `context`.
MOST_TOKENS = 8000
# More folders than any project's tools have, and names that no check should see.
MOST_WORK_FOLDERS = 16
NEVER_SEEN = frozenset({".git", ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config", ".local"})


def number(low: float, high: float = 1e9, *, is_open: bool = False) -> Callable[[Any], float]:
    """Return a reader for numbers from *low* (or above it, if *is_open*) to *high*."""

    def read(value: Any) -> float:
        # `nan` fails both comparisons.
        if type(value) not in (int, float) or not low <= value <= high or (is_open and value == low):
            least, most = ("above", " and at most") if is_open else ("from", " to")
            raise WrongValue(f"a number {least} {low:g}" + (f"{most} {high:g}" if high < 1e9 else ""))
        return float(value)

    return read


def one_of(*words: str) -> Callable[[Any], str]:
    """Return a reader for one of some words, at least two."""
    *most, last = (f'"{word}"' for word in words)
    wanted = f"{', '.join(most)} or {last}"

    def read(value: Any) -> str:
        if value not in words:
            raise WrongValue(wanted)
        return str(value)

    return read


looking = one_of("asked", "always")
stop_log = one_of("off", "activity", "responses")
edits = one_of("off", "patterns")
severity = one_of("error", "warning", "note", "never")
tracing = one_of("auto", "off")
fail_on = one_of("newly_false", "unchecked", "never")


def share_or_off(value: Any) -> float:
    """Read a share above 0; ``"off"`` is 0.

    Raises:
        WrongValue: It is invalid.
    """
    if value == "off":
        return 0.0
    try:
        return number(0, 1, is_open=True)(value)
    except WrongValue as err:
        raise WrongValue('a number above 0 and at most 1, or "off"') from err


def whole(low: int, high: int = 1_000_000_000) -> Callable[[Any], int]:
    """Return a reader for whole numbers from *low* to *high*."""

    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise WrongValue(f"a whole number from {low}" + (f" to {high}" if high < 1_000_000_000 else ""))
        return value

    return read


def budget(low: int) -> Callable[[Any], int]:
    """Return a reader for tokens shown to an agent: at most ``MOST_TOKENS``, whatever a branch says."""
    return lambda value: min(whole(low)(value), MOST_TOKENS)


def flag(value: Any) -> bool:
    """Read a boolean."""
    if not isinstance(value, bool):
        raise WrongValue("true or false")
    return value


def line(value: Any) -> str:
    """Read text on one line; it may be empty."""
    if not isinstance(value, str) or not value.isprintable():
        raise WrongValue("text on one line")
    return value


def command(value: Any) -> str:
    """Read a shell command; it may be empty."""
    if not isinstance(value, str) or not is_plain_command(value):
        raise WrongValue("a shell command without invisible characters")
    return value


def lines(value: Any) -> tuple[str, ...]:
    """Read a list of texts, none of them empty."""
    if not isinstance(value, list) or not all(isinstance(part, str) and part and part.isprintable() for part in value):
        raise WrongValue("a list of strings")
    return tuple(value)


def factors(value: Any) -> tuple[str, ...]:
    """Read a list of factors of a score."""
    names = lines(value)
    if not set(FACTORS).issuperset(names):
        raise WrongValue(f"a list of factors ({', '.join(FACTORS)})")
    return names


def field_names(value: Any) -> tuple[str, ...]:
    """Read a list of the design's fields."""
    names = lines(value)
    if not FIELDS.issuperset(names):
        raise WrongValue(f"a list of fields ({', '.join(sorted(FIELDS))})")
    return names


def lifetime(value: Any) -> int | None:
    """Read a length of time in seconds, or None for ``never``."""
    return None if value == "never" else _seconds(value, 'a length of time such as "30d" or "12h", or "never"')


def time_limit(value: Any) -> int:
    """Read a time limit of a check in seconds, at most a day."""
    wanted = 'a length of time such as "30s" or "5m", at most a day'
    seconds = _seconds(value, wanted)
    if seconds > _DAY_S:
        raise WrongValue(wanted)
    return seconds


def _seconds(value: Any, wanted: str) -> int:
    try:
        return parse_duration(value if isinstance(value, str) else "")
    except ValueError as err:
        raise WrongValue(wanted) from err


def rung(value: Any) -> str:
    """Read a level of the sandbox; empty for any."""
    if value not in ("", "none", "landlock", "seatbelt", "bubblewrap"):
        raise WrongValue('"none", "landlock", "seatbelt" or "bubblewrap", or empty')
    return str(value)


def language(value: Any) -> str:
    """Read the language for word stems; ``none`` to search words unchanged."""
    if value in (ENGLISH, NO_LANGUAGE):
        return str(value)
    if not isinstance(value, str):
        raise WrongValue(f'the name of a language, such as "german", or "{NO_LANGUAGE}"')
    import Stemmer  # 1 ms, and not for English

    known = Stemmer.algorithms()
    if value not in known:
        raise WrongValue(f'"{NO_LANGUAGE}" or one of {", ".join(known)}')
    return value


def profile(value: Any) -> str:
    """Read the profile of a session's context; empty for all of it."""
    if value not in ("", "bmad"):
        raise WrongValue('"bmad", or empty')
    return str(value)


def collection(value: Any) -> str:
    """Read the name of a collection; empty for none."""
    if value != "" and not (isinstance(value, str) and is_slug(value)):
        raise WrongValue("one word in lower case, or empty")
    return str(value)


def folder(value: Any) -> str:
    """Read the name of a folder for memories."""
    if not isinstance(value, str) or not is_slug(value) or value in RESERVED_FOLDERS:
        raise WrongValue(f"one word in lower case, and none of {', '.join(sorted(RESERVED_FOLDERS))}")
    return value


def work_folders(value: Any) -> tuple[str, ...]:
    """Read a list of folders of the work tree that checks may see; sorted, without duplicates.

    The memory branch's authors write it, so nothing in it may lead out of the work tree, to git's own folder, or to
    where a person keeps keys (a work tree may be someone's home).
    """
    found = tuple(sorted({name.rstrip("/") for name in lines(value)}))
    parts = [name.split("/") for name in found]
    is_nested = any(other != part and other[: len(part)] == part for part in parts for other in parts)
    if is_nested or len(found) > MOST_WORK_FOLDERS or not all(_is_inside(part) for part in parts):
        raise WrongValue(
            f"a list of at most {MOST_WORK_FOLDERS} folders of the work tree, none in another, without '..',"
            f" and none of {', '.join(sorted(NEVER_SEEN))}"
        )
    return found


def _is_inside(parts: list[str]) -> bool:
    names = (not part.strip(".") or part.lower() in NEVER_SEEN for part in parts)
    return not any(names) and all(char.isalnum() or char in "._-+@" for part in parts for char in part)


def is_slug(name: str) -> bool:
    """Return whether a text can name a kind or its folder: 2 to 40 of a-z, 0-9, ``_``, ``-``, a letter first."""
    joined = name.replace("_", "").replace("-", "")
    return (
        2 <= len(name) <= 40
        and name.isascii()
        and joined.isalnum()
        and joined == joined.lower()
        and name[0].isalpha()
        and name[-1].isalnum()
    )
