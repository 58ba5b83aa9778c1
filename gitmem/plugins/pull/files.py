"""Files as sources: code, split at its definitions, and documents, split at their headings.

Code and documents of this repository are read at HEAD; other documents from their folder. The manifest has each file's
object name, so an edited file is split again, a renamed one is found under its new name, and the parts of a deleted one
are removed.
"""

from __future__ import annotations

import os
from hashlib import sha1
from itertools import count
from pathlib import Path
from textwrap import dedent
from zlib import crc32

from gitmem.commands.adopt.chunks import Chunk, cut_lines, prose_chunks
from gitmem.errors import NotFoundError, RefusedError
from gitmem.plugins.pull.documents import PulledDocument, path_of
from gitmem.plugins.pull.source import CODE, DOCS
from gitmem.system import iter_files, only_regular
from gitmem.text.code.definitions import definitions
from gitmem.text.code.languages import is_code, language_of
from gitmem.text.code.span import Span
from gitmem.text.slugs import hashed_slug, slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from gitmem.plugins.pull.branch import SourceBranch
    from gitmem.plugins.pull.source import PullSource
    from gitmem.repository import OpenRepository

KINDS = {CODE: "github_code_blob", DOCS: "doc"}
ENDINGS = (".md", ".markdown", ".mdx", ".rst", ".txt")
# The largest file in bytes; a larger one is data.
FILE_LIMIT = 1_000_000
FILES_AT_MOST = 200_000
# The longest part in lines of code: what a reader, or an embedding model, can take in at once.
LINES_AT_MOST = 120
# Files per commit.
TOGETHER = 500


class FilesPull:
    """One pull of files.

    Attributes:
        gone: The paths of documents whose part of a file no longer exists.
    """

    def __init__(
        self,
        repository: OpenRepository,
        source: PullSource,
        branch: SourceBranch,
        report: Callable[[int, int], None] | None,
    ) -> None:
        """Set the files; nothing is read."""
        self._memory, self._source, self._report = repository, source, report
        self._branch = branch
        self._files: dict[str, list[Any]] = branch.manifest.setdefault("files", {})
        self.gone: list[str] = []

    def batches(self) -> Iterator[list[PulledDocument]]:
        """Yield the parts of changed files, some files at a time; the manifest says which files changed.

        Raises:
            NotFoundError: The folder of the documents, or a commit, is missing.
            RefusedError: There are too many files.
        """
        folder = self._folder()
        names = _list_outside(folder) if folder else self._list_tree()
        if len(names) > FILES_AT_MOST:
            raise RefusedError(
                f"more than {FILES_AT_MOST} files", hint="name folders: gitmem sources add code --path src"
            )
        changed = [path for path, name in names.items() if self._files.get(path, [""])[0] != name]
        for path in [path for path in self._files if path not in names]:
            self.gone += [self._place(key) for key in self._files.pop(path)[1:]]
        if not changed:
            yield []
        for start in range(0, len(changed), TOGETHER):
            if self._report is not None:
                self._report(start, len(changed))
            group = changed[start : start + TOGETHER]
            contents = _read_outside(folder, group) if folder else self._read_tree(group, names)
            yield [document for path, raw in contents for document in self._documents(path, names[path], raw)]

    def _folder(self) -> str:
        """Return the folder of documents outside the repository; empty for the repository itself."""
        return self._source.paths[0] if self._source.paths and Path(self._source.paths[0]).is_absolute() else ""

    def _list_tree(self) -> dict[str, str]:
        """Return path and object name of the selected files of HEAD."""
        _, commit = self._memory.git.read_head()
        if commit is None:
            raise NotFoundError("this repository has no commit yet", hint="commit something first")
        wanted = is_code if self._source.kind == CODE else _is_document
        return {
            path: oid
            for mode, oid, path in self._memory.git.list_paths(commit)
            if mode in ("100644", "100755") and wanted(path) and self._is_selected(path)
        }

    def _is_selected(self, path: str) -> bool:
        folders = [path.strip("/") for path in self._source.paths]
        return not folders or any(folder in ("", ".", path) or path.startswith(f"{folder}/") for folder in folders)

    def _read_tree(self, paths: Iterable[str], names: dict[str, str]) -> Iterator[tuple[str, bytes]]:
        wanted = list(paths)
        blobs = self._memory.git.read_blobs((names[path] for path in wanted), limit=FILE_LIMIT)
        yield from ((path, raw or b"") for path, (_, raw) in zip(wanted, blobs, strict=True))

    def _documents(self, path: str, name: str, raw: bytes) -> list[PulledDocument]:
        """Return the parts of one file, and record which of its former parts are gone."""
        try:
            text = raw.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            text = ""
        cut = code_chunks if self._source.kind == CODE else prose_chunks
        documents, taken_keys = [], set[str]()
        for chunk in cut(text, path):
            key = self._key(path, chunk.name, taken_keys)
            taken_keys.add(key)
            documents.append(self._document(key, path, chunk))
        self.gone += [self._place(key) for key in self._files.get(path, [""])[1:] if key not in taken_keys]
        self._files[path] = [name, *sorted(taken_keys)]
        return documents

    def _key(self, path: str, name: str, taken: set[str]) -> str:
        """Return the key of a part that is not taken: the former one if a document has it."""
        for number in count(1):
            key, former = keys_of_part(self._source.kind, path, name, number)
            if key not in taken and former not in taken:
                break
        return former if self._branch.has(self._place(former)) else key

    def _document(self, key: str, path: str, chunk: Chunk) -> PulledDocument:
        fields: dict[str, Any] = {
            "file_path": path,
            "lines": f"{chunk.first}-{chunk.last}",
            "source": self._source.kind,
        }
        title = title_of_part(self._source.kind, path, chunk.name)
        if self._source.kind == DOCS:
            return PulledDocument(key, KINDS[DOCS], title, chunk.text, fields)
        fields |= {"tags": [language_of(path)]}
        # Indented, so that no line of it can look like Markdown.
        body = f"{path}:{chunk.first}-{chunk.last}\n\n" + "\n".join(
            f"    {line}".rstrip() for line in chunk.text.split("\n")
        )
        return PulledDocument(key, KINDS[CODE], title, body, fields)

    def _place(self, key: str) -> str:
        return path_of(KINDS[self._source.kind], key)


def code_chunks(text: str, path: str) -> list[Chunk]:
    """Return the parts of a file of code, in order: its definitions, and the code between them.

    A long definition is split into its inner ones, or at every ``LINES_AT_MOST`` lines if it has none.
    """
    lines = text.split("\n")
    return [chunk for chunk in _cut_code(lines, 0, "", language_of(path)) if chunk.text.strip()]


def _cut_code(lines: list[str], at: int, within: str, language: str) -> Iterator[Chunk]:
    """Yield the parts of some lines, the first of which is line *at* (from 0) of the file."""
    end = 0
    for span in definitions("\n".join(lines), language):
        yield from _pieces(lines[end : span.first], at + end, within)
        name = f"{within}.{span.name}" if within else span.name
        inner = lines[span.first : span.end]
        if len(inner) <= LINES_AT_MOST:
            yield cut_lines(name, inner, at + span.first)
        else:
            yield from _cut_long(span, inner, at + span.first, name, language)
        end = span.end
    yield from _pieces(lines[end:], at + end, within)


def _cut_long(span: Span, lines: list[str], at: int, name: str, language: str) -> Iterator[Chunk]:
    """Yield the parts of a long definition: its first line belongs to the part that follows."""
    inner = dedent("\n".join(lines[1:])).split("\n")
    if any(
        definition.end - definition.first < len(lines) - 1 for definition in definitions("\n".join(inner), language)
    ):
        yield cut_lines(name, lines[:1], at)
        yield from _cut_code(inner, at + 1, name, language)
    else:
        yield from _pieces(lines, at, name)


def _pieces(lines: list[str], at: int, name: str) -> Iterator[Chunk]:
    for start in range(0, len(lines), LINES_AT_MOST):
        yield cut_lines(name, lines[start : start + LINES_AT_MOST], at + start)


def title_of_part(kind: str, path: str, name: str) -> str:
    """Return the title of a part of a file, given the name of its definition or heading, if any."""
    name = name or ("top of the file" if kind == CODE else "")
    return f"{name} ({path})" if name else path


def keys_of_part(kind: str, path: str, name: str, number: int = 1) -> tuple[str, str]:
    """Return the key of a part, the same for the same file and name, and the key that earlier versions gave it.

    Args:
        kind: The kind of the source.
        path: The file.
        name: The definition or heading, or empty.
        number: Which one of this name it is in the file, from 1.
    """
    named, suffix = f"{path} {name}", f".{number}" if number > 1 else ""
    key = hashed_slug(title_of_part(kind, path, name), _digest(named + suffix), otherwise=KINDS[kind])
    return key, f"{kind}-{slug(named, limit=60)}-{_digest(named)}{suffix}"


def _digest(text: str) -> str:
    return f"{crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def _is_document(path: str) -> bool:
    parts = path.split("/")
    return path.lower().endswith(ENDINGS) and ".memory" not in parts and "node_modules" not in parts


def _list_outside(folder: str) -> dict[str, str]:
    """Return path and content hash of the documents below a folder; links are not followed.

    Raises:
        NotFoundError: It is missing, or cannot be read.
    """
    digests: dict[str, str] = {}
    try:
        for entry in iter_files(folder):
            if entry.is_file(follow_symlinks=False) and _is_document(entry.name):
                inside = os.path.relpath(entry.path, folder).replace(os.sep, "/")
                digests[inside] = sha1(_read(Path(entry.path)), usedforsecurity=False).hexdigest()
    except OSError as err:
        raise NotFoundError(f"the documents in {folder} cannot be read: {err.strerror}") from err
    return dict(sorted(digests.items()))


def _read_outside(folder: str, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        try:
            yield path, _read(Path(folder, path))
        except FileNotFoundError:  # changed since it was listed: the next pull reads it
            yield path, b""


def _read(path: Path) -> bytes:
    """Return a file's content; empty if it is too large."""
    with open(path, "rb", opener=only_regular) as file:
        raw = file.read(FILE_LIMIT + 1)
    return raw if len(raw) <= FILE_LIMIT else b""
