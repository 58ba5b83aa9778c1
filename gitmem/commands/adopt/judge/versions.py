"""Judge the stated version of a product: a language, a runtime, a package manager, a server in an image."""

from __future__ import annotations

import posixpath
import re
from fnmatch import fnmatchcase
from functools import lru_cache

from gitmem.commands.adopt.claims.numbers import is_tested
from gitmem.commands.adopt.corpus import is_aside
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER
from gitmem.commands.adopt.judge.products import (
    ANY_OF_SEVERAL,
    BELOW,
    CLASSIFIED,
    EXACT,
    LEAST,
    MATRIX,
    ONE_OF,
    PRODUCTS,
    SDK,
    TARGET,
    compare,
    next_minor,
    parts_of,
    product_of,
    versions_in,
)
from gitmem.commands.adopt.judge.reader import Reader
from gitmem.commands.adopt.statements import BULLET, HEADING, ROW
from gitmem.document.sources.address import Address, format_address
from gitmem.frozen import frozen, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import JudgedClaim, Mention
    from gitmem.commands.adopt.judge.products import Place
    from gitmem.commands.adopt.repository_history import Past
    from gitmem.commands.adopt.tree import Tree

# Package managers that install or demand the version of `packageManager`; the others only warn.
_STRICT = ("pnpm", "yarn")
# More characters before a version are about something else.
_NEAR = 50
# Products of whose versions the first two numbers count.
_PRECISE = ("python", "go", "rust", "zig", "swift", "elixir", "terraform", "cmake", "gradle")
_NEEDS = re.compile(
    r"\b(?:requires?|requirements?|prerequisites?|needs?|uses?|using|built with|written in|runs? on|stack|language|"
    r"set ?up|install(?:ation)?|getting started)\b",
    re.I,
)


@frozen
class _Stated:
    """A version that a file states."""

    place: Place
    path: str
    version: str


# The first version of .NET that is not another product, .NET Framework or .NET Core.
FIRST_NET = 5


class Versions:
    """Judges the versions of products in documents."""

    def __init__(self, head: Code, past: Past) -> None:
        """Prepare to judge by the code at a commit, and its past."""
        self._head, self._past = head, past

    def judge(self, mention: Mention) -> JudgedClaim | None:
        """Judge a stated version; None if it is of no product, or no file decides it."""
        product = product_of(mention.claim.name)
        # A section for each version describes alternatives.
        is_choice = mention.statement.kind == HEADING and not _NEEDS.search(mention.statement.text)
        if not product or is_choice:
            return None
        stated = self._find_stated(PRODUCTS[product], mention.document)
        if mention.claim.name.lower().endswith(SDK):  # a later SDK builds for an earlier framework
            stated = [mention for mention in stated if mention.place.how != TARGET]
        match mention.claim.relation:
            case "tested":
                return self._judge_listed(mention, [mention for mention in stated if mention.place.how == MATRIX])
            case "up-to":
                return self._judge_highest(mention, stated)
        if product == "dotnet" and parts_of(mention.claim.stated)[0] < FIRST_NET:
            return None
        listed = [mention for mention in stated if mention.place.how in ANY_OF_SEVERAL]
        if listed:
            return self._judge_listed(mention, listed) if mention.claim.relation == "is" else None
        named = {span.text for span in mention.statement.spans}
        mentions = [mention for mention in stated if mention.path in named and mention.place.how in (EXACT, LEAST)]
        usual = _deciding_place(mention, product, stated)
        found = _named_place(mention, mentions) or usual
        if found is None:
            return self._judge_lowered(mention, stated)
        finding = _reader(found.place, found.path, mention.claim.stated).judge(mention, self._head, self._past)
        # A later JDK builds for an earlier Java, which the sentence may mean.
        if finding and finding.verdict == FALSE and not finding.held and product == "java" and found.place.how == EXACT:
            return None
        is_quiet = (
            finding
            and not finding.held
            and (
                found != usual
                or _is_of_another(mention)
                or not _is_required(mention)
                or _is_of_above(mention, found.path)
            )
        )
        return self._quiet(finding) if finding and is_quiet else finding

    def _find_stated(self, places: Sequence[Place], document: Document) -> list[_Stated]:
        """Return what the files of some kinds state for a document; if none at the root does, what all packages do."""
        near = [mention for place in places for mention in self._read(place, self._near(place, document))]
        spread = [] if document.folder else [mention for place in places for mention in self._find_spread(place, near)]
        return near + spread

    def _find_spread(self, place: Place, near: Sequence[_Stated]) -> list[_Stated]:
        """Return what all packages state in files of a kind, if it is the same, and nothing near the document does.

        The image that one part is built from says nothing about a project that states its version at the root.
        """
        is_stated = any(mention.place.how in (LEAST, EXACT) and "/" not in mention.path for mention in near)
        is_near = any(mention.place == place for mention in near) or (place.how == ONE_OF and is_stated)
        if is_near or "*" in place.names[0]:
            return []
        every = self._head.tree.files_named(*place.names)
        spread = self._read(place, [path for path in sorted(every) if not is_aside(path)])
        return spread if len({mention.version for mention in spread}) == 1 else []

    def _read(self, place: Place, paths: Sequence[str]) -> list[_Stated]:
        texts = self._head.texts(paths).items()
        return [_Stated(place, path, version) for path, text in texts for _, version in versions_in(place, path, text)]

    def _judge_listed(self, mention: Mention, stated: Sequence[_Stated]) -> JudgedClaim | None:
        """Judge a version that one of several places has to state: a matrix, or the tags of an image."""
        claim = mention.claim
        same = [mention for mention in stated if compare(claim.stated, mention.version) == 0]
        findings = []
        for place, path in dict.fromkeys((mention.place, mention.path) for mention in same or stated):
            finding = _reader(place, path, claim.stated).judge(mention, self._head, self._past)
            if finding is not None and (finding.verdict == HOLDS or finding.held):
                return finding
            findings += [finding] if finding else []
        is_clear = len({parts_of(mention.version)[:1] for mention in stated}) == 1 or claim.relation == "tested"
        return self._quiet(findings[0]) if findings and is_clear else None

    def _judge_lowered(self, mention: Mention, stated: Sequence[_Stated]) -> JudgedClaim | None:
        """Judge a version above the required one: it may be advice, unless it was the required one when written."""
        claim = mention.claim
        least = next((mention for mention in stated if mention.place.how == LEAST), None)
        is_above = (
            least is not None and claim.relation in ("is", "at-least") and compare(claim.stated, least.version) > 0
        )
        if least is None or not is_above or any(compare(claim.stated, mention.version) == 0 for mention in stated):
            return None
        finding = _reader(least.place, least.path, claim.stated).judge(mention, self._head, self._past)
        return finding if finding is not None and finding.verdict == FALSE and finding.held else None

    def _judge_highest(self, mention: Mention, stated: Sequence[_Stated]) -> JudgedClaim | None:
        """Judge the last version of a range: by the classifiers, what CI tests, and the first that is too new."""
        claim = mention.claim
        sources: dict[tuple[Place, str], str] = {}
        for one in stated:
            if one.place.how in (CLASSIFIED, MATRIX, BELOW):
                key = one.place, one.path
                sources[key] = max(sources.get(key, "0"), one.version, key=parts_of)
        agreed = [key for key, version in sources.items() if _is_last(claim.stated, key[0], version)]
        # A range may end before what is allowed, as long as nothing is classified.
        named = [key for key in sources if key[0].how == CLASSIFIED] or [key for key in sources if key[0].how == BELOW]
        older = [key for key in named if _contradicts(claim.stated, key[0], sources[key])]
        # What one workflow runs does not prove that a range ends there, unless the sentence is about what CI runs.
        is_partial = (
            bool(older) and all(place.how == MATRIX for place, _ in agreed) and not is_tested(mention.statement.text)
        )
        for place, path in older if is_partial else agreed or older:
            finding = _highest_reader(place, path, claim.stated).judge(mention, self._head, self._past)
            if finding is not None:
                return finding if finding.held or not (is_partial and agreed) else None
        return None

    @staticmethod
    def _quiet(finding: JudgedClaim) -> JudgedClaim:
        """Return a finding that contradicts what never was true, as one that is not an alarm."""
        return replace(finding, verdict=NEVER, is_contradicted=True) if finding.verdict == FALSE else finding

    def _near(self, place: Place, document: Document) -> list[str]:
        """Return the files of a kind that apply to a document: beside it, or in the nearest folder above."""
        found: list[str] = []
        for name in place.names:
            if "*" in name:
                found += _list_like(self._head.tree, name)
            else:
                found += self._head.tree.files_named(name)
        # A minimum (a gemspec) is that of a package, so the nearest one decides; the others may be anywhere.
        if place.how != LEAST and any("*" in name for name in place.names):
            return sorted(found)
        folder = document.path.rpartition("/")[0]
        while True:
            beside = [path for path in found if path.rpartition("/")[0] == folder]
            if beside or not folder:
                return sorted(beside)
            folder = folder.rpartition("/")[0]


def _named_place(mention: Mention, mentions: Sequence[_Stated]) -> _Stated | None:
    """Return which of the places in files that a sentence names decides its version: "Node 22.1, as `.nvmrc` says"."""
    stated = mention.claim.stated
    is_exact = mention.claim.relation == "is" and "." in stated
    same = next((mention for mention in mentions if compare(stated, mention.version) == 0), None)
    return same or (mentions[0] if mentions and is_exact else None)


def _deciding_place(mention: Mention, product: str, stated: Sequence[_Stated]) -> _Stated | None:
    """Return which of the places that state a version decides a claim of it; None if none does."""
    claim = mention.claim
    if claim.relation == "below":
        return next((mention for mention in stated if mention.place.how == BELOW), None)
    places = [mention for mention in stated if mention.place.how != BELOW]
    least = next((mention for mention in places if mention.place.how == LEAST), None)
    if least is not None and claim.relation == "at-least":
        return least if compare(claim.stated, least.version) <= 0 else None
    same = next((mention for mention in places if compare(claim.stated, mention.version) == 0), None)
    if same is not None:
        return same
    exact = next((mention for mention in places if mention.place.how == EXACT and claim.relation == "is"), None)
    beside = mention.document.path.rpartition("/")[0]
    wrong = exact if exact and exact.path.rpartition("/")[0] == beside else least or exact
    if wrong is None or compare(claim.stated, wrong.version) > 0:
        return None
    if wrong is exact and (
        product in ("node", "npm") or (product == "pnpm" and "packageManager" not in str(wrong.place.keys))
    ):
        return None
    # "Python 2" beside a minimum of 3.10 is another product, or a library's own version.
    return None if product in _PRECISE and len(parts_of(claim.stated)) == 1 else wrong


def _is_required(mention: Mention) -> bool:
    """Return whether a version is one that the project has or needs: an item of a list, or a sentence that says so."""
    claim, statement = mention.claim, mention.statement
    before = statement.text.partition(claim.name)[0]
    is_item = statement.kind in (BULLET, ROW) and len(before) < _NEAR
    return claim.relation != "is" or is_item or _NEEDS.search(f"{statement.section} {before[-_NEAR:]}") is not None


def _is_of_another(mention: Mention) -> bool:
    """Return whether a row of a table is about a thing that is named in code: a package with its own needs."""
    statement = mention.statement
    return statement.kind == ROW and statement.cells[0].startswith("`")


def _is_of_above(mention: Mention, path: str) -> bool:
    """Return whether a file is of a folder above the document's, which is not the root: it may be of other parts."""
    folder, beside = posixpath.dirname(path), posixpath.dirname(mention.document.path)
    return bool(folder) and beside.startswith(f"{folder}/")


def _contradicts(stated: str, place: Place, version: str) -> bool:
    """Return whether a range cannot end so: with a version that is too new, or before a classified one."""
    order = compare(stated, version)
    return order >= 0 if place.how == BELOW else order < 0


def _is_last(stated: str, place: Place, version: str) -> bool:
    if place.how == BELOW:
        return compare(next_minor(stated), version) == 0
    return compare(stated, version) == 0


def _reader(place: Place, path: str, stated: str) -> Reader:
    def read(text: str) -> tuple[bool, int, str] | None:
        found = versions_in(place, path, text)
        if not found:
            return None
        line, version = next((row for row in found if compare(stated, row[1]) == 0), found[0])
        return compare(stated, version) == 0, line, version

    if place.keys is None or place.how == BELOW or "#" in path:
        return Reader(path, read)
    proof = {"value": format_address(Address(path, place.keys)), "within": stated}
    return Reader(path, read, (proof,), place.keys[-1] if place.keys else "")


@lru_cache(maxsize=100)  # each version is compared with several kinds of files
def _list_like(tree: Tree, name: str) -> Sequence[str]:
    """Return the files that are called by a pattern."""
    return [path for path in tree.files if fnmatchcase(f"/{path}", f"*/{name}")]


def _highest_reader(place: Place, path: str, stated: str) -> Reader:
    def read(text: str) -> tuple[bool, int, str] | None:
        found = versions_in(place, path, text)
        if not found:
            return None
        line, version = max(found, key=lambda row: parts_of(row[1]))
        return _is_last(stated, place, version), line, f"<{version}" if place.how == BELOW else version

    return Reader(path, read)
