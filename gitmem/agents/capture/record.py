"""Save captures: each as an entry of the spool, with who captured it; a refused one with the reason."""

from __future__ import annotations

from binascii import crc32

from gitmem.agents.capture.comments import find_comments
from gitmem.agents.capture.marks import is_marked, mark
from gitmem.agents.capture.source import branch_of, place_of, read_inside, source_fields, task_of
from gitmem.agents.capture.trail import failure_for, files_named, places_for, trail_of
from gitmem.commands.capture.keep import keep, safe_lines
from gitmem.commands.capture.markers import AT_MOST, DECISION, FACT, TEXT_LIMIT, find_marked
from gitmem.config import home
from gitmem.document.api_options import set_values
from gitmem.errors import RefusedError
from gitmem.frozen import replace
from gitmem.store.state import background
from gitmem.store.state.plain_files import waiting_captures
from gitmem.store.state.spool import Spool
from gitmem.text import display
from gitmem.text.hazards.orders import find_order
from gitmem.text.home_paths import shorten
from gitmem.text.secrets import redact, redact_all
from gitmem.write.new_memory import NewMemory
from gitmem.write.quality import says_something

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.agents.capture.comments import Comment
    from gitmem.agents.capture.trail import Trail
    from gitmem.agents.event import Event
    from gitmem.repository import OpenRepository

# Separates a claim without a check from a learning: without a check it cannot be a fact.
UNCHECKED = "unchecked"
CANDIDATE = "candidate"
PATTERN_CONFIDENCE = 0.5
# The kinds that an agent states in its own words, which a text that it read may have put into its mouth.
ORDERED = ("learned", "decision")
# The most captured texts that wait for the end of their session: each costs readers 1.5 ms until then (measured).
BATCH = 80
# A comment in a file may be as long as a memory (`store.layout`).
FILE_LIMIT = 64 * 1024
# How tools report that they could not do what they were asked, for clients that do not report failure.
_FAILED = ("error", "fatal", "usage:", "unknown command", "bash:", "sh:", "zsh:")


class Keeper:
    """Saves the captures of one event; who captured them is found once."""

    def __init__(self, repository: OpenRepository, event: Event) -> None:
        self._memory = repository
        self._session = event.session
        self._by = source_fields(repository, event)
        self._about = {"task": task_of(repository), "branch": branch_of(repository)}
        self._kept = 0
        self._failed: OSError | None = None

    def keep(self, new: NewMemory, *, once: bool = False, owner: str = "") -> None:
        """Save a text, in the private memories of *owner* if given; set it aside with the reason if refused.

        With *once*, skip what was captured before.
        """
        if not says_something(new.text):
            return  # Nothing is lost.
        top = self._memory.git.repository.top or ""
        text, title = shorten(new.text, top=top, home=home()), shorten(new.title, top=top, home=home())
        if once and is_marked(self._memory, self._session, text):
            return
        values = self._about | set_values(new.fields)
        aside = {**values, "kind": new.kind, "title": title, "key": new.key, "former": new.former}
        if new.kind in ORDERED and (order := find_order(text)):
            self.refuse(new.kind, f"it {order}; a person must accept it", text, aside)
            mark(self._memory, self._session, text)
            return
        new = replace(new, text=text, title=title, fields=values)
        try:
            keep(self._memory, new, once=once, by=self._by, owner=owner)
            self._kept += 1
        except RefusedError as err:
            self.refuse(new.kind, err.message, text, aside)
        except OSError as err:
            self._failed = err  # The next one may be shorter or there may be room again.
            return
        mark(self._memory, self._session, text)

    def circumstances(self, text: str, before: Trail | None, *, is_only_one: bool) -> dict[str, Any]:
        """Return where a learning belongs: the files it is about, and the failure that it follows."""
        trail = before or trail_of(self._memory, self._session)
        failure = failure_for(text, trail, is_only_one=is_only_one)
        top = self._memory.git.repository.top or ""
        after = [shorten(part, top=top, home=home()) for part in (failure.command, failure.error)] if failure else []
        return {"paths": places_for(text, trail, files_named(self._memory, text)), "after": after}

    def set_aside(self, text: str, fields: Mapping[str, Any], why: str, *, once: bool) -> None:
        """Set an acceptable text aside; only once if it comes from a transcript."""
        if says_something(text) and not (once and is_marked(self._memory, self._session, text)):
            self.refuse(str(fields["kind"]), why, text, fields)
            mark(self._memory, self._session, text)

    def refuse(self, what: str, why: str, text: str, fields: Mapping[str, Any]) -> None:
        """Set a text aside in full but without secrets, with the reason, until a person accepts or drops it."""
        defaults = {"kind": "learned", "title": "", "key": "", "former": ""}
        about = {name: fields.get(name) or default for name, default in defaults.items()}
        options = redact_all({name: value for name, value in fields.items() if name not in about and value})
        who = {name: redact(value) for name, value in self._by.items()}
        entry = {"text": safe_lines(text), **about, "title": safe_lines(str(about["title"])), "options": options}
        entry |= {"agent": who.pop("agent", ""), "by": who, "at": self._memory.now}
        reason = f"{what} of {self._by['agent']}: {display(why)}"
        Spool(self._memory.git.repository.state).note_refused(reason, entry)

    def end(self) -> None:
        """Commit pending captures in the background if there are many; usually the end of the session commits them.

        Raises:
            OSError: A capture could not be saved anywhere.
        """
        if self._kept and len(waiting_captures(self._memory.git.repository.state)) >= BATCH:
            repository = self._memory.git.repository
            background.start(repository.state, repository.top or repository.git, "spool")
        if self._failed is not None:
            raise self._failed


def keep_comments(repository: OpenRepository, event: Event, *, once: bool = False) -> None:
    """Save the learnings in comments that a command writes, and the outcomes of tasks that it closes.

    With *once*, for commands from a transcript, texts that were captured before are skipped.
    """
    if event.failed is None and event.output.lstrip()[:40].lower().startswith(_FAILED):
        return
    comments = find_comments(event.command)
    if not comments:
        return
    keeper = Keeper(repository, event)
    for comment in comments:
        text = _text_of(repository, event, comment)
        about = {"refs": list(comment.refs), "task": comment.task}
        if text is None:
            if "LEARN" in event.command.upper() or comment.file:
                why = comment.skipped or f"{comment.file!r} cannot be read here"
                keeper.refuse("a comment", why, event.command, about)
            continue
        keep_marked(keeper, text, about, is_comment=True, once=once)
        if comment.is_end:
            keeper.keep(_outcome(comment.task, text[:TEXT_LIMIT], about), once=once)
    keeper.end()


def _text_of(repository: OpenRepository, event: Event, comment: Comment) -> str | None:
    """Return the text of a comment; None if it cannot be known."""
    if comment.skipped:
        return None
    if not comment.file:
        return comment.text
    return read_inside(repository, place_of(repository, event, comment.file), limit=FILE_LIMIT)


def _outcome(task: str, text: str, about: Mapping[str, Any]) -> NewMemory:
    """Return how a task ended, as one memory per task."""
    from gitmem.text.slugs import KEY_TEXT, hashed_slug, slug

    title, kind = f"{task} closed", "outcome"
    digest = f"{crc32(task.encode('utf-8', 'surrogatepass')):08x}"
    key = slug(title) if len(title) <= KEY_TEXT else hashed_slug(title, digest, otherwise=kind)
    return NewMemory(text, about, title, kind, key, former=f"outcome-{slug(task)}")


def keep_marked(
    keeper: Keeper,
    text: str,
    options: Mapping[str, Any],
    *,
    is_comment: bool,
    once: bool = False,
    before: Trail | None = None,
) -> None:
    """Save the learnings marked in a text; more than a few from one text are set aside."""
    markers = find_marked(text, is_comment=is_comment)
    for number, marker in enumerate(markers):
        kind = "decision" if marker.word == DECISION else "learned"
        tags = [UNCHECKED] if marker.word == FACT else []
        if number < AT_MOST:
            about = keeper.circumstances(marker.text, before, is_only_one=len(markers) == 1)
            keeper.keep(NewMemory(marker.text, {**about, **options, "tags": tags}, kind=kind), once=once)
        else:
            why = f"only {AT_MOST} per text are captured"
            keeper.set_aside(marker.text, {**options, "tags": tags, "kind": kind}, why, once=once)


def keep_edits(
    repository: OpenRepository, event: Event, failing: str, folders: tuple[str, ...], *, wants_code: bool
) -> None:
    """Save note files that were written and code patterns, and remember the files changed since a failure.

    Args:
        repository: The store.
        event: The edits.
        failing: The state of a session in which a command failed, or empty.
        folders: The folders with notes; empty if notes are not captured.
        wants_code: Whether edits become code patterns.
    """
    from gitmem.agents.capture.fixes import remember_edit
    from gitmem.agents.capture.state import rules_of

    if failing:
        remember_edit(repository, event, path=failing)
    if event.agent_type and event.agent_type in rules_of(repository).exempt:
        return
    keeper = Keeper(repository, event)
    if folders:
        from gitmem.agents.capture.notes import KIND, notes_of, owner_of

        for note in notes_of(repository, event, folders):
            owner = owner_of(note.place, event, repository)
            new = NewMemory(note.text, {"refs": [note.place]}, note.title, KIND, note.key, former=note.former_key)
            keeper.keep(new, owner=owner)
    if wants_code:
        from gitmem.agents.capture.patterns import KIND as PATTERN
        from gitmem.agents.capture.patterns import TTL, patterns_of

        commit = repository.git.read_head()[1] or ""
        for pattern in patterns_of(repository, event):
            values = {"refs": [pattern.ref], "ttl": TTL, "confidence": PATTERN_CONFIDENCE, "tags": [pattern.language]}
            text = f"{pattern.body}\n\nEdited on top of commit {commit[:12]}." if commit else pattern.body
            new = NewMemory(text, values, pattern.title, PATTERN, pattern.key, former=pattern.former_key)
            keeper.keep(new)
    keeper.end()


def keep_fix(repository: OpenRepository, event: Event, path: str) -> None:
    """Save the fix that a passing command shows, if it failed before."""
    from gitmem.agents.capture.fixes import CONFIDENCE, TTL, find_fix

    fix = find_fix(event, path=path)
    if fix is None:
        return
    keeper = Keeper(repository, event)
    options = {"paths": list(fix.files), "tags": [CANDIDATE], "confidence": CONFIDENCE, "importance": "low", "ttl": TTL}
    keeper.keep(NewMemory(fix.body, options, fix.title, "gotcha"))
    keeper.end()
