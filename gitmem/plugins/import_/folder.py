"""Read memories from files: Markdown in any layout, issues, and logs; a folder with everything below it.

Links are not followed, names with a leading dot are skipped, and files are read only up to a memory's size.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import stat
from pathlib import Path

from gitmem.document import okf
from gitmem.document.note import ADDED, ENDINGS, HEAD, count_added, head_of
from gitmem.document.parse import parse, read_fields
from gitmem.document.split import decode, split
from gitmem.errors import FormatError
from gitmem.frozen import frozen, replace
from gitmem.plugins.import_.decisions import (
    DECISION,
    NO_DECISIONS,
    DecisionRecords,
    decisions_of,
    is_decision,
    with_status,
)
from gitmem.plugins.import_.encodings import to_utf8
from gitmem.plugins.import_.enex import ENEX, read_enex
from gitmem.plugins.import_.fields import (
    DELETED_REASON,
    STORE_ONLY,
    ImportRecord,
    NoteFile,
    Unreadable,
    from_table,
    is_deleted,
    with_remark,
)
from gitmem.plugins.import_.frontmatter import Front, read_front
from gitmem.plugins.import_.joplin import JEX, collect, is_item, read_item, read_items, read_jex, read_note
from gitmem.plugins.import_.jsonl import read_jsonl
from gitmem.plugins.import_.keep import HEAD_BYTES, is_keep_file
from gitmem.plugins.import_.names import Names
from gitmem.plugins.import_.notes import (
    DRAWING,
    created_of,
    is_of_notion,
    is_template,
    names_of,
    properties_of_notion,
    read_properties,
    title_of,
    why_unreadable,
    without_drawing,
)
from gitmem.plugins.import_.okf import LOOKED_AT, foreign_concept, read_concept
from gitmem.plugins.import_.rules import is_rule, rule_fields, with_bean_id
from gitmem.plugins.import_.times import time_of
from gitmem.plugins.import_.titles import find_title, plain_heading
from gitmem.plugins.import_.trackers import is_issue, read_issue
from gitmem.plugins.import_.vault import BACKUPS, read_vault
from gitmem.plugins.import_.wiki import (
    INDEX,
    Pages,
    auto_memory,
    index_remarks,
    is_only_index,
    link_pages,
    pages_of,
    with_index_remark,
)
from gitmem.store import layout
from gitmem.store.scopes import POLICY_PATH
from gitmem.system import iter_files, only_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping

# The default kind of a file.
FILE_KIND = "doc"
# Types that say nothing about a note.
GENERIC_TYPES = ("note", "page", "document", "markdown", "memory", "zettel")
YAML, JSON = (".yaml", ".yml"), (".json",)
# Fields without which a memory that gitmem wrote would say something else: such a file is read exactly or not at all.
OWN = ("retired", "superseded_by", "state")
# beads and beadboard: issues, learnings, and memories archived by rotation; the MCP server "memory"; exported chats.
ARCHIVE = "knowledge.archive.jsonl"
LOGS = (
    *("issues.jsonl", "beads.jsonl", "knowledge.jsonl", ARCHIVE),
    *("memory.json", "memory.jsonl", "memories.json", "memories.jsonl", "conversations.json"),
)
# Hidden folders and files of programs, without notes.
SETTINGS = (
    *(".git", ".obsidian", ".logseq", ".foam", ".vscode", ".idea"),
    *(".gitignore", ".gitattributes", ".gitkeep", ".gitmodules", ".DS_Store"),
)
# A folder that is a note with its attachments: `Name.textbundle/text.md`.
BUNDLE = ".textbundle"
# Where beads keeps issues since it uses Dolt, which only `bd` can read.
DOLT = ("dolt", "embeddeddolt")


@frozen
class ImportContext:
    """What all sources of an import share.

    Attributes:
        notes: The names of its notes, to which each source adds.
        kind: The kind if a memory names none; empty for the default.
        rejected: The names in reports of what was refused, to which the caller adds while it reads.
        limit: The most bytes of a note.
    """

    notes: Names
    kind: str = ""
    rejected: Collection[str] = ()
    limit: int = layout.MEMORY_LIMIT


def list_files(folder: str) -> list[tuple[str, bool]]:
    """Return the importable files below a folder by path, and whether each is a regular file.

    These are Markdown, exports of Evernote and of chats, notes of Google Keep, files of Beans, and logs of beads.

    Raises:
        OSError: A folder cannot be read.
    """
    return sorted(
        (entry.path, entry.is_file(follow_symlinks=False))
        for entry in iter_files(folder)
        if entry.name.lower().endswith((*ENDINGS, *ENEX, *JEX))
        or entry.name in LOGS
        or _is_bean(entry)
        or _is_keep(entry)
    )


def _is_bean(entry: os.DirEntry[str]) -> bool:
    """Return whether a file is an issue of Beans: YAML that begins with an id."""
    if not entry.name.lower().endswith(YAML) or not entry.is_file(follow_symlinks=False):
        return False
    try:
        with open(entry.path, "rb", opener=only_regular) as file:
            return file.read(3) == b"id:"
    except OSError:
        return True  # reading it reports why it cannot be read


def _is_keep(entry: os.DirEntry[str]) -> bool:
    """Return whether a file is a note of Google Keep."""
    if not entry.name.lower().endswith(JSON) or not entry.is_file(follow_symlinks=False):
        return False
    try:
        with open(entry.path, "rb", opener=only_regular) as file:
            return is_keep_file(file.read(HEAD_BYTES))
    except OSError:
        return False


def read_folder(
    folder: str, files: list[tuple[str, bool]], shared: ImportContext, *, name: str
) -> Iterator[tuple[int, ImportRecord | Unreadable]]:
    """Yield the memories of every file below a folder, or the reasons, with the file's number.

    Args:
        folder: The folder.
        files: What ``list_files`` found in it.
        shared: What it shares with other sources.
        name: Its name in reports.
    """
    is_store = (Path(folder) / POLICY_PATH).is_file()
    places = [os.path.relpath(path, folder).replace(os.sep, "/") for path, _ in files]
    top = Path(folder).resolve()
    notes = [place for place in places if place.lower().endswith(ENDINGS)]
    items = read_items(_texts(Path(folder), filter(is_item, notes), shared.limit))
    notes = [place for place in notes if place not in items or items[place].is_note]
    titles = {place: item.title for place, item in items.items() if item.title}
    root, is_bundle = shared.notes.folder(top), not is_store and _is_bundle(Path(folder), notes)
    pages = _read_pages(Path(folder), shared.notes.read_whole(root, notes, titles), is_bundle=is_bundle)
    ids = {item.id: pages.keys[place] for place, item in items.items() if item.is_note}
    pages = replace(pages, joplin=collect(items.values(), ids))
    if (
        any((top / name).is_dir() for name in DOLT)
        and (top / "metadata.json").is_file()
        and "issues.jsonl" not in places
    ):
        export = shlex.quote(f"{name.rstrip('/')}/issues.jsonl")
        yield 0, Unreadable(name, f"its issues are in a Dolt database: bd export -o {export}, then import again")
    regular = {
        path: pages.keys[inside]
        for (path, is_regular), inside in zip(files, places, strict=True)
        if is_regular and inside in pages.keys
    }
    decisions = NO_DECISIONS if is_store or pages.is_bundle else read_decisions(regular, shared.kind)
    order = sorted(zip(files, places, strict=True), key=lambda pair: _is_index(pair[1]))  # it is about the others
    for number, ((path, is_regular), inside) in enumerate(order, 1):
        where = f"{name.rstrip('/')}/{inside}"
        if not is_regular:
            yield number, Unreadable(where, "it is not a regular file (links are not followed)")
        elif not inside.lower().endswith(ENDINGS):
            for found in _read_export(path, where, shared, shared.notes.name(root, inside)):
                yield number, found
        elif not (is_store and inside == layout.STATUS_PATH):
            if _is_index(inside) and shared.rejected:
                lost = {pages.keys[note] for note in notes if f"{name.rstrip('/')}/{note}" in shared.rejected}
                pages = replace(pages, lost=lost)
            file = NoteFile(path, where, inside, shared.notes.name(root, inside), shared.limit)
            for found in read_markdown(file, pages, kind=shared.kind, is_store=is_store, decisions=decisions):
                yield number, found
    if not is_store:
        read = {path for path, _ in files}
        for path, reason in _list_others(folder, read):
            where = f"{name.rstrip('/')}/{os.path.relpath(path, folder)}"
            yield len(files), Unreadable(where, reason, is_other=True)


def _texts(folder: Path, places: Iterable[str], limit: int) -> Iterator[tuple[str, str]]:
    """Yield the files that can be read, each with its text."""
    for place in places:
        with contextlib.suppress(OSError, FormatError):  # reported when it is imported
            yield place, _read(folder / place, limit)[0]


def _list_others(folder: str, read: Container[str]) -> list[tuple[str, str]]:
    """Return the paths that are not read, sorted, with the reasons; of hidden ones all but settings."""
    hidden: list[os.DirEntry[str]] = []
    others = [
        (file.path, "links are not followed" if file.is_symlink() else "files of this kind are not read")
        for file in iter_files(folder, hidden)
        if file.path not in read
    ]
    others += [
        (entry.path, "names that begin with a dot are not read") for entry in hidden if entry.name not in SETTINGS
    ]
    return sorted(others)


def _read_export(path: str, where: str, shared: ImportContext, name: str) -> Iterable[ImportRecord | Unreadable]:
    """Return the memories in a file of another kind than Markdown."""
    if path.endswith(LOGS):
        return _read_log(path, where, "learned")
    if path.lower().endswith(JSON):
        return _read_log(path, where, shared.kind or FILE_KIND)
    if path.lower().endswith(ENEX):
        return read_enex(path, where, shared.kind or FILE_KIND, name, shared.notes)
    if path.lower().endswith(JEX):
        file = NoteFile(path, where, Path(path).name, name, shared.limit)
        return read_jex(file, shared.kind or FILE_KIND, shared.notes)
    return read_bean(path, where)


def _read_log(path: str, where: str, kind: str) -> Iterator[ImportRecord | Unreadable]:
    try:
        with open(path, "rb", opener=only_regular) as file:
            yield from read_jsonl(file, name=where, kind=kind, is_archive=path.endswith(ARCHIVE))
    except OSError as err:
        yield _unreadable(err, where)


def _read_pages(folder: Path, keys: Mapping[str, str], *, is_bundle: bool) -> Pages:
    """Return the notes of a folder with the names in their frontmatter, and with what an index says about them."""
    vault = read_vault(folder.resolve())
    names: dict[str, list[str]] = {}
    indexes: list[str] = []
    for path in keys:
        with contextlib.suppress(OSError, FormatError):  # reported when it is imported
            front = read_front(_read_text(folder / path))
            fields = {**read_properties(front.body)[0], **front.fields} if vault.is_logseq else front.fields
            names[path] = names_of(fields, path, front.body, vault.day)
            outer = path.rpartition("/")[0].rpartition("/")[2]
            names[path] += [outer.removesuffix(BUNDLE)] if outer.endswith(BUNDLE) else []
            indexes += [front.body] if _is_index(path) else []
    pages = pages_of(keys, vault=vault, is_bundle=is_bundle, names=names)
    return replace(pages, remarks=index_remarks("\n".join(indexes), pages)) if indexes else pages


def _is_index(inside: str) -> bool:
    return inside.rpartition("/")[2] == INDEX


def read_decisions(files: Mapping[str, str], kind: str) -> DecisionRecords:
    """Return the decision records among files.

    Args:
        files: The paths of regular files with the keys of their notes.
        kind: The kind that the user gave.
    """
    texts, keys = {}, {}
    for path, key in files.items():
        place = _place(path)
        if path.lower().endswith(ENDINGS) and is_decision(place, kind):
            with contextlib.suppress(OSError, FormatError):  # reported when it is imported
                texts[place], keys[place] = _read_text(path), key
    return decisions_of(texts, keys) if texts else NO_DECISIONS


def _place(path: str) -> str:
    """Return the absolute path of a file, in the form that links have."""
    return Path(os.path.normpath(Path(path).absolute())).as_posix()


def _is_bundle(folder: Path, notes: list[str]) -> bool:
    """Return whether a folder is a bundle of the Open Knowledge Format, by its declaration or its first files."""
    for inside in dict.fromkeys((okf.INDEX, *notes[:LOOKED_AT])):
        try:
            text = _read_text(folder / inside)
            if inside == okf.INDEX:
                if okf.is_root_index(text):
                    return True
            elif okf.is_concept(read_fields(split(text).frontmatter)):
                return True
        except (OSError, FormatError):
            continue
    return False


def read_bean(path: str, where: str) -> list[ImportRecord | Unreadable]:
    """Return the memories of a YAML file of Beans, or the reason why there are none."""
    try:
        # A file of YAML with an id, a title and a state is one, also without the fields that others have.
        fields = {"slug": "", **read_fields(_read_text(path))}
    except (OSError, FormatError) as err:
        return [_unreadable(err, where)]
    return read_issue(fields, where=where) if is_issue(fields) else [Unreadable(where, "it is not an issue of Beans")]


def read_markdown(
    file: NoteFile,
    pages: Pages,
    *,
    kind: str,
    is_store: bool = False,
    decisions: DecisionRecords = NO_DECISIONS,
) -> list[ImportRecord | Unreadable]:
    """Return the memory in one Markdown file, or the reason why not; several for an issue with comments.

    Args:
        file: The file.
        pages: The notes of the folder.
        kind: The kind if it names none; empty for the default.
        is_store: Whether that folder has a store's layout.
        decisions: The decision records among what is imported.
    """
    where, inside, name = file.where, file.inside, file.name
    try:
        text, remark = _read(file.path, file.limit)
    except (OSError, FormatError) as err:
        return [_unreadable(err, where)]
    if (item := read_item(text)) is not None:
        key = pages.keys.get(inside, "")
        note = read_note(item, key, where, kind or FILE_KIND, pages.joplin)
        return [_named(note, name, key)] if note is not None else []
    record = _place(file.path)
    if pages.is_bundle:
        concept = read_concept(text, inside, where, pages)
        if concept is not None:
            return [_named(concept, name, pages.keys[inside])]
    kind = kind or (DECISION if record in decisions.records else FILE_KIND)
    place = layout.find_memory(inside) if is_store else None
    stem = Path(file.path).stem
    try:
        document = parse(text, path=f"{stem}.md")
    except FormatError as err:
        if place is not None:
            return [_unreadable(err, where)]
    else:
        if place is not None:
            return [ImportRecord(where, place.key, document.fields, document.body, text, place.folder, place.archived)]
        is_alone = stem not in pages.repeated or any(name in document.fields for name in OWN)
        if is_alone and layout.is_key(stem) and isinstance(document.fields.get("kind"), str):
            return [ImportRecord(where, stem, document.fields, document.body, text, "", "retired" in document.fields)]
    found = _foreign(text, file, pages, kind)
    found = [_named(with_status(one, record, decisions), name, pages.keys[inside]) for one in found]
    return list(with_remark(found, remark))


def _named(found: ImportRecord | Unreadable, name: str, key: str) -> ImportRecord | Unreadable:
    """Return a memory with the name of its file if its key was made from that; any other unchanged."""
    is_made = isinstance(found, ImportRecord) and not found.text and found.key == key
    return replace(found, name=name) if is_made else found


def _foreign(text: str, file: NoteFile, pages: Pages, kind: str) -> list[ImportRecord | Unreadable]:
    """Return the memory in another system's file: its frontmatter if it has one, its first heading as title.

    Its key is made from its path, or is the issue's in a tracker.
    """
    inside, where = file.inside, file.where
    front = read_front(text)
    if reason := _reason_to_skip(front, text, inside, pages):
        return [Unreadable(where, reason, is_skipped=True)]
    if reason := why_unreadable(front.body):
        return [Unreadable(where, reason)]
    front = _without_properties(front, pages)
    fields, body = front.fields, front.body.strip("\n")
    issue = with_bean_id(fields, inside)
    if is_issue(issue):
        return read_issue({**issue, "body": body}, where=where)
    if okf.is_concept(fields):
        return [foreign_concept(fields, body, inside, where, pages)]
    if is_rule(fields, _place(file.path)):
        fields = rule_fields(fields, body)
    elif fields.get("type") in GENERIC_TYPES:
        del fields["type"]  # every note of such a system has it, and a memory of the kind `note` expires
    is_auto_memory = pages.is_auto_memory(inside)
    if is_auto_memory:
        fields = auto_memory(fields)
        if _is_index(inside) and is_only_index(body, pages):
            return [Unreadable(where, "it is only the index of the other files", is_skipped=True)]
    said_time, said_tags = properties_of_notion(body) if is_of_notion(inside) else (None, [])
    if said_tags and "tags" not in fields:
        fields["tags"] = said_tags
    stem = title_of(inside, is_logseq=pages.vault.is_logseq)
    title = find_title(body, file.name, stem, is_wiki=pages.vault.is_vault and not pages.vault.is_foam)
    first, _, below = body.partition("\n")
    if not (isinstance(fields.get("title"), str) or is_auto_memory) and title != stem:
        fields["title"] = title
    if first.startswith("# ") and fields.get("title", title) == plain_heading(first[2:]):
        body = below.strip("\n")
    fields = with_index_remark(fields, body, pages.remarks.get(pages.keys[inside], ""))
    # The text of a note is below its frontmatter, also if there is none.
    table = {"key": pages.keys[inside], **fields, "body": body or " "}
    found = from_table(table, where=where, kind=kind, title=title)
    if isinstance(found, Unreadable):
        return [found]
    head = head_of(text, body, str(found.fields.get("title", "")), inside)
    added = None if head is None else count_added(found.body, body, str(fields.get("title", title)))
    day = None if "created" in found.fields else time_of(created_of(inside)) or said_time
    more = {"created": day, HEAD: head, ADDED: added}
    fields = {**found.fields, **{name: value for name, value in more.items() if value is not None}}
    remark = "; ".join(filter(None, (front.remark, found.remark)))
    at = text.find(body)
    line = text.count("\n", 0, at) + 1 if at >= 0 else 0
    # A stored head has all fields of the note.
    left_out = tuple(name for name in found.left_out if head is None or name not in STORE_ONLY)
    found = replace(found, fields=fields, left_out=left_out, remark=remark, line=line)
    return [link_pages(found, pages, inside)]


def _reason_to_skip(front: Front, text: str, inside: str, pages: Pages) -> str:
    """Return why a file is not a note; empty if it is one."""
    if not (front.fields or front.body.strip()):
        return "it is empty"
    if is_deleted(front.fields):
        return DELETED_REASON
    if is_template(text, inside, pages.vault.templates):
        return "it is a template"
    return "it is a backup of Logseq" if pages.vault.is_logseq and inside.startswith(BACKUPS) else ""


def _without_properties(front: Front, pages: Pages) -> Front:
    """Return a note with Logseq's properties and Foam's tags as fields, and without a compressed drawing."""
    properties, body = read_properties(front.body) if pages.vault.is_logseq else ({}, front.body)
    fields = {**properties, **front.fields}
    if pages.vault.is_foam and isinstance(fields.get("tags"), str):
        fields["tags"] = fields["tags"].replace(",", " ").split()
    text = without_drawing(fields, body)
    return replace(front, fields=fields, body=text, remark=front.remark if text == body else DRAWING)


def _read_text(path: str | Path) -> str:
    """Return the text of a regular file, read only up to a memory's size; opening a pipe would wait for its writer."""
    return _read(path, layout.MEMORY_LIMIT)[0]


def _read(path: str | Path, limit: int) -> tuple[str, str]:
    """Return the text of a regular file of at most so many bytes, and a remark if it is not in UTF-8."""
    with open(path, "rb", opener=_open_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        data, remark = to_utf8(file.read(limit + 1))
        return decode(data, limit), remark


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # Windows has no such pipes


def _unreadable(err: OSError | FormatError, where: str) -> Unreadable:
    if isinstance(err, OSError):
        return Unreadable(where, str(err.strerror))
    return Unreadable(f"{where}:{err.line}" if err.line else where, err.message)
