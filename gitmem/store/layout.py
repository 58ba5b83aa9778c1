"""The layout of a store: names, folders, the automatic split, and the constants of the branch. Pure.

Names are an allow-list: everything else in a fetched tree is a problem of that entry (DESIGN, section 2).
"""

from __future__ import annotations

from gitmem.frozen import frozen

# The deterministic root commit: an empty tree with these constants, so that two clones that init apart share it.
ROOT_NAME = "gitmem"
ROOT_EMAIL = "gitmem@localhost"
ROOT_TIME = 1767225600  # 2026-01-01T00:00:00Z
ROOT_MESSAGE = "gitmem: root of the memory branch\n"
# Its object name, by the length of object names: SHA-1 and SHA-256.
ROOTS = {
    40: "e7b80b276c06884a0d4ac696766e91b98022f7f6",
    64: "357020ca7272e6066511c2ffe16d2476391cf66b71a28d471d9d7b9735475394",
}

# A folder that passes this many files is split by the first two hex digits of the key's SHA-256 (DESIGN, section 2).
SPLIT_ABOVE = 500
# Caps that are asked for before content is read: 64 KiB a memory (threat T10), and the machine-written files.
MEMORY_LIMIT = 64 * 1024
VERDICT_LIMIT = 16 * 1024
# A bucket: room for 500 of the largest verdicts, so for 128,000 facts at the least.
BUCKET_LIMIT = 500 * VERDICT_LIMIT
POLICY_LIMIT = 64 * 1024

POLICY_PATH = "gitmem.toml"
STATUS_PATH = "STATUS.md"
# The page that a forge shows for a branch: known, and not read.
README_PATH = "README.md"
PAGE_MARK = "<!-- gitmem page -->"
BADGE_PATH = "facts.svg"
# How far a source was pulled, on its own ref (``commands.pull``): known, and not read as a memory.
MANIFEST_PATH = "manifest.json"
ATTRIBUTES_PATH = ".gitattributes"
# What gitmem makes from the rest: of two versions, one is as good as the other until they are made again.
PAGES = frozenset({STATUS_PATH, BADGE_PATH})
# What forges run for pull requests to the branch.
WORKFLOWS, GITLAB_PATH = ".github/workflows", ".gitlab-ci.yml"
# Bytes in the branch are bytes: no end-of-line conversion or filter of a user's configuration may change a memory.
# Forges fold files that are marked as generated when they show a change (github-linguist, docs/overrides.md).
FORMER_ATTRIBUTES = "# Written by gitmem: memories are kept byte for byte.\n* -text -filter\n"
ATTRIBUTES = FORMER_ATTRIBUTES + "/verdicts/** linguist-generated\n"

KEY_LIMIT = 100
FOLDER_LIMIT = 40
SPEC_DIGITS = 16
LETTERS = "abcdefghijklmnopqrstuvwxyz"
ENDS = frozenset(f"{LETTERS}0123456789")  # what a key begins and ends with
# Not a name of a file on Windows, with any ending (Microsoft, Naming Files, Paths, and Namespaces).
DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in "0123456789"), *(f"lpt{n}" for n in "0123456789")]
)
# Files that a store may have at its root.
TOP_FILES = frozenset({POLICY_PATH, STATUS_PATH, README_PATH, BADGE_PATH, ATTRIBUTES_PATH, GITLAB_PATH, MANIFEST_PATH})
# Folders of the root whose content says nothing about the rest.
TOP_FOLDERS = frozenset({".github", "archive", "verdicts"})
# Folders of the root that hold no memories of a kind.
RESERVED_FOLDERS = frozenset({"archive", "verdicts", "private", "runs"})
REGULAR_MODES = frozenset({"100644", "100755"})

MEMORY = "memory"
VERDICT = "verdict"
BUCKET = "bucket"
POLICY = "policy"
KNOWN = "known"


@frozen
class StorePath:
    """What a path of the store is.

    Attributes:
        what: ``memory``, ``verdict`` (one, in a file of its own), ``bucket`` (of verdicts), ``policy`` or ``known``
            (allowed, not read).
        key: The memory's key; empty where a file is not of one memory.
        folder: The folder of its kind.
        archived: Whether it is in ``archive/``.
        spec: First 16 hex digits of the specification's hash (verdicts only).
        split: Whether it is in a split folder.
    """

    what: str
    key: str = ""
    folder: str = ""
    archived: bool = False
    spec: str = ""
    split: bool = False


def is_key(text: str) -> bool:
    """Return whether *text* can be a key."""
    return (
        0 < len(text) <= KEY_LIMIT
        and text[0] in ENDS
        and text[-1] in ENDS
        and not text.strip(f"{LETTERS}0123456789._-")  # nothing else in it; recall starts without ``re``
        and text.split(".", 1)[0] not in DEVICES
        and ".." not in text
    )


def is_folder(text: str) -> bool:
    """Return whether *text* can be the name of a folder of memories."""
    return (
        1 < len(text) <= FOLDER_LIMIT
        and text[0] in LETTERS
        and text[-1] in ENDS
        and not text.strip(f"{LETTERS}0123456789_-")
    )


def is_spec(text: str) -> bool:
    """Return whether *text* can name a specification: the first hex digits of its hash."""
    return len(text) == SPEC_DIGITS and not text.strip("0123456789abcdef")


def shard(key: str) -> str:
    """Return the two hex digits under which a key is in a split folder."""
    from gitmem.text.sha256 import sha256  # recall never asks for a shard

    return sha256(key.encode("ascii")).hexdigest()[:2]


def memory_path(folder: str, key: str, *, split: bool, archived: bool = False) -> str:
    """Return where a memory is."""
    top = f"archive/{folder}" if archived else folder
    return f"{top}/{shard(key)}/{key}.md" if split else f"{top}/{key}.md"


def bucket_path(key: str) -> str:
    """Return where the verdicts of a fact lie, with those of all facts whose keys have the same shard."""
    return f"verdicts/{shard(key)}.toml"


def verdict_path(key: str, spec: str) -> str:
    """Return where a single verdict lies: on a proposal, and in stores of format 1."""
    return f"verdicts/{shard(key)}/{key}.{spec[:16]}.toml"


def place_of(path: str) -> StorePath | str:
    """Return what *path* is, or one sentence why nothing may be there."""
    if path == POLICY_PATH:
        return StorePath(POLICY)
    if path in TOP_FILES or path.startswith(".github/"):
        return StorePath(KNOWN)
    parts = path.split("/")
    if parts[0] == "verdicts":
        return _verdict_place(parts)
    archived = parts[0] == "archive"
    if archived:
        parts = parts[1:]
    if len(parts) not in (2, 3):
        return "a store has no files there"
    folder, name = parts[0], parts[-1]
    if not is_folder(folder) or folder in RESERVED_FOLDERS:
        return "the folder's name is not allowed"
    if not name.endswith(".md"):
        return "only .md files are memories"
    key = name.removesuffix(".md")
    if not is_key(key):
        return "the name is not a key: lower-case ASCII letters, digits, '.', '_' and '-', at most 100"
    if len(parts) == 3 and parts[1] != shard(key):
        return f"it belongs in {folder}/{shard(key)}/"
    return StorePath(MEMORY, key=key, folder=folder, archived=archived, split=len(parts) == 3)


def is_kind_folder(name: str) -> bool:
    """Return whether a folder of the root, or of ``archive/``, may hold memories of a kind."""
    return is_folder(name) and name not in RESERVED_FOLDERS


def _verdict_place(parts: list[str]) -> StorePath | str:
    if len(parts) == 2 and parts[1][2:] == ".toml" and not parts[1][:2].strip("0123456789abcdef"):
        return StorePath(BUCKET)
    if len(parts) == 3 and parts[2].endswith(".toml"):
        key, _, spec = parts[2].removesuffix(".toml").rpartition(".")
        if is_key(key) and is_spec(spec) and parts[1] == shard(key):
            return StorePath(VERDICT, key=key, spec=spec)
    return "the name is not that of a verdict"
