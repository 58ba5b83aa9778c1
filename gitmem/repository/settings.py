"""The settings of a repository: which are effective, and which of its own can run a program or send text."""

from __future__ import annotations

from gitmem import config
from gitmem.config import BOOLEANS, GUARDED, known_name
from gitmem.git import Git
from gitmem.git.repository import effective_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitmem.config import Config
    from gitmem.config import Setting as Row
    from gitmem.git.repository import Setting


def read_settings(git: Git) -> tuple[Config, Mapping[str, str], str]:
    """Return the effective settings, the repository's ignored ones by name, and a notice about these.

    Raises:
        ConfigError: A setting is wrong.
    """
    settings = _settings(git)
    own, refused, notice = guarded_settings(git, settings), dict[str, str](), ""
    git.accepts_programs = not own
    if own:
        from gitmem.repository import settings_approval

        refused, notice = settings_approval.list_ignored(git, own)
    names = {name for name, row in GUARDED.items() if row.git_name in refused}
    pairs = ((name, value) for name, value, is_own in settings if not (is_own and name in names))
    return config.load(effective_values(pairs)), refused, notice


def _settings(git: Git) -> list[Setting]:
    """Return the settings under one name for all spellings of each: the last value is effective."""
    return [(known_name(name), value, is_own) for name, value, is_own in git.config_settings()]


def guarded_settings(git: Git, settings: Iterable[Setting] = ()) -> dict[str, str]:
    """Return what the repository's own configuration sets that can run a program or send text, by name."""
    own = effective_values((name, value) for name, value, is_own in settings or _settings(git) if is_own)
    rows = ((GUARDED[name], value) for name, value in own.items() if name in GUARDED)
    return {row.git_name: value for row, value in rows if not _is_off(row, value)} | git.fetch_programs()


def _is_off(row: Row, value: str) -> bool:
    return value in ("", "off") or (row.default is False and BOOLEANS.get(value.lower()) is False)
