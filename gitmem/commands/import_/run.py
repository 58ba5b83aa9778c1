"""Import: memories of other systems and of our own exports, in one commit, or none of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from gitmem.commands.import_.fields import Unreadable
from gitmem.commands.import_.files import check_sources, read_sources
from gitmem.document.fields import format_time
from gitmem.document.okf import with_lifetime
from gitmem.document.parse import parse
from gitmem.errors import RefusedError
from gitmem.frozen import frozen, replace
from gitmem.policy.settings import IMPORT
from gitmem.recall.logs import PLACE, counted
from gitmem.recall.query import SESSION
from gitmem.text.sanitize import display
from gitmem.text.secrets import redact
from gitmem.write.archive import ROTATED
from gitmem.write.bulk import ImportPlan, Reasons, changes_of, settle
from gitmem.write.incoming import Incoming, UnsafeError, incoming_exact, incoming_new

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO, Any

    from gitmem.commands.import_.fields import ImportRecord
    from gitmem.policy.policy import Policy
    from gitmem.repository.repository import OpenRepository
    from gitmem.store.commit import CommitPlan
    from gitmem.write.draft import Author

# Memories of one import: what fits into 2 GB of memory (measured: 490 MB for 100,000).
AT_MOST = 400_000
# Characters of a source's name in the commit message.
NAME_LIMIT = 100


@frozen
class ImportResult:
    """What an import did.

    Attributes:
        settled: What is done with each memory that could be read.
        refused: Those with secrets or hidden characters.
        unreadable: Lines and files that are not memories.
        commands: How many of the imported ones carry a command that waits for approval.
        commit: The commit; the tip where nothing was to be written; empty where there is no store.
    """

    settled: ImportPlan
    refused: Reasons
    unreadable: Reasons
    commands: int
    commit: str


@frozen
class Sources:
    """What to import.

    Attributes:
        names: Files and folders; ``-`` is standard input.
        kind: The kind of what names none; empty for the usual one.
        update: Whether a text that the store has differently is taken though it is not later.
        dry_run: Whether nothing is to be written.
    """

    names: tuple[str, ...]
    kind: str = ""
    update: bool = False
    dry_run: bool = False


def import_files(
    memory: OpenRepository,
    asked: Sources,
    *,
    stdin: IO[bytes] | None = None,
    progress_of: Callable[[str], Callable[[int, int], None] | None],
) -> ImportResult:
    """Read, check and write all memories of all sources.

    Args:
        memory: The store.
        asked: What to import.
        stdin: Standard input, for ``-``.
        progress_of: Returns what is told how far a part of the work is, where somebody wants to know.

    Raises:
        NotFoundError: A source does not exist.
        RefusedError: A source cannot be read, or there are too many memories.
    """
    check_sources(asked.names)
    refused, unreadable, skipped = Reasons(), Reasons(), Reasons()
    sources = read_sources(asked.names, kind=asked.kind, stdin=stdin, progress_of=progress_of("reading"))
    incoming = list(_incoming(memory, sources, refused, unreadable, skipped))
    settled, commit = ImportPlan(), memory.find_tip() or ""
    if asked.dry_run or not incoming:
        how: dict[str, Any] = {"update": asked.update, "threshold": memory.policy().duplicates.threshold}
        settled = settle(memory.catalog_at(commit or None), incoming, **how)
    else:
        if (writing := progress_of("checking and writing")) is not None:
            writing(0, len(incoming))
        settled, commit = _write(memory, asked, incoming)
    settled.skipped = skipped.plus(settled.skipped)
    written = [*settled.new.values(), *settled.updated.values()]
    commands = sum(one.has_command and not one.archived for one in written)
    if commit:
        memory.catalog()
    return ImportResult(settled, refused, unreadable, commands, commit)


def _incoming(
    memory: OpenRepository,
    sources: Iterable[ImportRecord | Unreadable],
    refused: Reasons,
    unreadable: Reasons,
    skipped: Reasons,
) -> Iterator[Incoming]:
    """Yield what can be written, checked; the rest goes to the reasons, and fields that are left out to the notices."""
    policy, author, now = memory.policy(), memory.author(), memory.now
    count, order, left_out = 0, _Order(), Counter[str]()
    for given in sources:
        if isinstance(given, Unreadable):
            (skipped if given.is_skipped else unreadable).add(given.where, given.reason)
            continue
        left_out.update(given.left_out)
        count += 1
        if count > AT_MOST:
            raise RefusedError(
                f"{display(given.where)}: more than {AT_MOST} memories in one import; nothing was written",
                hint="split -l 400000 FILE, then import the parts one by one",
            )
        try:
            yield _checked(order.placed(given), policy, author=author, now=now)
        except UnsafeError as err:
            refused.add(given.where, err.message)
        except RefusedError as err:
            unreadable.add(given.where, redact(err.message))
    for name, number in sorted(left_out.items()):
        memory.notices.append(f"the field {display(name)} was left out of {number}: it is too long or not plain data")


class _Order:
    """Keeps the order of logs whose memories have one time, or none, and keys that do not count: it is told nowhere."""

    def __init__(self) -> None:
        # By session: the time of what came last, its key, and how many places were given since that time.
        self._last: dict[str, tuple[object, str, int]] = {}

    def placed(self, given: ImportRecord) -> ImportRecord:
        """Return what was given, with its place in its log where neither time nor key tells it."""
        session = next((tag for tag in given.fields.get("tags", ()) if str(tag).startswith(SESSION)), "")
        if not session or given.text or PLACE in given.fields:
            return given
        time, key, place = self._last.get(session, (_NOTHING, "", 0))
        if given.fields.get("created") != time:
            place = 0
        elif place or not given.key or counted(given.key) <= counted(key):
            place += 1
        self._last[session] = given.fields.get("created"), given.key, place
        return replace(given, fields={**given.fields, PLACE: place}) if place else given


_NOTHING = object()


def _checked(given: ImportRecord, policy: Policy, *, author: Author, now: int) -> Incoming:
    if policy.collections:
        from gitmem.policy.collections import refuse_writer

        refuse_writer(policy, str(given.fields.get("kind", "")), IMPORT)
    if given.text:
        document = parse(given.text, path=f"{given.key}.md")
        return incoming_exact(document, given.where, folder=given.folder, archived=given.archived, policy=policy)
    given = replace(given, fields=with_lifetime(given.fields, now))
    retired = {"when": given.fields.get("created") or format_time(now), "by": "import", "why": ROTATED}
    fields = {**given.fields, "retired": retired} if given.archived else given.fields
    made = incoming_new(given.key, fields, given.body, given.where, author=author, policy=policy, now=now)
    return replace(made, archived=given.archived)


def _write(memory: OpenRepository, asked: Sources, incoming: Sequence[Incoming]) -> tuple[ImportPlan, str]:
    writer, policy = memory.writer(), memory.policy()
    done: list[ImportPlan] = []

    def plan(tip: str | None) -> CommitPlan | None:
        catalog = memory.catalog_at(tip)
        settled = settle(catalog, incoming, update=asked.update, threshold=policy.duplicates.threshold)
        done.append(settled)
        if not (settled.new or settled.updated):
            return None
        changes = changes_of(catalog, settled, policy)
        count = len(settled.new) + len(settled.updated)
        subject = f"memory: import {count} {'memory' if count == 1 else 'memories'}"
        sources = [f"import {_name(name)}" for name in asked.names[:10]]
        return writer.plan(subject, [], changes.files, changes.deletes, changes.moves, sources=sources)

    written = writer.write(plan, "import")
    return done[-1], written.commit if written else memory.find_tip() or ""


def _name(name: str) -> str:
    """Return the name of a source for the commit message: not where it lay on this machine, and no secret."""
    return redact(display(Path(name).name or "."))[:NAME_LIMIT] if name != "-" else "standard input"
