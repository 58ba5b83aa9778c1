"""Show the history of one memory and its verdicts, or the newest commits of a store."""

from __future__ import annotations

from gitmem.document.times import format_time
from gitmem.errors import FormatError, ProcessError
from gitmem.frozen import frozen, replace
from gitmem.git.ancestry import is_shallow, shallow_ends
from gitmem.repository.holder import holder_of
from gitmem.store import layout
from gitmem.store.code_folder import CODE_PREFIX
from gitmem.store.read import READABLE_WITHIN
from gitmem.store.verdicts.buckets import parse_section, sections_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.git import Git
    from gitmem.repository import OpenRepository

    # The verdicts of one fact in each blob, by key and specification.
    _Known = dict[str, dict[tuple[str, str], bytes]]
    # What changed verdicts say, as fields of a row, by the path of their file and their texts.
    _Outcomes = dict[tuple[Any, ...], dict[str, Any]]

# The time limit in seconds for finding where a memory was before, for which git opens every folder of some commits.
FOLLOW_S = 8.0
# The most commits read for the history of one memory.
MOST_LOGGED = 2000
SHALLOW = "this clone is shallow, so older changes are not shown: git fetch --unshallow"
_VERDICTS = (layout.VERDICT, layout.BUCKET)


@frozen
class _Logged:
    """One commit, and the files that it changed: each path with the blobs before and after."""

    commit: str
    at: str
    who: str
    subject: str
    changed: tuple[tuple[str, str, str], ...]

    @property
    def row(self) -> dict[str, Any]:
        return {"commit": self.commit, "at": _date(self.at), "who": self.who, "subject": self.subject}


@frozen
class _Walk:
    """A walk from the tip of a branch, newest commits first.

    Attributes:
        git: The repository.
        tip: Where it begins.
        limit: The most commits for one answer.
        notices: Receives what people should know about the answers.
        last: The last commit of interest: what is older is not searched. Empty for all.
    """

    git: Git
    tip: str
    limit: int
    notices: list[str]
    last: str = ""

    def read(self, paths: Sequence[str]) -> list[_Logged]:
        """Return the newest commits that changed some paths; those before an unreadable tree take another call."""
        argv = ("--literal-pathspecs", *_LOG, f"--max-count={self.limit}")
        older = (f"^{self.last}^@",) if self.last else ()
        whole = self.git.run(*argv, self.tip, *older, "--", *paths, check=False)
        if whole.status == 0:
            return _parse_log(whole.stdout)
        for back in range(1, READABLE_WITHIN):
            behind = self.git.run(*argv, f"{self.tip}~{back}", *older, "--", *paths, check=False)
            if behind.status == 0:
                notice = "a tree of the memory branch is unreadable, so this history is incomplete: gitmem doctor"
                self.notices.extend([notice] if notice not in self.notices else [])
                return _parse_log(whole.stdout + behind.stdout)
        return _parse_log(self.git.run(*argv, self.tip, *older, "--", *paths).stdout)

    def read_changes(self, paths: Sequence[str]) -> list[_Logged]:
        """Return the newest commits that changed some paths, without those at the end of a shallow clone.

        Compared with nothing, such a commit adds every file of its tree.
        """
        ends = shallow_ends(self.git)
        return [entry for entry in self.read(paths) if entry.commit not in ends]


def log_of(repository: OpenRepository, key: str, *, limit: int, scope: str) -> list[dict[str, Any]]:
    """Return the history of a memory of any scope and of its verdicts, newest first; without a key, of the store.

    Each row has ``commit``, ``at`` (empty for an impossible date), ``who``, ``subject``, ``what`` (``memory`` or
    ``verdict``) and, for a verdict, ``outcome``, ``because`` and ``code_commit``. Follows the memory through split
    folders, the archive and other kinds; parts hidden by an unreadable tree are reported in the repository's notices.
    For a memory in the code tree, the commits of the code and those of its verdicts are returned.
    """
    if not key:
        return _log_all(_Walk(repository.git, repository.source()[0], limit, repository.notices))
    store, key = holder_of(repository, key, scope)
    tip = store.source()[0]
    found = store.catalog().rows("SELECT path FROM memory WHERE key = ?", (key,))
    code = store.git.read_head()[1] if store.is_in_tree else None
    paths = [path.removeprefix(CODE_PREFIX) for (path,) in found]
    rows = _log(_Walk(store.git, tip, limit, repository.notices), key, paths, code=code or "")
    if len(rows) < limit and is_shallow(store.git):
        repository.notices.append(SHALLOW)
    return rows


def _log_all(walk: _Walk) -> list[dict[str, Any]]:
    """Return the newest commits of a store; one that writes nothing but verdicts is a ``verdict``."""
    rows = []
    for logged in walk.read(["."]):
        paths = [layout.place_of(path) for path, _, _ in logged.changed]
        what = {path.what for path in paths if isinstance(path, layout.StorePath)}
        is_memory = layout.MEMORY in what or not what.intersection(_VERDICTS)
        rows.append({**logged.row, "what": layout.MEMORY if is_memory else layout.VERDICT})
    return rows


def _log(walk: _Walk, key: str, paths: Sequence[str], *, code: str) -> list[dict[str, Any]]:
    noticed, limit = len(walk.notices), walk.limit
    bucket, folder = _verdict_paths(key)
    known: _Known = {}
    outcomes: _Outcomes = {}
    while True:
        # One path at a time: only then does git (before 2.51) use the filters of changed paths (``pack``).
        verdicts = [walk.read_changes([bucket])] if walk.tip else []
        judged = [verdict for verdict in verdicts[0] if verdict.changed] if walk.tip else []
        if len(judged) >= limit and len(rows := _of_fact(walk.git, key, judged, known, outcomes)) >= limit:
            walk = replace(walk, last=rows[limit - 1]["commit"])  # anything older is not among the newest
        verdicts += [walk.read_changes([folder])] if walk.tip else []
        of_memory = replace(walk, tip=code, last="") if code else walk
        histories = [_log_memory(of_memory, key, paths, is_code=bool(code))]
        histories += [[entry for entry in history if entry.changed] for history in verdicts]  # a merge judges nothing
        rows = _of_fact(walk.git, key, _unite(walk.git, histories), known, outcomes)
        # The commits of a bucket may all be about other facts.
        is_all = all(len(entries) < walk.limit for entries in (*histories, *verdicts))
        if len(rows) >= limit or is_all or walk.limit >= MOST_LOGGED or len(walk.notices) > noticed:
            return rows[:limit]
        walk = replace(walk, limit=8 * walk.limit)


def _log_memory(walk: _Walk, key: str, paths: Sequence[str], *, is_code: bool) -> list[_Logged]:
    """Return the commits that changed a memory's file, in the folders of all the kinds that it was of.

    Its *paths* are those at the tip: mostly one, none if it is gone.
    """
    if len(paths) == 1 and not is_code:
        logged = walk.read_changes(paths)
        if _was_always_there(walk, logged, key):
            return logged
    place = layout.find_memory(paths[0]) if paths else None
    folder = place.folder if place is not None else ""
    entries, folders, known = list[_Logged](), [folder], {folder}
    for one in folders:
        paths = _paths(key, one, is_code)
        # The code's history is long and has no filters as a rule: it is walked once.
        together = [paths] if is_code else [[path] for path in paths]
        logged = _unite(walk.git, [walk.read_changes(some) for some in together])
        began = _commits_that_added(logged)
        places = _find_origins(walk, began, key, is_code=is_code) if began else []
        more = {place.folder for place in places} - known
        folders += sorted(more)
        known |= more
        entries = _unite(walk.git, [entries, logged])
    return entries


def _was_always_there(walk: _Walk, logged: Sequence[_Logged], key: str) -> bool:
    """Return whether the history of one path is all of a memory's: most were never moved, and need no more searches.

    Not if it was removed there, came from elsewhere, or a merge put it there: that commit lists no changes.
    """
    noticed, changed = len(walk.notices), [entry.changed for entry in logged]
    if not all(changed) or any(not new.strip("0") for some in changed for _, _, new in some):
        return False
    began = _commits_that_added(logged)
    if not began:
        return bool(walk.last)  # it was there before the last commit of interest
    return not _find_origins(walk, began, key, is_code=False) and len(walk.notices) == noticed


def _commits_that_added(logged: Sequence[_Logged]) -> set[str]:
    return {entry.commit for entry in logged if any(not old.strip("0") for _, old, _ in entry.changed)}


def _find_origins(walk: _Walk, commits: set[str], key: str, *, is_code: bool) -> list[layout.StorePath]:
    """Return the places that a memory was moved from by some commits."""
    specs = [f":(glob){path}" for path in _paths(key, "*", is_code)]
    try:
        result = walk.git.run(*_LOG, "--no-walk", *sorted(commits), "--", *specs, check=False, timeout_s=FOLLOW_S)
    except ProcessError:  # a tree in these commits has an endless number of files, and a pattern looks at each of them
        walk.notices.append("searching the whole history takes too long: only the folder of the kind is shown")
        return []
    prefix = CODE_PREFIX if is_code else ""
    paths = [path for entry in _parse_log(result.stdout) for path, _, new in entry.changed if not new.strip("0")]
    places = [layout.find_memory(path.removeprefix(prefix)) for path in paths]
    return [place for place in places if place is not None and place.key == key]


# Only NUL separates the fields: a name or a subject may hold any other character. Of the user's settings, a
# diff.orderFile that does not exist would be an error, and log.follow would look for renames where one path is asked.
_LOG = (
    "-c", "diff.orderFile=/dev/null", "-c", "log.follow=false",
    "log", "-z", "--no-color", "--no-show-signature", "--no-renames", "--raw",
    "--no-abbrev", "--encoding=UTF-8", "--format=%H%x00%ct%x00%an%x00%s",
)  # fmt: skip


def _paths(key: str, folder: str, is_code: bool) -> list[str]:
    """Return the possible paths of a memory in the folder of one kind."""
    where = [(split, archived) for archived in (False, True) for split in (False, True)]
    paths = [layout.memory_path(folder, key, split=split, archived=archived) for split, archived in where]
    return [f"{CODE_PREFIX}{path}" for path in paths] if is_code else paths


def _verdict_paths(key: str) -> tuple[str, str]:
    """Return the bucket of a fact's verdicts, and the folder of those that have a file of their own."""
    return layout.bucket_path(key), layout.bucket_path(key).removesuffix(".toml")


def _parse_log(text: bytes) -> list[_Logged]:
    words = text.decode("utf-8", "replace").split("\0")
    entries = []
    at = 0
    while at + 3 < len(words):
        commit, when, who, subject = words[at : at + 4]
        at += 4
        changed: list[tuple[str, str, str]] = []
        while at + 1 < len(words) and words[at].lstrip("\n").startswith(":"):
            _, _, old, new, _ = words[at].split(" ")
            changed.append((words[at + 1], old, new))
            at += 2
        entries.append(_Logged(commit, when, who, subject, tuple(changed)))
    return entries


def _unite(git: Git, histories: Sequence[Sequence[_Logged]]) -> list[_Logged]:
    """Join histories of one branch, each newest first; git decides the order of commits of the same second."""
    united: list[_Logged] = []
    for history in histories:
        one, other = list(reversed(united)), list(reversed(history))
        united = []
        while one and other:
            first, second = one[-1], other[-1]
            if first.commit == second.commit:
                joined = _Logged(first.commit, first.at, first.who, first.subject, (*first.changed, *second.changed))
                united.append(joined)
                del one[-1], other[-1]
            elif first.at == second.at:
                united.append((other if git.is_ancestor(first.commit, second.commit) else one).pop())
            else:
                united.append((one if _seconds(first.at) > _seconds(second.at) else other).pop())
        united += [*reversed(one), *reversed(other)]
    return united


def _of_fact(
    git: Git, key: str, history: Sequence[_Logged], known: _Known, outcomes: _Outcomes
) -> list[dict[str, Any]]:
    """Return the commits that changed a memory or its verdicts, with the verdicts in them.

    The verdicts of each blob that is read are kept in *known*, and what was read of them in *outcomes*.
    """
    places = {path: layout.place_of(path) for entry in history for path, _, _ in entry.changed}
    kinds = {
        path: place.what
        for path, place in places.items()
        if isinstance(place, layout.StorePath) and place.key in ("", key)
    }
    files = {
        oid: path for entry in history for path, *ends in entry.changed if kinds.get(path) in _VERDICTS for oid in ends
    }
    blobs = git.read_blobs((oid for oid in files if oid.strip("0") and oid not in known), limit=layout.BUCKET_LIMIT)
    known.update((oid, _sections(content or b"", files[oid], key)) for oid, content in blobs)
    rows = []
    for entry in history:
        is_memory, is_verdict = not entry.changed, False
        outcome: dict[str, Any] = {}
        for path, *ends in entry.changed:
            if kinds.get(path) not in _VERDICTS:
                is_memory |= not path.startswith("verdicts/")
                continue
            old, new = (known.get(oid, {}) for oid in ends)
            is_verdict |= old != new or kinds[path] == layout.VERDICT
            changed: tuple[Any, ...] = (path, *(item for item in new.items() if old.get(item[0]) != item[1]))
            if changed not in outcomes:
                outcomes[changed] = _outcome(path, dict(changed[1:]))
            outcome |= outcomes[changed]
        if is_memory or is_verdict:
            rows.append({**entry.row, "what": layout.MEMORY if is_memory else layout.VERDICT, **outcome})
    return rows


def _sections(content: bytes, path: str, key: str) -> dict[tuple[str, str], bytes]:
    return {name: text for name, text in sections_of(content, path) if name[0] == key}


def _seconds(when: str) -> int:
    try:
        return int(when)
    except ValueError:
        return 0  # anyone can write such a commit


def _date(when: str) -> str:
    try:
        return format_time(int(when))
    except ValueError:
        return ""


def _outcome(path: str, verdicts: Mapping[tuple[str, str], bytes]) -> dict[str, Any]:
    """Return the verdicts in one commit; deleted, oversized and malformed ones are skipped."""
    fields: dict[str, Any] = {}
    for name, text in verdicts.items():
        try:
            verdict = parse_section(name, text, path)
        except FormatError:
            continue
        fields = {"outcome": verdict.outcome, "because": verdict.because, "code_commit": verdict.commit}
    return fields
