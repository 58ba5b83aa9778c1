"""Find the files that a manifest includes: members of a workspace, included files. Pure."""

from __future__ import annotations

import re

from gitmem.document.sources.formats import decode, read_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MAKE_INCLUDE = re.compile(r"^[-s]?include[ \t]+([^\n#]+)", re.MULTILINE)
_JUST_IMPORT = re.compile(r"^(?:import|mod)\??[ \t]+(?:\w+[ \t]+)?[\"']([^\"'\n]+)[\"']", re.MULTILINE)
_PIP_INCLUDE = re.compile(r"^[ \t]*(?:-r|-c|--requirement|--constraint)[= \t]*(\S+)", re.MULTILINE)


def read_links(path: str, content: bytes) -> tuple[str, ...]:
    """Return globs, from the root of the code, of the files that one file includes; may be empty.

    Raises:
        FormatError: The file's content does not match its name.
    """
    folder, _, name = path.rpartition("/")
    links = (_placed(folder, link) for link in _links(name, path, content))
    return tuple(link for link in links if link)


def _links(name: str, path: str, content: bytes) -> Iterator[str]:
    if name in ("Makefile", "GNUmakefile", "makefile") or name.endswith(".mk"):
        for match in _MAKE_INCLUDE.finditer(decode(content)):
            yield from (word for word in match[1].split() if "$" not in word)
    elif name.lower() in ("justfile", ".justfile"):
        yield from (match[1] for match in _JUST_IMPORT.finditer(decode(content)))
    elif name.endswith((".txt", ".in")):
        yield from (match[1] for match in _PIP_INCLUDE.finditer(decode(content)))
    elif name in ("mise.toml", ".mise.toml") or path.endswith("mise/config.toml"):
        yield from (node.text or "" for node in read_source(path, content).at("task_config", "includes").texts())
    for keys, manifest in _MEMBERS.get(name, ()):
        for node in read_source(path, content).at(*keys).texts():
            yield f"{node.text}/{manifest}"


# Where manifests list the members of their workspace, and the manifest of each member.
_MEMBERS: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {
    "package.json": ((("workspaces",), "package.json"), (("workspaces", "packages"), "package.json")),
    "pnpm-workspace.yaml": ((("packages",), "package.json"),),
    "Cargo.toml": ((("workspace", "members"), "Cargo.toml"),),
    "pyproject.toml": ((("tool", "uv", "workspace", "members"), "pyproject.toml"),),
    "go.work": ((("use",), "go.mod"),),
}


def _placed(folder: str, link: str) -> str:
    """Return a path from the root, or an empty string if it leads out of the code."""
    parts: list[str] = folder.split("/") if folder else []
    for part in link.split("/"):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "" if link.startswith("!") else "/".join(parts)
