"""Move entries from the spool onto the branch, each once; readers see them in the meantime."""

from __future__ import annotations

import json
import os
import time

from gitmem.commands.capture.keep import BY, OPTIONS
from gitmem.document.author import read_author
from gitmem.errors import ConflictError, FormatError, GitmemError, RefusedError, UsageError
from gitmem.frozen import replace
from gitmem.index.catalog.state import LIVE
from gitmem.policy import Policy
from gitmem.policy.kinds import CAPTURE
from gitmem.repository.private import open_private
from gitmem.store.scopes import PRIVATE
from gitmem.store.state.spool import Spool
from gitmem.system import blocked_by
from gitmem.tasks.digest import is_anything_held, list_claimed
from gitmem.tasks.task import Worker
from gitmem.text import display
from gitmem.text.marker_words import CIRCUMSTANCES
from gitmem.text.restated import is_restated
from gitmem.text.similarity import text_to_compare, wording_of
from gitmem.write import place
from gitmem.write.archive import is_dropped
from gitmem.write.draft import Author, make_draft
from gitmem.write.duplicates import FOLD
from gitmem.write.new_memory import NewMemory
from gitmem.write.queue import Rehearsal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.repository import OpenRepository
    from gitmem.store.commit import CommitPlan
    from gitmem.write.draft import Draft
    from gitmem.write.writer import Writer

# The kinds that agents state in sentences, how long a session may last, and how many of its statements are compared.
STATED, SESSION_S, STATED_AT_MOST = ("learned", "decision"), 2 * 86_400, 50
UNITED = ("tags", "paths", "refs")
# Entries per commit: more would keep others waiting; the next commit follows at once.
AT_ONCE = 200
# Commits searched after an interrupted drain for what it had written.
LOOKED_THROUGH = 5000
TRAILER = "Gitmem-Source"
POLL_S = 0.01


def drain(repository: OpenRepository, writer: Writer) -> int:
    """Commit everything that waits, and return how many entries were removed from the spool.

    Raises:
        ConflictError: Another process is draining or writing past the deadline.
        GitmemError: The repository cannot be written to.
    """
    spool = Spool(repository.git.repository.state)
    lock = _lock(repository, spool)
    try:
        before = len(spool.list_waiting())
        # Where one of the two places became read-only, an entry stays there: it is not written again.
        stuck = _finish_interrupted(repository, spool)
        while names := [name for name in spool.list_waiting() if name not in stuck][:AT_ONCE]:
            own = [name for name in names if _is_private(spool, name)]
            for name in own:
                stuck |= _drain_private(repository, spool, name)
            if rest := [name for name in names if name not in own]:
                stuck |= _drain_some(repository, spool, writer, rest, is_first=not stuck)
        return before - len(stuck)
    finally:
        os.close(lock)


def _lock(repository: OpenRepository, spool: Spool) -> int:
    deadline = time.monotonic() + repository.config.lock_timeout_s
    while True:
        try:
            lock = spool.lock()
        except OSError as err:
            room = blocked_by(err, spool.lock_path) or "make the repository writable"
            raise GitmemError(
                f"nothing was recorded: the repository cannot be written to: {spool.lock_path}: {err.strerror}",
                hint=f"{room}, then run the command again; texts captured earlier are kept",
            ) from err
        if lock is not None:
            return lock
        if time.monotonic() > deadline:
            raise ConflictError("timed out waiting for another process to commit captured memories", hint="try again")
        time.sleep(POLL_S)


def _finish_interrupted(repository: OpenRepository, spool: Spool) -> set[str]:
    """Remove from the spool what a killed drain had committed: its commits name their entries.

    Returns those of them that cannot be removed; the next drain then looks for their commits again.
    """
    tip, base = repository.find_tip(), spool.interrupted_tip()
    stuck: set[str] = set()
    if base is None:
        return stuck
    if tip is not None:
        command = ("log", f"--max-count={LOOKED_THROUGH}", f"--format=%(trailers:key={TRAILER},valueonly)")
        git = repository.git
        result = git.run(*command, f"{base}..{tip}", check=False) if base else git.run(*command, tip)
        if result.status != 0:  # that commit is gone
            result = git.run(*command, tip)
        words = result.stdout.decode("utf-8", "replace").split()
        stuck = spool.remove(set(words) & set(spool.list_waiting()))
    if not stuck:
        spool.end()
    return stuck


def _is_private(spool: Spool, name: str) -> bool:
    """Return whether an entry must stay on this machine."""
    try:
        entry = spool.read(name)
    except ValueError:
        return False
    return entry is not None and entry.get("scope") == PRIVATE


def _drain_private(repository: OpenRepository, spool: Spool, name: str) -> set[str]:
    """Write an entry into the private memories of its agent or of the person; set aside what can never be written.

    Returns the entry if it cannot be removed.
    """
    policy = repository.policy()
    try:
        entry = spool.read(name)
        if entry is not None:
            store = open_private(repository, agent=str(entry.get("owner") or agent_of_person(repository)))
            store.writer().remember(_draft(repository, entry, policy, None), policy, verb="capture", again=FOLD)
        return spool.remove([name])
    except (RefusedError, FormatError, UsageError) as err:
        is_aside = spool.set_aside(name, err.message)
    except (ValueError, TypeError) as err:
        is_aside = spool.set_aside(name, f"the entry cannot be read: {err}")
    return set() if is_aside else {name}


def agent_of_person(repository: OpenRepository) -> str:
    """Return the name of the private memories of the person, whichever agent captures for them."""
    return repository.config.agent or repository.git.identity()[0]


def _drain_some(
    repository: OpenRepository, spool: Spool, writer: Writer, names: Sequence[str], *, is_first: bool
) -> set[str]:
    """Write entries in one commit, and remove them from the spool; entries that can never be written are set aside.

    Returns those that stay. Unless *is_first*, others stayed before, whose commits are after the recorded tip.
    """
    done: list[str] = []
    refused: dict[str, str] = {}
    again: list[tuple[str, str]] = []

    def plan(tip: str | None) -> CommitPlan | None:
        done.clear()
        refused.clear()
        again.clear()
        catalog, keys = repository.catalog_at(tip), []
        with Rehearsal(catalog, writer.planned) as rehearsal:
            for name in names:
                try:
                    keys += _rehearse(repository, spool, writer, rehearsal, name, again=again)
                    done.append(name)
                except (RefusedError, FormatError, UsageError) as err:
                    refused[name] = err.message
                except (ValueError, TypeError) as err:
                    refused[name] = f"the entry cannot be read: {err}"
        written = list(dict.fromkeys(keys))
        many = f"{len(written)} captured memories"
        subject = f"memory: add {many if len(written) > 1 else ''.join(written)}"
        planned = writer.plan_rehearsed(rehearsal, subject, written, sources=[f"capture {name}" for name in done])
        return replace(planned, body=_describe_repeats(again)) if planned is not None and again else planned

    if is_first:
        spool.begin(repository.find_tip() or "")
    writer.write(plan, "capture")
    committed = spool.remove(done)
    if is_first and not committed:
        spool.end()
    return committed | {name for name, why in refused.items() if not spool.set_aside(name, why)}


def _rehearse(
    repository: OpenRepository,
    spool: Spool,
    writer: Writer,
    rehearsal: Rehearsal,
    name: str,
    *,
    again: list[tuple[str, str]],
) -> list[str]:
    """Plan one entry on the result of those before it; return the key that it changes, if any.

    A duplicate is added to the existing memory; that memory's key and the captured words go into *again*.

    Raises:
        GitmemError: It cannot be written.
        ValueError, TypeError: It cannot be read.
    """
    entry = spool.read(name)
    if entry is None or entry.get("scope") == PRIVATE:
        return []
    catalog = rehearsal.catalog
    policy = policy_of(catalog)
    draft = place.settle_key(catalog, _draft(repository, entry, policy, catalog))
    first = _as_restated(catalog, draft, repository.now)
    known = place.find_known(catalog, draft.key)
    if first is not None:
        draft = first
    elif known is not None and _stays(catalog, known, draft, is_once=bool(entry.get("once"))):
        return []
    done: dict[str, Any] = {}
    step = writer.plan_remember(catalog, draft, policy, done=done, again=FOLD)
    if step is None:
        return []
    rehearsal.apply(step)
    if done.get("is_folded"):
        again.append((done["key"], f"{draft.fields['title']}\n{draft.body}".strip()))
    return [done["key"]]


def _as_restated(catalog: Catalog, draft: Draft, now: int) -> Draft | None:
    """Return what to write of a learning that its session stated before: the longer text, under the first one's key.

    None if the session did not state it.
    """
    author = read_author(draft.fields)
    session = author.session
    if not session or draft.is_explicit or draft.kind not in STATED:
        return None
    rows = catalog.rows(
        f"SELECT m.key, m.kind, m.title, t.body, t.fields FROM memory m JOIN text t ON t.id = m.id WHERE {LIVE}"
        f" AND m.kind IN ({', '.join('?' * len(STATED))}) AND m.agent = ? AND m.created > ? ORDER BY m.id DESC LIMIT ?",
        (*STATED, author.agent, now - SESSION_S, STATED_AT_MOST),
    )
    wanted = wording_of(text_to_compare(str(draft.fields["title"]), draft.body), catalog.language)
    for key, kind, title, body, fields in rows:
        if key == draft.key or read_author(json.loads(fields)).session != session:
            continue
        known = wording_of(text_to_compare(title, body), catalog.language)
        if is_restated(known, wanted):
            if len(wanted.words) > len(known.words):
                return replace(draft, key=key, is_explicit=True, fields={**draft.fields, "kind": kind})
            lists = {name: value for name, value in draft.fields.items() if isinstance(value, list) and name in UNITED}
            return replace(draft, key=key, fields={"title": title, "kind": kind, **lists}, body=body, made=())
    return None


def _stays(catalog: Catalog, known: place.KnownMemory, draft: Draft, *, is_once: bool) -> bool:
    """Return whether a memory with the key of a captured text stays as it is, unless its commit was dropped."""
    if known.archived and is_dropped(place.before_of(catalog, known)):
        return False
    return is_once or _is_a_persons(catalog, known, draft)


def _is_a_persons(catalog: Catalog, known: place.KnownMemory, draft: Draft) -> bool:
    """Return whether an agent repeats a person's text word for word: it then stays the person's."""
    theirs, ours = (read_author(fields).agent for fields in (place.before_of(catalog, known), draft.fields))
    if theirs or not ours or known.archived:
        return False
    texts = (
        text_to_compare(known.title, place.body_of(catalog, known)),
        text_to_compare(str(draft.fields["title"]), draft.body),
    )
    theirs, ours = (wording_of(text, catalog.language).plain for text in texts)
    return theirs == ours


def _describe_repeats(again: Sequence[tuple[str, str]]) -> str:
    """Return the captured words that repeat memories, for the commit's message, so that none are lost."""
    # Indented, so that no line of it is a trailer.
    return "\n".join(f"{key} was repeated:\n    " + text.replace("\n", "\n    ") for key, text in again)


def _draft(repository: OpenRepository, entry: Mapping[str, Any], policy: Policy, catalog: Catalog | None) -> Draft:
    author, agent = repository.author(), str(entry.get("agent", ""))
    options = {name: value for name, value in dict(entry.get("options", {})).items() if name in OPTIONS}
    if "by" in entry and "task" not in options and catalog is not None:
        options |= _current_task(catalog, author.who, agent)
    more = {name: display(str(value)) for name, value in dict(entry.get("by", {})).items() if name in BY}
    after = options.pop("after", None)
    draft = make_draft(
        NewMemory(
            entry["text"],
            options,
            str(entry.get("title", "")),
            str(entry.get("kind", "learned")),
            str(entry.get("key", "")),
            CAPTURE,
            str(entry.get("former", "")),
        ),
        author=Author(author.who, agent, author.project, tuple(more.items())),
        policy=policy,
        now=int(entry.get("at", repository.now)),
    )
    return draft if not after else replace(draft, body=f"{draft.body}{describe_failure(*map(str, after[:2]))}")


def describe_failure(command: str, error: str = "") -> str:
    """Return the paragraph of a captured memory that says which failure it followed."""
    shown = display(command).replace("`", "'")
    return f"\n{CIRCUMSTANCES} `{shown}` failed" + (f": {display(error)}" if error else "") + "\n"


def _current_task(catalog: Catalog, who: str, agent: str) -> dict[str, str]:
    """Return the task that the person or agent is working on; empty if there is none, or several."""
    if not is_anything_held(catalog):
        return {}
    mine = {claimed.task.key for name in {agent, ""} for claimed in list_claimed(catalog, Worker(display(who), name))}
    return {"task": mine.pop()} if len(mine) == 1 else {}


def overlay_spool(
    repository: OpenRepository, writer: Writer, base: Catalog, names: Sequence[str]
) -> tuple[Catalog, bool]:
    """Return an in-memory copy of a catalog with the entries of the spool that can be written in it.

    And whether all of them are in it: one that is refused or unreadable now may not be the next time.
    """
    spool, shown, is_complete = Spool(repository.git.repository.state), base.copy(), True
    rehearsal = Rehearsal(shown, writer.planned)
    for name in names:
        try:
            with shown.writing():
                _rehearse(repository, spool, writer, rehearsal, name, again=[])
        except (GitmemError, ValueError, TypeError):
            is_complete = False
    return shown, is_complete


def policy_of(catalog: Catalog) -> Policy:
    """Return the policy that a catalog was built with."""
    return Policy.from_dict(json.loads(catalog.meta("policy") or "{}"))
