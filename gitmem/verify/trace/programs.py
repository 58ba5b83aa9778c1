"""The programs outside the code that a check ran, each with a stamp that changes when the program does."""

from __future__ import annotations

import os
import sys

from gitmem.store.verdicts.environment import HASH_DIGITS, difference, format_environment, parse_environment
from gitmem.verify.variables import marks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Characters of a fingerprint; programs that do not fit are left out, the last by name first.
LIMIT = 1500
# Enough of a script for its first line (execve(2): 255 bytes since Linux 5.1).
FIRST_LINE = 256
GONE = "gone"
# The stamp in a fingerprint of a folder that did not exist.
MISSING = "0:0"


def fingerprint(programs: Iterable[str], variables: Iterable[str] = ()) -> str:
    """Return the programs by their resolved paths, each with size and modification time, separated by spaces.

    Args:
        programs: Absolute paths as they were run; paths that are not files on this machine are left out.
        variables: Names of environment variables; their marks come first (``store.verdicts.environment``).
    """
    declared = [f"${name}:{mark}" for name, mark in sorted(marks_of(variables).items())]
    stamps: dict[str, str] = {}
    for program in programs:
        for place in (program, interpreter_of(program)):
            real = os.path.realpath(place) if place else ""
            if real and real not in stamps and (stamp := stamp_of(real)) != GONE:
                stamps[real] = stamp
    words = [f"{_escape(place)}:{stamp}" for place, stamp in sorted(stamps.items())]
    while words and sum(map(len, words)) + len(words) > LIMIT:
        words.pop()
    return " ".join([*declared, *words])


def stamp_folders(places: Iterable[str]) -> str:
    """Return folders by their absolute paths as words of a fingerprint; those that do not exist yet are included."""
    stamps = ((place, stamp_of(place)) for place in places)
    return " ".join(f"{_escape(place)}:{MISSING if stamp == GONE else stamp}" for place, stamp in stamps)


def system() -> str:
    """Return the system and architecture of this machine."""
    return f"{sys.platform}-{os.uname().machine}" if hasattr(os, "uname") else sys.platform


def version_of(program: str) -> str:
    """Return the version in a program's file name, such as python3.11 or gcc-12; empty for most programs.

    Distributions install versions beside each other under such names. Links are resolved first.
    """
    name = os.path.realpath(program).rpartition("/")[2]
    return name[len(name.rstrip("0123456789.")) :].strip(".")


def differs_here(environment: str, path: str) -> str:
    """Describe briefly how an environment (``verdicts.environment``) differs from this machine's; empty if it does not.

    Args:
        environment: The environment of a verdict.
        path: PATH of the checks, in which the recorded programs are looked up by name.
    """
    recorded = parse_environment(environment)
    programs = {}
    for name in recorded.versions:
        places = (f"{folder}/{name}" for folder in path.split(":") if folder.startswith("/"))
        place = next((place for place in places if os.access(place, os.X_OK)), "")
        programs[name] = version_of(place) if place else ""
    mark = "0" * HASH_DIGITS
    versions = {name: (version, mark) for name, version in programs.items()}
    here = format_environment(system(), versions, {}, marks_of(recorded.variables))
    return difference(here, environment)


def parse_tools(text: str) -> dict[str, str]:
    """Return the stamps of a fingerprint's programs by path; malformed words are ignored."""
    tools = {}
    for word in text.split(" "):
        place, size, changed = word.rsplit(":", 2) if word.count(":") >= 2 else ("", "", "")
        if place.startswith("/") and size.isdecimal() and changed.isdecimal():
            tools[_unescape(place)] = f"{size}:{changed}"
    return tools


def stamp_of(place: str) -> str:
    """Return the size in bytes and modification time in seconds of a file; ``GONE`` if it does not exist."""
    try:
        info = os.stat(place)  # noqa: PTH116 - pathlib costs 8 ms to import (measured), and recall comes here
    except (OSError, ValueError):
        return GONE
    return f"{info.st_size}:{int(info.st_mtime)}"


def list_changed_programs(text: str, stamps: dict[str, str] | None = None) -> list[str]:
    """Return the programs of a fingerprint that have changed, sorted by path.

    Args:
        text: The fingerprint.
        stamps: A cache of current stamps by path; new ones are added.
    """
    known = {} if stamps is None else stamps
    changed_programs = []
    for place, stamp in parse_tools(text).items():
        if place not in known:
            known[place] = stamp_of(place)
        if known[place] != stamp and (known[place], stamp) != (GONE, MISSING):
            changed_programs.append(place)
    return sorted(changed_programs)


def list_changed_variables(text: str) -> list[str]:
    """Return the variables of a fingerprint whose values have changed, sorted by name."""
    marks = parse_environment(f"here {text}").variables
    here = marks_of(marks)
    return sorted(name for name, mark in marks.items() if here.get(name) != mark)


def describe_change(text: str) -> str:
    """Describe briefly which variables, or else programs, of a fingerprint have changed; empty if none has."""
    if names := list_changed_variables(text):
        return f"{', '.join(names)} {'has another value' if len(names) == 1 else 'have other values'}"
    changed_programs = list_changed_programs(text)
    if not changed_programs:
        return ""
    more = f" and {len(changed_programs) - 1} more" if len(changed_programs) > 1 else ""
    return f"{changed_programs[0]}{more} {'differs' if len(changed_programs) == 1 else 'differ'}"


def interpreter_of(program: str) -> str:
    """Return the interpreter that the kernel runs a script with, or an empty string."""
    try:
        with open(program, "rb") as file:  # noqa: PTH123
            first = file.read(FIRST_LINE).split(b"\n")[0]
    except OSError:
        return ""
    words = first.removeprefix(b"#!").split()
    return os.fsdecode(words[0]) if first.startswith(b"#!") and words else ""


def _escape(place: str) -> str:
    return "".join(
        chr(byte) if 32 < byte < 127 and byte not in b'%"\\' else f"%{byte:02X}" for byte in os.fsencode(place)
    )


def _unescape(place: str) -> str:
    first, *rest = place.split("%")
    try:
        raw = first.encode("ascii") + b"".join(bytes.fromhex(part[:2]) + part[2:].encode("ascii") for part in rest)
    except ValueError:
        return ""
    return os.fsdecode(raw)
