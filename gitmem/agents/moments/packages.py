"""Find the packages that a command or an edit adds or changes, and whether a memory restrains one. Pure.

"psycopg stays at 3.1", "don't bump lodash: the fork patches it", "no fancy-regex".
"""

from __future__ import annotations

from itertools import pairwise

from gitmem.agents.moments.programs import FAMILIES, MARKS, sentences_of, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.agents.event import Edit

# Files that declare what a project depends on.
_MANIFESTS = frozenset(
    """
    package.json pyproject.toml setup.py setup.cfg Pipfile environment.yml Cargo.toml go.mod Gemfile pom.xml
    build.gradle build.gradle.kts libs.versions.toml composer.json mix.exs pubspec.yaml Dockerfile Containerfile
    Directory.Packages.props docker-compose.yml compose.yml compose.yaml docker-compose.yaml
    """.split()
)
# Words beside a package with which a memory restrains it, or its version.
RESTRAINS = frozenset(
    """
    pin pins pinned stay stays stayed held hold frozen freeze bump bumped bumping upgrade upgraded upgrading upgrades
    downgrade downgraded newer forbidden banned fork forked patch patched patches unmaintained abandoned deprecated
    vulnerable together lockstep incompatible conflicts removed replaced dropped licence license
    """.split()
)
# Words before a package that forbid it, and words that may be between the two: "never add `moment`".
_AGAINST = frozenset(("no", "not", "never", "avoid", "t", "dont", "without", "instead", "than"))
_BETWEEN = frozenset("use add install import of from the a rely on pull in again".split())
# Words after a package that forbid it.
_UNWANTED = frozenset(("banned", "forbidden", "deprecated", "unmaintained", "abandoned", "prohibited"))
# Words before a package that say to use it: "use date-fns instead of moment".
_FOR = frozenset(("use", "uses", "using", "prefer", "choose", "with", "by"))
# Words of manifests that are not names of packages.
_KEYS = frozenset(
    """
    version versions dependencies dependency devdependencies dev require requires gem group groupid artifactid features
    optional path git workspace true false from image name plugin plugins install run add copy implementation api
    """.split()
)
# Attributes of a package in its line, whose values are not packages.
_ATTRIBUTES = frozenset("features default-features optional git path branch rev tag workspace extras markers".split())
# Words after `pip install` that name no package: "never npm install twice". Another word that ends its clause does.
_NO_PACKAGES = frozenset(
    """
    again all alone anything anywhere blindly by-hand ci dependencies directly everything everywhere first forks gems
    globally here it locally manually modules nightlies offline online only outside overnight packages prereleases
    pre-releases betas binaries prod production root something sudo tarballs that them then there these things this
    today together twice unattended unpinned unreviewed unsigned wheels yourself
    """.split()
)
_NO_PACKAGE_ENDS = ("ly", "-wide", "wide", "releases", "versions", "-side", "builds")
_JOINS = frozenset(("and", "or", "nor"))
# The most packages of a sentence.
NAMED_AT_MOST = 20
# Words before such a command that say that it names no package: "never run a bare bundle update".
_BARE = frozenset(("bare", "plain", "blanket", "blind", "unscoped", "naked"))
# Subcommands that change all packages unless one is named.
_UPDATES = frozenset(("update", "up", "upgrade"))
_MARKS = f"{MARKS}*_"
_SPLITS = str.maketrans(dict.fromkeys("\"'`=<>~!^[](){};#&|,", " "))
_PIECES = str.maketrans(dict.fromkeys(",;", "\n"))
# The most names of one edit, the fewest letters of a name; the most characters and changed parts of an edit.
NAMES_AT_MOST, LETTERS, CHARS, PARTS = 12, 3, 64 * 1024, 500


def is_manifest(path: str) -> bool:
    """Return whether a file declares what a project depends on."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return name in _MANIFESTS or (name.startswith("requirements") and name.endswith((".txt", ".in")))


def named_packages(words: Sequence[str]) -> list[str]:
    """Return the names of the packages among the arguments of a package manager, without versions and scopes."""
    names = (_package(word) for word in words if not word.startswith(("-", ".", "/")))
    return list(dict.fromkeys(name for name in names if name))[:NAMES_AT_MOST]


def names_other_packages(before: Sequence[str], after: Sequence[str], verb: str, packages: Sequence[str]) -> bool:
    """Return whether a memory names a package manager's command with packages that a command line does not name.

    "Do not pip install torch" does for `pip install requests`, and "never run a bare bundle update" for
    `bundle update rails`.

    Args:
        before: The words before the command in the memory.
        after: The words after it.
        verb: The subcommand: `install`.
        packages: The packages of the command line.
    """
    if packages and before and before[-1].strip(_MARKS).lower() in _BARE:
        return True
    named = _packages_at(after[: 2 * NAMED_AT_MOST])
    if not named or (not packages and verb in _UPDATES):
        return False
    return not any(own.lower() == name or own.lower().startswith(f"{name}-") for own in packages for name in named)


def _packages_at(words: Sequence[str]) -> list[str]:
    """Return the packages that words after a command name; none if that is unclear.

    A package is written as code, or ends its clause: what else follows `pip install` may say how, where or when.
    """
    if not words:
        return []
    word, following = words[0], [other.lower() for other in words[1:2]]
    name = _package(word.strip(_MARKS)).lower()
    if not name or word.startswith("-") or name in _NO_PACKAGES or name.endswith(_NO_PACKAGE_ENDS):
        return []
    if word[-1] == ",":
        return [name, *_packages_at(words[1:])]
    if following and following[0] in _JOINS:
        others = _packages_at(words[2:])
        return [name, *others] if others else []
    return [name] if not following or word[-1] in ".;:!?)" or "`" in word else []


def changed_packages(edit: Edit, text: str) -> list[str]:
    """Return the packages that an edit of a manifest adds or changes; none if it is another file.

    Args:
        edit: The edit.
        text: The file after the edit: where only a version was changed, its line there names the package.
    """
    if not is_manifest(edit.path) or not edit.after:
        return []
    former = set(_pieces(edit.before))
    changed = dict.fromkeys(piece for piece in _pieces(edit.after) if piece and piece not in former)
    names: dict[str, None] = {}
    for piece in list(changed)[:PARTS]:
        names |= dict.fromkeys(_names_in(piece) or _names_beside(piece, text))
        if len(names) >= NAMES_AT_MOST:
            break
    return list(names)[:NAMES_AT_MOST]


def _pieces(text: str) -> list[str]:
    """Return the parts of lines between commas and semicolons."""
    return [piece.strip() for piece in text[:CHARS].translate(_PIECES).split("\n")]


def _names_beside(version: str, text: str) -> list[str]:
    """Return the package of the first line of a manifest that has a version, as a list; empty for other texts."""
    at = text.find(version) if any(char.isdigit() for char in version) else -1
    if at < 0:
        return []
    end = text.find("\n", at)
    line = text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else None]
    parts = [part for part in (*line.split(","), line) if version in part]
    return next((names for part in parts if (names := _names_in(part))), [])


def _names_in(piece: str) -> list[str]:
    """Return the first package that a part of a manifest's line names, as a list; empty if there is none."""
    words = [word.strip(":") for word in piece.replace(": ", " ").translate(_SPLITS).split()]
    named = [name for word in words if word.lower() not in _KEYS and (name := _package(word))]
    return named[:1] if _ATTRIBUTES.isdisjoint(words[:1]) else []


def _package(word: str) -> str:
    """Return the name of the package that a word names, without version, scope and registry; empty if none."""
    plain = word.translate(_SPLITS).split()[:1]
    name = "".join(plain)
    if name.count(":") > 1 and "/" not in name:  # org.mapstruct:mapstruct:1.5.3
        name = name.split(":")[1]
    name = (name[:1] + name[1:].partition("@")[0]).rstrip("/").rpartition("/")[2].partition(":")[0].lstrip("@")
    return name if len(name) >= LETTERS and name[0].isalpha() and name.lower() not in _KEYS else ""


def forbids_import(text: str, name: str) -> bool:
    """Return whether a memory says not to use a package: "not from the holidays package", "moment is deprecated"."""
    wanted = words_of(name)
    if not wanted or wanted[0] not in text.lower():
        return False
    for words in map(words_of, sentences_of(text)):
        for at in range(len(words)):
            is_named = words[at : at + len(wanted)] == wanted
            if is_named and (_is_against(words[:at]) or not _UNWANTED.isdisjoint(words[at + 1 : at + 4])):
                return True
    return False


def _is_against(before: Sequence[str]) -> bool:
    """Return whether the words before a package forbid it."""
    before = list(before)
    while before and before[-1] in _BETWEEN and before[-1] not in _AGAINST:
        del before[-1]
    return before[-1:] != [] and before[-1] in _AGAINST - {"without"}


def restrains(text: str, name: str) -> bool:
    """Return whether a sentence of a memory names a package and restrains it, there or in the next sentence."""
    wanted = words_of(name)
    if not wanted or wanted[0] not in text.lower():  # most memories do not name it
        return False
    sentences = [words_of(sentence) for sentence in sentences_of(text)]
    for words, following in pairwise([*sentences, []]):
        at = next((at for at in range(len(words)) if words[at : at + len(wanted)] == wanted), None)
        if at is None:
            continue
        before = words[:at]
        while before and before[-1] in _BETWEEN and before[-1] not in _AGAINST:
            before = before[:-1]
        if before[-1:] and before[-1] in _AGAINST:
            return True
        is_for = at > 0 and words[at - 1] in _FOR
        goes_on = following if following[:1] in (["it"], ["later"], ["newer"], ["with"], ["the"]) else []
        has_version = any(word.isdigit() for word in words[at + len(wanted) : at + len(wanted) + 2])
        if not is_for and (has_version or not RESTRAINS.isdisjoint((*words, *goes_on))):
            return True
    return False


def prefers_another(text: str, managers: Iterable[str]) -> bool:
    """Return whether a memory says to use another package manager of the same family: "Use pnpm here"."""
    for manager in managers:
        others = next((family - {manager} for family in FAMILIES if manager in family), frozenset())
        for sentence in sentences_of(text.replace(": ", ". ")):
            words = words_of(sentence)[:4]
            is_order = words[:1] in (["use"], ["always"], ["only"]) or words[:2] == ["we", "use"]
            if is_order and not others.isdisjoint(words[1:]) and manager not in words:
                return True
    return False
