"""Read the history of memories on both sides of a merge from git: once, and only if bodies conflict."""

from __future__ import annotations

import os
from functools import cached_property

from gitmem.document.parse import parse, unify
from gitmem.errors import FormatError, GitmemError
from gitmem.frozen import frozen
from gitmem.store import layout
from gitmem.store.merge.history import Commit, History
from gitmem.store.merge.memories import safe_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.git.objects import Objects

# With more commits since the common ancestor, bodies are merged two at a time.
MOST_COMMITS = 2000


@frozen
class _Logged:
    """A commit: its parents, its author, and the memories that it changed, with the paths of each."""

    parents: tuple[str, ...]
    who: str
    paths: dict[str, set[str]]


class Lineage:
    """The commits of two sides since what they have in common.

    Args:
        objects: The object database.
        ours: One side's commit.
        theirs: The other's.
    """

    def __init__(self, objects: Objects, ours: str, theirs: str) -> None:
        self._objects = objects
        self._ours, self._theirs = ours, theirs

    def history(self, key: str, paths: Iterable[str]) -> History | None:
        """Return the history of one memory; None if the sides have nothing in common, or too many commits.

        Args:
            key: The memory's key.
            paths: Its paths before and on both sides.
        """
        if self._logged is None:
            return None
        known = {*paths, *(path for entry in self._logged.values() for path in entry.paths.get(key, ()))}
        # Of several files, the effective one counts, as in merges.
        ordered = sorted(known, key=lambda path: (path.startswith("archive/"), path))
        commits = {
            name: Commit(entry.parents, entry.who, is_edit=key in entry.paths and len(entry.parents) < 2)
            for name, entry in self._logged.items()
        }
        return History(commits, lambda commit: self._read_body(commit, ordered))

    def _read_body(self, commit: str, paths: Iterable[str]) -> str | None:
        try:
            entry = next((path_entry for path in paths if (path_entry := self._objects.find(commit, path))), None)
            if entry is None:
                return ""
            content = self._objects.read([entry.oid], limit=layout.MEMORY_LIMIT).get(entry.oid)
            return None if content is None else unify(parse(content, path="").body)
        except (FormatError, GitmemError):
            return None

    @cached_property
    def _logged(self) -> dict[str, _Logged] | None:
        """The commits by name, parents first, begun by the common ancestor of all of them."""
        git = self._objects.git
        sides = (self._ours, self._theirs)
        apart = git.run("rev-list", "--boundary", f"--max-count={MOST_COMMITS + 1}", "...".join(sides), check=False)
        names = apart.stdout.decode("ascii").split()
        boundary = sorted(name[1:] for name in names if name.startswith("-"))
        if apart.status or not boundary or len(names) > MOST_COMMITS:
            return None
        lowest = git.run("merge-base", "--octopus", *boundary, check=False).stdout.decode("ascii").split()
        if not lowest:
            return None
        # One record per commit, begun by 0x01: name, parents, author; then mode, object names and path of each file.
        form = ("--topo-order", "--reverse", "-z", "--format=%x01%H%x02%P%x02%an%x00")
        raw = ("--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", f"--max-count={MOST_COMMITS + 1}")
        result = git.run("log", *form, *raw, *sides, f"^{lowest[0]}", check=False)
        if result.status:
            return None
        logged = {lowest[0]: _Logged((), "", {})}
        for record in result.stdout.split(b"\x01")[1:]:
            head, *rest = (part.strip(b"\n") for part in record.split(b"\0"))
            name, parents, who = head.split(b"\x02", 2)
            paths: dict[str, set[str]] = {}
            for path in [os.fsdecode(part) for part in rest if part][1::2]:
                if key := layout.memory_key(path):
                    paths.setdefault(key, set()).add(path)
            logged[name.decode("ascii")] = _Logged(
                tuple(parents.decode("ascii").split()), safe_name(who.decode("utf-8", "replace")), paths
            )
        return logged if len(logged) <= MOST_COMMITS else None
