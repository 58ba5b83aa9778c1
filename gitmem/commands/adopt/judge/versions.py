"""Where a project says which versions it needs: one table, from a product to the files that say so. Pure."""

from __future__ import annotations

import json
import re

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# How a place states a version: the least one, exactly one, one of several, or the first that is too new.
LEAST, EXACT, ONE_OF, BELOW = "least", "exact", "one of", "below"


@frozen
class Place:
    """One kind of place that states the version of a product.

    Attributes:
        names: File names, or endings that begin with ``/`` for a whole path.
        pattern: What finds the version there: group 1.
        how: What it means.
    """

    names: tuple[str, ...]
    pattern: str
    how: str = LEAST


_NUMBER = r"v?(\d+(?:\.\d+){0,3})"
_CI = ("*.github/workflows/",)
PRODUCTS: dict[str, tuple[Place, ...]] = {
    "go": (
        Place(("go.mod",), rf"(?m)^go {_NUMBER}"),
        Place(
            ("devcontainer.json",),
            rf"devcontainers/go:(?:[\d.]+-)?{_NUMBER}|/go:\d*\"\s*:\s*\{{\s*\"version\"\s*:\s*\"{_NUMBER}",
            EXACT,
        ),
        Place(_CI, rf"go-version:\s*[\[\"']*{_NUMBER}", ONE_OF),
        Place(("Dockerfile",), rf"(?m)^FROM.*golang:{_NUMBER}", ONE_OF),
        Place((".tool-versions",), rf"(?m)^go(?:lang)? {_NUMBER}", EXACT),
    ),
    "python": (
        Place(("pyproject.toml",), rf"(?m)^\s*requires-python\s*=\s*[\"'][^\"'\n]*?[>~^]=?\s*{_NUMBER}"),
        Place(("pyproject.toml",), rf"(?m)^\s*python\s*=\s*[\"'][^\"'\n]*?(?:>=|\^|~)\s*{_NUMBER}"),
        Place(("setup.cfg", "setup.py"), rf"python_requires\s*=\s*[\"']?[^\n\"']*?>=\s*{_NUMBER}"),
        Place(("pyproject.toml",), rf"(?m)^\s*(?:requires-python|python)\s*=\s*[\"'][^\"'\n]*?<\s*{_NUMBER}", BELOW),
        Place(("setup.cfg", "setup.py"), rf"python_requires\s*=\s*[\"']?[^\n\"']*?<\s*{_NUMBER}", BELOW),
        Place((".python-version", "runtime.txt"), rf"^(?:python-)?{_NUMBER}", EXACT),
        Place(("pyproject.toml", "setup.py", "setup.cfg"), rf"Programming Language :: Python :: {_NUMBER}", ONE_OF),
        Place(_CI, rf"python-version:\s*[\[\"']*{_NUMBER}|python-version:\s*\[[^\]]*[\"']{_NUMBER}[\"']\s*\]", ONE_OF),
        Place(("Dockerfile",), rf"(?m)^FROM.*python:{_NUMBER}", ONE_OF),
        Place(("pyproject.toml",), r"target-version\s*=\s*[\"']py(3)(\d+)", ONE_OF),
    ),
    "node": (
        Place(("package.json",), rf"\"engines\"\s*:\s*\{{[^}}]*\"node\"\s*:\s*\"[^\"\d]*{_NUMBER}"),
        Place((".nvmrc", ".node-version"), rf"^{_NUMBER}", EXACT),
        Place(_CI, rf"node-version:\s*[\[\"']*{_NUMBER}", ONE_OF),
        Place(("Dockerfile",), rf"(?m)^FROM.*node:{_NUMBER}", ONE_OF),
        Place((".tool-versions",), rf"(?m)^nodejs {_NUMBER}", EXACT),
        Place(("package.json",), rf"\"volta\"\s*:\s*\{{[^}}]*\"node\"\s*:\s*\"{_NUMBER}", EXACT),
    ),
    "pnpm": (
        Place(("package.json",), rf"\"packageManager\"\s*:\s*\"pnpm@{_NUMBER}", EXACT),
        Place(("package.json",), rf"\"engines\"\s*:\s*\{{[^}}]*\"pnpm\"\s*:\s*\"[^\"\d]*{_NUMBER}"),
    ),
    "npm": (
        Place(("package.json",), rf"\"engines\"\s*:\s*\{{[^}}]*\"npm\"\s*:\s*\"[^\"\d]*{_NUMBER}"),
        Place(("package.json",), rf"\"packageManager\"\s*:\s*\"npm@{_NUMBER}", EXACT),
    ),
    "yarn": (Place(("package.json",), rf"\"packageManager\"\s*:\s*\"yarn@{_NUMBER}", EXACT),),
    "bun": (
        Place(("package.json",), rf"\"packageManager\"\s*:\s*\"bun@{_NUMBER}", EXACT),
        Place(("package.json",), rf"\"engines\"\s*:\s*\{{[^}}]*\"bun\"\s*:\s*\"[^\"\d]*{_NUMBER}"),
    ),
    "rust": (
        Place(("Cargo.toml",), rf"(?m)^\s*rust-version\s*=\s*\"{_NUMBER}"),
        Place(("rust-toolchain.toml", "rust-toolchain"), rf"(?:channel\s*=\s*\")?{_NUMBER}", EXACT),
    ),
    "zig": (Place(("build.zig.zon",), rf"minimum_zig_version\s*=\s*\"{_NUMBER}"),),
    "dotnet": (
        Place(("global.json",), rf"\"sdk\"\s*:\s*\{{[^}}]*\"version\"\s*:\s*\"{_NUMBER}", EXACT),
        Place(("Directory.Build.props",), r"<TargetFramework[^>]*>net(\d+\.\d+)", ONE_OF),
    ),
    "ruby": (
        Place((".ruby-version",), rf"^(?:ruby-)?{_NUMBER}", EXACT),
        Place(("Gemfile",), rf"(?m)^ruby [\"'][^\"'\d]*{_NUMBER}"),
    ),
    "php": (Place(("composer.json",), rf"\"php\"\s*:\s*\"[^\"\d]*{_NUMBER}"),),
}
_SPELLED = {
    "golang": "go", "node.js": "node", "nodejs": "node", "rustc": "rust", ".net": "dotnet",
    "net": "dotnet",
}  # fmt: skip
_ALIASES = {
    "turborepo": "turbo", "angular": "@angular/core", "nestjs": "@nestjs/core", "vue.js": "vue", "vuejs": "vue",
    "nextjs": "next", "shadcn": "shadcn-ui", "electron.js": "electron", "drizzle": "drizzle-orm",
}  # fmt: skip


def product_of(name: str) -> str:
    """Return the row of the table for a name as people write it, or an empty string."""
    low = name.lower()
    low = _SPELLED.get(low, low)
    return low if low in PRODUCTS else ""


def versions_in(place: Place, text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and version of each that a text states."""
    for found in re.finditer(place.pattern, text):
        groups = [group for group in found.groups() if group]
        version = ".".join(groups) if "py(3)" in place.pattern else groups[0] if groups else ""
        if version:
            at = found.start() + found[0].rfind(groups[0])
            yield text.count("\n", 0, at) + 1, version


def parts_of(version: str) -> tuple[int, ...]:
    """Return a version as numbers."""
    return tuple(int(part) for part in re.findall(r"\d+", version))


def compare(stated: str, actual: str) -> int:
    """Return -1, 0 or 1: the stated version is older, the same or newer, as far as it is stated."""
    left, right = parts_of(stated), parts_of(actual)
    right = (right + (0,) * len(left))[: len(left)]
    return (left > right) - (left < right)


def plain_name(name: str) -> str:
    """Return a dependency's name as it is compared: ``Next.js`` and ``next`` are the same."""
    low = _ALIASES.get(name.lower(), name.lower())
    if low.startswith("@"):
        return low
    return re.sub(r"(\.js|js)$|[\s._-]", "", low) if low not in ("js", "rxjs", "d3.js") else low


_MANIFESTS = (
    "package.json", "pyproject.toml", "Cargo.toml", "go.mod", "setup.py", "setup.cfg", "pnpm-workspace.yaml", "Gemfile",
    "composer.json", "Directory.Packages.props", "build.gradle", "build.gradle.kts", "libs.versions.toml", "Pipfile",
)  # fmt: skip


def is_manifest(path: str) -> bool:
    """Return whether a file lists dependencies."""
    name = path.rpartition("/")[2]
    return name in _MANIFESTS or re.match(r"^requirements[\w.-]*\.(txt|in)$", name) is not None


def dependencies_in(path: str, text: str) -> dict[str, tuple[str, str, int]]:
    """Return the dependencies that a manifest lists: by plain name, its own name, its range and its line."""
    found: dict[str, tuple[str, str, int]] = {}
    listed = [
        (name, version, text.count("\n", 0, at) + 1) for name, version, at in _listed(path.rpartition("/")[2], text)
    ]
    for one in listed:
        found.setdefault(plain_name(one[0]), one)
    for one in listed:
        if one[0].startswith("@"):  # a scoped package is also known by its scope, and by its own part
            found.setdefault(plain_name(one[0].rpartition("/")[2]), one)
            found.setdefault(plain_name(one[0][1:].partition("/")[0]), one)
    return found


def _listed(name: str, text: str) -> Iterator[tuple[str, str, int]]:
    if name == "package.json":
        try:
            whole = json.loads(text)
        except ValueError:
            return
        groups = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
        for group in groups if isinstance(whole, dict) else ():
            part = whole.get(group)
            for one, version in part.items() if isinstance(part, dict) else ():
                yield one, str(version), max(text.find(f'"{one}"', max(text.find(f'"{group}"'), 0)), 0)
        return
    pattern = {
        "Cargo.toml": r"(?m)^([A-Za-z][\w-]*)(?:\.workspace)?\s*=\s*"
        r"(?:\"([^\"]*)\"|\{[^}\n]*?version\s*=\s*\"([^\"]*)\"|\{|true)",
        "go.mod": r"(?m)^\s*(?:require\s+)?[\w.-]+(?:/[\w.-]+)*/([\w.-]+?)(?:/v\d+)?\s+(v[\d.]+)",
        "pnpm-workspace.yaml": r"(?m)^\s+[\"']?(@?[\w./-]+)[\"']?:\s*[\"']?([\^~]?\d[\w.-]*)",
        "Gemfile": r"(?m)^\s*gem [\"']([\w-]+)[\"'](?:,\s*[\"']([^\"']*)[\"'])?",
        "composer.json": r"\"[\w-]+/([\w-]+)\"\s*:\s*\"([^\"]*)\"",
        "Directory.Packages.props": r"Include=\"([\w.]+)\"\s+Version=\"([^\"]*)\"",
        "build.gradle": r"[\"'][\w.-]+:([\w.-]+):([\w.$]+)[\"']",
        "build.gradle.kts": r"[\"'][\w.-]+:([\w.-]+):([\w.$]+)[\"']",
        "libs.versions.toml": r"(?m)^([\w-]+)\s*=\s*\"?([^\"\n]*)",
    }.get(
        name,
        r"(?m)^\s*[\"']?([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*(?:=\s*[\"'{]|((?:[=~<>!^]=?|===)\s*[\d][^\"';#\n]*)|(?=[\"';,]|\s*$))",
    )
    for found in re.finditer(pattern, text):
        version = next((group for group in found.groups()[1:] if group), "")
        yield found[1], version, found.start(1)
