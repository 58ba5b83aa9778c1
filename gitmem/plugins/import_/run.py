"""Import memories of other systems and of gitmem's exports, all in one commit or none."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path

from gitmem.document.fields import IMPORTED, ROTATED, is_imported, is_newer
from gitmem.document.okf import with_lifetime
from gitmem.document.parse import parse
from gitmem.document.times import format_time
from gitmem.errors import BusyError, RefusedError
from gitmem.frozen import frozen, replace
from gitmem.git.objects import oid_of
from gitmem.plugins.import_.again import is_another_folder, merge_notes
from gitmem.plugins.import_.characters import in_stored_form
from gitmem.plugins.import_.chunks import cut_documents
from gitmem.plugins.import_.fields import Unreadable
from gitmem.plugins.import_.files import check_sources, read_sources
from gitmem.plugins.import_.folder import ImportContext
from gitmem.plugins.import_.names import Names
from gitmem.policy.kinds import IMPORT
from gitmem.recall.conversation import PLACE, number_key
from gitmem.recall.query import SESSION
from gitmem.text import display
from gitmem.text.hazards.hidden_characters import find_hidden
from gitmem.text.secrets import find_secrets, redact
from gitmem.write.bulk import ImportPlan, Reasons, changes_of, settle
from gitmem.write.draft import clean_text, with_fields
from gitmem.write.incoming import ForeignMemory, Incoming, UnsafeError, incoming_exact, incoming_new

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO

    from gitmem.model import Document
    from gitmem.plugins.import_.fields import ImportRecord
    from gitmem.policy import Policy
    from gitmem.repository import OpenRepository
    from gitmem.store.commit import CommitPlan
    from gitmem.write.draft import Author

# The most memories per import: those that fit into 2.5 GB of RAM (measured: 490 MB for 100,000, and PARSED).
AT_MOST = 400_000
# The first ones keep what was parsed of them, for the index: 270 MB (measured). It reads the others again.
PARSED = 100_000
# The most bytes of a document that is cut into sections.
CUT_LIMIT = 4 * 1024 * 1024
# Characters of a source's name in the commit message.
NAME_LIMIT = 100


@frozen
class ImportResult:
    """The result of an import.

    Attributes:
        settled: The decision about each readable memory.
        refused: Memories with secrets or hidden characters.
        unreadable: Lines and files that are not memories.
        others: Files of kinds that are not read.
        notices: What was left out of imported memories, or changed in them.
        commands: The number of imported memories with a command that needs approval.
        commit: The commit; the tip if nothing had to be written; empty if there is no store.
    """

    settled: ImportPlan
    refused: Reasons
    unreadable: Reasons
    others: Reasons
    notices: Reasons
    commands: int
    commit: str

    @property
    def count(self) -> int:
        """Return the number of memories that the sources have, without what is unreadable or refused."""
        settled = self.settled
        left = settled.skipped.total + settled.near.total + settled.merged.total
        return len(settled.new) + len(settled.updated) + settled.unchanged + left


@frozen
class Sources:
    """The sources and options of an import.

    Attributes:
        names: Files and folders; ``-`` is standard input.
        kind: The kind if a memory names none; empty for the default.
        update: Whether a different text replaces the store's even if it is not later.
        dry_run: Whether to write nothing.
        chunk: Whether to cut documents at their headings, a memory for each section.
    """

    names: tuple[str, ...]
    kind: str = ""
    update: bool = False
    dry_run: bool = False
    chunk: bool = False


def import_files(
    repository: OpenRepository,
    asked: Sources,
    *,
    stdin: IO[bytes] | None = None,
    progress_of: Callable[[str], Callable[[int, int], None] | None],
) -> ImportResult:
    """Read, check and write all memories of all sources.

    Args:
        repository: The store.
        asked: The sources and options.
        stdin: Standard input, for ``-``.
        progress_of: Returns a progress callback for a part of the work, or None.

    Raises:
        NotFoundError: A source does not exist.
        RefusedError: A source cannot be read, or there are too many memories.
        BusyError: The memories are committed, but another process has been writing the index for too long.
    """
    check_sources(asked.names)
    left, notes = _LeftOut(), Names(partial(is_another_folder, repository))
    shared = ImportContext(notes, asked.kind, left.rejected, CUT_LIMIT)
    sources = read_sources(asked.names, shared, stdin=stdin, progress_of=progress_of("reading"))
    sources = cut_documents(sources, only_long=not asked.chunk)
    incoming = list(_incoming(repository, sources, left))
    settled, commit = ImportPlan(), repository.find_tip() or ""
    if asked.dry_run or not incoming:
        settled = _settle(repository, commit or None, asked, incoming, notes)
    else:
        if (writing := progress_of("checking and writing")) is not None:
            writing(0, len(incoming))
        settled, commit = _write(repository, asked, incoming, notes)
    settled.skipped = left.skipped.plus(settled.skipped)
    written = [*settled.new.values(), *settled.updated.values()]
    commands = sum(incoming.has_command and not incoming.archived for incoming in written)
    if commit and not asked.dry_run:
        _index(repository, written)
    return ImportResult(settled, left.refused, left.unreadable, left.others, left.notices, commands, commit)


def _index(repository: OpenRepository, written: Iterable[Incoming]) -> None:
    """Bring the index up to date, so that the next question finds the imported memories; they are not parsed again.

    Raises:
        BusyError: Another process has been writing the index for too long.
    """
    length = len(repository.find_tip() or "")
    texts = [
        incoming.read
        for incoming in written
        if incoming.read is not None and incoming.read.document.text == incoming.text
    ]
    repository.known_texts = {oid_of(read.document.text.encode(), length): read for read in texts}
    try:
        repository.current_catalog()
    except BusyError as err:
        message = f"the memories are committed, but cannot be found yet: {err.message}"
        raise BusyError(message, hint="gitmem index") from err
    finally:
        repository.known_texts = {}


class _LeftOut:
    """What was left out before anything was compared with the store."""

    def __init__(self) -> None:
        self.refused, self.unreadable, self.skipped, self.others = Reasons(), Reasons(), Reasons(), Reasons()
        self.notices = Reasons()
        # The names of what was refused or unreadable, also beyond what reasons keep.
        self.rejected: set[str] = set()

    def add(self, given: Unreadable) -> None:
        """Add a line or file that is not a memory."""
        to = self.others if given.is_other else self.skipped if given.is_skipped else self.unreadable
        to.add(given.where, given.reason)
        if to is self.unreadable:
            self.rejected.add(given.where)

    def reject(self, given: ImportRecord, err: RefusedError) -> None:
        """Add a memory that cannot be written."""
        self.rejected.add(given.where)
        if isinstance(err, UnsafeError):
            self.refused.add(_unsafe_place(given), err.message)
        else:
            self.unreadable.add(given.where, err.message)


def _incoming(
    repository: OpenRepository, sources: Iterable[ImportRecord | Unreadable], left: _LeftOut
) -> Iterator[Incoming]:
    """Yield the memories to write, checked; the rest goes to the reasons, and left-out fields to the notices."""
    policy, author, now = repository.policy(), repository.author(), repository.now
    count, order, left_out = 0, _LogOrder(), Counter[str]()
    remarks: dict[str, list[str]] = {}
    for found in sources:
        if isinstance(found, Unreadable):
            left.add(found)
            continue
        source = found if found.text else in_stored_form(found)
        left_out.update(source.left_out)
        for name in source.left_out:
            left.notices.add(source.where, f"the field {display(name)} was left out")
        if source.remark:
            left.notices.add(source.where, source.remark)
            remarks.setdefault(source.remark, []).append(source.where)
        count += 1
        if count > AT_MOST:
            raise RefusedError(
                f"{display(source.where)}: more than {AT_MOST} memories in one import; nothing was written",
                hint="split -l 400000 FILE, then import the parts one by one",
            )
        try:
            checked = _check(order.with_place(source), policy, author=author, now=now)
            yield checked if count <= PARSED else replace(checked, read=None)
        except RefusedError as err:
            left.reject(source, err)
    for name, number in sorted(left_out.items()):
        repository.notices.append(
            f"the field {display(name)} was left out of {number}: it is too long, not plain data, or only set by gitmem"
        )
    for remark, places in remarks.items():
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        repository.notices.append(f"{display(places[0])}{more}: {remark}")


def _unsafe_place(given: ImportRecord) -> str:
    """Return the file of a note with the line of the first secret or hidden character in its text."""
    body = clean_text(given.body) if given.line else ""
    lines = [*(flaw.line for flaw in find_hidden(body)), *(secret.line for secret in find_secrets(body))]
    return f"{given.where}:{given.line + min(lines) - 1}" if lines else given.where


class _LogOrder:
    """Preserves the order of log entries without distinct times, whose keys do not matter, by counting."""

    def __init__(self) -> None:
        # By session: the time of the last entry, its key, and how many entries were counted since that time.
        self._last: dict[str, tuple[object, str, int]] = {}

    def with_place(self, given: ImportRecord) -> ImportRecord:
        """Return a memory with its number in its log if neither time nor key gives its position."""
        session = next((tag for tag in given.fields.get("tags", ()) if str(tag).startswith(SESSION)), "")
        if not session or given.text or PLACE in given.fields:
            return given
        time, key, place = self._last.get(session, (_NO_MORE, "", 0))
        if given.fields.get("created") != time:
            place = 0
        elif place or not given.key or number_key(given.key) <= number_key(key):
            place += 1
        self._last[session] = given.fields.get("created"), given.key, place
        return replace(given, fields={**given.fields, PLACE: place}) if place else given


_NO_MORE = object()


def _check(given: ImportRecord, policy: Policy, *, author: Author, now: int) -> Incoming:
    if policy.collections:
        from gitmem.policy.collection_rules import refuse_writer

        refuse_writer(policy, str(given.fields.get("kind", "")), IMPORT)
    if given.text:
        document = _with_mark(parse(given.text, path=f"{given.key}.md"), policy)
        return incoming_exact(document, given.where, folder=given.folder, archived=given.archived, policy=policy)
    given = replace(given, fields=with_lifetime(given.fields, now))
    when = given.ended or given.fields.get("created") or format_time(now)
    retired = {"when": when, "by": "import", "why": given.why or ROTATED}
    fields = {**given.fields, "retired": retired} if given.archived else given.fields
    if given.name and (theirs := fields.get(IMPORTED)) not in (None, True, given.name):
        fields = {**fields, f"{IMPORTED}_{IMPORTED}": theirs}
    fields = {**fields, IMPORTED: given.name or fields.get(IMPORTED) or True}
    foreign = ForeignMemory(given.key, fields, given.body, given.where, given.name)
    memory = incoming_new(foreign, author, policy, now=now)
    return replace(memory, archived=given.archived)


def _with_mark(document: Document, policy: Policy) -> Document:
    """Return a file of gitmem, marked as imported if its kind rotates; any other stays as it is, byte for byte."""
    if document.kind not in policy.rotation.kinds or is_imported(document.fields) or is_newer(document.fields):
        return document
    return parse(with_fields(document.text, {IMPORTED: True}, document.path), path=document.path)


def _settle(
    repository: OpenRepository, tip: str | None, asked: Sources, incoming: Sequence[Incoming], notes: Names
) -> ImportPlan:
    """Decide what to do with each memory; a note that changed both there and here is merged."""
    threshold = repository.policy().duplicates.threshold
    catalog = repository.catalog_at(tip)
    settled = settle(catalog, incoming, update=asked.update, threshold=threshold, is_gone=notes.is_gone)
    merge_notes(repository, tip, settled)
    return settled


def _write(
    repository: OpenRepository, asked: Sources, incoming: Sequence[Incoming], notes: Names
) -> tuple[ImportPlan, str]:
    writer, policy = repository.writer(), repository.policy()
    import_plans: list[ImportPlan] = []

    def plan(tip: str | None) -> CommitPlan | None:
        settled = _settle(repository, tip, asked, incoming, notes)
        catalog = repository.catalog_at(tip)
        import_plans.append(settled)
        if not (settled.new or settled.updated):
            return None
        changes = changes_of(catalog, settled, policy)
        count = len(settled.new) + len(settled.updated)
        subject = f"memory: import {count} {'memory' if count == 1 else 'memories'}"
        sources = [f"import {_name(name)}" for name in asked.names[:10]]
        return writer.plan(subject, [], changes, sources=sources)

    written = writer.write(plan, "import")
    return import_plans[-1], written.commit if written else repository.find_tip() or ""


def _name(name: str) -> str:
    """Return a source's name for the commit message: without its folder on this machine, and no secret."""
    return redact(display(Path(name).name or "."))[:NAME_LIMIT] if name != "-" else "standard input"
