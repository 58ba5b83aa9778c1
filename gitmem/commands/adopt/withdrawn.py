"""Let adopted facts follow their documents and sources, so that only a false statement leaves a failed fact.

One that no document states any more is retired. One whose check fails, but whose statement holds by another place of
the code, is checked there: when `setup.cfg` became `pyproject.toml`, "Python 3.10+" stayed true. A name is left out,
since its check already looks for it in all code, and since another word of that name would prove less.
"""

from __future__ import annotations

from gitmem.commands.adopt.apply import list_adopted
from gitmem.commands.adopt.claims.claim import SYMBOL
from gitmem.commands.adopt.code import Code
from gitmem.commands.adopt.documents import document_of, find_documents
from gitmem.commands.adopt.kinds import KINDS
from gitmem.commands.adopt.memories import BY, GONE, find_statement, proposals_of
from gitmem.commands.adopt.run import adopt
from gitmem.document.builtin_checks import words_of
from gitmem.model import ADOPTED, BUILTIN, FAILS, HOLDS, Check
from gitmem.store.code_folder import is_home
from gitmem.verify.builtin_answers import answer_all
from gitmem.verify.inputs import CodeTree
from gitmem.verify.references import anchors_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.commands.adopt.apply import AdoptedMemory
    from gitmem.git import Git
    from gitmem.repository import OpenRepository


# What holds is asked of these again.
_KINDS = KINDS.keys() - {SYMBOL}


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


def follow_sources(repository: OpenRepository, commit: str) -> list[str]:
    """Give facts of the memory branch that fail at a commit the check of another place, and return their keys."""
    checks: dict[str, Check] = {}
    documents: dict[str, str] = {}
    for key, one in list_adopted(repository.catalog()).items():
        check = one.fields.get("verify")
        is_current = one.memory.kind == ADOPTED and not one.memory.archived and not is_home(one.memory.path)
        if is_current and isinstance(check, dict) and "symbol" not in check:
            checks[key], documents[key] = Check(BUILTIN, words_of(check)), one.document
    if not checks:
        return []
    answers = answer_all(repository.git, CodeTree(repository.git, commit), checks.values())
    lost = {documents[key]: key for key, check in checks.items() if answers[check].outcome == FAILS}
    held = held_elsewhere(repository.git, commit, sorted(lost)) if lost else {}
    fields = {key: one for key, one in held.items() if key in checks and answers[checks[key]].outcome == FAILS}
    if fields:
        repository.writer().edit_all(fields, repository.policy(), verb="follow the source")
    return sorted(fields)


def held_elsewhere(git: Git, commit: str, documents: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """Return the titles and checks of the facts, but for those of names, that hold as documents say, by key.

    Each is also under the key that earlier versions gave it.
    """
    files = Code(git, commit).files
    wanted = [path for path in documents if path in files]
    made = proposals_of(adopt(git, commit, wanted, kinds=_KINDS), {}) if wanted else []
    return {
        key: {name: one.fields[name] for name in ("title", "verify")}
        for one in made
        if one.outcome == HOLDS
        for key in (one.key, one.former)
    }


def _is_stated(one: AdoptedMemory, code: Code) -> bool:
    """Return whether a document still states a fact: its own, or any other if that was renamed or removed."""
    entry = code.files.get(one.document)
    if entry is not None and any(anchor.blob == entry[1] for anchor in anchors_in(one.fields)):
        return True  # the document is as it was
    paths = [one.document] if entry is not None else [other.path for other in find_documents(code.files)]
    source, key = document_of(one.document), one.memory.key
    return any(find_statement(text, source, key, one.fields) for text in code.texts(paths).values())
