"""The table of files in which projects state the versions that they need, by product. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from gitmem.document.sources.formats import read_value
from gitmem.document.sources.versions import lowest
from gitmem.errors import FormatError
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The most digits read of a number: Python refuses thousands of them, and no version has so many.
LONGEST = 20
# The meaning of a stated version: the minimum, exactly this one, one of several, the first that is too new, one of the
# classified ones, one of what CI runs, the tag of an image, or a framework that a project is built for.
LEAST, EXACT, ONE_OF, BELOW = "least", "exact", "one of", "below"
CLASSIFIED, MATRIX, IMAGE, TARGET = "classified", "matrix", "image", "target"
# Of several versions in such places, a document may name any.
ANY_OF_SEVERAL = (IMAGE, TARGET)


@frozen
class Place:
    """A kind of place that states a product's version.

    Attributes:
        names: File names, or globs of the ends of whole paths.
        keys: Its key in a structured file, empty for a file of one value; None if the pattern finds it in the text.
        pattern: What finds the version, in the value of the key or in the text: group 1; empty for a value that is a
            version or a range.
        how: What it means. In a matrix, the pattern is the key, with one version or a list of them.
    """

    names: tuple[str, ...]
    keys: tuple[str, ...] | None
    how: str = LEAST
    pattern: str = ""


_NUMBER = r"v?(\d+(?:\.\d+){0,3})"
_CI = (".github/workflows/*", ".github/actions/*")
_COMPOSE = ("*compose*.yml", "*compose*.yaml", ".github/workflows/*")
_CLASSIFIED = rf"Programming Language :: Python :: {_NUMBER}"
_REQUIRES_PYTHON = ("project", "requires-python")
_POETRY_PYTHON = ("tool", "poetry", "dependencies", "python")


def _pinned(*names: str) -> tuple[Place, ...]:
    """Return the places where the version managers asdf and mise pin a product, by its names there."""
    files = ((".tool-versions", ()), ("mise.toml", ("tools",)), (".mise.toml", ("tools",)))
    return tuple(
        Place((file,), (*keys, name), EXACT, rf"^(?:[a-z]+-)?{_NUMBER}") for name in names for file, keys in files
    )


def _managers(name: str) -> tuple[Place, ...]:
    """Return the places in package.json that state the version of a package manager."""
    return (
        Place(("package.json",), ("packageManager",), EXACT, rf"{name}@{_NUMBER}"),
        Place(("package.json",), ("engines", name)),
    )


# Servers that projects start in containers, with the names of images that have another one.
_IMAGES = {
    "redis": (), "postgres": ("pgvector", "postgis", "postgresql", "timescaledb(?:-ha)?"), "mysql": (), "mariadb": (),
    "mongo": ("mongodb",), "elasticsearch": (), "opensearch": (), "rabbitmq": (), "nginx": (), "kafka": ("cp-kafka",),
    "clickhouse": ("clickhouse-server",), "valkey": (), "memcached": (), "neo4j": (), "caddy": (), "traefik": (),
}  # fmt: skip


def _tag(name: str, *more: str) -> Place:
    """Return the place of an image's tag: `image: redis:7-alpine`, `image: pgvector/pgvector:pg16`."""
    images = "|".join((name, *more))
    # The tag of an extension of PostgreSQL may end in the server's version: `timescaledb:2.24.0-pg16`.
    return Place(
        _COMPOSE,
        None,
        IMAGE,
        rf"(?m)^\s*-?\s*image:\s*[\"']?(?:[\w.-]+/)*(?:{images}):(?:[\w.]{{1,30}}-(?=pg\d))?(?:pg|v)?{_NUMBER}",
    )


PRODUCTS: dict[str, tuple[Place, ...]] = {
    "go": (
        Place(("go.mod",), ("go",)),
        Place(
            ("devcontainer.json",),
            None,
            EXACT,
            rf"devcontainers/go:(?:[\d.]+-)?{_NUMBER}|/go:\d*\"\s*:\s*\{{\s*\"version\"\s*:\s*\"{_NUMBER}",
        ),
        Place(_CI, None, MATRIX, r"go(?:-?version)?"),
        Place(("Dockerfile",), None, ONE_OF, rf"(?m)^FROM.*golang:{_NUMBER}"),
        *_pinned("golang", "go"),
    ),
    "python": (
        Place(("pyproject.toml",), _REQUIRES_PYTHON),
        Place(("pyproject.toml",), _POETRY_PYTHON),
        Place(("setup.cfg",), ("options", "python_requires")),
        Place(("setup.py",), None, LEAST, rf"python_requires\s*=\s*[\"']?[^\n\"']*?>=\s*{_NUMBER}"),
        Place(("pyproject.toml",), _REQUIRES_PYTHON, BELOW, rf"<\s*{_NUMBER}"),
        Place(("pyproject.toml",), _POETRY_PYTHON, BELOW, rf"<\s*{_NUMBER}"),
        Place(("setup.cfg", "setup.py"), None, BELOW, rf"python_requires\s*=\s*[\"']?[^\n\"']*?<\s*{_NUMBER}"),
        Place((".python-version",), (), EXACT),
        Place(("runtime.txt",), None, EXACT, rf"^(?:python-)?{_NUMBER}"),
        Place(("pyproject.toml", "setup.py", "setup.cfg"), None, CLASSIFIED, _CLASSIFIED),
        Place(_CI, None, MATRIX, r"python(?:-?versions?)?"),
        Place(("tox.ini",), None, MATRIX, r"env_?list"),
        Place(("noxfile.py",), None, MATRIX, r"python(?:_?versions)?"),
        Place(("Dockerfile",), None, ONE_OF, rf"(?m)^FROM.*python:{_NUMBER}"),
        *_pinned("python"),
        Place(("pyproject.toml",), None, ONE_OF, r"target-version\s*=\s*[\"']py(3)(\d+)"),
    ),
    "node": (
        Place(("package.json",), ("engines", "node")),
        Place((".nvmrc", ".node-version"), (), EXACT),
        Place(_CI, None, MATRIX, r"node(?:-?versions?)?"),
        Place(("Dockerfile",), None, ONE_OF, rf"(?m)^FROM.*node:{_NUMBER}"),
        *_pinned("nodejs", "node"),
        Place(("package.json",), ("volta", "node"), EXACT),
    ),
    **{name: _managers(name) for name in ("pnpm", "npm", "yarn", "bun")},
    "rust": (
        Place(("Cargo.toml",), ("package", "rust-version")),
        Place(("Cargo.toml",), ("workspace", "package", "rust-version")),
        Place(("rust-toolchain.toml",), ("toolchain", "channel"), EXACT),
        Place(("rust-toolchain",), None, EXACT, rf"(?:channel\s*=\s*\")?{_NUMBER}"),
    ),
    "zig": (Place(("build.zig.zon",), None, LEAST, rf"minimum_zig_version\s*=\s*\"{_NUMBER}"),),
    "dotnet": (
        Place(
            ("*.csproj", "*.fsproj", "*.vbproj", "Directory.Build.props"),
            None,
            TARGET,
            r"\bnet(?:coreapp)?(\d+\.\d+)[\w.-]*(?=[^<\n]*</TargetFrameworks?>)",
        ),
        Place(("global.json",), ("sdk", "version"), EXACT),
    ),
    "cpp": (
        Place(
            ("CMakeLists.txt",),
            None,
            TARGET,
            r"(?im)^[ \t]*set[ \t]*\([ \t]*CMAKE_CXX_STANDARD[ \t]+(\d+)|^[^#\n]*\bcxx_std_(\d+)",
        ),
        Place(("meson.build",), None, TARGET, r"\bcpp_std\s*=\s*(?:c|gnu|vc)\+\+(\d+)"),
    ),
    "csharp": (Place(("Directory.Build.props",), None, TARGET, r"<LangVersion>(\d+(?:\.\d+)?)</LangVersion>"),),
    "edition": (
        Place(("Cargo.toml",), ("package", "edition"), EXACT),
        Place(("Cargo.toml",), ("workspace", "package", "edition"), EXACT),
    ),
    "ruby": (
        Place((".ruby-version",), None, EXACT, rf"^(?:ruby-)?{_NUMBER}"),
        Place(("Gemfile",), None, LEAST, rf"(?m)^ruby [\"'][^\"'\d]*{_NUMBER}"),
        *_pinned("ruby"),
        Place(("*.gemspec",), None, LEAST, rf"required_ruby_version\s*=\s*[\"'][^\"'\d]*{_NUMBER}"),
    ),
    "elixir": (
        Place(("mix.exs",), None, LEAST, rf"(?m)^[^#\n]*\belixir:\s*\"(?:~>|>=)\s*{_NUMBER}"),
        *_pinned("elixir"),
        Place(_CI, None, MATRIX, r"elixir(?:-?versions?)?"),
    ),
    "erlang": (*_pinned("erlang"), Place(_CI, None, MATRIX, r"otp(?:-?versions?)?")),
    "java": (
        Place((".java-version",), (), EXACT),
        *_pinned("java"),
        Place(_CI, None, MATRIX, r"java(?:-?versions?)?"),
    ),
    "cmake": (Place(("CMakeLists.txt",), None, LEAST, rf"(?im)^\s*cmake_minimum_required\s*\(\s*VERSION\s+{_NUMBER}"),),
    "swift": (Place(("Package.swift",), None, LEAST, rf"\A// ?swift-tools-version ?: ?{_NUMBER}"),),
    "terraform": (
        Place(
            ("versions.tf", "main.tf", "terraform.tf", "providers.tf"),
            None,
            LEAST,
            rf"(?m)^\s*required_version\s*=\s*\"[>=~\s]*{_NUMBER}",
        ),
        Place((".terraform-version",), (), EXACT),
    ),
    "gradle": (Place(("*gradle-wrapper.properties",), None, EXACT, rf"(?m)^distributionUrl=.*/gradle-{_NUMBER}-"),),
    "r": (Place(("DESCRIPTION",), None, LEAST, rf"(?m)^(?:Depends:)?\s*R \(>= {_NUMBER}\)"),),
    "julia": (Place(("Project.toml",), ("compat", "julia"), LEAST, rf"^\D*{_NUMBER}"),),  # "1.6, 1.9": either
    "dart": (Place(("pubspec.yaml",), ("environment", "sdk")),),
    "flutter": (Place(("pubspec.yaml",), ("environment", "flutter")), Place((".fvmrc",), ("flutter",), EXACT)),
    "scala": (
        Place(("build.sbt",), None, EXACT, rf"scalaVersion\s*:=\s*\"{_NUMBER}\""),
        Place(("build.sbt",), None, MATRIX, r"(?:ThisBuild */ *)?crossScalaVersions"),
    ),
    "ocaml": (Place(("dune-project", "*.opam"), None, LEAST, rf"[(\"]ocaml\"?\s*[({{]?\(?>=\s*\"?{_NUMBER}"),),
    "bazel": (Place((".bazelversion",), None, EXACT, rf"\A{_NUMBER}"),),
    "php": (Place(("composer.json",), ("require", "php")),),
    **{name: (_tag(name, *more),) for name, more in _IMAGES.items()},
}
# The end of the name of a product whose tools are meant.
SDK = " sdk"
_SPELLED = {
    "golang": "go", "msrv": "rust", "toolchain": "rust",
    "node.js": "node", "nodejs": "node", "rustc": "rust", ".net": "dotnet",
    "net": "dotnet", "postgresql": "postgres", "mongodb": "mongo", "c++": "cpp", "c#": "csharp",
}  # fmt: skip


def product_of(name: str) -> str:
    """Return the row of the table for a product's name, or an empty string."""
    low = name.lower().removesuffix(SDK)
    low = _SPELLED.get(low, low)
    return low if low in PRODUCTS else ""


@lru_cache(maxsize=4000)
def versions_in(place: Place, path: str, text: str) -> tuple[tuple[int, str], ...]:
    """Return the line and version of each statement in a file."""
    return tuple(_find_versions(place, path, text))


def _find_versions(place: Place, path: str, text: str) -> Iterator[tuple[int, str]]:
    if place.how == MATRIX:
        yield from _find_listed(place.pattern, text)
        return
    if place.keys is None:
        for match in re.finditer(place.pattern, text):
            groups = [group for group in match.groups() if group]
            if groups:
                at = match.start() + match[0].rfind(groups[0])
                yield text.count("\n", 0, at) + 1, ".".join(groups) if "py(3)" in place.pattern else groups[0]
        return
    try:
        node = read_value(path, text.encode("utf-8", "surrogateescape"), place.keys)
    except FormatError:
        return
    value = node.text or "" if node is not None else ""
    if place.pattern:
        within = re.search(place.pattern, value)
        version = within[1] if within else ""
    else:
        least = lowest(value)
        version = ".".join(map(str, least.release)) if least is not None else ""
    if node is not None and version:
        yield node.line, version


def _find_listed(key: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield the versions of a key: after it on its line, in its brackets, or in the list below it."""
    below = r"(?:\n[ \t]+-?[ \t]*[\"']?[\w.]+[\"',]*[ \t]*(?=\n|$))*"
    values = rf"(?P<values>\[[^\]]*\]|[^\n#]*{below})"
    after = rf"(?m)^[ \t]*(?:- )?(?:[\w@.]+\()?[\"']?{key}[\"']?[ \t]*[:=][ \t]*{values}"
    for match in re.finditer(after, text):
        for version in re.finditer(r"(?<![\w.-])(?:py(?=3))?v?(\d+(?:\.\d+){0,2})(?![\w.])", match["values"]):
            line = text.count("\n", 0, match.start("values") + version.start()) + 1
            is_joined = version[0].startswith("py") and "." not in version[0]  # py312
            yield line, f"3.{version[1][1:]}" if is_joined else version[1]


def next_minor(version: str) -> str:
    """Return the version after the last one of a range: 3.14 comes before 3.15."""
    parts = parts_of(version)
    return ".".join(map(str, (*parts[:-1], parts[-1] + 1))) if parts else version


def parts_of(version: str) -> tuple[int, ...]:
    """Return a version as numbers; if it is data instead, only the beginnings of its numbers."""
    return tuple(int(part[:LONGEST]) for part in re.findall(r"\d+", version))


def compare(stated: str, actual: str) -> int:
    """Return -1, 0 or 1: the stated version is older, the same or newer, to the stated precision."""
    left, right = parts_of(stated), parts_of(actual)
    right = (right + (0,) * len(left))[: len(left)]
    return (left > right) - (left < right)
