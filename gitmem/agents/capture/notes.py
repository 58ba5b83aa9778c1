"""Note files that an agent writes: each becomes a memory of kind note, which is updated with its file."""

from __future__ import annotations

from binascii import crc32

from gitmem.agents.capture.source import place_of, read_inside
from gitmem.agents.clients import find_table
from gitmem.frozen import frozen
from gitmem.repository.private import agent_of
from gitmem.store.scopes import PRIVATE
from gitmem.text.slugs import hashed_slug, slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.event import Event
    from gitmem.repository import OpenRepository

SUFFIXES = (".md", ".markdown", ".txt")
# About 4,000 tokens; a longer file is a document for `gitmem ingest`.
SIZE_LIMIT = 16 * 1024
AT_MOST = 5
KIND = "note"


@frozen
class Note:
    """A note file.

    Attributes:
        place: Its path in the work tree.
        text: Its content.
    """

    place: str
    text: str

    @property
    def key(self) -> str:
        """Return the key of its memory: the same each time the file is written."""
        name = self.place.rpartition("/")[2].rpartition(".")[0]
        return hashed_slug(name, self._digest, otherwise=KIND)

    @property
    def former_key(self) -> str:
        """Return the key that earlier versions gave its memory."""
        return f"note-{slug(self.place.rpartition('.')[0], limit=48)}-{self._digest}"

    @property
    def _digest(self) -> str:
        return f"{crc32(self.place.encode('utf-8')):08x}"

    @property
    def title(self) -> str:
        """Return its first heading, or the file's name."""
        heads = [line.lstrip("#").strip() for line in self.text.split("\n") if line.startswith("#")]
        return next((head for head in heads if head), "") or self.place


def owner_of(place: str, event: Event, repository: OpenRepository) -> str:
    """Return the agent that alone reads a note: the named worker, or the sub-agent; empty if all read it.

    The policy can say otherwise: by the scope of the collection that notes belong to.
    """
    policy = repository.policy()
    collection = policy.collections.get(policy.kind(KIND).collection)
    if collection is not None and collection.scope:
        return agent_of(repository) if collection.scope == PRIVATE else ""
    table = find_table(event.client)
    above = f"{table.agent_notes}/" if table is not None and table.agent_notes else ""
    if above and place.startswith(above):
        folder, _, rest = place.removeprefix(above).partition("/")
        if rest:
            return folder
    return repository.config.agent or event.agent_type


def notes_of(repository: OpenRepository, event: Event, folders: tuple[str, ...]) -> list[Note]:
    """Return the note files that a tool wrote, with their current text: at most five, none too large."""
    places = [place_of(repository, event, edit.path) for edit in event.edits if not edit.is_gone]
    within = [place for place in dict.fromkeys(places) if any(place.startswith(f"{f.strip('/')}/") for f in folders)]
    notes = []
    for place in within[:AT_MOST]:
        text = read_inside(repository, place, limit=SIZE_LIMIT) if place.lower().endswith(SUFFIXES) else None
        if text and text.strip():
            notes.append(Note(place, text))
    return notes
