"""Find the packages of a workspace by name, in the manifests that name them."""

from __future__ import annotations

import re
from functools import lru_cache

from gitmem.commands.adopt.findings import Source
from gitmem.document.sources.formats import read_value
from gitmem.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.tree import Tree

_MANIFESTS: Mapping[str, tuple[str, ...]] = {
    "cargo": ("Cargo.toml",),
    "uv": ("pyproject.toml",),
    "nx": ("project.json", "package.json"),
    "gradle": ("settings.gradle.kts", "settings.gradle"),
    "": ("Cargo.toml", "package.json", "pyproject.toml", "project.json"),
}
# Where a manifest states the name of its package.
NAME_KEYS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "Cargo.toml": (("package", "name"),),
    "pyproject.toml": (("project", "name"), ("tool", "poetry", "name")),
    "package.json": (("name",),),
    "project.json": (("name",),),
}


def list_packages(code: Code, name: str, tool: str) -> Iterator[Source]:
    """Yield the places where manifests give their package a name, nearest to the root first.

    In a list, a package may also be called by the folder of its manifest; in a command, without its scope.
    """
    paths = _list_manifests(code.tree, _MANIFESTS.get(tool, ("package.json",)))
    if tool == "gradle":
        yield from _list_modules(code, name, paths)
        return
    by_folder = [path for path in paths if path.split("/")[-2:-1] == [name]] if tool in ("", "nx") else []
    pattern = (
        re.compile(rf"[\"'/]{re.escape(name)}[\"']")
        if tool != "uv"
        else re.compile(r"[-_.]+".join(re.split(r"[-_.]+", name)), re.I)
    )
    for path, text in code.texts(paths).items():
        node = _name_in(path.rpartition("/")[2], text) if pattern.search(text) else None
        if node is not None and _is_called(node[0], name, tool):
            yield Source(path, node[1], node[0])
    yield from map(Source, code.texts(path for path in by_folder if code.text(path)))


@lru_cache(maxsize=200)
def _list_manifests(tree: Tree, names: tuple[str, ...]) -> Sequence[str]:
    """Return the manifests of some names, nearest to the root first."""
    paths = (path for path in tree.files_named(*names) if "node_modules/" not in path)
    return sorted(paths, key=lambda path: (path.count("/"), path))


def _list_modules(code: Code, name: str, paths: Sequence[str]) -> Iterator[Source]:
    """Yield where the settings of a Gradle build include a module, such as ``:app``."""
    pattern = re.compile(rf"[\"']:?{re.escape(name.lstrip(':'))}[\"']")
    for path, text in code.texts(paths).items():
        if match := pattern.search(text):
            yield Source(path, text.count("\n", 0, match.start()) + 1)


@lru_cache(maxsize=4000)  # a claim is looked for in all manifests, and those of the past are mostly the same
def _name_in(manifest: str, text: str) -> tuple[str, int] | None:
    for keys in NAME_KEYS[manifest]:
        try:
            node = read_value(manifest, text.encode("utf-8", "surrogateescape"), keys)
        except FormatError:
            return None
        if node is not None and node.text:
            return node.text, node.line
    return None


def _is_called(full: str, name: str, tool: str) -> bool:
    if tool == "uv":
        return re.sub(r"[-_.]+", "-", full).lower() == re.sub(r"[-_.]+", "-", name).lower()
    return full == name or ("/" not in name and full.startswith("@") and full.endswith(f"/{name}"))
