"""Programs that git starts where it fetches an object that is missing, named by the repository's own configuration.

Reading a partial clone fetches (git-clone(1), ``--filter``), and whoever wrote the configuration of a repository can
choose with what. Source of the names: git-config(1), gitcredentials(7).
"""

from __future__ import annotations

import os

from gitmem.config import git_config_files, git_environment
from gitmem.git.configured import read_scopes
from gitmem.system import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.repository import Repository

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


def programs_of(repository: Repository) -> dict[str, str]:
    """Return the programs that the repository's own configuration names, by setting without its subsection.

    Of a setting that may have several values the text is a JSON list of names and values.
    """
    own = (*git_config_files(repository.common)[:2], os.path.join(repository.git, CONFIG_OF_WORKTREE))
    text = b"".join(map(_read, own)).lower()
    if not any(word in text for word in _LAZY) or not any(word in text for word in _PROGRAMS):
        return {}
    argv = ["git", f"--git-dir={repository.git}", "config", "-z", "--show-scope", "--get-regexp", _PATTERN]
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
