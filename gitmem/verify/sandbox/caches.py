"""Find the caches and stores in the user's home that builds need offline; a check's own home shows them read-only.

Only folders of packages are listed, never the folders above them: those hold credentials and settings
(``~/.cargo/credentials.toml``, ``~/.m2/settings.xml``, ``~/.npmrc``).
"""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.config import home, variable
from gitmem.frozen import frozen


@frozen
class _Cache:
    """The packages of one tool.

    Attributes:
        folder: The tool's folder in a home.
        variable: The environment variable that names another folder; or empty.
        parts: What checks see of it, as globs; an empty one is all of it. Each tool writes beside these parts (locks,
            temporary files), which a check does in its own home.
    """

    folder: str
    variable: str
    parts: tuple[str, ...]


# Sources: the tools' documentation of their folders (`go help environment`, `npm help cache`, `uv cache dir`, …).
CACHES = (
    _Cache("go/pkg/mod", "GOMODCACHE", ("",)),
    _Cache(".cargo", "CARGO_HOME", ("registry",)),
    _Cache(".m2", "", ("repository",)),
    _Cache(".local", "PYTHONUSERBASE", ("lib/python*/site-packages",)),
    _Cache(".npm", "npm_config_cache", ("_cacache/content-v2", "_cacache/index-v5")),
    _Cache(".local/share/pnpm", "PNPM_HOME", ("store/*/files", "store/*/index")),
    _Cache(".cache/uv", "UV_CACHE_DIR", ("archive-v*", "wheels-v*", "simple-v*", "sdists-v*")),
    _Cache(".local/share/gem/ruby", "", ("*",)),
    _Cache(".gem/ruby", "", ("*",)),
)
# Maven looks for its settings and packages by Java's own idea of a home, which is not HOME (java.lang.System).
MAVEN = ".m2"


def find_caches() -> tuple[tuple[str, str], ...]:
    """Return the folders that a check's home shows: the path in that home, and the real path; sorted by the former."""
    own = Path(home()).resolve()
    caches: dict[str, str] = {}
    for cache in CACHES:
        moved = variable(cache.variable) if cache.variable else ""
        base = Path(moved) if moved else own / cache.folder
        for part in cache.parts if base.is_absolute() else ():
            for place in sorted(base.glob(part)) if part else [base]:
                real = place.resolve()
                # Not where a link leads to the home itself, or above it.
                if real.is_dir() and not own.is_relative_to(real) and os.access(real, os.R_OK | os.X_OK):
                    name = place.relative_to(base).as_posix()
                    caches[f"{cache.folder}/{name}".removesuffix("/.")] = str(real)
    return tuple(sorted(caches.items()))


def variables(in_home: str) -> dict[str, str]:
    """Return the environment variables by which tools find the caches in a check's home."""
    return {"MAVEN_OPTS": f"-Duser.home={in_home}"} if os.path.isdir(f"{home()}/{MAVEN}") else {}  # noqa: PTH112
