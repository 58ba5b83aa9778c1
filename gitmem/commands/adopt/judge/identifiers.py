"""Names in configuration that look like paths: builds, labels, tasks and keys of settings."""

from __future__ import annotations

import re
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.adopt.code import Code
    from gitmem.git import Git

_NAME = r"[A-Za-z0-9_.@-]+/[A-Za-z0-9_./-]+"
# A keyword of EDN, a key, or the value of a field that names something; each line with one is read.
_ROLES = (
    rf":{_NAME}",
    rf"(^|[{{,])[[:space:]]*[\"']?{_NAME}[\"']?[[:space:]]*[:=]",
    rf"(name|id|label|labels|tag|tags|target)[\"']?[[:space:]]*[:=][[:space:]]*\[?[[:space:]]*[\"']?{_NAME}",
)
_FILES = (
    "*.edn",
    "*.json",
    "*.jsonc",
    "*.yml",
    "*.yaml",
    "*.toml",
    "*.gradle",
    "*.kts",
    "*BUILD",
    "*BUILD.bazel",
    "*.bzl",
)
_LABELS = re.compile(r"^[ \t]*labels:[ \t]*\n((?:[ \t]*-[ \t]*[^\n]+\n)+)", re.M)
# The most lines read: more are data.
MOST_LINES = 20_000


def is_identifier(head: Code, word: str) -> bool:
    """Return whether the configuration names something by a word that looks like a path."""
    return word in _identifiers(head.git, head.commit) or word in _labels(head)


@lru_cache(maxsize=4)
def _identifiers(git: Git, commit: str) -> frozenset[str]:
    """Return the names with a slash in the configuration of a commit."""
    patterns = [part for role in _ROLES for part in ("-e", role)]
    done = git.run("grep", "-I", "-h", "-E", *patterns, commit, "--", *_FILES, ":(exclude)*lock*", check=False)
    lines = done.stdout.decode("utf-8", "replace").split("\n")[:MOST_LINES]
    roles = [re.compile(role.replace("[[:space:]]", r"\s").replace(_NAME, f"(?P<name>{_NAME})")) for role in _ROLES]
    return frozenset(found["name"] for line in lines for role in roles for found in role.finditer(line))


def _labels(head: Code) -> frozenset[str]:
    """Return the labels that the files of a forge list."""
    paths = [path for path in head.files if path.startswith(".github/") and path.endswith((".yml", ".yaml", ".md"))]
    lists = (found[1] for text in head.texts(paths).values() for found in _LABELS.finditer(text))
    return frozenset(line.strip(" \t-\"'") for one in lists for line in one.split("\n"))
