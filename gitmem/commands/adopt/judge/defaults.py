"""Judge stated defaults by the places that define them: which of several is meant, and what each said at the time."""

from __future__ import annotations

import re

from gitmem.commands.adopt.corpus import is_aside
from gitmem.commands.adopt.findings import FALSE, NEVER, JudgedClaim
from gitmem.commands.adopt.judge.definitions import DECLARED, find_definitions, spellings
from gitmem.commands.adopt.judge.reader import Reader
from gitmem.commands.adopt.judge.values import TEXT, is_nothing, is_same, kind_of, plain_word
from gitmem.frozen import frozen, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.corpus import Corpus
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import Mention
    from gitmem.commands.adopt.judge.definitions import Definition
    from gitmem.commands.adopt.repository_history import Past

# Folders of documents about all of the code.
_GENERAL = frozenset({"docs", "doc", "documentation", "website", ".github", ".cursor", ".claude"})
# Files in which a deployment sets a variable: not its default.
_DEPLOYED = re.compile(
    r"\.(ya?ml|json|env|tf|sh|toml|ini|service|example|sample|template|dist)$|(^|/)\.env|(^|/)Makefile$"
)
# Files that are made from others.
_MADE = re.compile(r"\.(html?|xml|snap|log|map|csv|lock|min\.\w+)$|(^|/)(coverage|dist|build|out)/")
# Names of code in a heading or a sentence.
_CODE = re.compile(
    r"`([^`\s]+)`|\b([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+)\b"
)
# Files that a section of at least this many stated names is about define most of them.
MANY = 3
# A name that more files have means many things.
MOST_FILES = 120


@frozen
class _Home:
    """A place that defines a name."""

    path: str
    definition: Definition

    @property
    def value(self) -> str:
        """Return the value there; empty for an expression."""
        return self.definition.value

    @property
    def strength(self) -> int:
        """Return how certainly it is the default."""
        return self.definition.strength

    @property
    def scope(self) -> tuple[str, tuple[str, ...]]:
        """Return the file, and the names of what encloses it there."""
        return self.path, self.definition.scope


class Defaults:
    """Judges the defaults in documents."""

    def __init__(self, head: Code, past: Past, corpus: Corpus, values: Mapping[tuple[str, str], Sequence[str]]) -> None:
        """Prepare to judge; *values* are the names with stated values, by document and section."""
        self._head, self._past, self._corpus, self._values = head, past, corpus, values
        self._defined: dict[tuple[str, str], list[_Home]] = {}
        self._votes: dict[tuple[str, str], dict[object, int]] = {}

    def judge(self, mention: Mention) -> JudgedClaim | None:
        """Judge a stated default; None if no place defines it, or it is uncertain which one is meant."""
        claim = mention.claim
        every = self._find_homes(claim.name, mention.document)
        meant, is_named = self._choose(mention, [home for home in every if home.strength > 1 and _counts(home, claim)])
        known = [home for home in meant if home.value]
        same = [home for home in known if is_same(claim.stated, home.value, claim.name)]
        others = [home for home in known if home not in same and _is_alike(claim.stated, home)]
        if same:
            return self._judge_agreed(mention, same, others)
        return self._judge_contradicted(mention, meant, others, every, is_named=is_named)

    def _judge_agreed(self, mention: Mention, same: list[_Home], others: list[_Home]) -> JudgedClaim | None:
        """Judge a default that one place states; another one that did when the line was written may not any more.

        If both did, either may be meant, so nothing is said.
        """
        declared = [home for home in others if home.strength == DECLARED]
        if held := next((judged for judged in self._judge_each(mention, declared) if judged.held), None):
            return None if self._held_in(mention, same) else held
        return self._reader(same[0], same, mention.claim).judge(mention, self._head, self._past)

    def _judge_contradicted(
        self, mention: Mention, meant: list[_Home], others: list[_Home], every: list[_Home], *, is_named: bool
    ) -> JudgedClaim | None:
        """Judge a default that no place states of those it may mean; of *every* one, if none is named."""
        claim = mention.claim
        # A file with several values for a name has several things with that name; a computed one may be any value.
        mixed = {path for path in {home.path for home in meant} if len({o.value for o in meant if o.path == path}) > 1}
        others = [home for home in others if home.path not in mixed]
        false = self._judge_each(mention, others)
        if held := next((finding for finding in false if finding.held), None):
            return held
        is_clear = len({home.value for home in others}) == 1
        has_same = not is_named and any(
            is_same(claim.stated, home.value, claim.name) for home in every if home.strength > 1
        )
        paths = {home.path for home in others}
        is_meant = _is_own(claim, mention.document, paths) and _is_near(mention.document, paths)
        if claim.token.startswith("--") and not any(home.definition.is_option for home in others):
            is_meant = False
        if not false or not is_clear or has_same or not is_meant:
            return None
        # What was never true may as well be about something else, unless two places contradict it. Addresses and names
        # differ between deployments.
        sources = {home.path for home in others if home.strength == DECLARED}
        is_about = mention.document.path.partition("/")[0] not in _GENERAL
        is_alarm = len(sources) > 1 and is_about and kind_of(claim.stated) != TEXT
        return false[0] if is_alarm else replace(false[0], verdict=NEVER, is_contradicted=True)

    def _judge_each(self, mention: Mention, homes: Iterable[_Home]) -> list[JudgedClaim]:
        """Return the findings of the files that contradict a default."""
        by_path: dict[str, list[_Home]] = {}
        for home in homes:
            by_path.setdefault(home.path, []).append(home)
        readers = (self._reader(those[0], those, mention.claim) for those in by_path.values())
        every = (reader.judge(mention, self._head, self._past) for reader in readers)
        return [judged for judged in every if judged is not None and judged.verdict == FALSE]

    def _held_in(self, mention: Mention, homes: Iterable[_Home]) -> bool:
        """Return whether one of some places stated a default when its line was written; True if that is unknown."""
        wrote, _ = self._past.writer(mention)
        return not wrote or any(
            self._reader(home, [home], mention.claim).holds(self._past.text(wrote, home.path)) for home in homes
        )

    @staticmethod
    def _reader(home: _Home, homes: Iterable[_Home], claim: Claim) -> Reader:
        """Return what decides a claim in the file of a place: by the definitions in the same classes and functions."""
        names, stated = spellings(claim.name), claim.stated
        scopes = {one.definition.scope for one in homes if one.path == home.path}

        def read(text: str) -> tuple[bool, int, str] | None:
            definitions = [definition for definition in find_definitions(text, names) if definition.value]
            if not is_nothing(stated):
                definitions = [definition for definition in definitions if not is_nothing(definition.value)]
            definitions = [definition for definition in definitions if definition.scope in scopes] or definitions
            best = max((definition.strength for definition in definitions), default=0)
            definitions = [definition for definition in definitions if definition.strength == best]
            if not definitions:
                return None
            definition = next(
                (definition for definition in definitions if is_same(stated, definition.value, claim.name)),
                definitions[0],
            )
            return is_same(stated, definition.value, claim.name), definition.line, definition.value

        named = [] if "#" in home.path else [name for name in names if re.fullmatch(r"[\w-]+(?:\.[\w-]+)*", name)]
        proofs = [{"value": f"{home.path}#{name}", "is": stated} for name in named if stated.strip()]
        return Reader(home.path, read, tuple(proofs))

    # Which place is meant

    def _find_homes(self, name: str, document: Document) -> list[_Home]:
        """Return where code defines a name: below the document's folder if there, else anywhere."""
        key = name, document.folder
        if key not in self._defined:
            is_environment = name.isupper()
            paths = sorted({
                path for path in self._corpus.files_by_name.get(name, ())
                if (not is_aside(path) or _is_inside(path, document))
                and not _MADE.search(path)
                and not (is_environment and _DEPLOYED.search(path))
            })  # fmt: skip
            below = [path for path in paths if document.folder and path.startswith(f"{document.folder}/")]
            texts = self._head.texts(below or paths) if len(below or paths) <= MOST_FILES else {}
            names = spellings(name)
            self._defined[key] = [
                _Home(path, definition) for path, text in texts.items() for definition in find_definitions(text, names)
            ]
        return self._defined[key]

    def _choose(self, mention: Mention, homes: list[_Home]) -> tuple[list[_Home], bool]:
        """Return the places that a statement may mean, and whether it or its headings name them."""
        homes = _by_parent(mention.claim.name, homes)
        if mention.claim.token.startswith("--"):
            homes = [home for home in homes if home.definition.is_option] or homes
        named = _named_by(mention, homes)
        if named:
            return _strongest(named), True
        votes = self._count_votes(mention.document, mention.statement.section)
        for places in ([home.scope for home in homes], [home.path for home in homes]):
            counted = [(votes.get(place, 0), home) for place, home in zip(places, homes, strict=True)]
            most = max((number for number, _ in counted), default=0)
            if most >= MANY:
                best = sorted((pair for pair in counted if pair[0] * 5 > most * 3), key=lambda pair: -pair[0])
                return _strongest([home for _, home in best]), True
        return _strongest(homes), False

    def _count_votes(self, document: Document, section: str) -> Mapping[object, int]:
        """Return how many of a section's names each file defines, and each class or function of a file."""
        key = document.path, section
        if key not in self._votes:
            votes: dict[object, int] = {}
            for name in dict.fromkeys(self._values.get(key, ())):
                homes = [home for home in self._find_homes(name, document) if home.strength > 1]
                for place in {home.scope for home in homes} | {home.path for home in homes}:
                    votes[place] = votes.get(place, 0) + 1
            self._votes[key] = votes
        return self._votes[key]


def _counts(home: _Home, claim: Claim) -> bool:
    """Return whether a place says something about a default; a flag of Go that is 0 is not set."""
    if is_nothing(claim.stated) or home.definition.is_opaque:
        return True
    return not is_nothing(home.value) and not (home.value in ("0", "-1") and home.path.endswith(".go"))


def _strongest(homes: Sequence[_Home]) -> list[_Home]:
    best = max((home.strength for home in homes if home.value), default=0)
    return [home for home in homes if home.strength == best]


def _by_parent(name: str, homes: list[_Home]) -> list[_Home]:
    """Return the places whose enclosing names agree with a dotted key: of `server.port`, those in `server`."""
    parents = [plain_word(part) for part in name.split(".")[:-1]]
    if not parents:
        return homes

    def is_inside(home: _Home) -> bool:
        around = plain_word("".join((*home.definition.scope, home.path)))
        return parents[-1] in around

    return [home for home in homes if is_inside(home)]


def _named_by(mention: Mention, homes: Sequence[_Home]) -> list[_Home]:
    """Return the places in a class, function, section or file that the statement or a heading above it names."""
    text = mention.statement.text
    here = {word for found in _CODE.findall(text) for word in found if word} - {
        mention.claim.name,
        mention.claim.stated,
    }
    for part in (
        here,
        *[_words(heading) for heading in reversed(mention.statement.section.split(" › "))],
    ):
        words = {plain_word(word.rpartition("/")[2]) for word in part} - {"", plain_word(mention.claim.name)}
        homes_named = [home for home in homes if words & _names_around(home)]
        if homes_named:
            return homes_named
    return []


def _words(heading: str) -> set[str]:
    words = {word for pair in _CODE.findall(heading) for word in pair if word}
    return words | ({heading.strip()} if re.fullmatch(r"[\w.$-]+", heading.strip()) else set())


def _names_around(home: _Home) -> set[str]:
    name = home.path.rpartition("/")[2]
    names = {plain_word(part) for scope in home.definition.scope for part in (scope, scope.rpartition(".")[2])}
    return names | {plain_word(name)} | ({plain_word(name.partition(".")[0])} if len(name) > 8 else set())


def _is_own(claim: Claim, document: Document, paths: Iterable[str]) -> bool:
    """Return whether a name means one thing, with a value that is one: particular, or of the document's own folder."""
    is_particular = re.search(r"[_-]|[a-z][A-Z]", claim.name) is not None
    folder = document.folder
    is_below = bool(folder) and len(claim.name) > 3 and all(path.startswith(f"{folder}/") for path in paths)
    return (is_particular or is_below) and not claim.stated.startswith(("~", "$"))


def _is_near(document: Document, paths: Iterable[str]) -> bool:
    """Return whether a document is about all of the code, or about these files."""
    top = document.folder.partition("/")[0] or document.path.partition("/")[0]
    return "/" not in document.path or top in _GENERAL or all(path.startswith(f"{top}/") for path in paths)


def _is_inside(path: str, document: Document) -> bool:
    return bool(document.folder) and is_aside(f"{document.folder}/x") and path.startswith(f"{document.folder}/")


def _is_alike(stated: str, home: _Home) -> bool:
    """Return whether one value can replace another: they have the same type, or the declared type has both."""
    kinds = kind_of(stated), kind_of(home.value)
    if kinds[0] == kinds[1]:
        return True
    return re.search(rf"[\"']{re.escape(stated)}[\"']", home.definition.type) is not None
