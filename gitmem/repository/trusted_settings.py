"""Settings that can run a program or send text: in a repository's own configuration, they need acceptance.

That configuration may have come with the repository: in an unpacked archive, in a copied folder, or written by a script
of the project. The person's own configuration and the environment are always effective.
"""

from __future__ import annotations

from gitmem.config import load
from gitmem.config.setting import BOOLEANS, GUARDED, known_name
from gitmem.errors import TrustError
from gitmem.git import repository
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.config.setting import Config
    from gitmem.config.setting import Setting as Row
    from gitmem.git import Git
    from gitmem.git.repository import Setting

OFF = ("", "off")
# The longest value: a longer one would push its beginning off the screen of the person who decides.
LENGTH_AT_MOST = 300


def read(git: Git) -> tuple[Config, dict[str, str], str]:
    """Return the effective settings, the repository's ignored ones by name, and a notice about these.

    Raises:
        ConfigError: A setting is wrong.
    """
    settings = _plain(git.config_settings())
    own = {**_switched_on(settings), **git.fetch_programs()}
    is_accepted, is_denied = _decision(git, own) if own else (True, False)
    git.accepts_programs = is_accepted
    ignored = {} if is_accepted else own
    refused = {name for name, row in GUARDED.items() if row.git_name in ignored}
    pairs = ((name, value) for name, value, is_own in settings if not (is_own and name in refused))
    return load(repository.collected(pairs)), ignored, notice(ignored) if ignored and not is_denied else ""


def of_repository(git: Git) -> dict[str, str]:
    """Return the guarded settings that the repository's own configuration sets, by name."""
    return {**_switched_on(_plain(git.config_settings())), **git.fetch_programs()}


def _switched_on(settings: list[Setting]) -> dict[str, str]:
    own = repository.collected((name, value) for name, value, is_own in settings if is_own)
    guarded = ((GUARDED[name], value) for name, value in own.items() if name in GUARDED)
    return {row.git_name: value for row, value in guarded if not _is_off(row, value)}


def _plain(settings: list[Setting]) -> list[Setting]:
    """Return settings under one name for all spellings of each: the last value is effective."""
    return [(known_name(name), value, is_own) for name, value, is_own in settings]


def _is_off(row: Row, value: str) -> bool:
    return value in OFF or (row.default is False and BOOLEANS.get(value.lower()) is False)


def spec_of(settings: Mapping[str, str]) -> str:
    """Return the hash by which settings are accepted: over all names and values."""
    import json  # only if there are some
    from hashlib import sha256

    return sha256(b"settings\0" + json.dumps(sorted(settings.items())).encode("utf-8", "surrogateescape")).hexdigest()


def shown(settings: Mapping[str, str]) -> list[str]:
    """Return settings as text for a person, one per line, with every hidden character visible.

    Raises:
        TrustError: A value is too long to be read on a screen.
    """
    lines = [f"{name} = {display(value)}" for name, value in sorted(settings.items())]
    if long := [line.partition(" ")[0] for line in lines if len(line) > LENGTH_AT_MOST]:
        raise TrustError(
            f"the value of {long[0]} is too long to be shown for approval ({LENGTH_AT_MOST} characters at most)",
            hint=f"set it for all your repositories: git config --global {long[0]} VALUE",
        )
    return lines


def notice(ignored: Mapping[str, str]) -> str:
    """Return the notice that names the ignored settings."""
    names = ", ".join(sorted(ignored))
    why = "a setting that can run a program or send text takes effect once you accept it"
    return f"ignoring {names} in this repository's own configuration: {why} (gitmem trust --settings)"


def _decision(git: Git, own: Mapping[str, str]) -> tuple[bool, bool]:
    """Return whether a person has accepted exactly these settings in this clone, and whether they denied them."""
    from gitmem.verify import trust  # pathlib: 2.5 ms, only if a repository has such settings

    approvals, spec = trust.of_clone(git), spec_of(own)
    try:
        return approvals.allows(spec), approvals.denies(spec)
    except TrustError:
        return False, False  # others could have written the acceptance
