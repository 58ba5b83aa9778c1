"""Read git's configuration files by hand, as far as that is certain: asking git costs more than a bare start.

Only plain lines of the one section are read. What git allows besides (quotes, escapes, comments behind a value, lines
that go on, sections with a name in quotes, includes) is git's to read. Source: git-config(1), SYNTAX.
"""

from __future__ import annotations

import os

from gitmem.config import git_config_files, git_environment
from gitmem.config.setting import SEPARATOR, has_several, known_name
from gitmem.git.repository import Unsure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.git.repository import Repository

SECTION = "gitmem"
# A setting's name without the section, its value, and whether the repository's own configuration says so.
Setting = tuple[str, str, bool]
# The scopes of the person's configuration; all others are the repository's.
PERSONS = ("system", "global", "command")
# What a value is made of where the text of the file is the value.
_ODD = frozenset('"\\#;\t\r')
# git 2.45 knows the second, with better words; the first keeps every git from all that can fetch (git(1)).
NO_FETCH = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
CONFIG_OF_WORKTREE = "config.worktree"
# Words without which nothing is fetched lazily, and words without which no program is named: most files have none.
_LAZY = (b"promisor", b"partialclone", b"[include")
_PROGRAMS = (
    *(b"sshcommand", b"gitproxy", b"askpass", b"alternaterefscommand", b"helper", b"uploadpack", b"vcs"),
    b"[include",
)
_PATTERN = (
    r"^(core\.(sshcommand|askpass|alternaterefscommand|gitproxy)|credential\.(.*\.)?helper|"
    r"remote\..*\.(uploadpack|vcs))$"
)
# Settings of one value, the last, as people write their names, which git prints in lower case.
_SINGLE = {
    "core.sshcommand": "core.sshCommand",
    "core.askpass": "core.askPass",
    "core.alternaterefscommand": "core.alternateRefsCommand",
}


def core_pager() -> str:
    """Return git's setting for the pager as it applies in the current folder, or an empty string."""
    from gitmem.system import process

    done = process.run(["git", "config", "--get", "core.pager"], env=git_environment(), check=False)
    return os.fsdecode(done.stdout).strip()


def mentions(path: str, section: str = SECTION) -> bytes:
    """Return a file's content where it may have settings of a section, or includes a file that may; else nothing."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return b""
    lower = content.lower()
    return content if section.encode() in lower or b"[include" in lower else b""


def read_section(content: bytes) -> list[tuple[str, str]]:
    """Return the settings of our section in a file's order: lower-case name and value.

    Raises:
        Unsure: There is something in the file that only git can read.
    """
    text = os.fsdecode(content)
    if "[include" in text.lower() or text.startswith("\ufeff"):
        raise Unsure
    found, is_ours = [], False
    for raw in text.split("\n"):
        line = raw.strip(" \t\r")
        if line.endswith("\\"):
            raise Unsure  # the next line belongs to it
        if line.startswith("["):
            is_ours = line.lower() == f"[{SECTION}]"
            if not is_ours and SECTION in line.lower():
                raise Unsure
        elif is_ours and line and line[0] not in "#;":
            found.append(_setting(line))
    return found


def _setting(line: str) -> tuple[str, str]:
    name, equals, value = (part.strip(" \t") for part in line.partition("="))
    is_plain = name[:1].isalpha() and name.isascii() and name.replace("-", "").isalnum()
    if not equals or not is_plain or not _ODD.isdisjoint(value):
        raise Unsure
    return name.lower(), value


def read_scopes(printed: str) -> list[Setting]:
    """Return the settings that ``git config -z --show-scope --get-regexp`` printed, in its order.

    Source: git-config(1), SCOPES. What a repository's files include has the scope of the file that includes it.
    """
    words = printed.split("\0")
    found = []
    for scope, setting in zip(words[:-1:2], words[1::2], strict=True):
        name, _, value = setting.partition("\n")
        found.append((name.removeprefix(f"{SECTION}."), value, scope not in PERSONS))
    return found


def collected(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return what counts of settings in git's order: the last value of a name, or all of one that may have several.

    An empty value takes back those before it, as in git's own lists.
    """
    found: dict[str, str] = {}
    for typed, value in pairs:
        name = known_name(typed)
        before = found.get(name) if value and has_several(name) else None
        found[name] = f"{before}{SEPARATOR}{value}" if before else value
    return found


def programs_of(repository: Repository) -> dict[str, str]:
    """Return the programs that the repository's own configuration names, by setting without its subsection.

    Of a setting that may have several values the text is a JSON list of names and values.
    """
    own = (*git_config_files(repository.common)[:2], os.path.join(repository.git, CONFIG_OF_WORKTREE))
    text = b"".join(map(_read, own)).lower()
    if not any(word in text for word in _LAZY) or not any(word in text for word in _PROGRAMS):
        return {}
    argv = ["git", f"--git-dir={repository.git}", "config", "-z", "--show-scope", "--get-regexp", _PATTERN]
    from gitmem.system import process

    done = process.run(argv, env=git_environment(), check=False)
    named = [(name, value) for name, value, is_own in read_scopes(os.fsdecode(done.stdout)) if is_own and value]
    several = [(name, value) for name, value in named if name not in _SINGLE]
    return {_SINGLE[name]: value for name, value in named if name in _SINGLE} | _listed(several)


def _listed(several: list[tuple[str, str]]) -> dict[str, str]:
    import json  # 1 ms, and only where a repository has such settings

    by_name: dict[str, list[tuple[str, str]]] = {}
    for name, value in several:
        by_name.setdefault(f"{name.partition('.')[0]}.{name.rpartition('.')[2]}", []).append((name, value))
    return {name: json.dumps(values) for name, values in by_name.items()}


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
