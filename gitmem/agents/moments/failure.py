"""Recall memories for a command: those that speak of its failure, or warn about it, once per memory and context."""

from __future__ import annotations

from gitmem.agents.moments.output import Failure, command_runs, informative_lines
from gitmem.agents.moments.risk import warns
from gitmem.agents.session import log, topics
from gitmem.frozen import replace
from gitmem.index.catalog import wordings_by_key
from gitmem.policy.kinds import PROMPT
from gitmem.recall.query import Query
from gitmem.store.scopes import LISTED
from gitmem.text.marker_words import CIRCUMSTANCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.agents.event import Event
    from gitmem.agents.moments.risk import Risk
    from gitmem.model import Hit
    from gitmem.recall.query import RecallResult
    from gitmem.repository import OpenRepository

# The most hits examined, and the most memories shown.
HITS, MOST = 12, 2
# The phrase of a commit (``cautions``): a memory with paths concerns a commit of files that match them.
COMMIT = "git commit"


def recall_failure(repository: OpenRepository, event: Event, recall: Callable[[Query], RecallResult]) -> str:
    """Return the memories that speak of a failed command or its error; empty if none does, or all were shown before.

    Args:
        repository: The store.
        event: The command, with its output.
        recall: Runs a query.
    """
    lines = informative_lines(event.output) if event.session else []
    runs = command_runs(event.command, event.output) if event.session else []
    if not (lines or runs) or not topics.may_recall(repository, event.session):
        return ""
    failure = Failure(event.output, lines, runs, event.command)
    # The words of a memory count for more than the failure that it was captured after, which others share.
    return _show(repository, event, recall, "\n".join([*lines, *runs]), failure.is_in)


def recall_warning(
    repository: OpenRepository, event: Event, recall: Callable[[Query], RecallResult], risk: Risk
) -> str:
    """Return the memories that warn about a command that is about to run; empty if none does, or all were shown before.

    Args:
        repository: The store.
        event: The command.
        recall: Runs a query.
        risk: The parts of it that a memory may warn about (``risk.find_risk``).
    """
    if not event.session or not topics.may_recall(repository, event.session):
        return ""

    def recall_placed(query: Query) -> RecallResult:
        result = recall(query)
        texts = _texts_of(repository, result.hits)
        only = [hit for hit in result.hits if not warns(texts.get(hit.reference, ""), others)]
        elsewhere = _elsewhere(repository, event, only)
        return replace(result, hits=tuple(hit for hit in result.hits if hit.reference not in elsewhere))

    others = replace(risk, cued=tuple(phrase for phrase in risk.cued if phrase != COMMIT))

    wanted = recall_placed if COMMIT in risk.cued else recall
    return _show(repository, event, wanted, risk.query, lambda text: warns(text, risk))


def _elsewhere(repository: OpenRepository, event: Event, hits: Sequence[Hit]) -> set[str]:
    """Return the references of memories that are about other files than a command commits; none if it is unknown."""
    from gitmem.agents.moments.touched import committed_by  # only before a commit
    from gitmem.commands.context.near import keys_elsewhere

    places = committed_by(repository, event) if hits else []
    elsewhere: set[str] = set()
    if not places:
        return elsewhere
    for scope in dict.fromkeys(hit.scope for hit in hits):
        own = {hit.key: hit.reference for hit in hits if hit.scope == scope}
        for store in repository.stores((scope,))[:1]:
            elsewhere |= {own[key] for key in keys_elsewhere(store.catalog(), own, places)}
    return elsewhere


def _show(
    repository: OpenRepository,
    event: Event,
    recall: Callable[[Query], RecallResult],
    query: str,
    speaks: Callable[[str], bool],
) -> str:
    """Return the memories found by a query whose text speaks of the event, those first whose own words do."""
    at, own = topics.workplace_of(repository), log.own_context(event)
    seen, _ = log.shown_since_start(log.entries_of(at, own.session))
    result = recall(Query(text=query, limit=HITS + len(seen), knowledge=True, reader=PROMPT, snippets=False))
    fresh = [hit for hit in result.hits if hit.scope != LISTED and seen.get(hit.reference) != hit.status]
    texts = _texts_of(repository, fresh)
    hits = [hit for hit in fresh if speaks(texts.get(hit.reference, hit.title))]
    if not hits:
        return ""
    from gitmem.agents.session.hits import show_hits, spot_checked  # only if something is shown

    hits.sort(key=lambda hit: not speaks(texts.get(hit.reference, "").partition(CIRCUMSTANCES)[0]))
    hits = spot_checked(repository, hits[:MOST], seen)
    return show_hits(repository, own, hits, query=query) if hits else ""


def _texts_of(repository: OpenRepository, hits: Sequence[Hit]) -> dict[str, str]:
    """Return the texts of hits by reference, with one query for each store."""
    texts: dict[str, str] = {}
    for scope in dict.fromkeys(hit.scope for hit in hits):
        own = {hit.key: hit.reference for hit in hits if hit.scope == scope}
        for store in repository.stores((scope,))[:1]:
            wordings = wordings_by_key(store.catalog(), own)
            texts |= {own[key]: f"{title}\n{body}" for key, (title, body) in wordings.items()}
    return texts
