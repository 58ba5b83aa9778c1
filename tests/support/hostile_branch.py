"""Build what somebody with the right to push could put onto a memory branch: objects that git itself would refuse."""

from __future__ import annotations

import hashlib
import os
import zlib
from pathlib import Path

import pygit2
from conftest import NOW, git, tip

FILE, PROGRAM, LINK, MODULE, FOLDER = "100644", "100755", "120000", "160000", "40000"
NOWHERE = "1234567890" * 4
Entry = tuple[str, bytes, str]


def blob(folder: Path, content: bytes) -> str:
    """Write a blob and return its name."""
    return git(folder, "hash-object", "-w", "--stdin", input=content)


def tree(folder: Path, entries: list[Entry]) -> str:
    """Write a tree of mode, name and object, exactly as given and in this order, and return its name."""
    raw = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
    return _write(folder, pygit2.enums.ObjectType.TREE, raw)


def commit(folder: Path, top: str, *parents: str, at: str = str(NOW), who: str = "Mallory", subject: str = "x") -> str:
    """Write a commit, exactly as given, and return its name."""
    lines = [f"tree {top}", *(f"parent {parent}" for parent in parents)]
    lines += [f"{role} {who} <m@example.org> {at} +0000" for role in ("author", "committer")]
    raw = "\n".join([*lines, "", subject, ""]).encode("utf-8", "surrogateescape")
    return _write(folder, pygit2.enums.ObjectType.COMMIT, raw)


def _write(folder: Path, kind: pygit2.enums.ObjectType, raw: bytes) -> str:
    """Write an object of whatever content, as `git hash-object --literally` does."""
    opened = pygit2.Repository(str(folder))
    try:
        return str(opened.odb.write(kind, raw))
    finally:
        opened.free()


def entries_of(folder: Path, treeish: str) -> list[Entry]:
    """Return the entries of one tree."""
    listed = [item for item in git(folder, "ls-tree", "-z", treeish).split("\0") if item]
    heads = (item.partition("\t") for item in listed)
    return [(head.split()[0].lstrip("0"), os.fsencode(name), head.split()[2]) for head, _, name in heads]


def push(folder: Path, entries: dict[str, list[Entry]], **how: str) -> str:
    """Add entries to folders of the branch (the empty name is its top) by a commit of somebody else; return it."""
    top = entries_of(folder, "memory")
    for name, more in entries.items():
        if name:
            old = [entry for entry in top if entry[1] == name.encode()]
            kept = entries_of(folder, f"memory:{name}") if old else []
            top = [entry for entry in top if entry not in old]
            top.append((FOLDER, name.encode(), tree(folder, sort(kept + more))))
    top += entries.get("", [])
    made = commit(folder, tree(folder, sort(top)), tip(folder), **how)
    point(folder, made)
    return made


def sort(entries: list[Entry]) -> list[Entry]:
    """Return entries in the order of git's trees, where a folder's name ends with a slash."""
    return sorted(entries, key=lambda entry: entry[1] + (b"/" if entry[0] == FOLDER else b""))


def point(folder: Path, oid: str) -> None:
    """Point the memory branch at an object, whatever it is, as a broken or hostile tool would."""
    ref = folder / ".git/refs/heads/memory"
    ref.parent.mkdir(parents=True, exist_ok=True)
    ref.write_text(f"{oid}\n")


def zeros(folder: Path, size: int) -> str:
    """Write a blob of zero bytes without holding it in memory, and return its name."""
    head, block = f"blob {size}\0".encode(), bytes(1 << 20)
    name, packer, packed = hashlib.sha1(head), zlib.compressobj(1), []
    packed.append(packer.compress(head))
    left = size
    while left:
        part = block[: min(left, len(block))]
        name.update(part)
        packed.append(packer.compress(part))
        left -= len(part)
    packed.append(packer.flush())
    place = folder / ".git/objects" / name.hexdigest()[:2] / name.hexdigest()[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(b"".join(packed))
    return name.hexdigest()
