"""A repository's past: who wrote a line, the code at that time, and the commits that removed paths."""

from __future__ import annotations

import os
import posixpath
import re
from functools import cache, cached_property

from gitmem.commands.adopt.budget import SEARCHING, UNLIMITED, Budget
from gitmem.commands.adopt.code import read_texts
from gitmem.commands.adopt.findings import Culprit
from gitmem.commands.adopt.mainline import Mainline, with_folders
from gitmem.commands.adopt.vocabulary import Occurrences
from gitmem.commands.adopt.writers import Writers
from gitmem.errors import ProcessError
from gitmem.frozen import replace
from gitmem.git.ancestry import merges_of, shallow_ends
from gitmem.git.history import read_summaries
from gitmem.text.code.languages import BASELINES, BINARY, BUILDS, PROSE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.findings import Mention, Probe
    from gitmem.git import Git

# The most former trees listed, and the most versions read of one file: about a second each.
MOST_TREES = 80
# So many former trees are listed one by one; for more, it is quicker to read the changes of all files.
FEW_TREES = 12
MOST_VERSIONS = 600
# The most paths whose removal is searched: each needs a walk through the history.
MOST_PATHS = 40
# The trees that are tried at first to find when a claim about several files held.
STEPS = 20
# How many files of former code are searched for names in all (30 microseconds of CPU each, measured), and how many
# searches are made at least.
MOST_FILES, FEWEST_SEARCHES = 60_000, 4
# The most further names in one search.
MOST_PATTERNS = 100
# The walks that search for the removal of a path, in order. A file that a branch added and removed before it was merged
# is only in the full history.
_WALKS = ((), ("-m", "--first-parent"), ("--full-history", "--no-merges", "--diff-filter=D"))
_MISSING = "older files are missing and cannot be fetched, so some causes are unknown"
_FOREIGN = frozenset({"node_modules", "vendor", "third_party", "testdata", "__snapshots__"})
# What is not searched for names: documents, generated files, pictures, and code of others.
_ASIDE = (
    *(f":(exclude)*{ending}" for ending in (*PROSE, *BINARY) if not any(name.endswith(ending) for name in BUILDS)),
    *(f":(exclude,glob,icase)**/*baseline*{ending}" for ending in BASELINES),
    *(f":(exclude,glob)**/{name}/**" for name in sorted(_FOREIGN)),
)


class Past:
    """The past before the commit of some code."""

    def __init__(self, head: Code, documents: Iterable[str] = ()) -> None:
        self._git, self._commit, self._contents, self._head = head.git, head.commit, head.contents, head
        self._line = Mainline(head.git, head.commit)
        self._writers = Writers(head.git, head.commit, self._line, documents)
        self._codes: dict[str, Code] = {}
        # The commits after one.
        self._after: dict[str, frozenset[str]] = {}
        self._versions: dict[str, list[tuple[str, str]]] = {}
        # The object name and type of each ``commit:path`` that was looked up; None if it does not exist.
        self._entries: dict[str, tuple[str, str] | None] = {}
        # The limits that were reached.
        self.notes: dict[str, None] = {}
        self._words: dict[tuple[str, str], list[str]] = {}
        self._searches = 0
        self._expected: list[str] = []
        # The names that the code does not have now, and the texts of the past that have them.
        self._absent: frozenset[str] = frozenset()
        self._missing = Occurrences(head.git)
        self._searched: dict[str, Code] = {}

    def writer(self, mention: Mention) -> tuple[str, str]:
        """Return the commit that last wrote a claim's line, and the document's name then; empty if git cannot tell."""
        path = mention.document.path
        commit, named = self._writers.find(path, mention.claim.line)
        if commit in self._oldest:  # git attributes everything older to it
            self.notes["this clone lacks older commits, so some causes are unknown; git fetch --unshallow"] = None
            return "", path
        return commit, named

    def is_newer(self, path: str, lines: Iterable[int], since: str) -> bool:
        """Return whether a line of a document was written after a commit: by one that the commit's history lacks."""
        if path not in self.list_changes(since, self._commit):
            return False
        if since not in self._after:
            result = self._git.run("rev-list", f"{since}..{self._commit}")
            self._after[since] = frozenset(result.stdout.decode("ascii").split())
        return any(self._writers.find(path, line)[0] in self._after[since] for line in lines)

    @cached_property
    def _oldest(self) -> frozenset[str]:
        """Return the commits at which a shallow clone was cut off."""
        return frozenset(shallow_ends(self._git))

    def code(self, commit: str) -> Code | None:
        """Return the code at a commit; None without a commit, or if too many trees have been listed."""
        if not commit:
            return None
        if commit not in self._codes:
            if len(self._codes) >= MOST_TREES:
                self.notes["some names were not looked up in the past: too many commits wrote them"] = None
                return None
            is_many = len(self._codes) >= FEW_TREES
            line = self._line if is_many or self._line.is_read else None
            self._codes[commit] = self._searched.get(commit) or self._head.at(commit, line)
        return self._codes[commit]

    def find_removals(self, paths: Iterable[str], more: Iterable[str] = ()) -> dict[str, str]:
        """Return for each missing file or folder the commit that removed it, if found.

        Args:
            paths: Paths that existed.
            more: Paths that may have existed: they are only searched in the one walk for all, not one by one.
        """
        wanted, every = sorted(set(paths)), sorted({*paths, *more})
        proved = self._confirm(self._removals(every)) if every else {}
        left = [path for path in wanted if path not in proved]
        if len(left) > MOST_PATHS:
            number = len(wanted) - len(left) + MOST_PATHS
            self.notes[f"culprits were looked up for {number} of {len(wanted)} paths"] = None
        # git simplifies the history of one path to the line where it changed, but not that of several at once.
        for path in left[:MOST_PATHS]:
            for walk in _WALKS:
                argv = ("log", "-1", *walk, "--no-show-signature", "--format=%H", self._commit, "--", path)
                result = self._git.run("--literal-pathspecs", *argv, check=False)
                commit = result.stdout.decode("ascii", "replace").strip()
                if commit and (found := self._confirm({path: commit})):
                    proved |= found
                    break
        return proved

    def _removals(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the newest commit that removed each path or a file below it; of a merged branch, the commit on it."""
        found = self._line.find_removals(paths)
        by_merge: dict[str, list[str]] = {}
        for path, commit in found.items():
            if commit in self._line.merges:
                by_merge.setdefault(commit, []).append(path)
        for merge, merged in by_merge.items():
            left = set(merged)
            options = ("--no-merges", "--no-renames", "--diff-filter=D", f"{merge}^1..{merge}")
            for commit, names in self._log(*options, paths=merged):
                for name in names:
                    for path in left.intersection(with_folders(name)):
                        found[path] = commit
                        left.discard(path)
        return found

    def _log(self, *options: str, paths: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
        """Yield the commits of a walk through the history of some paths, each with the names of its changed files.

        The options contain the commits to walk.
        """
        argv = ("log", "--name-only", "-z", "--format=%x01%H", "--no-show-signature", *options)
        result = self._git.run("--literal-pathspecs", *argv, "--", *paths, check=False)
        for record in result.stdout.split(b"\x01")[1:]:
            commit, *names = (os.fsdecode(part).strip("\n") for part in record.split(b"\0"))
            yield commit, names

    def _confirm(self, candidates: Mapping[str, str]) -> dict[str, str]:
        """Return the pairs whose path existed at the commit's first parent and does not at the commit."""
        specs = [spec for path, commit in candidates.items() for spec in (f"{commit}:{path}", f"{commit}^:{path}")]
        there = self._objects(specs)[0]
        return {
            path: commit
            for path, commit in candidates.items()
            if f"{commit}^:{path}" in there and f"{commit}:{path}" not in there
        }

    def _objects(self, specs: Iterable[str]) -> tuple[dict[str, tuple[str, str]], bool]:
        """Return the object name and type of each existing ``commit:path``, and whether git could look up all."""
        names = [spec for spec in dict.fromkeys(specs) if "\n" not in spec]
        new = [spec for spec in names if spec not in self._entries]
        is_whole = not new or self._look_up(new)
        return {name: entry for name in names if (entry := self._entries.get(name)) is not None}, is_whole

    def _look_up(self, names: Sequence[str]) -> bool:
        """Look up ``commit:path``, in one process; return whether git could look up all."""
        form = "--batch-check=%(objectname) %(objecttype)"
        result = self._git.run("cat-file", form, input=os.fsencode("".join(f"{n}\n" for n in names)), check=False)
        if result.status:
            self.notes[_MISSING] = None
        for name, line in zip(names, result.stdout.decode("utf-8", "replace").split("\n"), strict=False):
            oid, _, kind = line.partition(" ")
            is_there = kind in ("blob", "tree", "commit")
            if is_there or not result.status:
                self._entries[name] = (oid, kind) if is_there else None
        return not result.status

    def broke(self, probe: Probe) -> str:
        """Return the newest commit after which a claim about a file was false; empty if none is found.

        It holds at the commit's first parent, and not at the commit. Renames are followed.
        """
        versions = self._versions_of(probe.path)
        for start in range(0, len(versions), 25):
            part = versions[start : start + 25]
            older = [name for _, name in versions[start + 1 : start + 26]]
            names = zip(part, [*older, part[-1][1]], strict=False)
            specs = {
                commit: (f"{commit}:{name}", f"{commit}^:{name}", f"{commit}^:{before}")
                for (commit, name), before in names
            }
            texts = self._texts({spec for three in specs.values() for spec in three})
            for commit, (here, same, renamed) in specs.items():
                # A file that is missing states nothing, which confirms a claim that something is not there.
                before, after = texts.get(same, texts.get(renamed, "")), texts.get(here, "")
                if before == after or (
                    probe.near and _lines_with(probe.near, before) == _lines_with(probe.near, after)
                ):
                    continue
                if probe.holds(before) and not probe.holds(after):
                    return commit
        return ""

    def broke_below(self, paths: Iterable[str], holds: Callable[[Code], bool], *options: str, most: int) -> str:
        """Return a commit after which a claim about several files was false; empty if none is found.

        It is the newest one, unless the claim held for few changes in between.

        Args:
            paths: The files and folders whose changes may have made it false; ``.`` for all.
            holds: Returns whether the claim holds for the code at a commit.
            options: Options of git-log that select the changes.
            most: The most changes to search.
        """
        walk = self._log(f"--max-count={most}", "--no-merges", *options, self._commit, paths=paths)
        commits = [commit for commit, _ in walk]
        step = max(len(commits) // STEPS, 1)

        def held(at: int) -> bool:
            return holds(self._head.at(commits[at], self._line if self._line.is_read else None))

        there = next((at for at in range(step - 1, len(commits), step) if held(at)), None)
        if there is None:
            return ""
        first = next((at for at in range(max(there - step + 1, 0), there) if held(at)), there)
        later = commits[first - 1] if first else ""
        return later if later and holds(self._head.at(f"{later}^")) else ""

    def _versions_of(self, path: str) -> list[tuple[str, str]]:
        """Return the commits that changed a file, newest first, with its name in each."""
        if path not in self._versions:
            walk = self._log("--follow", f"--max-count={MOST_VERSIONS}", self._commit, paths=[path])
            found = [(commit, next(filter(None, names), path)) for commit, names in walk]
            self._versions[path] = found
            if len(found) >= MOST_VERSIONS:
                self.notes[f"only the newest {MOST_VERSIONS} changes of {path} were searched"] = None
        return self._versions[path]

    def _texts(self, specs: Iterable[str]) -> dict[str, str]:
        """Return the text of each existing ``commit:path``; equal texts are read once.

        None if a partial clone lacks one of them and cannot fetch it.
        """
        found, is_whole = self._objects(specs)
        oids = {name: oid for name, (oid, kind) in found.items() if kind == "blob"} if is_whole else {}
        try:
            self._contents |= read_texts(self._git, [oid for oid in oids.values() if oid not in self._contents])
        except ProcessError:
            self.notes[_MISSING] = None
            return {}
        return {name: self._contents[oid] for name, oid in oids.items() if oid in self._contents}

    def expect(self, mentions: Iterable[Mention], missing: Iterable[str], budget: Budget = UNLIMITED) -> None:
        """Look up names in the code of the past, all whose lines one commit wrote in one search.

        The commits that wrote the most lines come first, within a limit.

        Args:
            mentions: The claims of the names.
            missing: All names that no text of the code has now, so that only other texts are searched for them.
            budget: The CPU time that it may take.
        """
        self._missing.expect(missing)
        self._absent = frozenset(missing)
        names: dict[str, set[str]] = {}
        for mention in () if budget.is_spent(SEARCHING) else mentions:
            wrote, _ = self.writer(mention)
            if wrote:
                names.setdefault(wrote, set()).add(mention.claim.name)
        self._expected = sorted({name for some in names.values() for name in some})[:MOST_PATTERNS]
        most = max(MOST_FILES // max(len(self._head.files), 1), FEWEST_SEARCHES)
        for commit in sorted(names, key=lambda name: -len(names[name]))[:most]:
            if budget.is_spent(SEARCHING):
                break
            self._search(commit, names[commit])

    def files_with(self, commit: str, word: str) -> list[str] | None:
        """Return the files of a commit that contain a word, without documents; None if the limit was reached."""
        if (commit, word) not in self._words:
            if self._searches >= FEWEST_SEARCHES:
                self.notes["some names were not looked up in the code of the past: there are too many"] = None
                return None
            self._searches += 1
            # A commit often took several names away.
            self._search(commit, {word, *self._expected})
        return self._words[commit, word]

    def _search(self, commit: str, words: Collection[str]) -> None:
        """Search the code of a commit for words, in one process."""
        if self._absent.issuperset(words):
            self._search_differences(commit, words)
            return
        found: dict[str, dict[str, None]] = {word: {} for word in words}
        named = [part for word in sorted(words) for part in ("-e", word)]
        argv = ("grep", "-o", "--no-line-number", "--no-column", "-z", "-I", "-w", "-F", *named, commit, "--", ".")
        result = self._git.run(*argv, *_ASIDE, check=False)
        for line in os.fsdecode(result.stdout).split("\n"):
            place, _, word = line.partition("\0")
            path = place.removeprefix(f"{commit}:")
            if word in found and not _is_aside(path):
                found[word][path] = None
        self._words |= {(commit, word): list(paths) for word, paths in found.items()}

    def _search_differences(self, commit: str, words: Iterable[str]) -> None:
        """Search the files of a commit that the code does not have now for words that it does not have."""
        code = self._codes.get(commit) or self._searched.setdefault(commit, self._head.at(commit))
        paths: dict[str, list[str]] = {}
        for path, oid in code.list_other_texts():
            if not _is_aside(path):
                paths.setdefault(oid, []).append(path)
        self._missing.read(paths.keys())
        for word in words:
            there = (path for oid in self._missing.having([word]) for path in paths.get(oid, ()))
            self._words[commit, word] = sorted(there)

    def texts(self, commits: Iterable[str], path: str) -> dict[str, str]:
        """Return the texts of a file at the commits that have it."""
        found = self._texts(f"{commit}:{path}" for commit in commits)
        return {spec.partition(":")[0]: text for spec, text in found.items()}

    def texts_of(self, commit: str, paths: Iterable[str]) -> dict[str, str]:
        """Return the texts of some files at a commit by path, in order, of those that it has."""
        found = self._texts(specs := [f"{commit}:{path}" for path in paths])
        return {spec.partition(":")[2]: found[spec] for spec in specs if spec in found}

    def text(self, commit: str, path: str) -> str:
        """Return the text of a file at a commit; empty without a commit, or if it has no such file."""
        return self.texts([commit], path).get(commit, "") if commit else ""

    def find_new_name(self, path: str, commit: str, since: str = "") -> str:
        """Return the new name of a file or folder after a commit; empty if it was deleted.

        By git's rename detection, else a file of the same name that the commit added in a folder above or below. Of
        several copies git picks any; the one that was added beside it with another ending (`a.mdx`) is meant. The
        commit is compared with *since*, or with its first parent.
        """
        before = since or f"{commit}^"
        new = _destination(path, _renames(self._git, before, commit))
        new = (new and self._find_beside(path, before, commit)) or new
        code = self.code(before) if new else None
        if code is not None and code.tree.has_folder(path) and code.tree.has_folder(new):
            return new if code.tree.count_below(path) > code.tree.count_below(new) else ""
        return new or self._namesake(path, before, commit)

    def has_moved_parts(self, folder: str, commit: str, since: str = "") -> bool:
        """Return whether files of a folder moved elsewhere in a commit, compared as in ``find_new_name``."""
        renames = _renames(self._git, since or f"{commit}^", commit)
        return any(old.startswith(f"{folder}/") for old, _ in renames)

    def _find_beside(self, path: str, before: str, commit: str) -> str:
        """Return the only file that a commit added beside a path, with another ending; empty if there is none."""
        stem = posixpath.splitext(path)[0]
        found = [path for path in _list_changed(self._git, before, commit, "A") if posixpath.splitext(path)[0] == stem]
        return found[0] if len(found) == 1 else ""

    def _namesake(self, path: str, before: str, commit: str) -> str:
        folder, _, name = path.rpartition("/")
        removed, added = (
            [path for path in _list_changed(self._git, before, commit, kind) if path.rpartition("/")[2] == name]
            for kind in "DA"
        )
        if removed != [path] or len(added) != 1:
            return ""
        there = added[0].rpartition("/")[0]
        near = not there or not folder or f"{there}/".startswith(f"{folder}/") or f"{folder}/".startswith(f"{there}/")
        return added[0] if near else ""

    def list_changes(self, before: str, commit: str) -> tuple[str, ...]:
        """Return the files that were added or changed between two commits."""
        return _list_changed(self._git, before, commit, "AM")

    def name_before(self, path: str, base: str) -> str:
        """Return a file's name at an earlier commit, by git's rename detection; empty if it did not exist."""
        return next((old for old, new in _renames(self._git, base, self._commit) if new == path), "")

    def culprits(self, commits: Iterable[str]) -> dict[str, Culprit]:
        """Return the authors, dates and subjects of commits, and the merges that brought them in."""
        wanted = set(commits)
        merges = merges_of(self._git, self._commit, wanted)
        made = {
            commit: Culprit(commit, summary.subject, summary.author.rpartition(" <")[0], summary.date)
            for commit, summary in read_summaries(self._git, wanted.union(merges.values())).items()
        }
        return {
            commit: replace(made[commit], merge=made.get(merges.get(commit, ""))) for commit in wanted if commit in made
        }


def _is_aside(path: str) -> bool:
    """Return whether a file is not searched for names, as ``_ASIDE`` says."""
    name = path.rpartition("/")[2].lower()
    is_baseline = "baseline" in name and name.endswith(BASELINES)
    is_document = path.endswith((*PROSE, *BINARY)) and name not in BUILDS
    return is_document or is_baseline or not _FOREIGN.isdisjoint(path.split("/")[:-1])


def _lines_with(word: str, text: str) -> list[str]:
    return [line for line in text.split("\n") if word in line] if word in text else []


@cache
def _renames(git: Git, before: str, commit: str) -> tuple[tuple[str, str], ...]:
    parts = _difference(git, before, commit, "-M50", "-l2000", "--no-rename-empty", "--diff-filter=R")
    return tuple(zip(parts[1::3], parts[2::3], strict=False))


@cache
def _list_changed(git: Git, before: str, commit: str, kind: str) -> tuple[str, ...]:
    """Return the files that were added (``A``), changed (``M``) or deleted (``D``) between two commits."""
    return tuple(_difference(git, before, commit, "--no-renames", f"--diff-filter={kind}")[1::2])


def _difference(git: Git, before: str, commit: str, *options: str) -> list[str]:
    argv = ("diff-tree", "-r", "-z", *options, "--name-status", "--no-commit-id", before, commit)
    return [os.fsdecode(part) for part in git.run(*argv, check=False).stdout.split(b"\0")]


def _words_of(folder: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", posixpath.basename(folder).lower()))


def _destination(path: str, renames: Sequence[tuple[str, str]]) -> str:
    """Return where a path was moved; a folder went where most of its files went, with the same names below it.

    A folder that became part of another one, beside more files than its own or above it, has no new name, nor has one
    some of whose files went to a folder of a more similar name.
    """
    moved: dict[str, int] = {}
    files = 0
    for old, new in renames:
        if old == path:
            return new
        files += old.startswith(f"{path}/")
        if old.startswith(f"{path}/") and new.endswith(old[len(path) :]):
            folder = new[: -len(old[len(path) :])]
            moved[folder] = moved.get(folder, 0) + 1
    best = max(moved, key=lambda folder: moved[folder], default="")
    other = sum(new.startswith(f"{best}/") for _, new in renames) - moved.get(best, 0)
    is_part = other >= moved.get(best, 0) or path.startswith(f"{best}/")
    # Of equal files, git pairs any: a folder that has a word of the old name is the likelier one.
    words = _words_of(path)
    is_unlike = not words & _words_of(best) and any(words & _words_of(folder) for folder in moved)
    is_part = is_part or is_unlike
    return best if moved.get(best, 0) * 2 > files and not is_part else ""
