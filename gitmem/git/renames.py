"""Find where files went between two commits, by git's rename detection, followed through the history.

Each step is one commit, in which a moved file is most similar to its old version: so a file that was moved, edited and
moved again is found, even if none of its original content is left. A file that was split into several has no new place.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import takewhile

from gitmem.errors import ProcessError
from gitmem.frozen import frozen
from gitmem.git.repository import is_oid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from gitmem.git import Git

# The most successive moves of one file that are followed.
MOST_STEPS = 12
# At most this many deleted and this many added files of one commit are compared by content; equal ones always are.
# git's own limit is 1,000 (git-config(1), diff.renameLimit).
MOST_COMPARED = 3000
# By how many percent the new file must be more similar than the next one; otherwise the file was split or copied.
MORE_SIMILAR_PERCENT = 20
# The most equal files of one commit whose names are compared with each other.
MOST_EQUAL = 300
# The empty blob, in both object formats: all empty files are equal, so their content says nothing about moves.
EMPTY = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
# Time limit of one query in seconds: a history of 100,000 commits is listed in 3 (measured).
LIMIT_S = 60.0


@frozen
class RenamePair:
    """A file and a new file that resembles it, with the similarity in percent and both blobs."""

    old: str
    new: str
    likeness: int
    old_oid: str
    oid: str


class Renames:
    """The renames up to one commit; results are cached."""

    def __init__(self, git: Git, tip: str, files: Collection[str]) -> None:
        """Prepare to follow files to a commit.

        Args:
            git: The repository.
            tip: The commit to which they are followed.
            files: The paths of its files.
        """
        self._git = git
        self._tip = tip
        self._files = files
        self._steps: dict[tuple[str, str], dict[str, str]] = {}
        self._deleted: dict[tuple[frozenset[str], str], dict[str, str]] = {}

    def find(self, paths: Iterable[str], since: str) -> dict[str, str]:
        """Return the paths at the tip of files of a commit, by their old path; deleted files are left out.

        Args:
            paths: Files of the commit *since* that the tip does not have.
            since: That commit; empty if unknown, to search the whole history.
        """
        at = {path: path for path in paths if "\n" not in path}
        found: dict[str, str] = {}
        for _ in range(MOST_STEPS):
            if not at:
                break
            moved = self._step(frozenset(at.values()), since)
            at = {path: moved[here] for path, here in at.items() if here in moved}
            found |= {path: here for path, here in at.items() if here in self._files}
            at = {path: here for path, here in at.items() if here not in self._files}
        left = [path for path in paths if path not in found]
        if left and since:  # an evil merge, or a commit outside of this history
            direct = self._between(since, self._tip)
            found |= {path: direct[path] for path in left if path in direct}
        return {path: here for path, here in found.items() if here in self._files}

    def _step(self, paths: frozenset[str], since: str) -> dict[str, str]:
        """Return where each file went in the last commit that deleted it."""
        found: dict[str, str] = {}
        for path, commit in self.find_deletions(paths, since).items():
            moved = self._between(f"{commit}^", commit)
            if path in moved:
                found[path] = moved[path]
        return found

    def now(self, path: str, since: str) -> str:
        """Return the path of one file of a commit at the tip; empty if it was deleted."""
        return path if path in self._files else self.find([path], since).get(path, "")

    def find_deletions(self, paths: Iterable[str], since: str) -> dict[str, str]:
        """Return the last commit after *since* (or in the whole history) that deleted each file."""
        key = frozenset(paths), since
        if key not in self._deleted:
            self._deleted[key] = self._read_deletions(key[0], since)
        return self._deleted[key]

    def _read_deletions(self, paths: Iterable[str], since: str) -> dict[str, str]:
        span = (self._tip, f"^{since}") if since else (self._tip,)
        argv = ("log", "-z", "--raw", "--no-abbrev", "--no-renames", "--diff-filter=D", "--format=%H", "--no-color")
        named = "".join(f"{path}\n" for path in sorted(paths))
        try:
            result = self._git.run(
                *("--literal-pathspecs", "-c", "diff.orderFile=/dev/null", *argv, "--no-show-signature"),
                *("--no-ext-diff", *span, "--stdin"),
                input=os.fsencode(f"--\n{named}"),
                timeout_s=LIMIT_S,
            )
        except ProcessError:
            return {}  # a shallow or partial history, so the result is unknown
        found: dict[str, str] = {}
        commit = ""
        words = iter(result.stdout.split(b"\0"))
        for word in words:
            text = word.strip(b"\n").decode("ascii", "replace")
            if text.startswith(":"):
                found.setdefault(os.fsdecode(next(words, b"")), commit)
            elif is_oid(text):
                commit = text
        return found

    def _between(self, old: str, new: str) -> dict[str, str]:
        """Return where the files went that the first commit has and the second one lacks."""
        known = self._steps.get((old, new))
        if known is None:
            known = self._steps[old, new] = self._detect(old, new)
        return known

    def _detect(self, old: str, new: str) -> dict[str, str]:
        moved = [
            pair
            for pair in self._compare(old, new, "-M")
            if pair.oid not in EMPTY or os.path.basename(pair.old) == os.path.basename(pair.new)
        ]
        if not moved:
            return {}
        # A split or copied file resembles several new ones, which rename detection alone does not show.
        likes: dict[str, dict[str, int]] = {}
        for pair in self._compare(old, new, "-M", "-C"):
            likes.setdefault(pair.old, {})[pair.new] = pair.likeness
        sides = _of_equal_files(moved)
        taken = set(sides.values())  # files that others were moved to are not parts of this one
        found = {}
        for pair in moved:
            target = sides.get(pair.old, pair.new)
            others = [
                like
                for path, like in likes.get(pair.old, {}).items()
                if path not in (target, pair.new) and path not in taken
            ]
            if pair.likeness - max(others, default=-MORE_SIMILAR_PERCENT) >= MORE_SIMILAR_PERCENT:
                found[pair.old] = target
        return found

    def _compare(self, old: str, new: str, *how: str) -> list[RenamePair]:
        argv = ("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-ext-diff", f"-l{MOST_COMPARED}", *how, old, new)
        try:
            result = self._git.run("-c", "diff.orderFile=/dev/null", *argv, timeout_s=LIMIT_S)
        except ProcessError:
            return []
        return _parse_pairs(result.stdout)


def _parse_pairs(raw: bytes) -> list[RenamePair]:
    """Return the renames and copies of a raw difference. Source: git-diff-index(1), RAW OUTPUT FORMAT."""
    rename_pairs = []
    words = iter(raw.split(b"\0"))
    for head in words:
        if not head.startswith(b":"):
            continue
        _, _, old_oid, oid, status = head.decode("ascii").split(" ")
        old = os.fsdecode(next(words, b""))
        if status[0] in "RC":
            rename_pairs.append(RenamePair(old, os.fsdecode(next(words, b"")), int(status[1:] or 0), old_oid, oid))
    return rename_pairs


def _of_equal_files(moved: Sequence[RenamePair]) -> Mapping[str, str]:
    """Return the targets of moved files with equal content, by their names: git pairs such files arbitrarily.

    The other files of the same folder show where a file went; otherwise the path with most in common is chosen.
    """
    # A file that was edited while it moved may have equalled the others only before or only after.
    alike: dict[str, str] = {}

    def first(oid: str) -> str:
        while alike.get(oid, oid) != oid:
            oid = alike[oid]
        return oid

    groups: dict[str, list[RenamePair]] = {}
    for pair in moved:
        alike[first(pair.oid)] = first(pair.old_oid)
    for pair in moved:
        groups.setdefault(first(pair.oid), []).append(pair)
    votes: dict[str, Counter[str]] = {}
    for pairs in groups.values():
        if len(pairs) == 1:
            votes.setdefault(os.path.dirname(pairs[0].old), Counter())[os.path.dirname(pairs[0].new)] += 1
    found: dict[str, str] = {}
    for pairs in groups.values():
        if len(pairs) > 1:
            found |= _pair_by_name(pairs, votes)
    return found


def _pair_by_name(pairs: Sequence[RenamePair], votes: Mapping[str, Counter[str]]) -> dict[str, str]:
    olds, news = {pair.old for pair in pairs}, {pair.new for pair in pairs}
    found: dict[str, str] = {}
    for old in sorted(olds):
        folder = votes.get(os.path.dirname(old))
        if folder:
            place = os.path.join(max(folder, key=lambda name: (folder[name], name)), os.path.basename(old))
            if place in news - set(found.values()):
                found[old] = place
    olds, news = olds - found.keys(), news - set(found.values())
    if len(olds) > MOST_EQUAL:
        return found
    best = {old: _most_alike(old, news) for old in olds}
    back = {new: _most_alike(new, olds) for new in news}
    return found | {old: new for old, new in best.items() if new and back[new] == old}


def _most_alike(path: str, others: Iterable[str]) -> str:
    """Return the path with the most folders and names in common with this one; empty if several tie."""
    scores = sorted(((_common(path, other), other) for other in others), reverse=True)
    is_one = len(scores) == 1 or (len(scores) > 1 and scores[0][0] > scores[1][0])
    return scores[0][1] if is_one else ""


def _common(path: str, other: str) -> int:
    """Return how many folders and names two paths share, counted from both ends."""
    parts, others = path.split("/"), other.split("/")

    def same(one: Iterable[str], two: Iterable[str]) -> int:
        return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(one, two, strict=False)))

    return same(reversed(parts), reversed(others)) + same(parts, others)
