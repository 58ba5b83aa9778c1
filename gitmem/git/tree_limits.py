"""List trees within limits: a few trees, each containing another many times, can list more files than a disk holds.

git would list such a tree without end, and compare it without a message. A listing that takes longer than usual is
stopped, and the files are counted without listing them: each distinct tree is read once.
"""

from __future__ import annotations

from gitmem.errors import ProcessError
from gitmem.system import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitmem.git import Git

# When to stop and count, in seconds: 100,000 files are listed in half a second (measured), and hooks must not hang.
PATIENT_S = 0.7
# The most files and folders of a store, more than any memory has.
MOST_OF_STORE = 1_000_000
# The shortest line that git prints for an entry: mode, kind, object name, and a path.
_ENTRY_BYTES = 64
# Limits on the depth of folders, and on the bytes of distinct trees that are read.
DEEPEST, _READ_AT_MOST = 100, 256 * 1024 * 1024
# Trees known to exceed the limits, by the name used for them; after the first one, each listing is checked in advance.
_too_much: dict[str, str] = {}


def list_trees(git: Git, *args: str, trees: Sequence[str], bounds: tuple[int, float]) -> list[bytes]:
    """Return the output of a git command that lists trees, split at NUL.

    Args:
        git: The repository.
        args: The command.
        trees: The trees that it lists.
        bounds: Limits in bytes and seconds.

    Raises:
        ProcessError: git failed, or a tree exceeds the limits.
    """
    at_most, within_s = bounds
    if _too_much:
        need_bounded(git, trees, at_most // _ENTRY_BYTES)
    try:
        return _read_list(git, args, at_most, min(PATIENT_S, within_s))
    except ProcessError as err:
        import signal

        if err.status != -signal.SIGKILL:
            raise
    need_bounded(git, trees, at_most // _ENTRY_BYTES)
    return _read_list(git, args, at_most, within_s)


def _read_list(git: Git, args: Sequence[str], at_most: int, within_s: float) -> list[bytes]:
    argv = git.argv(*args)
    with process.RunningTool(argv, env=git.environment(), input=b"") as out:
        # Also limited in time, since diff-tree prints nothing until it has read everything.
        output = out.read_within(within_s, at_most + 1)
        if len(output) > at_most:
            message = f"the tree has too many files: their names take more than {at_most >> 20} MiB"
            raise ProcessError(message, argv=argv, stderr=message)
    return output.split(b"\0")


def need_bounded(git: Git, trees: Sequence[str], at_most: int) -> None:
    """Raise ProcessError if a tree has more than *at_most* files and folders, or they are nested too deeply."""
    for tree in trees:
        message = _too_much.get(tree) or _why_not(git, tree, at_most)
        if message:
            _too_much[tree] = message
            raise ProcessError(
                f"the tree of {tree[:12]} cannot be listed: {message}",
                argv=["git", "ls-tree", "-r", tree],
                stderr=message,
                hint=f"see which commit it is: git show --no-patch {tree}",
            )


def need_listable(git: Git, tree: str) -> None:
    """Raise ProcessError if a tree has more files than any store."""
    need_bounded(git, (tree,), MOST_OF_STORE)


def _why_not(git: Git, tree: str, at_most: int) -> str:
    folders = _read_folders(git, tree)
    if folders is None:
        return f"its folders are too large to count, or nested more than {DEEPEST} levels deep"
    if _count(folders, next(iter(folders), ""), {}) > at_most:
        return f"it has more than {at_most:,} files and folders"
    return ""


def _count(folders: dict[str, tuple[int, list[str]]], tree: str, known: dict[str, int]) -> int:
    if tree not in known:
        number, below = folders.get(tree, (0, []))
        known[tree] = number + sum(_count(folders, child, known) for child in below)
    return known[tree]


def _read_folders(git: Git, tree: str) -> dict[str, tuple[int, list[str]]] | None:
    """Return for each distinct tree its number of entries and its subtrees, starting with the given one.

    None if they are nested too deeply, or too large.
    """
    folders: dict[str, tuple[int, list[str]]] = {}
    left, level = _READ_AT_MOST, [f"{tree}^{{tree}}"]
    for _ in range(DEEPEST + 1):
        if not level:
            return folders
        names = "".join(f"{name}\n" for name in level).encode("ascii")
        lines = git.run("cat-file", "--batch-check=%(objectsize)", input=names).stdout.split(b"\n")
        left -= sum(int(size) for size in lines if size.isdigit())
        if left < 0:
            return None
        for oid, content in _read(git, names):
            entries = list(_entries(content, len(oid) // 2))
            folders[oid] = (len(entries), [name for name in entries if name])
        level = list({child for oid in folders for child in folders[oid][1] if child not in folders})
    return None


def _read(git: Git, names: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each tree that is present. Source: git-cat-file(1), BATCH OUTPUT."""
    argv = git.argv("cat-file", "--batch", "--buffer")
    with process.RunningTool(argv, env=git.environment(), input=names) as out:
        for _ in names.splitlines():
            words = out.readline().split()
            if len(words) == 3 and words[1] != b"missing":
                content = out.read(int(words[2]))
                out.read(1)
                if words[1] == b"tree":
                    yield words[0].decode("ascii"), content


def _entries(content: bytes, size: int) -> Iterator[str]:
    """Yield the object name of each folder of a tree, and an empty string for each other entry."""
    at = 0
    while at < len(content):
        end = content.find(b"\0", at)
        if end < 0:
            return  # damaged: git reports that when it lists the tree
        is_folder = content.startswith((b"40000 ", b"040000 "), at)
        yield content[end + 1 : end + 1 + size].hex() if is_folder else ""
        at = end + 1 + size
