"""The environment that a check ran in, as text of a verdict: without places, so that others can compare it. Pure.

Words apart by blanks: the system and its architecture (``linux-x86_64``), variables that the fact declares
(``$CI:9a12`` or ``$CI:unset``), lock files of folders of dependencies (``@web/package-lock.json:9a…``), and programs
(``python3=3.11:1f0c…``: name, version where its file is named for it, hash of the file).
"""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Characters of an environment; what does not fit is left out, the last by name first.
LIMIT = 1500
HASH_DIGITS = 12
VALUE_DIGITS = 4
UNSET = "unset"
# Programs that are named to a person.
DESCRIBED = 5
_HEX = "0123456789abcdef"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-")


@frozen
class Environment:
    """The words of one environment.

    Attributes:
        system: The system and its architecture; empty where nothing is known.
        versions: The version of each program by name; empty where it is not known.
        locks: The hash of each lock file by its path in the code.
        variables: The mark of each declared variable by its name (``mark_value``).
    """

    system: str
    versions: dict[str, str]
    locks: dict[str, str]
    variables: dict[str, str]


def mark_value(name: str, value: str | None) -> str:
    """Return what a verdict says of a variable's value, or of a variable that is not set (None).

    Four digits of a hash: enough to notice another value, and too little to find out a short secret, which the file
    of a verdict would otherwise let anybody guess offline.
    """
    from hashlib import sha256  # 3 ms (measured), and only for a fact that declares variables

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
    """Return the words of a text; whatever is not one is left out."""
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


def cleaned(text: str) -> str:
    """Return a text that somebody else wrote if it is an environment, else an empty string."""
    return text if not text or (parse_environment(text).system and "/" not in text.partition(" @")[0]) else ""


def difference(one: str, other: str) -> str:
    """Return how two environments differ, in a few words; empty where they do not, as far as both say.

    Hashes of programs are there to look at: builds of one version differ from one distribution to the next.
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
    """Return an environment for people, with a few of its programs: ``linux x86_64, python3 3.11``."""
    found = parse_environment(text)
    programs = [f"{name} {version}" for name, version in found.versions.items() if version][:DESCRIBED]
    return ", ".join([found.system.replace("-", " ", 1), *programs])


def _is_name(text: str) -> bool:
    return bool(text) and _NAME.issuperset(text)
