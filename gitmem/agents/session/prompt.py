"""Recall memories for a prompt: at most a few, and none if none is good enough."""

from __future__ import annotations

from gitmem.agents.session import log, topics
from gitmem.frozen import replace
from gitmem.index import FtsEngine
from gitmem.policy.kinds import PROMPT
from gitmem.recall.field_words import in_known_words
from gitmem.recall.gate import good_hits
from gitmem.recall.query import Query
from gitmem.repository.pulled import pulled_stores
from gitmem.repository.roles import read_by, role_of
from gitmem.store.state import plain_files
from gitmem.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gitmem.agents.event import Event
    from gitmem.index.catalog import Catalog
    from gitmem.model import Hit
    from gitmem.recall.query import RecallResult
    from gitmem.repository import OpenRepository

# Of a longer prompt, the beginning and the end are the query: people write before or after what they paste.
HEAD, TAIL = 1500, 500
# Hits examined besides those that the session has seen.
HITS, HITS_AT_MOST = 12, 60
# The fewest words in a query.
TERMS = 2
# Characters of a prompt in which figures of speech are looked for.
IDIOMS_UP_TO = 160
# Figures of speech: their words are of no subject.
_IDIOMS = (
    *("hold on", "hang on", "a minute", "a second", "a sec", "one moment", "a moment", "take a call", "back in"),
    *("two birds with one stone", "piece of cake", "on the same page", "in the loop", "by the way", "for the record"),
    *("at the end of the day", "heads up", "no rush", "sounds good", "looks good", "makes sense", "good catch"),
    *("let us move on", "let's move on", "keep an eye on", "on second thought", "in a nutshell", "low hanging fruit"),
)
# How people ask what was done, as opposed to how something works.
_DONE = (
    *("did we", "did you", "did i", "have we done", "have you done", "was done", "were we", "was i doing"),
    *("last session", "last time", "previous session", "earlier session", "yesterday", "left off", "worked on"),
    *("leave off", "what happened", "how far", "where we stopped", "pick up where", "continue where"),
)


def recall_for(repository: OpenRepository, event: Event, recall: Callable[[Query], RecallResult]) -> str:
    """Return the context for a prompt; empty if nothing is relevant enough, or it was shown before.

    Args:
        repository: The store.
        event: The prompt.
        recall: Runs a query.
    """
    if not (query := question_of(event.prompt)) or not topics.may_recall(repository, event.session):
        return ""
    state = repository.git.repository.state
    plain_files.add_daily_count(state, repository.now, plain_files.SEARCHED)
    hits = find_hits(repository, event, query, recall)
    if not hits:
        return ""
    plain_files.add_daily_count(state, repository.now, plain_files.ANSWERED)
    from gitmem.agents.session.hits import show_hits  # only if something is shown

    return show_hits(repository, event, hits, query=query)


def find_hits(
    repository: OpenRepository, event: Event, query: str, recall: Callable[[Query], RecallResult]
) -> list[Hit]:
    """Return the memories that answer a question and that this context has not been shown, best first."""
    policy, query = repository.policy(), _in_known_words(repository, query)
    seen = log.statuses_in_context(log.entries_of(topics.workplace_of(repository), event.session), whole=True)
    most = min(HITS + len(seen), HITS_AT_MOST)
    wanted = Query(text=query, limit=most, knowledge=not asks_what_was_done(query), reader=PROMPT, snippets=False)
    result = recall(wanted)
    read = read_by(repository, role_of(policy, event.agent_type, repository.config.role)[1].kinds, result.hits)
    hits = good_hits(
        query,
        result,
        policy,
        catalog_of=lambda hit: _catalog_of(repository, hit.scope),
        is_new=lambda hit: hit.reference in read and seen.get(hit.reference) != hit.status,
    )[: policy.session.limit]
    hits += find_documents(repository, wanted, recall, seen, most=policy.session.limit - len(hits))
    if not hits:
        return []
    from gitmem.agents.session.hits import spot_checked  # only if something is shown

    return spot_checked(repository, hits, seen)


def _in_known_words(repository: OpenRepository, query: str) -> str:
    """Return a question in which names that no memory has are replaced by other names of the same things."""
    if repository.find_tip() is None:
        return query
    catalog = repository.catalog()
    engine = FtsEngine(catalog.connection)
    return in_known_words(query, lambda terms: engine.frequencies(list(terms)).frequency, catalog.language)


def find_documents(
    repository: OpenRepository,
    wanted: Query,
    recall: Callable[[Query], RecallResult],
    seen: Mapping[str, str],
    *,
    most: int,
) -> list[Hit]:
    """Return the pulled documents that answer a query as well as a memory must, best first, at most *most*.

    Args:
        repository: The store.
        wanted: The query; its reader decides which sources are read.
        recall: Runs a query.
        seen: What the session has seen: statuses by reference.
        most: How many; memories were found first.
    """
    stores = pulled_stores(repository, wanted.reader) if most > 0 else []
    if not stores:
        return []
    catalogs = {store.store.name: store.catalog() for store in stores}
    result = recall(replace(wanted, sources=tuple(catalogs)))
    return good_hits(
        wanted.text,
        result,
        repository.policy(),
        catalog_of=lambda hit: catalogs.get(hit.store),
        is_new=lambda hit: hit.reference not in seen,
    )[:most]


def _catalog_of(repository: OpenRepository, scope: str) -> Catalog | None:
    store = next(iter(repository.stores((scope,))), None)
    return store.catalog() if store is not None else None


def question_of(prompt: str) -> str:
    """Return the query in a prompt; empty for a command of the client and for a single word."""
    text = _without_idioms(without_machine_text(prompt).strip())
    if text.startswith("/") and "\n" not in text and "/" not in text[1:].split(" ", 1)[0]:
        return ""
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    return text if len(tokens.query_terms(text)) >= TERMS else ""


def _without_idioms(text: str) -> str:
    """Return a short prompt without figures of speech; a longer one has words of its own."""
    if len(text) > IDIOMS_UP_TO:
        return text
    lowered = f" {text.lower()}"
    for idiom in _IDIOMS:
        at = lowered.find(f" {idiom}")
        if at >= 0 and not lowered[at + len(idiom) + 1 : at + len(idiom) + 2].isalnum():
            lowered = lowered[:at] + " " * (len(idiom) + 1) + lowered[at + len(idiom) + 1 :]
            text = text[:at] + " " * len(idiom) + text[at + len(idiom) :]
    return text.strip()


def without_machine_text(prompt: str) -> str:
    """Return a prompt without the blocks that clients add: ``<task-notification>…</task-notification>``.

    Their names have several words, which those of HTML do not. An unclosed one is by a person.
    """
    at = prompt.find("<")
    while at >= 0:
        end = at + 1
        while end < len(prompt) and (prompt[end].isalnum() or prompt[end] in "-_"):
            end += 1
        name = prompt[at + 1 : end]
        close = f"</{name}>"
        stop = prompt.find(close, end) if "-" in name or "_" in name else -1
        if stop >= 0:
            prompt = prompt[:at] + prompt[stop + len(close) :]
        at = prompt.find("<", at if stop >= 0 else at + 1)
    return prompt


def asks_what_was_done(query: str) -> bool:
    """Return whether a question is about earlier work, which session summaries and outcomes answer."""
    question = f" {' '.join(query.lower().split())} "
    return any(f" {words}" in question for words in _DONE)
