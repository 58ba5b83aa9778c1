"""One pass through the code's texts, to find which names occur, and which files may define others."""

from __future__ import annotations

import re

from gitmem.commands.adopt.vocabulary import FILE_LIMIT, Vocabulary
from gitmem.text.code.languages import is_binary, is_prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping

    from gitmem.commands.adopt.code import Code

_ASIDE = re.compile(
    r"(^|/)(tests?|__tests__|specs?|e2e|examples?|samples?|demos?|docs?|website|benchmarks?|bench|fixtures?|mocks?|__mocks__|"
    r"test-?utils?|testing|[\w-]*-tests?|alembic|versions|scripts|hack|\.github|\.devcontainer|testdata|node_modules|vendor|third_party|migrations?|templates?|cookbook|evals?|playground|generated|dist)/|^references/|"
    r"(^|/)(test_[^/]*|[^/]*(_test|\.test|\.spec|\.stories)\.[^/]*|conftest\.py)$",
    re.I,
)
# Generated files: searched last, since they define no names.
_DATA = re.compile(r"\.(jsonl?|ndjson|log|xml|html?|\w*ignore)$", re.I)
# The most bytes read: code of this size takes seconds.
MOST_BYTES = 160 * 1024 * 1024


class Corpus:
    """The result of one pass.

    Attributes:
        present: The names that occur in code, with the first file that has each.
        files_by_name: By name, the files that contain it and are not tests, examples or documents.
        is_whole: Whether all of the code was read.
    """

    def __init__(self) -> None:
        self.present: dict[str, str] = {}
        self.files_by_name: dict[str, list[str]] = {}
        self.is_whole = True


def is_aside(path: str) -> bool:
    """Return whether a file is a test, an example or a document, which defines nothing for the rest of the code."""
    return _ASIDE.search(path) is not None


def search(
    code: Code,
    symbols: Iterable[str],
    values: Mapping[str, Iterable[str]],
    *,
    progress: Callable[[int, int], None] = lambda *_: None,
    among: Container[str] | None = None,
) -> Corpus:
    """Search for names in the texts of the code.

    Args:
        code: The code.
        symbols: Names whose occurrence matters.
        values: Names whose definitions matter, each with its possible spellings.
        progress: Called with the number of files read and the total.
        among: The files to read; None for all.
    """
    corpus = Corpus()
    owners = _owners(values)
    left = {name.encode("utf-8") for name in symbols}
    if not left and not owners:
        return corpus
    paths = _paths_by_text(code, among)
    wanted, corpus.is_whole = _choose(code, paths)
    names = Vocabulary((*left, *owners))
    for number, (oid, content) in enumerate(code.git.read_blobs(wanted)):
        if not names:
            break
        if number % 200 == 0:
            progress(number, len(wanted))
        if content is None or b"\0" in content[:8000]:
            continue
        for word in names.in_text(content):
            if word in left:
                left.discard(word)
                corpus.present[word.decode("utf-8")] = paths[oid][0]
                if word not in owners:
                    names.discard(word)
            for owner in owners.get(word, ()):
                corpus.files_by_name.setdefault(owner, []).extend(paths[oid])
    return corpus


def _owners(values: Mapping[str, Iterable[str]]) -> dict[bytes, set[str]]:
    """Return the names that each spelling may mean."""
    owners: dict[bytes, set[str]] = {}
    for name, spelled in values.items():
        for spelling in spelled:
            owners.setdefault(spelling.encode("utf-8"), set()).add(name)
    return owners


def _paths_by_text(code: Code, among: Container[str] | None) -> dict[str, list[str]]:
    """Return the paths of the code's files by their text's object name, without documents and pictures."""
    paths: dict[str, list[str]] = {}
    for path, (mode, oid) in code.files.items():
        if (
            mode in ("100644", "100755")
            and (among is None or path in among)
            and not (is_prose(path) or is_binary(path))
        ):
            paths.setdefault(oid, []).append(path)
    return paths


def _choose(code: Code, paths: Mapping[str, list[str]]) -> tuple[list[str], bool]:
    """Return the texts to read, those that define names first, and whether these are all."""
    order = sorted(paths, key=lambda oid: (is_aside(paths[oid][0]), _DATA.search(paths[oid][0]) is not None))
    sizes = code.git.sizes(order)
    order = [oid for oid in order if 0 < sizes[oid] <= FILE_LIMIT]
    wanted = _first_within_limit(order, sizes)
    return wanted, wanted[-1:] == order[-1:]


def _first_within_limit(order: list[str], sizes: Mapping[str, int]) -> list[str]:
    """Return the first blobs within the limit."""
    total, wanted = 0, []
    for oid in order:
        total += sizes[oid]
        if total > MOST_BYTES:
            break
        wanted.append(oid)
    return wanted
