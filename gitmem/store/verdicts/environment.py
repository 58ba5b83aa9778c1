"""The environment that a check ran in, as text in a verdict: without paths, so that machines can compare it. Pure.

Words separated by spaces: the system and its architecture (``linux-x86_64``), variables that the fact declares
(``$CI:9a12`` or ``$CI:unset``), lock files of dependency folders (``@web/package-lock.json:9a…``), and programs
(``python3=3.11:1f0c…``: name, version if it is part of the file name, hash of the file).
"""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# The longest environment in characters; words that do not fit are left out, the last by name first.
LIMIT = 1500
HASH_DIGITS = 12
VALUE_DIGITS = 4
UNSET = "unset"
# The most programs shown to a person.
DESCRIBED = 5
_HEX = "0123456789abcdef"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-")


@frozen
class Environment:
    """A parsed environment.

    Attributes:
        system: The system and its architecture; empty if unknown.
        versions: The version of each program by name; empty if unknown.
        locks: The hash of each lock file by its path in the code.
        variables: The mark of each declared variable by its name (``mark_value``).
    """

    system: str
    versions: dict[str, str]
    locks: dict[str, str]
    variables: dict[str, str]


def mark_value(name: str, value: str | None) -> str:
    """Return the mark for a variable's value, or for an unset variable (None).

    Four digits of a hash: enough to notice another value, but too few to guess a short secret offline from the public
    verdict file.
    """
    from hashlib import sha256  # 3 ms (measured), only for a fact that declares variables

    if value is None:
        return UNSET
    return sha256(f"{name}\0{value}".encode("utf-8", "surrogateescape")).hexdigest()[:VALUE_DIGITS]


def format_environment(
    system: str,
    programs: dict[str, tuple[str, str]],
    locks: dict[str, str],
    variables: Mapping[str, str] | None = None,
) -> str:
    """Return an environment as text.

    Args:
        system: The system and its architecture.
        programs: Version and hash of each program by name.
        locks: The hash of each lock file by its path in the code.
        variables: The mark of each declared variable by name.
    """
    words = [system, *(f"${name}:{mark}" for name, mark in sorted((variables or {}).items()))]
    words += [*(f"@{path}:{mark}" for path, mark in sorted(locks.items()) if " " not in path)]
    words += [f"{name}={version}:{mark}" for name, (version, mark) in sorted(programs.items()) if _is_name(name)]
    while sum(map(len, words)) + len(words) > LIMIT:
        words.pop()
    return " ".join(words)


def parse_environment(text: str) -> Environment:
    """Parse an environment; invalid words are left out."""
    first, *words = text[: LIMIT + 1].split(" ")
    versions: dict[str, str] = {}
    locks: dict[str, str] = {}
    variables: dict[str, str] = {}
    for word in words:
        head, _, mark = word.rpartition(":")
        name, equals, version = head.partition("=")
        if head.startswith("$"):
            if _is_name(head[1:]) and (mark == UNSET or (len(mark) == VALUE_DIGITS and not mark.strip(_HEX))):
                variables[head[1:]] = mark
            continue
        if len(mark) != HASH_DIGITS or mark.strip(_HEX):
            continue
        if head.startswith("@"):
            locks[head[1:]] = mark
        elif equals and _is_name(name):
            versions[name] = version
    return Environment(first if _is_name(first) else "", versions, locks, variables)


def clean_environment(text: str) -> str:
    """Return a text by others if it is an environment, else an empty string."""
    return text if not text or (parse_environment(text).system and "/" not in text.partition(" @")[0]) else ""


def difference(one: str, other: str) -> str:
    """Return in a few words how two environments differ; empty if they agree in everything that both state.

    Hashes of programs do not count: builds of one version differ between distributions.
    """
    if not one or not other or one == other:
        return ""
    first, second = parse_environment(one), parse_environment(other)
    if first.system != second.system and first.system and second.system:
        return f"{first.system}, not {second.system}"
    for name, version in first.versions.items():
        known = second.versions.get(name, "")
        if version and known and version != known:
            return f"{name} {version}, not {known}"
    for name, mark in first.variables.items():
        known = second.variables.get(name, mark)
        if known != mark:
            return f"{name} is not set" if mark == UNSET else f"{name} has another value"
    changed = [path for path, mark in first.locks.items() if second.locks.get(path, mark) != mark]
    return f"another {changed[0]}" if changed else ""


def describe_environment(text: str) -> str:
    """Return an environment for display, with a few of its programs: ``linux x86_64, python3 3.11``."""
    environment = parse_environment(text)
    programs = [f"{name} {version}" for name, version in environment.versions.items() if version][:DESCRIBED]
    return ", ".join([environment.system.replace("-", " ", 1), *programs])


def _is_name(text: str) -> bool:
    return bool(text) and _NAME.issuperset(text)
