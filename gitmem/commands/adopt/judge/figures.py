"""Judge versions, packages and values by the place in the code that states them."""

from __future__ import annotations

import re

from gitmem.commands.adopt.claims.numbers import LABELLED
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER, JudgedClaim, Source
from gitmem.commands.adopt.judge.defaults import Defaults
from gitmem.commands.adopt.judge.dependencies import Packages
from gitmem.commands.adopt.judge.ports import judge_port
from gitmem.commands.adopt.judge.reader import Reader
from gitmem.commands.adopt.judge.versions import Versions
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.corpus import Corpus
    from gitmem.commands.adopt.findings import Mention
    from gitmem.commands.adopt.repository_history import Past

_LENGTHS = re.compile(
    r"(?:line[-_]length|max[-_]line[-_]length|printWidth|max_width|lineWidth|maxLineLength|ColumnLimit|maxColumn|page_width"
    r")[\"']?\s*[=:]\s*([1-9]\d*)"  # ColumnLimit: 0 is none
)
# In detekt's settings, the length that other rules wrap at is not the longest line.
_LENGTH_OF_DETEKT = re.compile(
    r"\bMaxLineLength:[ \t]*\n(?:[ \t]+(?![ \t]|maxLineLength)[^\n]*\n){0,20}[ \t]+maxLineLength:\s*([1-9]\d*)"
)
_LENGTH_FILES = frozenset({
    "pyproject.toml", "setup.cfg", ".flake8", "ruff.toml", ".ruff.toml", "tox.ini", ".editorconfig", "rustfmt.toml",
    ".rustfmt.toml",    "biome.json", "biome.jsonc", ".golangci.yml", ".golangci.yaml", ".pylintrc", "package.json",
    "detekt.yml", "detekt-config.yml", ".clang-format", ".scalafmt.conf", "analysis_options.yaml", ".swiftlint.yml",
})  # fmt: skip
_ENDINGS = {
    "Go": "go", "Python": "py", "TypeScript": "tsx?", "JavaScript": "jsx?", "Rust": "rs", "Java": "java", "Ruby": "rb",
    "C#": "cs", "Kotlin": "kts?", "Swift": "swift",
}  # fmt: skip


def _lengths_in(path: str) -> re.Pattern[str]:
    return _LENGTH_OF_DETEKT if path.rpartition("/")[2].startswith("detekt") else _LENGTHS


def constants_of(claim: Claim) -> list[str]:
    """Return the names of constants that a label may mean; none for a value with a name of its own."""
    base = claim.name.removesuffix("_FOLDER").removesuffix("_DIRECTORY")
    folders = [] if base == claim.name else [f"{base}_DIR", f"{base}_FOLDER", f"{base}_DIRECTORY"]
    names = folders or [claim.name, f"{claim.name}NAME", f"{claim.name}_NAME"]
    return names if claim.tool == LABELLED else []


class Numbers:
    """Judges the versions and values in documents."""

    def __init__(self, head: Code, past: Past, corpus: Corpus, values: Mapping[tuple[str, str], Sequence[str]]) -> None:
        """Prepare to judge; *values* are the names with stated values, by document and section."""
        self._head, self._past, self._corpus = head, past, corpus
        self._versions, self._packages = Versions(head, past), Packages(head, past)
        self._defaults = Defaults(head, past, corpus, values)

    def judge_version(self, mention: Mention) -> JudgedClaim | None:
        """Judge a stated version; None if no file states it, or the claim turns out to mean something else."""
        return self._versions.judge(mention) or self._packages.judge_version(mention)

    def judge_package(self, mention: Mention) -> JudgedClaim | None:
        """Judge that a manifest lists a package named in a document; None if none does."""
        return self._packages.judge_listed(mention)

    @property
    def dependencies(self) -> Mapping[str, object]:
        """Return the packages that manifests list, by plain name."""
        return self._packages.listed

    def judge_value(self, mention: Mention) -> JudgedClaim | None:
        """Judge a stated value; None if no file defines it, or the definition is uncertain."""
        tool = mention.claim.tool
        if tool == "line-length":
            return self._judge_length(mention)
        if tool == "port":
            return judge_port(mention, self._head, self._past, self._corpus, self.dependencies)
        if tool == "count":
            return self._judge_count(mention)
        if tool == LABELLED:
            return self._judge_labelled(mention)
        judged = self._defaults.judge(mention)
        # A number beside a name counts as its value only if it is, or once was: units may differ.
        return judged if judged is None or mention.claim.is_certain or judged.verdict == HOLDS or judged.held else None

    def _judge_length(self, mention: Mention) -> JudgedClaim | None:
        stated, folder = mention.claim.stated, mention.document.folder
        paths = [path for path in self._head.files if path.rpartition("/")[2] in _LENGTH_FILES or ".prettierrc" in path]
        paths.sort(key=lambda path: path.count("/"))
        texts = self._head.texts(paths)
        found = [(path, number) for path, text in texts.items() for number in _lengths_in(path).findall(text)]
        rooted = [(path, number) for path, number in found if path.rpartition("/")[0] == folder]
        # Where the document's folder has a limit, that of another one decides nothing.
        same = next((path for path, number in rooted or found if number == stated), None)
        if same is None and (not rooted or any(number == stated for _, number in found)):
            return None

        path = same or rooted[0][0]

        def read(text: str) -> tuple[bool, int, str] | None:
            numbers = [(hit[1], hit.start(1)) for hit in _lengths_in(path).finditer(text)]
            if not numbers:
                return None
            number, at = next(((number, at) for number, at in numbers if number == stated), numbers[0])
            return number == stated, text.count("\n", 0, at) + 1, number

        return Reader(path, read).judge(mention, self._head, self._past)

    def _judge_labelled(self, mention: Mention) -> JudgedClaim | None:
        """Judge a file's name by the one constant that the words before it may name: "History file" `HISTORY_FILE`."""
        stated, folder = mention.claim.stated, mention.document.folder
        pattern = re.compile(
            rf"^[^\n#/=]{{0,60}}\b(?:{'|'.join(constants_of(mention.claim))})\b[^\n=\"']{{0,60}}=\s*[\"']([^\"'\n]+)",
            re.M,
        )
        texts = self._head.texts(self._head.files_naming(constants_of(mention.claim)))
        paths = [path for path, text in texts.items() if pattern.search(text) and path.startswith(folder)]
        if len(paths) != 1:
            return None

        def read(text: str) -> tuple[bool, int, str] | None:
            match = pattern.search(text)
            if match is None:
                return None
            return match[1].rpartition("/")[2] == stated, text.count("\n", 0, match.start(1)) + 1, match[1]

        finding = Reader(paths[0], read).judge(mention, self._head, self._past)
        is_quiet = finding is not None and finding.verdict == FALSE and not finding.held
        return replace(finding, verdict=NEVER, is_contradicted=True) if finding and is_quiet else finding

    def _judge_count(self, mention: Mention) -> JudgedClaim | None:
        """Judge a number of files by the document's folder and the repository; false only if it was right in one."""
        claim = mention.claim
        ending = re.compile(rf"\.{_ENDINGS[claim.name.removesuffix(' files')]}$")
        stated, folders = int(claim.stated), dict.fromkeys((mention.document.folder, ""))

        def count(files: Iterable[str], folder: str) -> int:
            return sum(bool(ending.search(path)) for path in files if not folder or path.startswith(f"{folder}/"))

        def agrees(number: int) -> bool:
            return abs(number - stated) * 10 <= max(stated, 10)

        now = {folder: count(self._head.files, folder) for folder in folders}
        if same := [number for number in now.values() if agrees(number)]:
            return JudgedClaim(mention, HOLDS, Source("", 0, str(same[0])))
        wrote, _ = self._past.writer(mention)
        then = self._past.code(wrote)
        meant = [folder for folder in folders if then is not None and agrees(count(then.files, folder))]
        if not meant or abs(now[meant[0]] - stated) * 5 <= stated:
            return None
        actual = str(now[meant[0]])
        fix = claim.token.replace(claim.stated, actual)
        return JudgedClaim(mention, FALSE, Source("", 0, actual), held=True, wrote=wrote, fix=fix)
