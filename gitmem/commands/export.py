"""Export memories as a folder of Markdown, as JSONL, or as a bundle of OKF; an import restores them exactly."""

from __future__ import annotations

import json
import os
import shutil
from itertools import chain
from pathlib import Path

from gitmem.document import note, okf
from gitmem.document.fields import IMPORTED
from gitmem.document.format import format as format_document
from gitmem.document.parse import parse
from gitmem.document.times import format_time
from gitmem.errors import FormatError, GitmemError, RefusedError
from gitmem.index.catalog import state
from gitmem.model import HOLDS, STALE, VERIFIED
from gitmem.recall.conditions import filter_condition
from gitmem.recall.query import narrow
from gitmem.store import layout
from gitmem.store.code_folder import CODE_PREFIX
from gitmem.store.scopes import POLICY_PATH
from gitmem.store.state.plain_files import waiting_captures
from gitmem.system import command_of
from gitmem.text import escape_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gitmem.recall.query import Query
    from gitmem.repository import OpenRepository

# How many embedded files a notice names.
NAMES_SHOWN = 20


def list_files(repository: OpenRepository, query: Query) -> list[tuple[str, str]]:
    """Return path and blob of every memory that passes the filters, sorted by key; the first file of each key."""
    # Captured memories without a commit have no blob to read, so they are left out.
    if waiting := waiting_captures(repository.git.repository.state):
        repository.notices.append(
            f"{len(waiting)} captured memories are not committed yet and were not exported; commit them with "
            "gitmem doctor --fix"
        )
    catalog = repository.catalog(repository.tip())
    ground = repository.ground(catalog)
    with catalog.reading():
        condition, values = filter_condition(catalog, ground, query, now=repository.now)
        rows = catalog.rows(
            f"SELECT m.path, m.oid FROM memory m WHERE {condition} ORDER BY m.key LIMIT ?", (*values, query.limit)
        )
    # Memories of the code tree get the paths they would have on the branch: an export is a store.
    return [(path.removeprefix(CODE_PREFIX), oid) for path, oid in rows]


def texts(
    repository: OpenRepository, files: list[tuple[str, str]], progress: Callable[[int, int], None] | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield path and exact content of every file; *progress* is called with the number done.

    Raises:
        GitmemError: The content of one is missing: the export would be incomplete without showing it.
    """
    for done, ((path, _), (_, content)) in enumerate(
        zip(files, repository.git.read_blobs(oid for _, oid in files), strict=True), 1
    ):
        if content is None:
            raise GitmemError(f"{path}: its content is missing from the object database", hint="git fetch origin")
        yield path, content
        if progress is not None:
            progress(done, len(files))


def json_lines(contents: Iterable[tuple[str, bytes]]) -> Iterator[str]:
    """Yield one line per memory: its key, kind and title, its frontmatter and body, its folder.

    A file that is not formatted like gitmem's also has its exact ``text``.
    """
    for path, content in contents:
        document = parse(content, path=path)
        place = layout.place_of(path)
        assert isinstance(place, layout.StorePath), "the catalog contains only files of a store"
        table = {
            "key": document.key,
            "kind": document.kind,
            "title": document.title,
            "folder": place.folder,
            **({"archived": True} if place.archived else {}),
            "frontmatter": document.fields,
            "body": document.body,
            **({} if _formats_as(document.text, document.fields, document.body) else {"text": document.text}),
        }
        yield escape_json(json.dumps(table, ensure_ascii=False)) + "\n"


def _formats_as(text: str, fields: dict[str, object], body: str) -> bool:
    try:
        return format_document(fields, body) == text
    except FormatError:
        return False


def write_file(lines: Iterable[str], path: Path) -> None:
    """Write lines to a new file, atomically.

    Raises:
        RefusedError: The file exists.
    """
    if path.is_symlink() or (path.exists() and not (path.is_file() and path.stat().st_size == 0)):
        hint = f"choose another name, or: gitmem export > {command_of(str(path))}"
        raise RefusedError(f"{path} already exists, and an export never overwrites a file", hint=hint)
    fresh = _beside(path)
    try:
        with fresh.open("x", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def write_folder(contents: Iterable[tuple[str, bytes]], folder: Path) -> None:
    """Write files below a new or empty folder: all of them or none.

    Raises:
        RefusedError: The folder is not empty.
    """
    if folder.is_symlink() or (folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))):
        message = f"{folder} already exists and is not an empty folder"
        raise RefusedError(message, hint="choose a new folder: --to DIR")
    fresh = _beside(folder)
    try:
        fresh.mkdir(parents=True)
        for path, content in contents:
            to = fresh / path
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(content)
        fresh.rename(folder.resolve())
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def verdict_times(repository: OpenRepository) -> dict[str, str]:
    """Return when each fact was last verified, by key: of those whose verdict counts here and holds."""
    catalog = repository.catalog(repository.tip())
    ground = repository.ground(catalog)
    with catalog.reading():
        rows = catalog.rows(
            "SELECT m.id, m.key, s.at FROM memory m JOIN state s ON s.fact = m.id"
            " WHERE s.ground = ? AND s.outcome = ? AND m.shadowed = 0",
            (ground or 0, HOLDS),
        )
        chains = state.suspects(catalog, ground)
        statuses = state.statuses_of(catalog, ground, [row[0] for row in rows], now=repository.now, chains=chains)
    return {key: format_time(at) for number, key, at in rows if statuses[number].status in (VERIFIED, STALE)}


def bundle_files(contents: Iterable[tuple[str, bytes]], proved: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a bundle of the Open Knowledge Format: its concepts, then their indexes and its log.

    Args:
        contents: Path and content of every memory.
        proved: When a fact was verified last, by key.

    Raises:
        RefusedError: A memory is too large for a concept.
    """
    folders: dict[str, list[tuple[str, str, str, str]]] = {}
    log = []
    for path, content in contents:
        document = parse(content, path=path)
        folder, _, name = path.rpartition("/")
        to = f"{folder}/{name if name not in okf.RESERVED else f'{document.key}-memory.md'}"
        try:
            text = okf.format_concept(document, proved.get(document.key, ""))
        except FormatError as err:
            message = f"{path} cannot be written as a concept: {err.message}"
            raise RefusedError(message, hint="gitmem export --all --to DIR") from err
        yield to, text.encode()
        about, title = document.fields.get("description"), document.title
        description = about if isinstance(about, str) else ""
        folders.setdefault(folder, []).append((document.kind, title, to.rpartition("/")[2], description))
        retired = document.fields.get("retired")
        ended = retired.get("when") if isinstance(retired, dict) else None
        for word, time in (("Creation", document.fields.get("created")), ("Deprecation", ended)):
            log += [(str(time)[:10], word, title, f"/{to}")] if time else []
    for folder, entries in folders.items():
        yield f"{folder}/{okf.INDEX}", okf.index_file(sorted(entries), is_root=False).encode()
    tops = [("Folders", folder, f"{folder}/", "") for folder in sorted(folders)]
    yield okf.INDEX, okf.index_file(tops, is_root=True).encode()
    yield okf.LOG, okf.log_file(log).encode()


def note_files(repository: OpenRepository, contents: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Yield memories as notes: imported ones at their own paths in their own form, others as they are in the store.

    Files that notes embed, and drawings, are not in the store: a notice names them.
    """
    every = [parse(content, path=path) for path, content in contents]
    # Only the text of a drawing is in the store: it would overwrite the drawing.
    drawings = [str(document.fields[IMPORTED]) for document in every if note.is_drawing(document)]
    documents = [document for document in every if not note.is_drawing(document)]
    places = {document.path: note.note_path(document) for document in documents}
    is_one = len({folder for folder, _ in places.values() if folder}) == 1
    done: set[str] = set()
    left: dict[str, None] = dict.fromkeys(drawings)
    for document in documents:
        folder, path = places[document.path]
        to = (path if is_one else f"{folder}/{path}") if path else document.path
        if to.lower() in done:
            to, path = document.path, ""
        done.add(to.lower())
        left |= dict.fromkeys(note.embedded_files(document.body))
        yield to, (note.note_text(document, path) if path else document.text).encode()
    if left:
        names = ", ".join(list(left)[:NAMES_SHOWN]) + (", …" if len(left) > NAMES_SHOWN else "")
        count = f"{len(left)} embedded files or drawings are" if len(left) > 1 else "1 embedded file or drawing is"
        repository.notices.append(f"{count} not in the memory; copy them to the same places: {names}")


def _beside(path: Path) -> Path:
    whole = path.resolve()
    return whole.with_name(f"{whole.name}.{os.urandom(4).hex()}.partial")


def export(
    repository: OpenRepository,
    query: Query,
    *,
    folder: str,
    is_okf: bool = False,
    is_notes: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[str]:
    """Return memories as JSONL, one line each, sorted by key; given a folder, write them there and return their paths.

    The folder has the store's layout and policy, or is a bundle of the Open Knowledge Format, or has the notes from
    which memories were imported.
    """
    files = list_files(repository, narrow(repository.policy(), query) if query.collections else query)
    if not folder:
        return json_lines(texts(repository, files, progress))
    if is_okf:
        write_folder(bundle_files(texts(repository, files, progress), verdict_times(repository)), Path(folder))
        return iter([path for path, _ in files])
    if is_notes:
        write_folder(note_files(repository, texts(repository, files, progress)), Path(folder))
        return iter([path for path, _ in files])
    policy = repository.git.read_blob(f"{repository.tip()}:{POLICY_PATH}", limit=layout.POLICY_LIMIT)
    extra = [(POLICY_PATH, policy)] if policy is not None else []
    write_folder(chain(extra, texts(repository, files, progress)), Path(folder))
    return iter([path for path, _ in files])
