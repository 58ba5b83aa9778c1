"""Find the packages that a command or an edit adds or changes, and whether a memory restrains one. Pure.

"psycopg stays at 3.1", "don't bump lodash: the fork patches it", "no fancy-regex".
"""

from __future__ import annotations

from itertools import pairwise

from gitmem.agents.moments.output import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.agents.event import Edit

# Package managers of which a project uses one.
FAMILIES = (
    frozenset(("npm", "pnpm", "yarn", "bun")),
    frozenset(("pip", "pip3", "uv", "poetry", "pipenv", "conda", "pdm")),
)
# Files that declare what a project depends on.
_MANIFESTS = frozenset(
    """
    package.json pyproject.toml setup.py setup.cfg Pipfile environment.yml Cargo.toml go.mod Gemfile pom.xml
    build.gradle build.gradle.kts libs.versions.toml composer.json mix.exs pubspec.yaml Dockerfile Containerfile
    Directory.Packages.props docker-compose.yml compose.yml compose.yaml docker-compose.yaml
    """.split()
)
# Words beside a package with which a memory restrains it, or its version.
_RESTRAINS = frozenset(
    """
    pin pins pinned stay stays stayed held hold frozen freeze bump bumped bumping upgrade upgraded upgrading upgrades
    downgrade downgraded newer forbidden banned fork forked patch patched patches unmaintained abandoned deprecated
    vulnerable incompatible conflicts removed replaced dropped licence license
    """.split()
)
# Words before a package that forbid it, and those that may be between: "never add `moment`".
_AGAINST = frozenset(("no", "not", "never", "avoid", "t", "dont", "without", "instead", "than"))
_BETWEEN = frozenset("use add install import of the a rely on pull in again".split())
# Words before a package that a memory asks for: "use date-fns instead of moment".
_FOR = frozenset(("use", "uses", "using", "prefer", "choose", "with", "by"))
# Words of manifests that name no package.
_KEYS = frozenset(
    """
    version versions dependencies dependency devdependencies dev require requires gem group groupid artifactid features
    optional path git workspace true false from image name plugin plugins install run add copy implementation api
    """.split()
)
# Attributes of a package in its line, with values that are no packages.
_ATTRIBUTES = frozenset("features default-features optional git path branch rev tag workspace extras markers".split())
_SPLITS = str.maketrans(dict.fromkeys("\"'`=<>~!^[](){};#&|,", " "))
_PIECES = str.maketrans(dict.fromkeys(",;", "\n"))
# The most names of one edit, and the fewest letters of one.
NAMES_AT_MOST, LETTERS = 12, 3


def is_manifest(path: str) -> bool:
    """Return whether a file declares what a project depends on."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return name in _MANIFESTS or (name.startswith("requirements") and name.endswith((".txt", ".in")))


def named_packages(words: Sequence[str]) -> list[str]:
    """Return the packages among the arguments of a package manager, without versions and folders of registries."""
    names = (_package(word) for word in words if not word.startswith(("-", ".", "/")))
    return list(dict.fromkeys(name for name in names if name))[:NAMES_AT_MOST]


def changed_packages(edit: Edit, text: str) -> list[str]:
    """Return the packages that an edit of a manifest adds or changes; none if it is another file.

    Args:
        edit: The edit.
        text: The file after it: an edit of a version alone is in a line that names the package.
    """
    if not is_manifest(edit.path) or not edit.after:
        return []
    before = {piece.strip() for piece in edit.before.translate(_PIECES).split("\n")}
    changed = [piece for one in edit.after.translate(_PIECES).split("\n") if (piece := one.strip()) not in before]
    names: dict[str, None] = {}
    for piece in filter(None, changed):
        own = _names_in(piece)
        if not own:
            lines = [line for line in text.splitlines() if piece in line]
            parts = [part for line in lines[:1] for part in (*line.split(","), line) if piece in part]
            own = next((some for part in parts if (some := _names_in(part))), [])
        names |= dict.fromkeys(own)
    return list(names)[:NAMES_AT_MOST]


def _names_in(piece: str) -> list[str]:
    """Return the first package that a part of a line names with a version or alone, as a list; mostly one."""
    words = [word.strip(":") for word in piece.replace(": ", " ").translate(_SPLITS).split()]
    named = [name for word in words if word.lower() not in _KEYS and (name := _package(word))]
    return named[:1] if _ATTRIBUTES.isdisjoint(words[:1]) else []


def _package(word: str) -> str:
    """Return the name of a package without its version, its scope and its registry; empty if it is none."""
    plain = word.translate(_SPLITS).split()[:1]
    name = "".join(plain)
    if name.count(":") > 1 and "/" not in name:  # org.mapstruct:mapstruct:1.5.3
        name = name.split(":")[1]
    name = (name[:1] + name[1:].partition("@")[0]).rstrip("/").rpartition("/")[2].partition(":")[0].lstrip("@")
    return name if len(name) >= LETTERS and name[0].isalpha() and name.lower() not in _KEYS else ""


def restrains(text: str, name: str) -> bool:
    """Return whether a sentence of a memory names a package and restrains it, there or in the next sentence."""
    wanted = words_of(name)
    sentences = [words_of(sentence) for sentence in text.replace("\n", ". ").split(". ")]
    for words, following in pairwise([*sentences, []]):
        at = next((at for at in range(len(words)) if words[at : at + len(wanted)] == wanted), None)
        if at is None:
            continue
        before = words[:at]
        while before and before[-1] in _BETWEEN and before[-1] not in _AGAINST:
            before = before[:-1]
        if before[-1:] and before[-1] in _AGAINST:
            return True
        is_for = words[at - 1 : at] != [] and words[at - 1] in _FOR
        goes_on = following if following[:1] in (["it"], ["later"], ["newer"], ["with"], ["the"]) else []
        has_version = any(word.isdigit() for word in words[at + len(wanted) : at + len(wanted) + 2])
        if not is_for and (has_version or not _RESTRAINS.isdisjoint((*words, *goes_on))):
            return True
    return False


def prefers_another(text: str, managers: Iterable[str]) -> bool:
    """Return whether a memory says to use another package manager of the same family: "Use pnpm here"."""
    for manager in managers:
        others = next((family - {manager} for family in FAMILIES if manager in family), frozenset())
        for sentence in text.replace("\n", ". ").replace(": ", ". ").split(". "):
            words = words_of(sentence)[:4]
            is_order = words[:1] in (["use"], ["always"], ["only"]) or words[:2] == ["we", "use"]
            if is_order and not others.isdisjoint(words[1:]) and manager not in words:
                return True
    return False
