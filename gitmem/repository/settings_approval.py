"""Settings that can run a program or send text: in a repository's own configuration, they need acceptance.

That configuration may have come with the repository: in an unpacked archive, in a copied folder, or written by a script
of the project. The person's own configuration and the environment are always effective.
"""

from __future__ import annotations

from gitmem.errors import TrustError
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.git import Git

# The longest value: a longer one would push its beginning off the screen of the person who decides.
LENGTH_AT_MOST = 300


def list_ignored(git: Git, own: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Return those of a repository's guarded settings that are ignored, by name, and a notice about them."""
    is_accepted, is_denied = _decision(git, own)
    git.accepts_programs = is_accepted
    return ({}, "") if is_accepted else (dict(own), "" if is_denied else notice(own))


def spec_of(settings: Mapping[str, str]) -> str:
    """Return the hash by which settings are accepted: over all names and values."""
    import json  # only if there are some
    from hashlib import sha256

    return sha256(b"settings\0" + json.dumps(sorted(settings.items())).encode("utf-8", "surrogateescape")).hexdigest()


def format_settings(settings: Mapping[str, str]) -> list[str]:
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
    from gitmem.verify.approvals import clone

    approvals, spec = clone.of_clone(git), spec_of(own)
    try:
        return approvals.allows(spec), approvals.denies(spec)
    except TrustError:
        return False, False  # others could have written the acceptance
