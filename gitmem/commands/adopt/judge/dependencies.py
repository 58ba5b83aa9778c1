"""Judge packages and their versions against the manifests that list them."""

from __future__ import annotations

import re
from functools import cached_property

from gitmem.commands.adopt.claims.dependencies import STACK
from gitmem.commands.adopt.corpus import is_aside
from gitmem.commands.adopt.documents import DECISION
from gitmem.commands.adopt.findings import HOLDS, NEVER, JudgedClaim, Source
from gitmem.commands.adopt.judge.products import compare
from gitmem.commands.adopt.judge.reader import Reader
from gitmem.document.sources.dependencies import is_manifest, read_dependencies
from gitmem.errors import FormatError
from gitmem.frozen import replace
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.findings import Mention
    from gitmem.commands.adopt.repository_history import Past

# A sentence that says what the project is built with: a number beside a name is the version of that package.
_USES = re.compile(
    r"\b(?:built (?:with|on)|using|uses?|powered by|based on|written (?:in|with)|stack|"
    r"(?:depends?|runs?|rel(?:ies|y)) on|tests? (?:with|on|in)|tested with|"
    r"(?:framework|ORM|router|bundler|library|linter|test runner) is|"
    r"is the (?:\w+ )?(?:framework|ORM|router|bundler|library|linter|test runner))\b|技术栈|技術",
    re.I,
)
# What comes before a package that the project is built with, and what may come after its version.
_BUILT = re.compile(
    r"(?:\b(?:built|written|implemented) (?:with|on|using|in)|\bpowered by|\bbased on|"
    r"^\W*(?:(?:we|it|(?:the|this) \w+(?: \w+)?) )?(?:uses?|runs? on|requires?))\b[^.;:!?()]{0,60}$",
    re.I,
)
_DOUBT = re.compile(r"\b(?:not|n't|never|if|when|was|were|can|could|may|might|should|will|plans?|originally)\b", re.I)
_END = re.compile(r"(?:\.x)?[`*]{0,3}(?:$|[.,;:)(–—]|\s+[(–—-]|\s+(?:and|with|for|on|via|in|to|as)\b)")
_ALIASES = {
    "turborepo": "turbo", "angular": "@angular/core", "nestjs": "@nestjs/core", "vue.js": "vue", "vuejs": "vue",
    "nextjs": "next", "shadcn": "shadcn-ui", "electron.js": "electron", "drizzle": "drizzle-orm",
    "laravel": "laravel/framework", "symfony": "symfony/framework-bundle", "yii": "yiisoft/yii2",
    "codeigniter": "codeigniter4/framework", "doctrine": "doctrine/orm",
}  # fmt: skip


# Where a dependency is listed: the file, its own name, its range and its line.
_Listed = tuple[str, str, str, int]


def plain_name(name: str) -> str:
    """Return a dependency's name in comparable form: ``Next.js`` and ``next`` are the same."""
    low = _ALIASES.get(name.lower(), name.lower())
    if low.startswith("@"):
        return low
    return re.sub(r"(\.js|js)$|[\s._-]", "", low) if low not in ("js", "rxjs", "d3.js") else low


def dependencies_in(path: str, text: str) -> dict[str, tuple[str, str, int]]:
    """Return the dependencies in a manifest: by plain name, its own name, its range and its line."""
    try:
        listed = read_dependencies(path, text.encode("utf-8", "surrogateescape"))
    except FormatError:
        return {}
    dependencies: dict[str, tuple[str, str, int]] = {}
    by_part: dict[str, tuple[str, str, int]] = {}
    for name, entries in listed.items():
        entry = next((dependency for dependency in entries if dependency.requirement), entries[0])
        row = name, entry.requirement, entry.line
        parts = [part for part in re.split(r"[/:]", re.sub(r"/v\d+$", "", name)) if part]
        dependencies.setdefault(plain_name(name), row)
        # `@scope/name`, `github.com/owner/name`, `group:name`; the types of a package are not the package.
        if len(parts) > 1 and parts[0] != "@types":
            by_part.setdefault(plain_name(parts[-1]), row)
            if name.startswith("@"):
                by_part.setdefault(plain_name(parts[0][1:]), row)
    return by_part | dependencies


class Packages:
    """Judges the packages that documents name."""

    def __init__(self, head: Code, past: Past) -> None:
        """Prepare to judge by the code at a commit, and its past."""
        self._head, self._past = head, past

    @cached_property
    def listed(self) -> dict[str, list[_Listed]]:
        """Return where each dependency is listed, by plain name."""
        dependencies: dict[str, list[_Listed]] = {}
        for path, text in self._head.texts(path for path in self._head.files if is_manifest(path)).items():
            for plain, (name, version, line) in dependencies_in(path, text).items():
                dependencies.setdefault(plain, []).append((path, name, version, line))
        return dependencies

    def judge_listed(self, mention: Mention) -> JudgedClaim | None:
        """Judge that a manifest lists a package named in a document; None if none does."""
        plain, folder = plain_name(mention.claim.name), mention.document.folder
        listed = [row for row in self.listed.get(plain, ()) if plain_name(row[1]) == plain]
        below = [row for row in listed if row[0].startswith(f"{folder}/")]
        listed = below or [row for row in listed if not is_aside(row[0])]
        if not listed:
            return None
        listed = _of_named_part(listed, mention.statement.text)
        path, name, version, line = min(listed, key=lambda row: (row[0].count("/"), row[0]))
        check = {"depends": name, "in": escape(path)}
        return JudgedClaim(mention, HOLDS, Source(path, line, version), check=check)

    def judge_version(self, mention: Mention) -> JudgedClaim | None:
        """Judge the stated version of a package; None if no manifest decides it."""
        claim, folder = mention.claim, mention.document.folder
        plain = plain_name(claim.name)
        listed = [row for row in self.listed.get(plain, ()) if re.search(r"\d", row[2])]
        below = [row for row in listed if folder and row[0].startswith(f"{folder}/")]
        listed = below or [row for row in listed if not is_aside(row[0])] or listed
        if not listed or not plain:
            return None
        listed = _of_named_part(listed, mention.statement.text)
        listed.sort(key=lambda row: (row[0].count("/"), row[0]))
        same = next((row for row in listed if _is_range_of(claim.stated, row[2])), None)
        if same is None and claim.relation != "is":
            return None
        if same is None and (len({_major(row[2]) for row in listed}) > 1 or compare(claim.stated, listed[0][2]) > 0):
            return None
        first = None
        for path, name, _, _ in [same] if same else listed:
            finding = _reader(path, name, plain, claim.stated).judge(mention, self._head, self._past)
            if finding is not None and (finding.verdict == HOLDS or finding.held):
                return finding
            first = first or finding
        # A number beside a name may mean anything: where it never was one, it counts as a version only in a list of
        # what the project is built with, and as a quiet one in a sentence about that.
        if first is None or not _is_exact(first, plain) or _is_of_longer_name(mention):
            return None
        if STACK.search(mention.statement.section) or _is_built_with(mention):
            return first
        is_used = _USES.search(mention.statement.text) is not None
        return replace(first, verdict=NEVER, is_contradicted=True) if is_used else None


def _of_named_part(listed: list[_Listed], text: str) -> list[_Listed]:
    """Return the entries of manifests in folders that a text names ("**Frontend (classic)**: React 18"); else all."""
    words = set(re.findall(r"[\w-]+", text.lower()))
    named = [row for row in listed if row[0].lower().split("/")[-2:-1] and row[0].lower().split("/")[-2] in words]
    return named or listed


def _is_built_with(mention: Mention) -> bool:
    """Return whether a sentence says unconditionally that the project is built with this version of a package."""
    before, token, after = mention.statement.text.partition(mention.claim.token)
    is_stated = bool(token) and _BUILT.search(before) and _END.match(after) and not _DOUBT.search(before)
    return bool(is_stated) and not mention.is_past and mention.document.kind != DECISION


def _is_of_longer_name(mention: Mention) -> bool:
    """Return whether a name follows another one: "Prisma Next 0.8" is not a version of Next."""
    name = re.escape(mention.claim.name)
    before = re.search(rf"([A-Z][\w.]+) \W*{name}\b", mention.statement.text)
    return before is not None and before[1].lower() not in ("use", "uses", "using", "with", "the", "requires", "built")


def _is_exact(finding: JudgedClaim, plain: str) -> bool:
    """Return whether a version is stated of a package by its whole name, and differs in its first number."""
    actual = finding.source.actual if finding.source else ""
    return len(plain) > 2 and compare(_major(finding.claim.stated), actual) != 0


def _reader(path: str, name: str, plain: str, stated: str) -> Reader:
    def read(text: str) -> tuple[bool, int, str] | None:
        there = dependencies_in(path, text).get(plain)
        if there is None or not re.search(r"\d", there[1]):
            return None
        return _is_range_of(stated, there[1]), there[2], there[1]

    return Reader(path, read, ({"depends": name, "in": escape(path), "at": stated},))


def _is_range_of(stated: str, version: str) -> bool:
    """Return whether a range contains a stated version, to the stated precision."""
    return any(compare(stated, match) == 0 for match in re.findall(r"\d+(?:\.\d+)*", version))


def _major(version: str) -> str:
    return str((re.findall(r"\d+", version) or [""])[0])
