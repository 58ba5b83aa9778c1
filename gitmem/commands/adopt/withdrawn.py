"""Retire adopted facts that no document states any more: a corrected document leaves no failed fact."""

from __future__ import annotations

from gitmem.commands.adopt.apply import list_adopted
from gitmem.commands.adopt.code import Code
from gitmem.commands.adopt.documents import document_of, find_documents
from gitmem.commands.adopt.memories import BY, GONE, find_statement
from gitmem.model import ADOPTED
from gitmem.store.code_folder import is_home
from gitmem.verify.references import anchors_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.adopt.apply import AdoptedMemory
    from gitmem.repository import OpenRepository


def retire_withdrawn(repository: OpenRepository, commit: str) -> list[str]:
    """Retire the facts of the memory branch that no document of a commit states any more, and return their keys."""
    code = Code(repository.git, commit)
    gone = [
        key
        for key, one in list_adopted(repository.catalog()).items()
        if one.memory.kind == ADOPTED
        and not one.memory.archived
        and not is_home(one.memory.path)
        and one.document
        and not _is_stated(one, code)
    ]
    if gone:
        repository.writer().forget(gone, why=GONE, by=BY)
    return gone


def _is_stated(one: AdoptedMemory, code: Code) -> bool:
    """Return whether a document still states a fact: its own, or any other if that was renamed or removed."""
    entry = code.files.get(one.document)
    if entry is not None and any(anchor.blob == entry[1] for anchor in anchors_in(one.fields)):
        return True  # the document is as it was
    paths = [one.document] if entry is not None else [other.path for other in find_documents(code.files)]
    source, key = document_of(one.document), one.memory.key
    return any(find_statement(text, source, key, one.fields) for text in code.texts(paths).values())
