"""Names in configuration that look like paths: builds, labels, tasks and keys of settings."""

from __future__ import annotations

import os
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
# The files of Spring Boot with settings, and what may be a property: a field, a key, a name with dots.
_SETTINGS = re.compile(r"(?:^|/)(?:application|bootstrap)[\w-]*\.(?:ya?ml|properties)$")
_FIELD = re.compile(r"\b[A-Za-z_]\w*+(?=\s*(?:;|=[^=]|[,)]))|(?<![\w-])[\w-]++(?=\s*[:=])|(?<=\$\{)[\w.-]+")
# A shorter property is a part of too many names.
_SHORTEST = 6
# Larger files are data, in bytes.
_SIZE_LIMIT = 64 * 1024


def is_identifier(head: Code, word: str) -> bool:
    """Return whether the configuration names something by a word that looks like a path."""
    return word in _identifiers(head) or word in _labels(head)


def is_property(head: Code, variable: str) -> bool:
    """Return whether a variable may set a property of Spring Boot, which reads it under a name in capitals.

    `APP_INGEST_MAX_RETRY` sets `app.ingestMaxRetry` and `app.ingest-max-retry`. Source: Spring Boot reference,
    "Binding From Environment Variables".
    """
    parts = variable.lower().split("_")
    known = _properties(head) if len(parts) > 1 else frozenset()
    return any("".join(parts[start:end]) in known for end in (len(parts), len(parts) - 1) for start in range(end))


@lru_cache(maxsize=4)
def _properties(head: Code) -> frozenset[str]:
    """Return the fields of classes that Spring Boot binds to properties, and the keys of its settings, as letters."""
    if not any(path.endswith((".java", ".kt", ".scala", ".groovy")) for path in head.files):
        return frozenset()
    result = head.git.run(
        "grep", "-l", "-z", "-I", "-e", "@ConfigurationProperties", "-e", "@Value(", head.commit, check=False
    )
    paths = [os.fsdecode(part).partition(":")[2] for part in result.stdout.split(b"\0") if part]
    settings = [path for path in head.files if _SETTINGS.search(path)] if paths else []
    texts = head.texts([*paths, *settings]).values()
    names = {found for text in texts for found in _FIELD.findall(text)}
    return frozenset(plain for name in names if len(plain := re.sub(r"\W|_", "", name).lower()) >= _SHORTEST)


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
    lists = (match[1] for text in head.texts(paths).values() for match in _LABELS.finditer(text))
    return frozenset(line.strip(" \t-\"'") for names in lists for line in names.split("\n"))
