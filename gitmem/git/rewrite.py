"""Rewrite commits without some files and texts: the same input always gives the same commits.

One ``git fast-import`` makes them, so every format of repositories works. Signatures are dropped, since they are about
the old commit. Source: git-fast-import(1), git-cat-file(1).
"""

from __future__ import annotations

import os

from gitmem.errors import ConflictError
from gitmem.frozen import frozen
from gitmem.system import only_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Protocol

    from gitmem.git import Git

    class Rules(Protocol):
        """What is removed."""

        def drops(self, path: str) -> bool:
            """Return whether a file is removed."""
            ...

        def content(self, path: str, content: bytes) -> bytes:
            """Return the new content of a file."""
            ...

        def text(self, content: bytes) -> bytes:
            """Return the new message of a commit."""
            ...


# Holds the new commits until the refs are moved.
WORK_REF = "refs/gitmem/purging"
_FOLDER = b"40000"
_LINK = b"160000"
# The caches of commits in ``objects/info``, which must not name deleted ones (git-commit-graph(1)).
_GRAPHS = ("commit-graph", "commit-graphs")
# The headers of a commit that its rewritten form has too.
_COPIED = (b"author", b"committer", b"encoding")


@frozen
class Rewriting:
    """Commits to rewrite.

    Attributes:
        order: The commits in the range, parents first.
        changed: Those that change, with their parts: the stream of fast-import without parents, by commit.
        parents: The parents of each commit in the range.
        blobs: The new contents that the streams refer to, in order of their marks.
        touched: The commits in which a file or the message changes, not only a parent.
    """

    order: tuple[str, ...]
    changed: Mapping[str, tuple[bytes, bytes]]
    parents: Mapping[str, tuple[str, ...]]
    blobs: tuple[bytes, ...]
    touched: frozenset[str]


def plan_rewriting(git: Git, rules: Rules, tips: Sequence[str], *, but: Sequence[str] = ()) -> Rewriting:
    """Return how the histories of some commits are rewritten; commits of other histories are left alone.

    Args:
        git: The repository.
        rules: What is removed.
        tips: The last commits.
        but: Commits whose histories have nothing to remove.
    """
    return _Planner(git, rules, tips, but).plan()


def write_rewriting(git: Git, plan: Rewriting) -> dict[str, str]:
    """Write the new commits, and return them by the old ones; they are reachable from ``WORK_REF`` only in part.

    Raises:
        ProcessError: git failed; nothing was changed.
    """
    changed = [commit for commit in plan.order if commit in plan.changed]
    if not changed:
        return {}
    first = len(plan.blobs) + 1
    marks = {commit: f":{number}" for number, commit in enumerate(changed, start=first)}
    parts = [b"feature done\n"]
    for number, content in enumerate(plan.blobs, start=1):
        parts += [f"blob\nmark :{number}\ndata {len(content)}\n".encode(), content, b"\n"]
    for commit in changed:
        head, files = plan.changed[commit]
        parents = [marks.get(parent, parent) for parent in plan.parents[commit]]
        begin = f"reset {WORK_REF}\n\ncommit {WORK_REF}\nmark {marks[commit]}\n".encode()
        joins = "".join(f"{'merge' if nth else 'from'} {parent}\n" for nth, parent in enumerate(parents))
        parts += [begin, head, joins.encode(), files, b"\n"]
    parts += [f"get-mark {mark}\n".encode() for mark in marks.values()]
    parts.append(b"done\n")
    argv = ("fast-import", "--quiet", "--force", "--date-format=raw-permissive")
    result = git.run(*argv, input=b"".join(parts), durable=True)
    return dict(zip(changed, result.stdout.decode("ascii").split(), strict=True))


def move_refs(git: Git, moves: Mapping[str, tuple[str, str]]) -> bool:
    """Move refs from their old to their new commits in one transaction, and drop the work ref; false if one moved."""
    orders = "".join(f"update {ref}\0{new}\0{old}\0" for ref, (old, new) in sorted(moves.items()))
    if git.read_ref(WORK_REF) is not None:
        orders += f"delete {WORK_REF}\0\0"
    argv = ("update-ref", "--no-deref", "-m", "gitmem: purge", "--stdin", "-z")
    return git.run(*argv, input=orders.encode(), check=False, durable=True).status == 0


class _Planner:
    def __init__(self, git: Git, rules: Rules, tips: Sequence[str], but: Sequence[str]) -> None:
        self._git, self._rules = git, rules
        self._range = [*tips, *(f"^{commit}" for commit in but)]
        self._trees: dict[str, list[tuple[bytes, bytes, str]]] = {}
        self._objects: set[str] = set()
        self._edits: dict[tuple[str, str], list[tuple[str, bytes, int]]] = {}
        self._contents: dict[str, bytes | None] = {}
        self._marks: dict[bytes, int] = {}

    def plan(self) -> Rewriting:
        order, parents = self._read_order()
        self._objects = set(self._git.text("rev-list", "--objects", "--no-object-names", *self._range).split())
        commits = dict(_read_all(self._git, order, b"commit"))
        roots = {commit: _tree_of(raw) for commit, raw in commits.items()}
        self._read_trees(set(roots.values()))
        self._find_contents(set(roots.values()))
        changed: dict[str, tuple[bytes, bytes]] = {}
        touched = set()
        for commit in order:
            raw = commits[commit]
            edits = self._tree(roots[commit], "")
            message = raw.partition(b"\n\n")[2]
            new_message = self._rules.text(message)
            if edits or new_message != message:
                touched.add(commit)
            if commit in touched or any(parent in changed for parent in parents[commit]):
                changed[commit] = (_head(raw, new_message), self._files(roots[commit], edits))
        return Rewriting(tuple(order), changed, parents, tuple(self._marks), frozenset(touched))

    def _read_order(self) -> tuple[list[str], dict[str, tuple[str, ...]]]:
        lines = self._git.text("rev-list", "--topo-order", "--reverse", "--parents", *self._range).split("\n")
        rows = [line.split() for line in lines if line]
        return [row[0] for row in rows], {row[0]: tuple(row[1:]) for row in rows}

    def _read_trees(self, wanted: set[str]) -> None:
        """Read all trees of the range, level by level."""
        while wanted:
            trees = dict(_read_all(self._git, sorted(wanted), b"tree"))
            self._trees |= {oid: list(_entries(raw, len(oid) // 2)) for oid, raw in trees.items()}
            below = {oid for tree in trees for mode, _, oid in self._trees[tree] if mode == _FOLDER}
            wanted = (below & self._objects) - self._trees.keys()

    def _find_contents(self, roots: set[str]) -> None:
        """Compute the new content of every file of the range: None if it does not change."""
        paths: dict[str, str] = {}
        seen: set[tuple[str, str]] = set()
        waiting = [(root, "") for root in roots]
        while waiting:
            tree, inside = waiting.pop()
            if (tree, inside) in seen or tree not in self._trees:
                continue
            seen.add((tree, inside))
            for mode, name, oid in self._trees[tree]:
                path = inside + os.fsdecode(name)
                if mode == _FOLDER:
                    waiting.append((oid, f"{path}/"))
                elif mode != _LINK and oid in self._objects:
                    paths.setdefault(oid, path)
        for oid, content in _read_all(self._git, sorted(paths), b"blob"):
            new = self._rules.content(paths[oid], content)
            self._contents[oid] = None if new == content else new

    def _tree(self, tree: str, inside: str) -> list[tuple[str, bytes, int]]:
        """Return the changes below a tree: path, mode (empty to remove the file) and the mark of its new content."""
        if tree not in self._trees:
            return []
        if (tree, inside) not in self._edits:
            entries = []
            for mode, name, oid in self._trees[tree]:
                path = inside + os.fsdecode(name)
                if mode == _FOLDER:
                    entries += self._tree(oid, f"{path}/")
                elif self._rules.drops(path):
                    entries.append((path, b"", 0))
                elif (content := self._contents.get(oid)) is not None:
                    entries.append((path, mode, self._marks.setdefault(content, len(self._marks) + 1)))
            self._edits[tree, inside] = entries
        return self._edits[tree, inside]

    def _files(self, tree: str, edits: Iterable[tuple[str, bytes, int]]) -> bytes:
        """Return the part of the stream that sets the files of a commit."""
        lines = [f'M 040000 {tree} ""\n'.encode()] if self._trees.get(tree) else [b"deleteall\n"]
        for path, mode, mark in edits:
            quoted = _quote(path)
            lines.append(b"M %s :%d %s\n" % (mode, mark, quoted) if mode else b"D %s\n" % quoted)
        return b"".join(lines)


def _quote(path: str) -> bytes:
    return b'"' + b"".join(b"\\%03o" % byte for byte in os.fsencode(path)) + b'"'


def _tree_of(raw: bytes) -> str:
    return raw.split(b"\n", 1)[0].removeprefix(b"tree ").decode("ascii")


def _head(raw: bytes, message: bytes) -> bytes:
    """Return the headers and the message of a commit for fast-import."""
    headers = raw.partition(b"\n\n")[0].split(b"\n")
    copied = [line + b"\n" for line in headers if line.split(b" ", 1)[0] in _COPIED]
    return b"".join(copied) + b"data %d\n" % len(message) + message + b"\n"


def _entries(raw: bytes, size: int) -> Iterator[tuple[bytes, bytes, str]]:
    """Yield mode, name and object name of each entry of a tree object (gitformat-pack has no description; tree.c)."""
    at = 0
    while at < len(raw):
        space, end = raw.index(b" ", at), raw.index(b"\0", at)
        yield raw[at:space], raw[space + 1 : end], raw[end + 1 : end + 1 + size].hex()
        at = end + 1 + size


def _read_all(git: Git, oids: Sequence[str], kind: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the content of each object of one kind; missing ones and others are left out."""
    if not oids:
        return
    from gitmem.system import process

    argv = git.argv("cat-file", "--batch", "--buffer")
    lines = "".join(f"{oid}\n" for oid in oids).encode("ascii")
    with process.RunningTool(argv, env=git.environment(), input=lines) as out:
        for oid in oids:
            words = out.readline().split()
            if len(words) == 3 and words[2].isdigit():
                content = out.read(int(words[2]))
                out.read(1)
                if words[1] == kind:
                    yield oid, content


def drop_objects(git: Git, old: Sequence[str]) -> int:
    """Delete the objects that only some old commits need, and return how many there were.

    Packs that have one of them are written again; other unreachable objects become loose and stay.
    """
    tips = [commit for commit in old if git.has(commit, "commit")]
    if not tips:
        return 0
    # Not one call with ``--not``, which leaves out only what the last common commits have (git-rev-list(1), --objects).
    needed = _list_objects(git, "--all", "--reflog", "--indexed-objects")
    gone = _list_objects(git, *tips) - needed
    if not gone:
        return 0
    if _are_packed(git, gone):
        git.run("repack", "-A", "-d", "-q")
    for oid in gone:
        path = os.path.join(git.repository.common, "objects", oid[:2], oid[2:])
        if os.path.exists(path):
            os.unlink(path)
    if any(os.path.exists(os.path.join(git.repository.common, "objects", "info", name)) for name in _GRAPHS):
        git.run("commit-graph", "write", "--reachable", "--no-progress")
    if _are_packed(git, gone):
        hint = "remove the .keep files beside the packs in .git/objects/pack, then: gitmem purge --continue"
        raise ConflictError("a pack that git may not rewrite still has the purged objects", hint=hint)
    return len(gone)


def _list_objects(git: Git, *revs: str) -> set[str]:
    """Return everything that some revisions need."""
    return set(git.text("rev-list", "--objects", "--no-object-names", *revs).split())


def _are_packed(git: Git, oids: set[str]) -> bool:
    """Return whether a pack has one of these objects."""
    folder = os.path.join(git.repository.common, "objects", "pack")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for name in names:
        if name.endswith(".idx"):
            with open(os.path.join(folder, name), "rb", opener=only_regular) as file:
                listed = git.run("show-index", input=file.read()).stdout.decode("ascii").split()
            if not oids.isdisjoint(listed):
                return True
    return False
