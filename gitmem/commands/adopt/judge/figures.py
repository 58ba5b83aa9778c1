"""Judge versions and values against the place in the code that states them, at HEAD and when the line was written."""

from __future__ import annotations

import re
from functools import cached_property

from gitmem.commands.adopt.corpus import is_aside
from gitmem.commands.adopt.findings import FALSE, HOLDS, JudgedClaim, Probe, Source
from gitmem.commands.adopt.judge.definitions import DECLARED, PASSED, find_definitions, is_nothing, is_same, spellings
from gitmem.commands.adopt.judge.versions import (
    BELOW,
    EXACT,
    LEAST,
    PRODUCTS,
    compare,
    dependencies_in,
    plain_name,
    product_of,
    versions_in,
)
from gitmem.document.builtin_checks import words_of
from gitmem.document.sources.address import Address, format_address
from gitmem.document.sources.dependencies import is_manifest
from gitmem.frozen import frozen
from gitmem.model import BUILTIN, Check
from gitmem.model import HOLDS as PROVED
from gitmem.text.globs import escape
from gitmem.verify.builtin import answer_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.corpus import Corpus
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import Mention
    from gitmem.commands.adopt.judge.definitions import Definition
    from gitmem.commands.adopt.judge.versions import Place
    from gitmem.commands.adopt.past import Past

_LENGTHS = re.compile(r"(?:line[-_]length|max[-_]line[-_]length|printWidth|max_width|lineWidth)[\"']?\s*[=:]\s*(\d+)")
_LENGTH_FILES = frozenset({
    "pyproject.toml", "setup.cfg", ".flake8", "ruff.toml", ".ruff.toml", "tox.ini", ".editorconfig", "rustfmt.toml",
    ".rustfmt.toml",    "biome.json", "biome.jsonc", ".golangci.yml", ".golangci.yaml", ".pylintrc", "package.json",
})  # fmt: skip
# Folders of documents about all of the code.
_GENERAL = frozenset({"docs", "doc", "documentation", "website", ".github", ".cursor", ".claude"})
# Files in which a deployment sets a variable: not its default.
_DEPLOYED = re.compile(r"\.(ya?ml|json|env|tf|sh|toml|ini|service)$|(^|/)\.env|(^|/)Makefile$")
_ENDINGS = {
    "Go": "go", "Python": "py", "TypeScript": "tsx?", "JavaScript": "jsx?", "Rust": "rs", "Java": "java", "Ruby": "rb",
    "C#": "cs", "Kotlin": "kts?", "Swift": "swift",
}  # fmt: skip


class Numbers:
    """Judges the versions and values in documents."""

    def __init__(self, head: Code, past: Past, corpus: Corpus, values: Mapping[tuple[str, str], Sequence[str]]) -> None:
        """Prepare to judge; *values* are the names with stated values, by document and section."""
        self._head = head
        self._past = past
        self._corpus = corpus
        self._values = values
        self._defined: dict[tuple[str, str], list[tuple[str, Definition]]] = {}
        self._votes: dict[tuple[str, str], dict[str, int]] = {}

    def judge_version(self, mention: Mention) -> JudgedClaim | None:
        """Judge a stated version; None if no file states it, or the claim turns out to mean something else."""
        product = product_of(mention.claim.name)
        return self._judge_product(product, mention) if product else self._judge_dependency(mention)

    def judge_value(self, mention: Mention) -> JudgedClaim | None:
        """Judge a stated value; None if no file defines it, or the definition is uncertain."""
        tool = mention.claim.tool
        if tool == "line-length":
            return self._judge_length(mention)
        if tool == "port":
            where = self._corpus.present.get(mention.claim.stated)
            return JudgedClaim(mention, HOLDS, Source(where)) if where else None
        if tool == "count":
            return self._judge_count(mention)
        found = self._judge_default(mention)
        # A number beside a name counts as its value only if it is, or once was: units may differ.
        return found if found is None or mention.claim.is_certain or found.verdict == HOLDS or found.held else None

    # Versions

    def _judge_product(self, product: str, mention: Mention) -> JudgedClaim | None:
        stated = [
            (place, path, version)
            for place in PRODUCTS[product]
            for path, text in self._head.texts(self._near(place, mention.document)).items()
            for _, version in versions_in(place, path, text)
        ]
        found = _deciding_place(mention, product, stated)
        return self._judge_one(mention, _version_reader(*found, mention.claim.stated)) if found else None

    def _near(self, place: Place, document: Document) -> list[str]:
        """Return the files of a kind that apply to a document: beside it, or in the nearest folder above."""
        found = []
        for name in place.names:
            if name.startswith("*"):
                found += [path for path in self._head.files if path.startswith(name[1:])]
            else:
                found += [path for path in self._head.by_name.get(name, ()) if path in self._head.files]
        if any(name.startswith("*") for name in place.names):
            return sorted(found)
        folder = document.path.rpartition("/")[0]
        while True:
            beside = [path for path in found if path.rpartition("/")[0] == folder]
            if beside or not folder:
                return sorted(beside) or ([found[0]] if len(found) == 1 and not document.folder else [])
            folder = folder.rpartition("/")[0]

    @cached_property
    def dependencies(self) -> dict[str, list[tuple[str, str, str, int]]]:
        """Return where each dependency is listed, by plain name: file, own name, range and line."""
        found: dict[str, list[tuple[str, str, str, int]]] = {}
        for path, text in self._head.texts(path for path in self._head.files if is_manifest(path)).items():
            for plain, (name, version, line) in dependencies_in(path, text).items():
                found.setdefault(plain, []).append((path, name, version, line))
        return found

    def judge_package(self, mention: Mention) -> JudgedClaim | None:
        """Judge that a manifest lists a package named in a document; None if none does."""
        plain, folder = plain_name(mention.claim.name), mention.document.folder
        listed = [one for one in self.dependencies.get(plain, ()) if plain_name(one[1]) == plain]
        below = [one for one in listed if one[0].startswith(f"{folder}/")]
        listed = below or [one for one in listed if not is_aside(one[0])]
        if not listed:
            return None
        path, name, version, line = min(listed, key=lambda one: (one[0].count("/"), one[0]))
        check = {"depends": name, "in": escape(path)}
        return JudgedClaim(mention, HOLDS, Source(path, line, version), check=check)

    def _judge_dependency(self, mention: Mention) -> JudgedClaim | None:
        claim, folder = mention.claim, mention.document.folder
        plain = plain_name(claim.name)
        listed = [one for one in self.dependencies.get(plain, ()) if re.search(r"\d", one[2])]
        below = [one for one in listed if folder and one[0].startswith(f"{folder}/")]
        listed = below or [one for one in listed if not is_aside(one[0])] or listed
        if not listed or not plain:
            return None
        listed.sort(key=lambda one: (one[0].count("/"), one[0]))
        same = next((one for one in listed if _is_range_of(claim.stated, one[2])), None)
        if same is None and claim.relation != "is":
            return None
        if same is None and (len({_major(one[2]) for one in listed}) > 1 or compare(claim.stated, listed[0][2]) > 0):
            return None
        for path, name, _, _ in [same] if same else listed:
            finding = self._judge_one(mention, _dependency_reader(path, name, plain, claim.stated))
            # A number beside a name may mean anything: it counts as a version only if it once was one.
            if finding is not None and (finding.verdict == HOLDS or finding.held):
                return finding
        return None

    # Values

    def _judge_default(self, mention: Mention) -> JudgedClaim | None:
        """Judge a default by the places that define it, preferring files that define the section's other names too."""
        claim, document = mention.claim, mention.document
        found = [
            (path, one)
            for path, one in self._definitions(claim.name, document)
            if not is_nothing(one.value) or one.is_opaque or is_nothing(claim.stated)
        ]
        best = max((one.strength for _, one in found), default=0)
        votes = self._count_votes(document, mention.statement.section)
        most = max(votes.values(), default=0)
        homes = _homes(found, best, votes)
        same = list(dict.fromkeys(path for path, one in homes if is_same(claim.stated, one.value)))
        unlike = (
            path for path, one in homes if not is_same(claim.stated, one.value) and _is_alike(claim.stated, one.value)
        )
        others = list(dict.fromkeys(unlike))
        if same:
            return self._judge_agreed(mention, same, others if best == DECLARED else [])
        # A file with several values for a name has several things with that name.
        others = [path for path in others if len({one.value for where, one in homes if where == path}) == 1]
        false = self._false_in(mention, others) if best > PASSED else []
        if held := next((finding for finding in false if finding.held), None):
            return held
        is_clear = len({one.value for path, one in homes if path in others}) == 1
        has_same = any(
            is_same(claim.stated, one.value) for path, one in found if votes.get(path, 0) * 2 > most or most <= 2
        )
        is_meant = _is_own(claim) and (most > 2 or _is_near(document, others))
        return false[0] if false and is_clear and is_meant and not has_same else None

    def _judge_agreed(self, mention: Mention, same: list[str], others: list[str]) -> JudgedClaim | None:
        """Judge a default that one place states; another one that did when the line was written may not any more."""
        is_new = bool(others) and not self._held_in(mention, same)
        false = self._false_in(mention, others) if is_new else []
        if held := next((one for one in false if one.held), None):
            return held
        return self._judge_one(mention, _default_reader(same[0], mention.claim))

    def _false_in(self, mention: Mention, paths: Iterable[str]) -> list[JudgedClaim]:
        """Return the findings of the files that contradict a default."""
        every = (self._judge_one(mention, _default_reader(path, mention.claim)) for path in paths)
        return [one for one in every if one is not None and one.verdict == FALSE]

    def _held_in(self, mention: Mention, paths: list[str]) -> bool:
        """Return whether one of some files stated a default when the line was written; True if that is unknown."""
        wrote, _ = self._past.writer(mention)
        return not wrote or any(
            _default_reader(path, mention.claim).holds(self._past.text(wrote, path)) for path in paths
        )

    def _definitions(self, name: str, document: Document) -> list[tuple[str, Definition]]:
        """Return where code defines a name: below the document's folder if there, else anywhere."""
        key = name, document.folder
        if key not in self._defined:
            is_environment = name.isupper()
            paths = sorted({
                path for path in self._corpus.files_by_name.get(name, ())
                if (not is_aside(path) or _is_inside(path, document))
                and not (is_environment and _DEPLOYED.search(path))
            })  # fmt: skip
            below = [path for path in paths if document.folder and path.startswith(f"{document.folder}/")]
            texts = self._head.texts(below or paths)
            names = spellings(name)
            found = [(path, one) for path, text in texts.items() for one in find_definitions(text, names)]
            self._defined[key] = found if below else [(path, one) for path, one in found if one.strength > 1]
        return self._defined[key]

    def _count_votes(self, document: Document, section: str) -> dict[str, int]:
        """Return how many of a section's names each file has: the section is about the file with most."""
        key = document.path, section
        if key not in self._votes:
            votes: dict[str, int] = {}
            for name in dict.fromkeys(self._values.get(key, ())):
                for path in {path for path in self._corpus.files_by_name.get(name, ()) if not is_aside(path)}:
                    votes[path] = votes.get(path, 0) + 1
            self._votes[key] = votes
        return self._votes[key]

    def _judge_length(self, mention: Mention) -> JudgedClaim | None:
        stated, folder = mention.claim.stated, mention.document.folder
        paths = [path for path in self._head.files if path.rpartition("/")[2] in _LENGTH_FILES or ".prettierrc" in path]
        paths.sort(key=lambda path: path.count("/"))
        texts = self._head.texts(paths)
        found = [(path, number) for path, text in texts.items() for number in _LENGTHS.findall(text)]
        same = next((path for path, number in found if number == stated), None)
        rooted = [path for path, _ in found if path.count("/") == folder.count("/") + bool(folder)]
        if same is None and not rooted:
            return None

        def read(text: str) -> tuple[bool, int, str] | None:
            numbers = [(hit[1], hit.start(1)) for hit in _LENGTHS.finditer(text)]
            if not numbers:
                return None
            number, at = next(((number, at) for number, at in numbers if number == stated), numbers[0])
            return number == stated, text.count("\n", 0, at) + 1, number

        return self._judge_one(mention, _Reader(same or rooted[0], read))

    def _judge_count(self, mention: Mention) -> JudgedClaim | None:
        claim = mention.claim
        ending = re.compile(rf"\.{_ENDINGS[claim.name.removesuffix(' files')]}$")
        actual = sum(bool(ending.search(path)) for path in self._head.files)
        stated = int(claim.stated)
        source = Source("", 0, str(actual))
        if abs(actual - stated) * 10 <= max(stated, 10):
            return JudgedClaim(mention, HOLDS, source)
        if abs(actual - stated) * 5 <= stated:
            return None
        wrote, _ = self._past.writer(mention)
        then = self._past.code(wrote)
        was = sum(bool(ending.search(path)) for path in then.files) if then is not None else None
        held = None if was is None else abs(was - stated) * 10 <= max(stated, 10)
        fix = claim.token.replace(claim.stated, str(actual))
        return JudgedClaim(mention, FALSE, source, held=held, wrote=wrote, fix=fix)

    def _judge_one(self, mention: Mention, reader: _Reader) -> JudgedClaim | None:
        """Return the finding for a claim that one file decides."""
        here = self._head.text(reader.path)
        answer = reader.read(here)
        if answer is None:
            return None
        holds, line, actual = answer
        source = Source(reader.path, line, actual)
        if holds:
            return JudgedClaim(mention, HOLDS, source, check=reader.check(here, line))
        if mention.is_past:
            return None
        wrote, _ = self._past.writer(mention)
        then = self._past.text(wrote, reader.path)
        was = reader.read(then) if then else None
        return JudgedClaim(
            *(mention, FALSE, source),
            held=None if was is None else was[0],
            wrote=wrote,
            probe=Probe(reader.path, reader.holds, reader.near),
            check=reader.check(then, was[1]) if was and was[0] else None,
        )


@frozen
class _Reader:
    """A reader that decides a claim from one file.

    Attributes:
        path: The file.
        read: Returns for its text whether the claim holds, with the deciding line and its value; None if it does not
            say.
        proofs: The built-in checks that may prove the claim, best first.
        near: A word in every line that matters; empty if there is none.
    """

    path: str
    read: Callable[[str], tuple[bool, int, str] | None]
    proofs: tuple[Mapping[str, str], ...] = ()
    near: str = ""

    def holds(self, text: str) -> bool:
        """Return whether the claim holds for a text of the file."""
        answer = self.read(text)
        return answer is not None and answer[0]

    def check(self, text: str, line: int) -> Mapping[str, str] | None:
        """Return the first check that passes on a text for which the claim holds; else one for the literal line."""
        content = text.encode("utf-8", "surrogateescape")
        for proof in self.proofs:
            if answer_file(Check(BUILTIN, words_of(proof)), self.path, content).outcome == PROVED:
                return proof
        return {"contains": text.split("\n")[line - 1].strip(), "in": escape(self.path)} if line else None


def _deciding_place(
    mention: Mention, product: str, stated: Sequence[tuple[Place, str, str]]
) -> tuple[Place, str] | None:
    """Return the place and the file, of those that state a version, that decide a claim of it; None if none does."""
    claim = mention.claim
    if claim.relation == "below":
        return next(((place, path) for place, path, _ in stated if place.how == BELOW), None)
    places = [one for one in stated if one[0].how != BELOW]
    least = next((one for one in places if one[0].how == LEAST), None)
    if least is not None and claim.relation == "at-least":
        return least[:2] if compare(claim.stated, least[2]) <= 0 else None
    same = next((one for one in places if compare(claim.stated, one[2]) == 0), None)
    if same is not None:
        return same[:2]
    exact = next((one for one in places if one[0].how == EXACT and claim.relation == "is"), None)
    beside = mention.document.path.rpartition("/")[0]
    wrong = exact if exact and exact[1].rpartition("/")[0] == beside else least or exact
    if wrong is None or compare(claim.stated, wrong[2]) > 0 or (wrong is exact and product in ("node", "pnpm", "npm")):
        return None
    return wrong[:2]


def _version_reader(place: Place, path: str, stated: str) -> _Reader:
    def read(text: str) -> tuple[bool, int, str] | None:
        found = versions_in(place, path, text)
        if not found:
            return None
        line, version = next((one for one in found if compare(stated, one[1]) == 0), found[0])
        return compare(stated, version) == 0, line, version

    if place.keys is None or place.how == BELOW or "#" in path:
        return _Reader(path, read)
    proof = {"value": format_address(Address(path, place.keys)), "within": stated}
    return _Reader(path, read, (proof,), place.keys[-1] if place.keys else "")


def _dependency_reader(path: str, name: str, plain: str, stated: str) -> _Reader:
    def read(text: str) -> tuple[bool, int, str] | None:
        there = dependencies_in(path, text).get(plain)
        if there is None or not re.search(r"\d", there[1]):
            return None
        return _is_range_of(stated, there[1]), there[2], there[1]

    return _Reader(path, read, ({"depends": name, "in": escape(path), "at": stated},))


def _default_reader(path: str, claim: Claim) -> _Reader:
    names, stated = spellings(claim.name), claim.stated

    def read(text: str) -> tuple[bool, int, str] | None:
        found = [one for one in find_definitions(text, names) if not one.is_opaque]
        if not is_nothing(stated):
            found = [one for one in found if not is_nothing(one.value)]
        best = max((one.strength for one in found), default=0)
        found = [one for one in found if one.strength == best]
        if not found:
            return None
        one = next((one for one in found if is_same(stated, one.value)), found[0])
        return is_same(stated, one.value), one.line, one.value

    named = [] if "#" in path else [name for name in names if re.fullmatch(r"[\w-]+", name)]
    proofs = [{"value": f"{path}#{name}", "is": stated} for name in named if stated.strip()]
    return _Reader(path, read, tuple(proofs))


def _homes(
    found: Iterable[tuple[str, Definition]], best: int, votes: Mapping[str, int]
) -> list[tuple[str, Definition]]:
    """Return the strongest definitions of a name, of files with many of the section's names, if it has some."""
    known = [(path, one) for path, one in found if one.strength == best and not one.is_opaque]
    most = max(votes.values(), default=0)
    homes = [(path, one) for path, one in known if votes.get(path, 0) * 5 > most * 3] if most > 2 else known
    return sorted(homes, key=lambda one: -votes.get(one[0], 0))


def _is_own(claim: Claim) -> bool:
    """Return whether a name is so particular that it means one thing, with a value that is one."""
    return re.search(r"[_-]|[a-z][A-Z]", claim.name) is not None and not claim.stated.startswith(("~", "$"))


def _is_near(document: Document, paths: Iterable[str]) -> bool:
    """Return whether a document is about all of the code, or about these files."""
    top = document.folder.partition("/")[0] or document.path.partition("/")[0]
    return "/" not in document.path or top in _GENERAL or all(path.startswith(f"{top}/") for path in paths)


def _is_inside(path: str, document: Document) -> bool:
    return bool(document.folder) and is_aside(f"{document.folder}/x") and path.startswith(f"{document.folder}/")


def _is_range_of(stated: str, version: str) -> bool:
    """Return whether a range contains a stated version, to the stated precision."""
    return any(compare(stated, one) == 0 for one in re.findall(r"\d+(?:\.\d+)*", version))


def _major(version: str) -> str:
    return str((re.findall(r"\d+", version) or [""])[0])


def _kind(value: str) -> str:
    plain = value.strip("\"'`").lower()
    if plain in ("true", "false", "on", "off"):
        return "truth"
    return "number" if re.match(r"^-?[\d_,.]+[a-z]{0,2}$", plain) else "text"


def _is_alike(stated: str, actual: str) -> bool:
    """Return whether one value can replace another: they have the same type, or are a word and a switch."""
    return _kind(stated) == _kind(actual) or {_kind(stated), _kind(actual)} == {"text", "truth"}
