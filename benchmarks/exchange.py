"""Two clones of one store that each changed 1,000 memories, half of them the same ones, with a bare remote on disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.stores import Stores, gitmem, say

# Memories that each side changes; of the first side's, the second one changes the latter half, too.
CHANGED = 1_000
MEMORY, SEEN = "refs/heads/memory", "refs/gitmem/seen/origin/memory"


class Exchange:
    """The clone that syncs, its remote, and how both stood before the sync.

    Attributes:
        path: The clone.
    """

    def __init__(self, stores: Stores, size: str) -> None:
        """Make them from the store of this size, where they are not there yet."""
        self._stores = stores
        folder = stores.folder / f"sync-{size}"
        self.path, self._hub, other = folder / "mine", folder / "hub.git", folder / "other"
        if not folder.exists():
            say(f"making two clones of {size}, each with {CHANGED} changes")
            folder.mkdir()
            stores.run(["git", "init", "-q", "--bare", str(self._hub)], folder)
            shutil.copytree(stores.path(size), self.path, symlinks=True)
            stores.run(["git", "remote", "add", "origin", str(self._hub)], self.path)
            stores.run([gitmem(), "sync"], self.path)
            shutil.copytree(self.path, other, symlinks=True)
            paths = self._paths()
            many = min(CHANGED, len(paths) * 2 // 3)
            self._change(self.path, paths[:many], b"\nAna adds a sentence at the end.\n")
            self._change(other, paths[many // 2 : many // 2 + many], b"tags: [said, by, bob]\n", is_field=True)
            stores.run(["git", "push", "-q", "origin", "memory"], other)
            for at, name in ((self.path, "mine"), (self._hub, "theirs")):
                stores.run(["git", "update-ref", f"refs/bench/{name}", MEMORY], at)
            stores.run([gitmem(), "index"], self.path)
            shutil.copytree(self.path / ".git/gitmem", folder / "warm")
        self._warm = folder / "warm"

    def _paths(self) -> list[str]:
        listed = self._stores.run(["git", "ls-tree", "-r", "--name-only", "memory"], self.path).decode().split("\n")
        return [path for path in listed if path.endswith(".md") and "/" in path and not path.startswith("archive/")]

    def _change(self, folder: Path, paths: list[str], more: bytes, *, is_field: bool = False) -> None:
        """Change files on the memory branch in one commit: a field instead of the tags, or more text at the end."""
        stream = b"commit %b\ncommitter Bob <b@example.org> 1790000000 +0000\ndata 1\nx\nfrom %b^0\n"
        parts = [stream.replace(b"%b", MEMORY.encode())]
        for path in paths:
            text = self._stores.run(["git", "show", f"memory:{path}"], folder)
            if is_field:
                kept = [line for line in text.splitlines(keepends=True) if not line.startswith(b"tags:")]
                text = b"".join([kept[0], more, *kept[1:]])
            else:
                text += more
            parts.append(f"M 100644 inline {path}\ndata {len(text)}\n".encode() + text + b"\n")
        file = self._stores.folder / "changes"
        file.write_bytes(b"".join(parts))
        self._stores.run(["sh", "-c", f"git fast-import --quiet --date-format=raw <'{file}'"], folder)

    def reset(self) -> None:
        """Put both sides back to where they were before the sync."""
        self._stores.run(["git", "update-ref", MEMORY, "refs/bench/mine"], self.path)
        self._stores.run(["git", "update-ref", MEMORY, "refs/bench/theirs"], self._hub)
        self._stores.run(["git", "update-ref", "-d", SEEN], self.path)
        self._stores.run(["git", "update-ref", "-d", "refs/remotes/origin/memory"], self.path)
        shutil.rmtree(self.path / ".git/gitmem")
        shutil.copytree(self._warm, self.path / ".git/gitmem")
