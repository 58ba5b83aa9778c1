"""Names in configuration that look like paths: builds, labels, tasks and keys of settings."""

from __future__ import annotations

import re
from functools import lru_cache

from gitmem.commands.adopt.corpus import is_aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.adopt.code import Code

_NAME = r"[A-Za-z0-9_.@-]+/[A-Za-z0-9_./-]+"
# A keyword of EDN, a key, or the value of a field that names something.
_ROLES = (
    re.compile(rf":({_NAME})"),
    re.compile(rf"(?m)(?:^|[{{,])[ \t]*[\"']?({_NAME})[\"']?\s*[:=]"),
    re.compile(rf"(?:name|id|labels?|tags?|target)[\"']?\s*[:=]\s*\[?\s*[\"']?({_NAME})"),
)
_ENDINGS = (".edn", ".json", ".jsonc", ".yml", ".yaml", ".toml", ".gradle", ".kts", "BUILD", "BUILD.bazel", ".bzl")
_LABELS = re.compile(r"^[ \t]*labels:[ \t]*\n((?:[ \t]*-[ \t]*[^\n]+\n)+)", re.M)
# Larger files are data, in bytes.
_SIZE_LIMIT = 64 * 1024


def is_identifier(head: Code, word: str) -> bool:
    """Return whether the configuration names something by a word that looks like a path."""
    return word in _identifiers(head) or word in _labels(head)


@lru_cache(maxsize=4)
def _identifiers(head: Code) -> frozenset[str]:
    """Return the names with a slash in the configuration, without that of tests and examples."""
    every = (path for path in head.files if path.endswith(_ENDINGS) and "lock" not in path)
    paths = [path for path in every if path.startswith(".github/") or not is_aside(path)]
    sizes = head.git.sizes([head.files[path][1] for path in paths])
    texts = head.texts(path for path in paths if sizes[head.files[path][1]] <= _SIZE_LIMIT)
    return frozenset(name for text in texts.values() for role in _ROLES for name in role.findall(text))


@lru_cache(maxsize=4)
def _labels(head: Code) -> frozenset[str]:
    """Return the labels that the files of a forge list."""
    paths = [path for path in head.files if path.startswith(".github/") and path.endswith((".yml", ".yaml", ".md"))]
    lists = (found[1] for text in head.texts(paths).values() for found in _LABELS.finditer(text))
    return frozenset(line.strip(" \t-\"'") for one in lists for line in one.split("\n"))
