"""The layout of a store: names, folders, the automatic split, and the constants of the branch. Pure.

Names are an allow-list: any other entry in a fetched tree is a problem of that entry.
"""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.store.scopes import POLICY_PATH

# The deterministic root commit: an empty tree with these constants, so that independent clones share it.
ROOT_NAME = "gitmem"
ROOT_EMAIL = "gitmem@localhost"
ROOT_TIME = 1767225600  # 2026-01-01T00:00:00Z
ROOT_MESSAGE = "gitmem: root of the memory branch\n"
# Its object name, by the length of object names: SHA-1 and SHA-256.
ROOTS = {
    40: "e7b80b276c06884a0d4ac696766e91b98022f7f6",
    64: "357020ca7272e6066511c2ffe16d2476391cf66b71a28d471d9d7b9735475394",
}

# A folder with more files is split by the first two hex digits of the key's SHA-256.
SPLIT_ABOVE = 500
# Size limits, checked before content is read: 64 KiB per memory, and the machine-written files.
MEMORY_LIMIT = 64 * 1024
VERDICT_LIMIT = 16 * 1024
# A bucket has room for 500 of the largest verdicts, so a store for at least 128,000 facts.
BUCKET_LIMIT = 500 * VERDICT_LIMIT
POLICY_LIMIT = 64 * 1024

STATUS_PATH = "STATUS.md"
# The page that a forge shows for a branch: known, but not read.
README_PATH = "README.md"
PAGE_MARK = "<!-- gitmem page -->"
BADGE_PATH = "facts.svg"
# The progress of pulling a source, on its own ref (``plugins.pull``): known, but not read as a memory.
MANIFEST_PATH = "manifest.json"
ATTRIBUTES_PATH = ".gitattributes"
# Generated files: of two versions, either will do until they are made again.
PAGES = frozenset({STATUS_PATH, BADGE_PATH})
# Workflows that forges run for pull requests to the branch.
WORKFLOWS, GITLAB_PATH = ".github/workflows", ".gitlab-ci.yml"
# No user configuration of end-of-line conversion or filters may change a memory. Forges fold files marked as generated
# when they show a change (github-linguist, docs/overrides.md).
FORMER_ATTRIBUTES = "# Written by gitmem: memories are kept byte for byte.\n* -text -filter\n"
ATTRIBUTES = FORMER_ATTRIBUTES + "/verdicts/** linguist-generated\n"

KEY_LIMIT = 100
FOLDER_LIMIT = 40
SPEC_DIGITS = 16
LETTERS = "abcdefghijklmnopqrstuvwxyz"
ENDS = frozenset(f"{LETTERS}0123456789")  # the first and last character of a key
# Invalid file names on Windows, with any extension (Microsoft, Naming Files, Paths, and Namespaces).
DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in "0123456789"), *(f"lpt{n}" for n in "0123456789")]
)
# Files allowed at the root of a store.
TOP_FILES = frozenset({POLICY_PATH, STATUS_PATH, README_PATH, BADGE_PATH, ATTRIBUTES_PATH, GITLAB_PATH, MANIFEST_PATH})
# Folders of the root whose content does not matter.
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
    """A parsed path of the store.

    Attributes:
        what: ``memory``, ``verdict`` (one, in a file of its own), ``bucket`` (of verdicts), ``policy`` or ``known``
            (allowed, not read).
        key: The memory's key; empty if the file does not belong to one memory.
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
        and not text.strip(f"{LETTERS}0123456789._-")  # no other characters; recall starts without ``re``
        and text.split(".", 1)[0] not in DEVICES
        and ".." not in text
    )


def is_folder(text: str) -> bool:
    """Return whether *text* is valid as the name of a folder of memories."""
    return (
        1 < len(text) <= FOLDER_LIMIT
        and text[0] in LETTERS
        and text[-1] in ENDS
        and not text.strip(f"{LETTERS}0123456789_-")
    )


def is_spec(text: str) -> bool:
    """Return whether *text* is valid as a specification's name: the first hex digits of its hash."""
    return len(text) == SPEC_DIGITS and not text.strip("0123456789abcdef")


def shard(key: str) -> str:
    """Return the two hex digits for a key in a split folder."""
    from gitmem.text.sha256 import sha256  # recall never needs a shard

    return sha256(key.encode("ascii")).hexdigest()[:2]


def memory_path(folder: str, key: str, *, split: bool, archived: bool = False) -> str:
    """Return the path of a memory."""
    top = f"archive/{folder}" if archived else folder
    return f"{top}/{shard(key)}/{key}.md" if split else f"{top}/{key}.md"


def bucket_path(key: str) -> str:
    """Return the path of the bucket with a fact's verdicts."""
    return f"verdicts/{shard(key)}.toml"


def verdict_path(key: str, spec: str) -> str:
    """Return the path of a single verdict: on a proposal, and in stores of format 1."""
    return f"verdicts/{shard(key)}/{key}.{spec[:16]}.toml"


def find_memory(path: str) -> StorePath | None:
    """Return the place of a memory's file; None for any other path."""
    place = place_of(path)
    return place if isinstance(place, StorePath) and place.what == MEMORY else None


def memory_key(path: str) -> str:
    """Return the key of a memory's file; empty for any other path."""
    place = find_memory(path)
    return place.key if place is not None else ""


def place_of(path: str) -> StorePath | str:
    """Parse *path*; return its place, or one sentence why nothing may be there."""
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
        if key.partition(".")[0] in DEVICES:
            return "the name is that of a device on Windows, where it could not be checked out"
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
