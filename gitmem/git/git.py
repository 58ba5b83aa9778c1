"""The git binary: plumbing with NUL-separated output only; no code from the user's configuration runs."""

from __future__ import annotations

import os

from gitmem.config import git_config_files, git_environment, variable
from gitmem.errors import ConflictError, GitmemError, NoRepositoryError, NotFoundError, suppress
from gitmem.frozen import frozen
from gitmem.git import repository
from gitmem.git.loose_objects import LooseObjects
from gitmem.git.repository import (
    CONFIG_OF_WORKTREE,
    NO_FETCH,
    Repository,
    Unsure,
    is_oid,
    programs_of,
    read_head,
    read_ref,
    refuse_pipes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from gitmem.system.process import ProcessResult

# In front of every command: gitmem's own plumbing must not run programs from the user's configuration, fetch, recurse
# or collect garbage (fsmonitor, hooksPath, submodules, ext:: remotes).
SAFE = (
    "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "submodule.recurse=false",
    "-c", "fetch.recurseSubmodules=false", "-c", "protocol.ext.allow=never", "-c", "gc.auto=0",
    "-c", "commit.gpgSign=false", "-c", "core.quotePath=false",
)  # fmt: skip


# Limits for listing a store, in bytes and seconds: the names of 600,000 files (measured: 110 bytes each; 100,000 files
# take half a second), more than any memory has. The largest code trees have ten times as many.
STORE_BOUNDS = (64 * 1024 * 1024, 15.0)


CODE_BOUNDS = (640 * 1024 * 1024, 150.0)


_FOLDER_MODE, _SUBMODULE_MODE = "040000", "160000"


_FOLDER = _FOLDER_MODE.encode()


# Prevents git from reading the system's settings, in a file whose path is compiled into it: git(1).
NO_SYSTEM = {"GIT_CONFIG_NOSYSTEM": "1"}


# fsync is off by default in git for refs and loose objects (git-config(1), core.fsync).
DURABLE = ("-c", "core.fsync=committed,reference,index", "-c", "core.fsyncMethod=fsync")


# 1971 and 2106: git fsck reports a commit with a time before the epoch as broken, and some readers use 32 bits.
EARLIEST_S, LATEST_S = 365 * 86_400, 2**32 - 1


@frozen
class TreeEntry:
    """One blob, link or submodule of a tree.

    Attributes:
        mode: Six octal digits, as git prints them.
        type: ``blob`` or ``commit``.
        oid: Its object name.
        size: Bytes; -1 if it is not a blob or the object is missing.
        path: Its path in the tree; bytes that are not UTF-8 become surrogates.
    """

    mode: str
    type: str
    oid: str
    size: int
    path: str


@frozen
class TreeChange:
    """One path that differs between two trees.

    Attributes:
        status: ``A``, ``D``, ``M`` or ``T``; in an index also ``U``, while a merge is unfinished.
        mode: The new mode; zeros if it was deleted.
        oid: The new object name; zeros if it was deleted.
        path: The path.
        old_mode: The mode before; zeros if it was added.
        old_oid: The object name before; zeros if it was added.
    """

    status: str
    mode: str
    oid: str
    path: str
    old_mode: str = ""
    old_oid: str = ""


class Git:
    """The git binary, bound to one repository; every call names the git directory instead of searching for it.

    A few loose objects are read directly, with the same results (``loose_objects``).
    """

    def __init__(self, paths: Repository, *, objects: Path | None = None, fetches: bool = True) -> None:
        """Bind git to a repository.

        Args:
            paths: Where the repository is.
            objects: A folder with additional objects to read.
            fetches: Whether git may fetch objects that a partial clone lacks.
        """
        self.repository = paths
        self.objects = objects
        self.loose = LooseObjects(paths.common)
        self._fetches = fetches
        # Whether a person accepted the programs that the repository's own configuration names for fetching.
        self.accepts_programs = False
        self._programs: dict[str, str] | None = None
        self._identity: tuple[str, str] | None = None
        self._settings: dict[str, str] = {}
        # Objects that are present, by name and kind, and commits that are ancestors: neither can change.
        self._present: set[tuple[str, str]] = set()
        self._ancestors: set[tuple[str, str]] = set()

    def argv(self, *args: str, durable: bool = False, git_dir: str | Path | None = None) -> list[str]:
        """Return the complete command line of one call."""
        where = [f"--git-dir={git_dir or self.repository.git}"]
        if self.repository.top is not None and os.path.basename(self.repository.common) != ".git":
            # A submodule's configuration names its work tree, and git would then take every path relative to the
            # current folder (git-config(1), core.worktree). A work tree named later in the call takes precedence.
            where.append("--work-tree=.")
        return ["git", *where, *SAFE, *(DURABLE if durable else ()), *args]

    def environment(self, *, transport: bool = False) -> dict[str, str]:
        """Return the environment of git calls."""
        env = git_environment(transport=transport)
        if not self._fetches or (not self.accepts_programs and self.fetch_programs()):
            env |= NO_FETCH
        return env if self.objects is None else env | {"GIT_ALTERNATE_OBJECT_DIRECTORIES": quote_path(self.objects)}

    def fetch_programs(self) -> dict[str, str]:
        """Return the programs that the repository's configuration names for fetching objects, by setting."""
        if self._programs is None:
            self._programs = programs_of(self.repository)
        return self._programs

    def run(
        self,
        *args: str,
        input: bytes | None = None,
        check: bool = True,
        durable: bool = False,
        timeout_s: float | None = None,
        transport: bool = False,
        more: Mapping[str, str] | None = None,
    ) -> ProcessResult:
        """Run one git command and return its output; *more* has additional environment variables.

        Raises:
            ProcessError: git is missing, or failed while *check* is on.
            NoRepositoryError: It runs in a work tree, where a pipe is in the place of a file that git reads.
        """
        from gitmem.system import process

        if "-C" in args:
            refuse_pipes(args[args.index("-C") + 1])
        env = {**self.environment(transport=transport), **(more or {})}
        argv = self.argv(*args, durable=durable)
        return process.run(argv, cwd=None, env=env, input=input, check=check, timeout_s=timeout_s)

    def text(self, *args: str) -> str:
        """Run a command that prints one line and return it."""
        return os.fsdecode(self.run(*args).stdout).removesuffix("\n")

    def read_ref(self, name: str) -> str | None:
        """Return the commit of a full ref, or None; reads files directly if the result is certain.

        Raises:
            ConflictError: The ref exists but is broken.
            NoRepositoryError: This git cannot read the repository's format.
        """
        try:
            return read_ref(self.repository.common, name)
        except Unsure:
            result = self.run("rev-parse", "--verify", "--quiet", "--end-of-options", name, check=False)
        oid = result.stdout.decode("ascii", "replace").strip()
        if is_oid(oid):
            return oid
        if b"repository extension" in result.stderr or b"repo version" in result.stderr:
            reason = " ".join(result.stderr.decode("utf-8", "replace").removeprefix("fatal: ").split())
            message = f"the git on this machine cannot read this repository's format: {reason}"
            raise NoRepositoryError(message, hint="update git; nothing was changed")
        if os.path.isfile(os.path.join(self.repository.common, name)):
            raise ConflictError(f"{name} is broken: it does not point to a commit", hint="gitmem doctor --fix")
        return None

    def symbolic_target(self, name: str) -> str:
        """Return the full ref that a symbolic ref points to, or an empty string."""
        try:
            read_ref(self.repository.common, name)
        except Unsure:
            return os.fsdecode(self.run("symbolic-ref", "--quiet", name, check=False).stdout).removesuffix("\n")
        return ""

    def read_head(self) -> tuple[str, str | None]:
        """Return HEAD's branch (full ref, empty when detached) and its commit (None when unborn)."""
        try:
            return read_head(self.repository)
        except Unsure:
            branch = os.fsdecode(self.run("symbolic-ref", "--quiet", "HEAD", check=False).stdout).removesuffix("\n")
        if branch:
            return branch, self.read_ref(branch)
        # Not `read_ref`, because each work tree has its own HEAD.
        result = self.run("rev-parse", "--verify", "--quiet", "HEAD", check=False)
        return "", result.stdout.decode("ascii", "replace").strip() or None

    def resolve(self, rev: str, kind: str = "commit") -> str:
        """Return the full object name of a revision that a person typed.

        Raises:
            NotFoundError: It does not name an object of this repository.
        """
        try:
            return self._resolve_here(rev, kind)
        except Unsure:
            result = self.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{{kind}}}", check=False)
        oid = result.stdout.decode("ascii", "replace").strip()
        if result.status != 0 or not is_oid(oid):
            raise NotFoundError(f"{rev}: no such {kind} in this repository")
        return oid

    def _resolve_here(self, rev: str, kind: str) -> str:
        name = (read_head(self.repository)[1] or "") if rev == "HEAD" else rev
        content = self.loose.read(name)[0]  # all of it, as git does: a damaged one is not there
        if kind == "tree" and content == "commit":
            name = self.loose.find_tree(name)
            content = self.loose.read(name)[0]
        if content != kind:
            raise Unsure
        return name

    def has(self, rev: str, kind: str) -> bool:
        """Return whether a revision names an object of a kind (``commit``, ``tree``) that is present."""
        if (rev, kind) in self._present:
            return True
        try:
            is_there = self._resolve_here(rev, kind) != ""
        except Unsure:
            is_there = self.run("cat-file", "-e", f"{rev}^{{{kind}}}", check=False).status == 0
        if is_there and is_oid(rev):
            self._present.add((rev, kind))
        return is_there

    def list_tree(self, tree: str, *paths: str) -> list[TreeEntry]:
        """Return all entries at all levels below a tree-ish, in git's order; reads sizes but no content.

        Raises:
            ProcessError: git failed, or there are more entries than any store has (``tree_limits``).
        """
        try:
            return self._list_here(tree, paths)
        except Unsure:
            from gitmem.git import tree_limits

        argv = ("ls-tree", "-r", "-t", "-z", "-l", "--full-tree", tree, *(("--", *paths) if paths else ()))
        lines = tree_limits.list_trees(self, *argv, trees=(tree,), bounds=STORE_BOUNDS)
        return [_tree_entry(line) for line in lines if line and not line.startswith(_FOLDER)]

    def _list_here(self, tree: str, paths: Sequence[str]) -> list[TreeEntry]:
        listed = self.loose.list_files(tree, paths)
        if len(listed) > self.loose.few:
            raise Unsure
        kinds = ["commit" if mode == _SUBMODULE_MODE else "blob" for mode, _, _ in listed]
        sizes = [
            self.loose.read_header(entry[1])[1] if kind == "blob" else -1
            for entry, kind in zip(listed, kinds, strict=True)
        ]
        rows = zip(listed, kinds, sizes, strict=True)
        return [TreeEntry(mode, kind, oid, size, os.fsdecode(path)) for (mode, oid, path), kind, size in rows]

    def list_paths(
        self, tree: str, *places: str, bounds: tuple[int, float] = CODE_BOUNDS
    ) -> list[tuple[str, str, str]]:
        """Return mode, object name and path of every file below a tree-ish of the code, sorted by path as bytes.

        Args:
            tree: The tree-ish.
            places: Only these files, and those in these folders; all if there are none.
            bounds: Limits in bytes and seconds (``tree_limits``).
        """
        try:
            return [(mode, oid, os.fsdecode(path)) for mode, oid, path in self.loose.list_files(tree, places)]
        except Unsure:
            from gitmem.git import tree_limits

        entries = []
        argv = ("ls-tree", "-r", "-t", "-z", "--full-tree", tree, *(("--", *places) if places else ()))
        for line in tree_limits.list_trees(self, *argv, trees=(tree,), bounds=bounds):
            if line and not line.startswith(_FOLDER):
                head, _, path = line.partition(b"\t")
                mode, _, oid = head.decode("ascii").split(" ")
                entries.append((mode, oid, os.fsdecode(path)))
        return entries

    def diff_trees(self, old: str, new: str) -> list[TreeChange]:
        """Return the differences between two tree-ishes, without renames; equal subtrees are not read."""
        try:
            return self._diff_here(old, new)
        except Unsure:
            from gitmem.git import tree_limits

        raw = ("diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", "--no-ext-diff", old, new)
        return parse_changes(tree_limits.list_trees(self, *raw, trees=(new, old), bounds=STORE_BOUNDS))

    def _diff_here(self, old: str, new: str) -> list[TreeChange]:
        before, after = ({path: (mode, oid) for mode, oid, path in self.loose.list_files(tree)} for tree in (old, new))
        none = ("000000", "0" * len(old))
        changes = []
        for path in sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path)):
            was, now = before.get(path, none), after.get(path, none)
            status = "A" if was == none else "D" if now == none else "T" if was[0][:3] != now[0][:3] else "M"
            changes.append(TreeChange(status, *now, os.fsdecode(path), *was))
        return changes

    def sizes(self, oids: Iterable[str]) -> dict[str, int]:
        """Return the size in bytes of each blob; -1 if it is missing or not a blob."""
        names = list(oids)
        if not names:
            return {}
        if len(names) <= self.loose.few:
            try:
                headers = {name: self.loose.read_header(name) for name in names}
                return {name: size if kind == "blob" else -1 for name, (kind, size) in headers.items()}
            except Unsure:
                pass
        result = self.run("cat-file", "--batch-check", input=os.fsencode("".join(f"{n}\n" for n in names)))
        sizes = {}
        for name, line in zip(names, result.stdout.decode("utf-8", "replace").split("\n"), strict=False):
            words = line.split(" ")
            # A missing name that contains a space also gives three words: "HEAD:a blob missing".
            is_blob = len(words) == 3 and words[1] == "blob" and is_oid(words[0])
            sizes[name] = int(words[2]) if is_blob else -1
        return sizes

    def read_blobs(self, oids: Iterable[str], *, limit: int | None = None) -> Iterator[tuple[str, bytes | None]]:
        """Yield each blob's content in the given order; None if it is missing, or larger than *limit* bytes.

        Without *limit*, check the sizes first.
        """
        names = list(oids)
        number = 0
        for name, _, content in self._blobs(names, limit):
            yield name, content
            number += 1
        if number < len(names):  # the last one was too large
            rest = names[number:]
            sizes = self.sizes(rest)
            contents = self._blobs([name for name in rest if 0 <= sizes[name] <= (limit or 0)], None)
            for name in rest:
                yield name, next(contents)[2] if 0 <= sizes[name] <= (limit or 0) else None

    def read_blob(self, spec: str, *, limit: int) -> bytes | None:
        """Return one blob (``oid`` or ``rev:path``), or None if it does not exist.

        Raises:
            GitmemError: It is larger than *limit* bytes.
        """
        _, size, content = next(self._blobs([spec], limit))
        if size > limit:
            raise GitmemError(f"{spec}: {size} bytes, above the limit of {limit}")
        return content

    def _blobs(self, names: Sequence[str], limit: int | None) -> Iterator[tuple[str, int, bytes | None]]:
        """Yield the name, size and content of each blob; size -1 if it is missing; end at one larger than *limit*.

        Source: git-cat-file(1), BATCH OUTPUT.
        """
        number = 0
        for name in names[: self.loose.few]:
            try:
                kind, size, content = self._blob_here(name, limit)
            except Unsure:
                break
            number += 1
            is_blob = kind == "blob"
            if limit is not None and size > limit:
                yield name, size if is_blob else -1, None
                return
            yield name, size if is_blob else -1, content if is_blob else None
        names = names[number:]
        if not names:
            return
        from gitmem.system import process

        # With a limit, git must print each header before it reads the content, so that it can be stopped in between.
        argv = self.argv("cat-file", "--batch", *(("--buffer",) if limit is None else ()))
        with process.RunningTool(
            argv, env=self.environment(), input=os.fsencode("".join(f"{n}\n" for n in names))
        ) as out:
            for name in names:
                words = out.readline().split()
                # A missing name that contains a space also gives three words: "HEAD:a blob missing".
                if len(words) != 3 or not words[2].isdigit():
                    yield name, -1, None
                    continue
                size, is_blob = int(words[2]), words[1] == b"blob"
                if limit is not None and size > limit:
                    out.stop()
                    yield name, size if is_blob else -1, None
                    return
                content = out.read(size)
                out.read(1)
                yield name, size if is_blob else -1, content if is_blob else None

    def _blob_here(self, name: str, limit: int | None) -> tuple[str, int, bytes]:
        tree, colon, path = name.partition(":")
        if not colon:
            return self.loose.read(name, limit)
        entry = self.loose.find(tree, path)
        return self.loose.read(entry[1], limit) if entry else ("", -1, b"")

    def config_values(self) -> dict[str, str]:
        """Return the ``gitmem.*`` settings of git config, by lower-case name without ``gitmem.``.

        The values of a setting that may occur several times are separated by ``setting.SEPARATOR``.
        """
        return repository.effective_values((name, value) for name, value, _ in self.config_settings())

    def config_settings(self) -> list[repository.Setting]:
        """Return the ``gitmem.*`` settings of git config in git's order, and whether each is from the repository.

        The files are read directly if that is certain to be right, which avoids starting a process.
        """
        try:
            return self.plain_settings(repository.SECTION)
        except Unsure:
            result = self.run("config", "-z", "--show-scope", "--get-regexp", r"^gitmem\.", check=False)
            return repository.read_scopes(os.fsdecode(result.stdout))

    def plain_settings(self, section: str, subsection: str = "") -> list[repository.Setting]:
        """Return the settings of a section in git's order, read from the files.

        Raises:
            Unsure: Only git can read them.
        """
        files = {path: content for path in self._config_files() if (content := repository.mentions(path, section))}
        # Another setting decides whether a work tree's own file applies, and without HOME git reads no user's file.
        if any(path.endswith(CONFIG_OF_WORKTREE) for path in files) or (files and not variable("HOME")):
            raise Unsure
        persons = git_config_files(self.repository.common)[2:]
        return [
            (name, value, path not in persons)
            for path, content in files.items()
            for name, value in repository.read_section(content, section, subsection)
        ]

    def _find_setting(self, name: str) -> str:
        """Return a setting's value if the files certainly have it; else an empty string."""
        section, _, rest = name.partition(".")
        subsection, _, key = rest.rpartition(".")
        try:
            plain_settings = self.plain_settings(section, subsection)
        except Unsure:
            return ""
        return next((value for setting, value, _ in reversed(plain_settings) if setting == key.lower()), "")

    def _config_files(self) -> tuple[str, ...]:
        """Return the files that may contain settings, later ones taking precedence."""
        own = os.path.join(self.repository.git, CONFIG_OF_WORKTREE)
        return (*reversed(git_config_files(self.repository.common)), own)

    def may_be_set(self, word: str) -> bool:
        """Return whether a setting with *word* in its name may be in a file that git reads, without starting a process.

        The system's file is only searched in ``/etc``, as for gitmem's own settings.
        """
        return any(repository.mentions(path, word) for path in self._config_files())

    def without_filters(self) -> list[str]:
        """Return options that disable filter drivers: git would run them to compare files (gitattributes(5))."""
        result = self.run("config", "-z", "--name-only", "--get-regexp", r"^filter\..*\.(clean|process)$", check=False)
        names = {os.fsdecode(name).rpartition(".")[0] for name in result.stdout.split(b"\0") if name}
        values = [f"{name}.{more}" for name in sorted(names) for more in ("clean=", "process=", "required=false")]
        return [word for value in values for word in ("-c", value)]

    def config_value(self, name: str) -> str:
        """Return one git setting, or an empty string; it is read once, by git if the files are not plain."""
        if name not in self._settings:
            setting = self._find_setting(name)
            if not setting:
                setting = os.fsdecode(self.run("config", "--get", name, check=False).stdout).removesuffix("\n")
            self._settings[name] = setting
        return self._settings[name]

    def remote_url(self, remote: str) -> str:
        """Return the URL that is configured for a remote, or an empty string; git is not started if none is."""
        return self.config_value(f"remote.{remote}.url") if self.may_be_set("remote") else ""

    def identity(self) -> tuple[str, str]:
        """Return the user's name and address as git would write them, or gitmem's own if git knows none."""
        if self._identity is None and not self.may_be_set("author"):
            set_ones = (self._find_setting("user.name"), self._find_setting("user.email"))
            self._identity = set_ones if all(map(_is_plain_name, set_ones)) else None
        if self._identity is None:
            result = self.run("var", "GIT_AUTHOR_IDENT", check=False)
            name, _, rest = result.stdout.decode("utf-8", "replace").strip().partition(" <")
            email = rest.rpartition("> ")[0]
            self._identity = (name, email) if result.status == 0 and name and email else FALLBACK_IDENTITY
        return self._identity

    def list_refs(self, *patterns: str) -> dict[str, str]:
        """Return the refs that match patterns (git-for-each-ref(1)), sorted: object by full name; it may be missing."""
        listed = self.text("for-each-ref", "--format=%(refname) %(objectname)", *patterns)
        return dict(line.split(" ") for line in listed.split("\n") if line)

    def list_typed_refs(self, *patterns: str) -> dict[str, tuple[str, str]]:
        """Return the same with the type of each object.

        Raises:
            ProcessError: An object is missing.
        """
        listed = self.text("for-each-ref", "--format=%(refname) %(objectname) %(objecttype)", *patterns)
        rows = (line.split(" ") for line in listed.split("\n") if line)
        return {ref: (oid, kind) for ref, oid, kind in rows}

    def merge_bases(self, one: str, other: str) -> list[str]:
        """Return the best common ancestors of two commits, sorted; empty if they share no history."""
        with suppress(Unsure):
            for old, new in ((one, other), (other, one)):
                if self.loose.is_ancestor(old, new):
                    return [old]
        result = self.run("merge-base", "--all", "--end-of-options", one, other, check=False)
        return sorted(result.stdout.decode("ascii").split())

    def merge_base(self, one: str, other: str) -> str | None:
        """Return a best common ancestor of two commits, always the same one; None if they share no history."""
        return next(iter(self.merge_bases(one, other)), None)

    def is_ancestor(self, old: str, new: str) -> bool:
        """Return whether *old* is *new* or one of its ancestors; False if either is missing."""
        if (old, new) in self._ancestors:
            return True
        if old == new:
            return self.has(old, "commit")
        try:
            found = self.loose.is_ancestor(old, new)
        except Unsure:
            found = self.run("merge-base", "--is-ancestor", old, new, check=False).status == 0
        if found and is_oid(old) and is_oid(new):
            self._ancestors.add((old, new))
        return found


def quote_path(path: Path) -> str:
    """Quote a path for a list of folders in git's environment, which colons separate (git(1))."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _is_plain_name(text: str) -> bool:
    """Return whether git writes a name or an address as it is set: it removes some characters (git's ident.c)."""
    return text[:1].isalnum() and text[-1:].isalnum() and all(char.isalnum() or char in " -_@+." for char in text)


FALLBACK_IDENTITY = ("gitmem", "gitmem@localhost")
# The notice for a person whom git cannot name, once in each clone.
NAMELESS = (
    "git does not know your name, so memories are written by gitmem@localhost: "
    "git config --global user.name NAME; git config --global user.email ADDRESS"
)


def parse_changes(parts: Sequence[bytes]) -> list[TreeChange]:
    """Parse a raw difference, in which headers and paths alternate. Source: git-diff-index(1), RAW OUTPUT."""
    changes = []
    for head, path in zip(parts[0::2], parts[1::2], strict=False):
        old_mode, mode, old_oid, oid, status = head.decode("ascii").removeprefix(":").split(" ")
        if _FOLDER_MODE not in (old_mode, mode):
            changes.append(TreeChange(status[0], mode, oid, os.fsdecode(path), old_mode, old_oid))
    return changes


def _tree_entry(line: bytes) -> TreeEntry:
    head, _, path = line.partition(b"\t")
    mode, kind, oid, size = head.decode("ascii").split()
    return TreeEntry(mode, kind, oid, int(size) if size.isdigit() else -1, os.fsdecode(path))


def plausible(seconds: float) -> int:
    """Return a time for a commit in epoch seconds, limited to 1971 to 2106 in case the clock is wrong."""
    return int(min(max(seconds, EARLIEST_S), LATEST_S))
