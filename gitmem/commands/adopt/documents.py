"""Find the files of a repository that tell people and agents about its code, and the kind of each. Pure."""

from __future__ import annotations

import re
from fnmatch import translate

from gitmem.agents.clients import all_tables
from gitmem.document.decisions import is_record_path
from gitmem.frozen import frozen
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

INSTRUCTIONS, GUIDE, DECISION = "instructions", "guide", "decision"
# Globs of file names; each also matches in any folder, and the file is then about that folder.
_CLIENTS = all_tables().values()
_OF_CLIENTS = {
    glob.lstrip("/")
    for client in _CLIENTS
    for glob in (*client.documents, client.fallback, *client.documents_on_demand)
    if glob
}
_NAMES = {
    INSTRUCTIONS: ("AGENT.md", "copilot-instructions.md", *(glob for glob in _OF_CLIENTS if "/" not in glob)),
    GUIDE: tuple(f"{name}{end}" for name in ("CONTRIBUTING", "README") for end in (".md", ".rst", ".adoc", "")),
}
_FOLDERS = {
    INSTRUCTIONS: sorted(glob for glob in _OF_CLIENTS if "/" in glob)
    + sorted({f"{folder}/*.md" for client in _CLIENTS for folder in (client.skills[0], client.commands[0]) if folder})
}
_KINDS = {name.lower(): kind for kind, names in _NAMES.items() for name in names}
# One pattern for each kind: a large tree has many files.
_PATTERNS = {
    kind: re.compile(f"(?:.*/)?(?:{'|'.join(map(translate, globs))})").match for kind, globs in _FOLDERS.items()
}
# Third-party code, and text used by tests.
_FOREIGN = re.compile(
    r"(^|/)(node_modules|vendor|third_party|third-party|site-packages|testdata|fixtures|__fixtures__|__snapshots__)/",
    re.I,
)
# What was true on its day: dated files, and folders of past things. Below the code, such a folder is a part of it.
_HISTORY = re.compile(
    r"^(?!(?:.*/)?(?:src|packages|apps|libs?|crates|internal|cmd|pkg|examples|tools|modules|services)/)(?:.*/)?"
    r"(?:archived?|archives|attic|audits|changelogs?|dev-?logs?|hand-?offs?|incidents?|journals?|minutes|meetings|"
    r"meeting-?notes|post-?mortems?|release-?notes|retros?|retrospectives?|session-?logs?|stand-?ups?|"
    r"status-?(?:reports?|updates?)|weekly(?:-?(?:reports?|notes))?|work-?logs?|history)/"
    r"|(?:^|/)[^/]*(?<!\d)20\d\d(?P<mark>[-_.]?)(?:0[1-9]|1[0-2])(?P=mark)(?:[0-2]\d|3[01])(?!\d)[^/]*(?:/|$)"
    r"|(?:^|/)20\d\d[-_./](?:0[1-9]|1[0-2])/",
    re.I,
)

# Where installers of skills list what they installed: https://github.com/vercel-labs/skills, and Laravel Boost, which
# also copies the skills that a project keeps in its folder ``.ai/skills/``.
SKILL_LOCK, BOOST = "skills-lock.json", "boost.json"
INSTALLERS = (SKILL_LOCK, BOOST)
_SKILL = re.compile(r"(?P<above>.*/)?\.[\w-]+/skills/(?P<name>[^/]+)/")


@frozen
class Document:
    """One document.

    Attributes:
        path: Its path.
        kind: ``instructions``, ``guide`` or ``decision``.
        folder: The folder its paths are relative to besides the root; empty for the root.
    """

    path: str
    kind: str
    folder: str


def find_documents(paths: Iterable[str], wanted: Iterable[str] = ()) -> list[Document]:
    """Return the documents among the files of a tree, sorted by path.

    Args:
        paths: Every file.
        wanted: Files, whatever their names, and folders of documents; empty for all documents.
    """
    names = [name.strip("/") if name not in (".", "./") else "" for name in wanted]
    every = list(paths)
    files = set(every)
    documents = []
    for path in sorted(every):
        if path in names:
            documents.append(document_of(path))
        elif not names or any(not name or path.startswith(f"{name}/") for name in names if name not in files):
            kind = kind_of(path)
            if kind and not _FOREIGN.search(path) and (kind == DECISION or not _HISTORY.search(path)):
                documents.append(document_of(path))
    return documents


def find_installed(documents: Iterable[Document], lists: Mapping[str, str], files: Container[str]) -> list[Document]:
    """Return the documents of skills that were installed from elsewhere: they are not about this code.

    Args:
        documents: The documents.
        lists: The texts of the installers' lists, by path.
        files: The paths of all files and folders.
    """
    installed = {
        (path.rpartition("/")[0], name) for path, text in lists.items() for name in _installed_names(path, text, files)
    }
    skills = ((document, _SKILL.match(document.path)) for document in documents) if installed else ()
    return [
        document
        for document, match in skills
        if match and ((match["above"] or "").rstrip("/"), match["name"]) in installed
    ]


def _installed_names(path: str, text: str, files: Container[str]) -> list[str]:
    """Return the names of the installed skills that a list names."""
    try:
        skills = parse_json(text)["skills"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return []
    folder, _, name = path.rpartition("/")
    if name == SKILL_LOCK and isinstance(skills, dict):
        entries = ((key, skill) for key, skill in skills.items() if isinstance(skill, dict))
        return [key for key, entry in entries if entry.get("sourceType") != "local"]
    if name == BOOST and isinstance(skills, list):
        own = f"{folder}/.ai/skills/".lstrip("/")
        return [skill for skill in skills if isinstance(skill, str) and f"{own}{skill}" not in files]
    return []


def document_of(path: str) -> Document:
    """Return the document with a path, whatever its name; one without a known name counts as a guide."""
    return Document(path, kind_of(path) or GUIDE, _folder_of(path))


def kind_of(path: str) -> str:
    """Return the kind of document that a path names, or an empty string."""
    name = path.rpartition("/")[2].lower()
    if name in _KINDS:
        return _KINDS[name]
    kinds = (kind for kind, matches in _PATTERNS.items() if matches(path))
    return next(kinds, "") or (DECISION if is_record_path(path) else "")


def moved_to(document: Document, path: str) -> Document:
    """Return a document at another path, which it had or has."""
    return document if path == document.path else Document(path, document.kind, _folder_of(path))


def _folder_of(path: str) -> str:
    """Return the folder that a document is about: for ``a/.cursor/rules/b.mdc`` that is ``a``."""
    folder = path.rpartition("/")[0]
    parts = folder.split("/") if folder else []
    hidden = next((at for at, part in enumerate(parts) if part in _HOMES), len(parts))
    return "/".join(parts[:hidden])


# The folders of clients: what is in one is about the folder around it.
_HOMES = frozenset(
    path.partition("/")[0]
    for client in _CLIENTS
    for path in (
        *_OF_CLIENTS,
        *client.found[0],
        client.skills[0],
        client.commands[0],
        client.settings[0],
        client.plugin[0],
    )
    if path.startswith(".")
)
