"""Read the dependencies in manifests: names, required versions or ranges, and lines. Pure.

Names are compared like in their registries: Python's by PEP 503, those of .NET and Composer ignoring case.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gitmem.document.sources.formats import decode, iter_matches, read_source
from gitmem.document.sources.node import Node
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Named = Iterator[tuple[str, "Dependency"]]

_PEP_508 = re.compile(
    r"\s*([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*\(?\s*([^;@#)]*)\)?\s*(?:@\s*([^;#\s]+))?"
)
# `-e git+https://example.com/a.git#egg=name`: pip's manual, "VCS Support".
_EGG = re.compile(r"^[^#]*://[^#\s]*#(?:[^\s&]*&)*egg=([A-Za-z0-9][\w.-]*)")
_GEM = re.compile(
    r"^[ \t]*(?:gem|\w+\.add(?:_\w+)?_dependency)[ \t(]+[\"']([^\"'\n]+)[\"'](?:[ \t]*,[ \t]*(\[?[\"'][^\n#]*))?",
    re.MULTILINE,
)
_QUOTED = re.compile(r"[\"']([^\"'\n]*)[\"']")
_GRADLE = re.compile(r"[\"']([A-Za-z][\w.-]*:[\w.-]+)(?::([\w.$\{}+\[\](),-]+))?(?:@\w+)?[\"']")
_GRADLE_PLUGIN = re.compile(r"\bid[ \t(]+[\"']([\w.-]+)[\"']\)?(?:[ \t]+version[ \t(]+[\"']([^\"'\n]+)[\"'])?")


@frozen
class Dependency:
    """One entry of a manifest.

    Attributes:
        requirement: The version or range as written; empty for any version.
        line: Its line.
    """

    requirement: str
    line: int


def normal_name(path: str, name: str) -> str:
    """Return a dependency's name in the form in which its registry compares names."""
    kind = _kind(path)
    if kind in ("python", "requirements"):
        return re.sub(r"[-_.]+", "-", name).lower()
    return name.lower() if kind in ("dotnet", "composer.json") else name


@lru_cache(maxsize=8)
def read_dependencies(path: str, content: bytes) -> dict[str, list[Dependency]]:
    """Return a manifest's dependencies, by ``normal_name``; empty for a file that is not a manifest.

    Raises:
        FormatError: The file's content does not match its name.
    """
    dependencies: dict[str, list[Dependency]] = {}
    reader = _READERS.get(_kind(path))
    for name, dependency in reader(path, content) if reader is not None else ():
        dependencies.setdefault(normal_name(path, name), []).append(dependency)
    return dependencies


def is_manifest(path: str) -> bool:
    """Return whether a file of this name lists dependencies."""
    kind, name = _kind(path), path.rpartition("/")[2]
    if kind == "requirements":
        return name.startswith("requirements") or f"/{path}".rpartition("/")[0].endswith("/requirements")
    return kind in _READERS


def _kind(path: str) -> str:
    name = path.rpartition("/")[2]
    if name in ("pyproject.toml", "setup.cfg", "Pipfile"):
        return "python"
    if name.endswith((".txt", ".in")):
        return "requirements"
    if name.endswith((".csproj", ".fsproj", ".vbproj", ".props", "packages.config")):
        return "dotnet"
    if name.endswith((".gradle", ".gradle.kts")):
        return "gradle"
    if name.endswith(".gemspec") or name == "Gemfile":
        return "ruby"
    return "libs.versions.toml" if name.endswith(".versions.toml") else name


def _table(node: Node) -> Named:
    """Yield the entries of a mapping of names to versions, or to mappings that contain one."""
    for name, value in node.iter_members():
        for item in value.items or (value,):
            yield name, Dependency(_version_of(item), value.line)


def _version_of(node: Node) -> str:
    if node.text is not None:
        return "" if node.text == "*" else node.text
    return node.at("version").text or node.at("rev").text or node.at("tag").text or ""


def _pep_508(node: Node) -> Named:
    for text in node.texts():
        match = _PEP_508.match(text.text or "")
        if match:
            yield match[1], Dependency((match[2] or match[3] or "").strip(), text.line)


def _python(path: str, content: bytes) -> Named:
    top = read_source(path, content)
    name = path.rpartition("/")[2]
    if name == "Pipfile":
        for key in ("packages", "dev-packages"):
            yield from _table(top.at(key))
    elif name == "setup.cfg":
        extras = top.at("options.extras_require")
        for node in (top.at("options", "install_requires"), *(node for _, node in extras.iter_members())):
            for number, written in enumerate((node.text or "").split("\n")):
                yield from _pep_508(Node(node.line + number, written))
    else:
        yield from _pyproject(top)


def _pyproject(top: Node) -> Named:
    project, poetry = top.at("project"), top.at("tool", "poetry")
    groups = (
        project.at("optional-dependencies"),
        top.at("dependency-groups"),
        top.at("tool", "pdm", "dev-dependencies"),
    )
    yield from _pep_508(project.at("dependencies"))
    yield from _pep_508(top.at("build-system", "requires"))
    yield from _pep_508(top.at("tool", "uv", "dev-dependencies"))
    for group in groups:
        for _, node in group.iter_members():
            yield from _pep_508(node)
    for node in (poetry.at("dependencies"), poetry.at("dev-dependencies")):
        yield from _table(node)
    for _, group in poetry.at("group").iter_members():
        yield from _table(group.at("dependencies"))
    for _, env in top.at("tool", "hatch", "envs").iter_members():
        yield from _pep_508(env.at("dependencies"))


def _requirements(_path: str, content: bytes) -> Named:
    for line, written in enumerate(decode(content).split("\n"), start=1):
        if egg := _EGG.search(written):
            yield egg[1], Dependency("", line)
        elif written.strip()[:1] not in ("", "#", "-"):
            yield from _pep_508(Node(line, written.split(" #")[0].split(" --")[0].rstrip("\\ ")))


def _tables(*places: tuple[str, ...]) -> Callable[[str, bytes], Named]:
    def read(path: str, content: bytes) -> Named:
        top = read_source(path, content)
        for keys in places:
            yield from _table(top.at(*keys))

    return read


def _pnpm(path: str, content: bytes) -> Named:
    top = read_source(path, content)
    yield from _table(top.at("catalog"))
    for _, catalog in top.at("catalogs").iter_members():
        yield from _table(catalog)


def _cargo(path: str, content: bytes) -> Named:
    top = read_source(path, content)
    for part in (top, top.at("workspace"), *(node for _, node in top.at("target").iter_members())):
        for key in ("dependencies", "dev-dependencies", "build-dependencies"):
            for name, value in part.at(key).iter_members():
                version = "" if value.at("workspace").text == "true" else _version_of(value)
                for known in {name, value.at("package").text or name}:
                    yield known, Dependency(version, value.line)


def _gemfile(_path: str, content: bytes) -> Named:
    for match, line in iter_matches(_GEM, decode(content)):
        versions = [one for one in _QUOTED.findall(match[2] or "") if re.match(r"[\s~<>=!]*\d", one)]
        yield match[1], Dependency(", ".join(versions), line + match[0].count("\n"))


def _pom(path: str, content: bytes) -> Named:
    project = read_source(path, content).at("project")
    properties = {name: node.text or "" for name, node in project.at("properties").iter_members()}
    managed, build = project.at("dependencyManagement"), project.at("build")
    groups = [(part.at("dependencies"), "dependency") for part in (project, managed)]
    groups += [(part.at("plugins"), "plugin") for part in (build, build.at("pluginManagement"))]
    dependencies = [node for held, name in groups for node in _each(held.at(name))]
    for one in (*dependencies, *_each(project.at("parent"))):
        name, version = one.at("artifactId").text, one.at("version").text or ""
        version = re.sub(r"\$\{([^}]{0,200})\}", lambda known: properties.get(known[1], known[0]), version)
        if name:
            line = one.at("artifactId").line
            yield name, Dependency(version, line)
            yield f"{one.at('groupId').text}:{name}", Dependency(version, line)


def _each(node: Node) -> list[Node]:
    return list(node.items) if node.items is not None else [node]


def _gradle(_path: str, content: bytes) -> Named:
    text = decode(content)
    for match, line in iter_matches(_GRADLE, text):
        dependency = Dependency(match[2] or "", line)
        yield match[1], dependency
        yield match[1].partition(":")[2], dependency
    for match, line in iter_matches(_GRADLE_PLUGIN, text):
        yield match[1], Dependency(match[2] or "", line)


def _catalog(path: str, content: bytes) -> Named:
    top = read_source(path, content)
    for key in ("libraries", "plugins"):
        for alias, node in top.at(key).iter_members():
            module = node.text or node.at("module").text or node.at("id").text or ""
            group, _, rest = module.partition(":")
            name, _, version = rest.partition(":")
            ref = node.at("version", "ref").text
            stated = top.at("versions", ref).text if ref else node.at("version").text
            dependency = Dependency(stated or version, node.line)
            for known in {alias, name or group, f"{group}:{name}" if name else group} - {""}:
                yield known, dependency


def _dotnet(path: str, content: bytes) -> Named:
    top = read_source(path, content)
    for group in _each(top.at("Project", "ItemGroup")):
        for kind in ("PackageReference", "PackageVersion", "GlobalPackageReference"):
            for node in _each(group.at(kind)):
                name = node.at("Include").text or node.at("Update").text
                if name:
                    yield name, Dependency(node.at("Version").text or node.at("VersionOverride").text or "", node.line)


def _clojure(path: str, content: bytes) -> Named:
    """Yield the dependencies of deps.edn and bb.edn, which are mappings, and of Leiningen and shadow-cljs, lists.

    Source: clojure.org/reference/deps_edn; Leiningen's sample.project.clj.
    """
    top = read_source(path, content)
    aliases = [node for key in ("aliases", "profiles") for _, node in top.at(key).iter_members()]
    for part in (top, *aliases):
        for key in ("deps", "extra-deps", "replace-deps", "override-deps"):
            for known, node in part.at(key).iter_members():
                stated = next((one.text for place in _CLOJURE if (one := node.at(place)).text), "")
                yield from _with_artifact(known, Dependency(stated or "", node.line))
        for node in part.at("dependencies").items or ():
            name, version = [*(node.items or ()), Node(0), Node(0)][:2]
            if name.text:
                yield from _with_artifact(name.text, Dependency(version.text or "", name.line))


def _with_artifact(name: str, dependency: Dependency) -> Named:
    """Yield a dependency by its name, and by that without its group."""
    for known in {name, name.rpartition("/")[2]}:
        yield known, dependency


_CLOJURE = ("mvn/version", "git/tag", "git/sha")
# `{:phoenix, "~> 1.7"}`, `{:ecto, ">= 3.0", only: :dev}`, `{:plug, github: "x/y"}`.
_HEX = re.compile(r"\{:([a-z]\w*),[ \t]*(?:\"([^\"\n]*)\")?")
_PAKET = re.compile(r"^[ \t]*nuget[ \t]+([\w.-]+)(?:[ \t]+([^\n]{0,100}))?", re.MULTILINE)


def _patterned(pattern: re.Pattern[str]) -> Callable[[str, bytes], Named]:
    """Return a reader of a pattern's names and versions."""

    def read(_path: str, content: bytes) -> Named:
        for match, line in iter_matches(pattern, decode(content)):
            yield match[1], Dependency((match[2] or "").strip(), line)

    return read


_READERS: dict[str, Callable[[str, bytes], Named]] = {
    "python": _python,
    "requirements": _requirements,
    "package.json": _tables(
        ("dependencies",),
        ("devDependencies",),
        ("peerDependencies",),
        ("optionalDependencies",),
        ("resolutions",),
        ("overrides",),
        ("pnpm", "overrides"),
        ("catalog",),
        ("workspaces", "catalog"),
    ),
    "pnpm-workspace.yaml": _pnpm,
    "composer.json": _tables(("require",), ("require-dev",)),
    "pubspec.yaml": _tables(("dependencies",), ("dev_dependencies",)),
    "deno.json": _tables(("imports",)),
    "go.mod": _tables(("require",)),
    "Cargo.toml": _cargo,
    "ruby": _gemfile,
    "pom.xml": _pom,
    "gradle": _gradle,
    "libs.versions.toml": _catalog,
    "dotnet": _dotnet,
    **dict.fromkeys(("deps.edn", "bb.edn", "project.clj", "shadow-cljs.edn"), _clojure),
    "mix.exs": _patterned(_HEX),
    "paket.dependencies": _patterned(_PAKET),
}
