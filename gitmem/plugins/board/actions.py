"""Work on boards: post entries, open and resolve signals, check the gate and the final report, close a run.

Text typed by people and agents is refused for the same reasons as in a memory: hidden characters and secrets.
"""

from __future__ import annotations

from gitmem.errors import NotFoundError, RefusedError, RunClosedError, UsageError
from gitmem.frozen import frozen, replace
from gitmem.plugins.board import log
from gitmem.plugins.board.board import BLOCKING, resolve
from gitmem.plugins.board.entry import (
    ADDRESSES,
    ANSWER,
    CLOSING,
    GOAL,
    LINK,
    OF,
    POSTED,
    RELATIONS,
    SIGNAL,
    SUPERSEDES,
    TYPES,
    WAIVER,
    WAIVES,
    ClaimSource,
    Entry,
    validate_entry,
)
from gitmem.store.commit import WriteTarget
from gitmem.text.slugs import slug
from gitmem.write.draft import clean_text, refuse_typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.plugins.board.board import Board
    from gitmem.plugins.board.log import PostedEntry
    from gitmem.repository import OpenRepository

# The worker's name if the original gives no slug (one in Chinese).
NAMELESS = "worker"


@frozen
class BoardDraft:
    """The typed parts of an entry besides its text.

    Attributes:
        links: Entries by short name (``e17``), by relation.
        source: The source of the claim.
        confidence: From 0 to 1, or None.
        worker: The author; empty for the current agent or person.
        must_surface: Whether the final report must mention it.
        severity: The severity of a signal.
    """

    links: Mapping[str, Sequence[str]]
    source: ClaimSource = ClaimSource()
    confidence: float | None = None
    worker: str = ""
    must_surface: bool = False
    severity: str = ""


EMPTY_DRAFT = BoardDraft({})


def open_board(repository: OpenRepository, run: str, goal: str) -> tuple[Board, bool]:
    """Start a board, or continue an existing one; a new goal is added. Returns whether the board is new.

    Raises:
        RunClosedError: The run is over.
        RefusedError: The name or the goal is invalid.
    """
    is_new = repository.git.read_ref(log.ref_of(run)) is None
    if goal or is_new:
        _post(repository, run, GOAL, goal or f"the run {run}", EMPTY_DRAFT)
    board = log.read_board(repository.git, run)
    if board.is_closed:
        raise RunClosedError(f"the run {run} is closed", hint=f"read it: gitmem board show {run}")
    return board, is_new


def post(repository: OpenRepository, run: str, type: str, text: str, draft: BoardDraft = EMPTY_DRAFT) -> PostedEntry:
    """Add an entry to a board that exists.

    Args:
        repository: The repository.
        run: The run.
        type: Its type, any of ``TYPES``.
        text: Its text.
        draft: Its other parts.

    Raises:
        NotFoundError: The board, or an entry that it names, does not exist.
        AmbiguousKeyError: Two entries have a short name.
        RefusedError: It cannot be posted: hidden characters, a secret, no text.
        RunClosedError: The run is over.
    """
    if type not in TYPES:
        raise UsageError(f"unknown type of entry: {type}", hint=f"choose one of {', '.join(POSTED)}")
    log.need_tip(repository.git, run)
    return _post(repository, run, type, text, draft)


def _post(repository: OpenRepository, run: str, type: str, text: str, draft: BoardDraft) -> PostedEntry:
    """Add an entry to a board, perhaps the first one of a new board."""
    links = _resolve(repository, run, draft.links)
    author, policy = repository.author(), repository.policy()
    source = ClaimSource(clean_text(draft.source.doc), clean_text(draft.source.ref), clean_text(draft.source.evidence))
    who = clean_text(author.who)
    typed = {"the text": clean_text(text), "the source": source.doc, "the reference": source.ref, "the worker": who}
    for what, value in (*typed.items(), ("the evidence", source.evidence)):
        refuse_typed(what, value, policy)
    entry = Entry(
        type=type,
        text=clean_text(text),
        worker=slug(draft.worker or author.agent or author.who) or NAMELESS,
        who=who,
        at=repository.now,
        links=links,
        source=source,
        confidence=draft.confidence,
        severity=draft.severity,
        must_surface=draft.must_surface,
    )
    target = WriteTarget(repository.git, log.ref_of(run), f"board {type}", repository.config.lock_timeout_s)
    return log.post(target, run, validate_entry(entry), now=repository.now)


def _resolve(repository: OpenRepository, run: str, links: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return links with the ids of the entries they name.

    Raises:
        RefusedError: A relation does not fit the type of an entry.
    """
    if not any(links.values()):
        return {}
    places = [place for place, _ in log.read_places(repository.git, log.need_tip(repository.git, run))[0].values()]
    letters = {place.id: place.letter for place in places}
    signal, closing = TYPES[SIGNAL].letter, TYPES[CLOSING].letter
    ids_by_relation = {}
    for relation, names in links.items():
        ids = tuple(sorted({resolve(run, name, places) for name in names}))
        wrong = [place.name for place in places if place.id in ids and place.letter == closing]
        if relation in (ADDRESSES, WAIVES):
            wrong = [place.name for place in places if place.id in ids and letters[place.id] != signal]
        if relation == SUPERSEDES:
            wrong += [place.name for place in places if place.id in ids and letters[place.id] == signal]
        if wrong:
            what = "is a signal: answer or waive it" if relation == SUPERSEDES else "is not a signal"
            raise RefusedError(f"{wrong[0]} {what}", hint=f"gitmem board show {run}")
        ids_by_relation[relation] = ids
    return {relation: ids for relation, ids in ids_by_relation.items() if ids}


def answer(
    repository: OpenRepository, run: str, signals: Sequence[str], text: str, draft: BoardDraft = EMPTY_DRAFT
) -> PostedEntry:
    """Answer signals."""
    return post(repository, run, ANSWER, text, replace(draft, links={**draft.links, ADDRESSES: signals}))


def waive(repository: OpenRepository, run: str, signals: Sequence[str], why: str, *, worker: str = "") -> PostedEntry:
    """Waive signals: record who decided, and why, that they stay without an answer.

    Raises:
        RefusedError: No reason is given.
    """
    if not why.strip():
        raise RefusedError("a waiver needs a reason", hint=f'gitmem board waive {run} {signals[0]} --why "…"')
    return post(repository, run, WAIVER, why, BoardDraft({WAIVES: signals}, worker=worker))


def link(
    repository: OpenRepository, run: str, entry: str, links: Mapping[str, Sequence[str]], *, worker: str = ""
) -> PostedEntry:
    """Record how an existing entry relates to others.

    Raises:
        UsageError: No relation is given.
    """
    named_links = {relation: names for relation, names in links.items() if names}
    if not named_links:
        options = ", ".join(f"--{relation}" for relation in RELATIONS)
        raise UsageError("say how the entries relate", hint=f"choose one of {options}")
    return post(repository, run, LINK, "", BoardDraft({OF: [entry], **named_links}, worker=worker))


def close(repository: OpenRepository, run: str, why: str, *, force: bool) -> Board:
    """End a run, so that its board takes no more entries. Return the final board, also if the run was over.

    Raises:
        RunClosedError: Signals are open, and no reason to force it is given.
    """
    board = log.read_board(repository.git, run)
    if board.is_closed:
        return board
    if board.closing_signals and not (force and why.strip()):
        names = ", ".join(board.name_of(signal.entry.id) for signal in board.closing_signals)
        raise RunClosedError(
            f"the run {run} has open signals of severity {' or '.join(BLOCKING)}: {names}",
            hint=f'answer them: gitmem board answer {run} {board.name_of(board.closing_signals[0].entry.id)} "…"\n'
            f'or close it all the same: gitmem board close {run} --force --why "…"',
        )
    post(repository, run, CLOSING, why or "the run is over")
    return log.read_board(repository.git, run)


# What each type becomes in the memory; the others describe entries.
BECOMES = {
    "observation": "learned",
    "analysis": "learned",
    "calculation": "learned",
    "strategy": "decision",
    "gap": "gotcha",
    "contradiction": "gotcha",
    "answer": "learned",
    "signal": "gotcha",
}


def distill(board: Board) -> dict[str, Any]:
    """Return the memories that a run leaves, in the form of `gitmem remember --from-run`.

    These are the entries that the final report must mention, and the answers to signals, without superseded ones. Each
    memory names its run, its worker and its source.
    """
    whys = {due.entry.id: due.why for due in board.list_required()}
    questions = {answer.id: signal.entry for signal in board.signals for answer in signal.answers}
    memories = []
    for entry in board.live:
        if entry.type not in BECOMES or not (entry.id in whys or entry.id in questions):
            continue
        about = [f"Question: {questions[entry.id].text}"] if entry.id in questions else []
        about += [f"Evidence: {entry.source.evidence}"] if entry.source.evidence else []
        about += [f"Recorded as {whys[entry.id]}."] if whys.get(entry.id, "must surface") != "must surface" else []
        about += _waivers_of(board, entry)
        body = "\n\n".join([entry.text, *about])
        refs = [ref for ref in (entry.source.doc, entry.source.ref) if ref and len(ref) <= 300]
        draft = {"kind": BECOMES[entry.type], "body": body, "refs": refs, "confidence": entry.confidence}
        draft["verified_by"] = entry.worker if entry.confidence is not None else ""
        memories.append({name: value for name, value in draft.items() if value not in (None, "", [])})
    return {"run": board.run, "memories": memories}


def _waivers_of(board: Board, entry: Entry) -> list[str]:
    waivers = [waiver for signal in board.signals if signal.entry.id == entry.id for waiver in signal.waivers]
    return [f"Waived by {waiver.worker}: {waiver.text}" for waiver in waivers]


def entry_of(board: Board, typed: str) -> Entry:
    """Return the entry that a person typed.

    Raises:
        NotFoundError: There is no such entry, or several.
    """
    named = [entry for entry in board.entries if typed in (entry.id, entry.name, f"{entry.name}-{entry.id}")]
    if len(named) != 1:
        raise NotFoundError(f"the board {board.run} has no single entry {typed}", hint=f"gitmem board show {board.run}")
    return named[0]
