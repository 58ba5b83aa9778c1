"""The reason of a fact that is false because a path moved: listings group facts by it. Pure."""

from __future__ import annotations

from gitmem.frozen import frozen

# Between the old path and the new one.
_TO = " moved to "


@frozen
class PathMove:
    """The old path and the new path of a file or folder."""

    old: str
    new: str

    @property
    def message(self) -> str:
        """Return the reason: ``deploy.sh moved to ship.sh``."""
        return f"{_quote(self.old)}{_TO}{_quote(self.new)}"

    @property
    def common(self) -> PathMove:
        """Return the move without the unchanged components at the end of both paths, but with at least one of each."""
        old, new = self.old.split("/"), self.new.split("/")
        while len(old) > 1 and len(new) > 1 and old[-1] == new[-1]:
            old, new = old[:-1], new[:-1]
        return PathMove("/".join(old), "/".join(new))


def parse_path_move(because: str) -> PathMove | None:
    """Parse a reason that is a move of a path; None for any other."""
    old, separator, new = because.partition(_TO)
    if not separator:
        return None
    paths = _unquote(old), _unquote(new)
    return PathMove(*paths) if all(paths) else None


def _quote(path: str) -> str:
    return f"'{path}'" if any(map(str.isspace, path)) else path


def _unquote(text: str) -> str:
    """Return the path in a reason; empty if it is not one."""
    if text.startswith("'") and text.endswith("'"):
        return text[1:-1]
    return "" if any(map(str.isspace, text)) else text
