"""Programs that git starts where it fetches an object that is missing, named by the repository's own configuration.

Reading a partial clone fetches (git-clone(1), ``--filter``), and whoever wrote the configuration of a repository can
choose with what. Source of the names: git-config(1), gitcredentials(7).
"""

from __future__ import annotations

import os

from gitmem import process
from gitmem.config import git_config_files, git_environment
from gitmem.git.configured import read_scopes

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
    r"^(core\.(sshcommand|gitproxy|askpass|alternaterefscommand)|credential\.(.*\.)?helper|"
    r"remote\..*\.(uploadpack|vcs))$"
)


def programs_of(repository: Repository) -> dict[str, str]:
    """Return the programs that the repository's own configuration names, by setting without its subsection."""
    own = (*git_config_files(repository.common)[:2], os.path.join(repository.git, CONFIG_OF_WORKTREE))
    text = b"".join(map(_read, own)).lower()
    if not any(word in text for word in _LAZY) or not any(word in text for word in _PROGRAMS):
        return {}
    argv = ["git", f"--git-dir={repository.git}", "config", "-z", "--show-scope", "--get-regexp", _PATTERN]
    done = process.run(argv, env=git_environment(), check=False)
    found: dict[str, str] = {}
    for name, value, is_own in read_scopes(os.fsdecode(done.stdout)):
        section, _, rest = name.partition(".")
        short = f"{section}.{_SPELT.get(rest, rest.rpartition('.')[2])}"
        if is_own and value:
            said = value if rest in _SPELT else f"{name}={value}"
            found[short] = f"{found[short]} {said}" if short in found else said
    return found


# How people write the names, which git prints in lower case.
_SPELT = {
    "sshcommand": "sshCommand",
    "gitproxy": "gitProxy",
    "askpass": "askPass",
    "alternaterefscommand": "alternateRefsCommand",
}


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
