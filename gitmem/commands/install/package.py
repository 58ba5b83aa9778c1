"""The gitmem that a forge's jobs install: a git commit or an archive with its hash, never a name. Pure."""

from __future__ import annotations

import re

from gitmem.errors import UsageError

# Means the code of this repository, as checked out.
OWN = "."
_URL = r"https://[A-Za-z0-9.-]+(?::[0-9]+)?/[A-Za-z0-9._~/%+-]+"
_COMMIT = re.compile(rf"git\+{_URL}@(?:[0-9a-f]{{40}}|[0-9a-f]{{64}})")
_ARCHIVE = re.compile(rf"{_URL}\.(?:tar\.gz|tgz)#sha256=[0-9a-f]{{64}}")
FORMS = "git+https://HOST/PATH@FULL_COMMIT or https://HOST/FILE.tar.gz#sha256=HASH"


def need_pinned(package: str) -> None:
    """Refuse a package that may change over time, with UsageError.

    Args:
        package: The value of ``--package``.
    """
    if package == OWN or _COMMIT.fullmatch(package) or _ARCHIVE.fullmatch(package):
        return
    raise UsageError(
        f"--package must name gitmem by a full commit or a hash, not {package!r}",
        hint=f"--package takes {FORMS}",
    )
