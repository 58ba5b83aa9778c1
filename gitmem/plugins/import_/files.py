"""Open the sources of an import: JSONL files, Markdown files, folders of them, and standard input."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from gitmem.document.note import ENDINGS
from gitmem.errors import NotFoundError, RefusedError
from gitmem.plugins.import_.encodings import to_utf8
from gitmem.plugins.import_.enex import ENEX, read_enex
from gitmem.plugins.import_.fields import ImportRecord, NoteFile, Unreadable
from gitmem.plugins.import_.folder import (
    ARCHIVE,
    FILE_KIND,
    YAML,
    ImportContext,
    list_files,
    read_bean,
    read_decisions,
    read_folder,
    read_markdown,
)
from gitmem.plugins.import_.joplin import JEX, read_jex
from gitmem.plugins.import_.jsonl import read_jsonl
from gitmem.plugins.import_.rules import RULE_FILES
from gitmem.plugins.import_.tables import TABLES, read_table
from gitmem.plugins.import_.wiki import Pages, pages_of
from gitmem.system import command_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO

    from gitmem.plugins.import_.names import Names

    Progress = Callable[[int, int], None]

# The default kind of a line of a log.
LINE_KIND = "learned"
STANDARD_INPUT = "-"
# Names of a text without markup; how many of its bytes are read to tell it from JSON; and how JSON begins.
TEXT_ENDINGS = (".txt", ".text")
LOOKED_AT = 1 << 10
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\{\s*"|\[\s*[{"])')


def check_sources(names: Sequence[str]) -> None:
    """Refuse unusable sources before anything is read.

    Raises:
        NotFoundError: It does not exist.
        RefusedError: It is neither a file nor a folder, or cannot be read.
    """
    for name in names:
        if name == STANDARD_INPUT:
            continue
        try:
            mode = Path(name).stat().st_mode
        except OSError as err:
            raise NotFoundError(
                f"{name}: {err.strerror}", hint="gitmem import FILE… takes JSONL, Markdown, folders"
            ) from err
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISFIFO(mode)):
            raise RefusedError(f"{name} is neither a file nor a folder", hint="gitmem import FILE…")
        if not os.access(name, os.R_OK):
            raise RefusedError(f"{name} cannot be read: permission denied", hint=command_of("ls", "-l", name))


def read_sources(
    names: Sequence[str],
    shared: ImportContext,
    *,
    stdin: IO[bytes] | None,
    progress_of: Progress | None,
) -> Iterator[ImportRecord | Unreadable]:
    """Yield every memory of every source in turn, or the reason why there is none.

    Args:
        names: Files and folders; ``-`` is standard input (JSONL).
        shared: What they share; their notes are added to it.
        stdin: Standard input.
        progress_of: Called with the position in a source and its size: bytes of JSONL, files of a folder.
    """
    kind, notes = shared.kind, shared.notes
    files = {
        name: _page(name, notes)
        for name in names
        if not Path(name).is_dir() and (name.lower().endswith((*ENDINGS, *RULE_FILES)) or _is_plain_text(name))
    }
    decisions = read_decisions({name: pages.keys[Path(name).name] for name, (_, pages) in files.items()}, kind)
    for name in names:
        found: Iterable[ImportRecord | Unreadable] = ()
        if name == STANDARD_INPUT:
            if stdin is not None:
                found = read_jsonl(stdin, name="standard input", kind=kind or LINE_KIND)
        elif Path(name).is_dir():
            found = _read_folder(name, shared, progress_of)
        elif name in files:
            note, pages = files[name]
            file = NoteFile(name, name, Path(name).name, note, shared.limit)
            found = read_markdown(file, pages, kind=kind, decisions=decisions)
        elif name.lower().endswith(YAML):
            found = read_bean(name, name)
        elif name.lower().endswith(ENEX):
            inside = notes.name(notes.folder(Path(name).absolute().parent), Path(name).name)
            found = read_enex(name, name, kind or FILE_KIND, inside, notes)
        elif name.lower().endswith(JEX):
            inside = notes.name(notes.folder(Path(name).absolute().parent), Path(name).name)
            file = NoteFile(name, name, Path(name).name, inside, shared.limit)
            found = read_jex(file, kind or FILE_KIND, notes)
        elif name.lower().endswith(TABLES):
            found = read_table(name, kind or LINE_KIND)
        else:
            found = _read_lines(name, kind or LINE_KIND, progress_of)
        is_empty = True
        for record in found:
            yield record
            is_empty = False
        if is_empty and name != STANDARD_INPUT:
            yield Unreadable(name, "it has no memories", is_other=True)


def _is_plain_text(name: str) -> bool:
    """Return whether a file is plain text, and not JSON: Standard Notes names its backups ``.txt``."""
    if not name.lower().endswith(TEXT_ENDINGS) or not Path(name).is_file():
        return False
    with Path(name).open("rb") as file:
        return _JSON.match(to_utf8(file.read(LOOKED_AT))[0]) is None


def _read_lines(name: str, kind: str, progress_of: Progress | None) -> Iterator[ImportRecord | Unreadable]:
    with Path(name).open("rb") as file:
        total = os.fstat(file.fileno()).st_size
        for found in read_jsonl(file, name=name, kind=kind, is_archive=Path(name).name == ARCHIVE):
            yield found
            if progress_of is not None and total:
                progress_of(file.tell(), total)


def _page(name: str, notes: Names) -> tuple[str, Pages]:
    """Return the name of a file with its folder's, and the file as the only note that it may link to."""
    path = Path(name).absolute()
    root = notes.folder(path.parent)
    keys = notes.keys(root, [path.name])
    return notes.name(root, path.name), pages_of(keys)


def _read_folder(name: str, shared: ImportContext, progress_of: Progress | None) -> Iterator[ImportRecord | Unreadable]:
    files = list_files(name)
    for done, found in read_folder(name, files, shared, name=name):
        yield found
        if progress_of is not None:
            progress_of(done, len(files))
