"""Let adopted facts follow their documents and sources, so that only a false statement leaves a failed fact.

One that no document states any more is retired. One whose check fails, but whose statement holds by another place of
the code, is checked there: when `setup.cfg` became `pyproject.toml`, "Python 3.10+" stayed true. A name is left out,
since its check already looks for it in all code, and since another word of that name would prove less.
"""

from __future__ import annotations

import json
from functools import lru_cache

from gitmem import __version__
from gitmem.commands.adopt.apply import list_adopted
from gitmem.commands.adopt.claims.claim import SYMBOL
from gitmem.commands.adopt.code import Code
from gitmem.commands.adopt.documents import document_of, find_documents
from gitmem.commands.adopt.kinds import KINDS
from gitmem.commands.adopt.memories import BY, GONE, SENTENCE_FIELD, find_statement, proposals_of, sentences_of
from gitmem.commands.adopt.run import adopt
from gitmem.frozen import frozen
from gitmem.index.catalog.state import LIVE
from gitmem.model import ADOPTED, BUILTIN, FAILS, HOLDS, Check
from gitmem.store.code_folder import is_home
from gitmem.store.local import Withdrawal
from gitmem.verify.builtin_answers import answer_all
from gitmem.verify.due import blob_at
from gitmem.verify.inputs import CodeTree
from gitmem.verify.options import Options
from gitmem.verify.references import anchors_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.commands.adopt.apply import AdoptedMemory
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import Adoption
    from gitmem.git import Git
    from gitmem.repository import OpenRepository


# What holds is asked of these again.
_KINDS = KINDS.keys() - {SYMBOL}
# The names under which the clone notes for which code and facts it was judged whether they hold elsewhere.
_FOLLOWED, _JUDGED = "followed", "withdrawn"
# How a reason ends that does not apply to other branches.
_HERE = "on this branch"


def retire_withdrawn(repository: OpenRepository, commit: str) -> list[str]:
    """Retire the facts of the memory branch that no document of a commit states any more, and return their keys."""
    code = Code(repository.git, commit)
    gone = [
        key
        for key, adopted in list_adopted(repository.catalog()).items()
        if adopted.memory.kind == ADOPTED
        and not adopted.memory.archived
        and not is_home(adopted.memory.path)
        and adopted.document
        and not _is_stated(adopted, code)
    ]
    if gone:
        repository.writer().forget(gone, why=GONE, by=BY)
    return gone


def follow_sources(repository: OpenRepository, commit: str) -> list[str]:
    """Give facts of the memory branch that fail at a commit the check of another place, and return their keys.

    If none holds elsewhere, their documents are not judged again until the code or the facts change.
    """
    code = CodeTree(repository.git, commit)
    facts = list_facts(repository)
    lost = [key for key in _list_lost(repository, code, facts) if not is_home(facts[key].path)]
    # Whatever was withdrawn on a branch counts here, where sentences that are gone retire their facts.
    _mark(repository, code, facts, dict.fromkeys(facts, ""))
    documents = sorted({facts[key].document for key in lost if not facts[key].is_name})
    state = _describe(code, facts, lost)
    if not documents or repository.local.is_noted(_FOLLOWED, state):
        return []
    held = held_elsewhere(repository.git, commit, documents)
    fields = {key: held[key] for key in lost if key in held and not facts[key].is_name}
    if fields:
        repository.writer().edit_all(fields, repository.policy(), verb="follow the source")
    else:
        repository.local.note(_FOLLOWED, state)
    return sorted(fields)


def note_withdrawn(repository: OpenRepository, commit: str) -> dict[str, str]:
    """Record in this clone which failing facts the documents of a commit do not state, and return why, by key.

    Nothing is written to the memory branch: other branches still state them.
    """
    code = CodeTree(repository.git, commit)
    facts = list_facts(repository)
    known = {withdrawal.key: withdrawal.reason for withdrawal in _list_known(repository, code, facts)}
    lost = _list_lost(repository, code, facts)
    if (known.keys() <= set(lost)) and repository.local.is_noted(_JUDGED, _describe(code, facts, lost)):
        return known
    # A file that git renamed is followed, so its facts may hold.
    unknown = tuple(key for key in lost if key not in known)
    session = repository.session(Options(keys=unknown))
    results = session.judge_many(session.list_due()) if unknown else []
    failed = {result.due.row.key for result in results if result.outcome == FAILS} | (known.keys() & set(lost))
    found = find_withdrawn(repository.git, commit, {key: facts[key] for key in sorted(failed)})
    _mark(repository, code, facts, dict.fromkeys(known, "") | found)
    repository.local.note(_JUDGED, _describe(code, facts, lost))
    return found


def find_withdrawn(git: Git, commit: str, facts: Mapping[str, AdoptedFact]) -> dict[str, str]:
    """Return why failing facts do not count at a commit, by key: no document states them, or they hold elsewhere."""
    code = Code(git, commit)
    found = {
        key: f"{fact.document} {'no longer says so' if fact.document in code.files else 'is gone'} {_HERE}"
        for key, fact in facts.items()
        if not _is_stated(fact.memory, code)
    }
    asked = {fact.document for key, fact in facts.items() if key in found or not fact.is_name} & code.files.keys()
    if not asked:
        return found
    # Names are judged only where a document may say something else that is false.
    judged = adopt(git, commit, sorted(asked), kinds=KINDS if found else _KINDS)
    found = _without_restated(git, commit, facts, found, judged)
    held = _held_in(judged)
    left = [key for key, fact in facts.items() if key not in found and not fact.is_name]
    return found | {key: f"it holds by another place {_HERE}" for key in left if key in held}


def _without_restated(
    git: Git, commit: str, facts: Mapping[str, AdoptedFact], withdrawn: Mapping[str, str], judged: Adoption
) -> dict[str, str]:
    """Return the withdrawn facts without those about which their documents say something else that is false as well.

    As in ``check``: the branch changed the sentence, and it is still wrong.
    """
    wrong = {
        (finding.document.path, finding.source.where)
        for finding in judged.findings
        if finding.is_contradicted and finding.source and finding.source.where
    }
    answers = answer_all(git, CodeTree(git, commit), [facts[key].check for key in withdrawn]) if wrong else {}
    return {
        key: why
        for key, why in withdrawn.items()
        if not wrong or (facts[key].document, answers[facts[key].check].where) not in wrong
    }


@frozen
class AdoptedFact:
    """An adopted fact whose sentence may be gone.

    Attributes:
        memory: Its memory.
        spec: Hash of its specification.
        claim: Hash of its claim.
        check: Its check.
    """

    memory: AdoptedMemory
    spec: str
    claim: str
    check: Check

    @property
    def document(self) -> str:
        """Return the path of its document."""
        return self.memory.document

    @property
    def path(self) -> str:
        """Return the path of its file."""
        return self.memory.memory.path

    @property
    def is_name(self) -> bool:
        """Return whether it is about a name, which its check already looks for in all code."""
        return "symbol" in self.memory.fields.get("verify", ())


def list_facts(repository: OpenRepository) -> dict[str, AdoptedFact]:
    """Return the live adopted facts with a document and a built-in check, by key."""
    catalog = repository.catalog()
    rows = catalog.rows(
        "SELECT m.key, f.spec, f.claim, f.words FROM fact f JOIN memory m ON m.id = f.id WHERE m.kind = ? AND"
        f" f.form = ? AND {LIVE} ORDER BY m.key",
        (ADOPTED, BUILTIN),
    )
    memories = list_adopted(catalog) if rows else {}
    return {
        key: AdoptedFact(memories[key], spec, claim, Check(BUILTIN, tuple(json.loads(words))))
        for key, spec, claim, words in rows
        if key in memories and memories[key].document
    }


def _list_lost(repository: OpenRepository, code: CodeTree, facts: Mapping[str, AdoptedFact]) -> list[str]:
    """Return the keys of the facts whose checks fail as they are, sorted."""
    checks = {key: fact.check for key, fact in facts.items()}
    answers = answer_all(repository.git, code, checks.values()) if checks else {}
    return sorted(key for key, check in checks.items() if answers[check].outcome == FAILS)


def _list_known(repository: OpenRepository, code: CodeTree, facts: Mapping[str, AdoptedFact]) -> list[Withdrawal]:
    """Return the recorded withdrawals of facts that are about their documents as they are."""
    known = repository.local.withdrawals()
    return [
        withdrawal
        for key, fact in facts.items()
        for withdrawal in known.get(key, ())
        if (withdrawal.spec, withdrawal.claim, withdrawal.blob)
        == (fact.spec, fact.claim, blob_at(code, withdrawal.document))
    ]


def _mark(
    repository: OpenRepository, code: CodeTree, facts: Mapping[str, AdoptedFact], reasons: Mapping[str, str]
) -> None:
    """Record why facts do not count with their documents as they are; those with an empty reason count."""
    known = {withdrawal.key: withdrawal.reason for withdrawal in _list_known(repository, code, facts)}
    repository.local.add_withdrawals(
        Withdrawal(key, fact.spec, fact.claim, fact.document, blob_at(code, fact.document), reasons[key])
        for key, fact in facts.items()
        if key in reasons and known.get(key, "") != reasons[key]
    )


def _describe(code: CodeTree, facts: Mapping[str, AdoptedFact], keys: Iterable[str]) -> str:
    """Return a text that changes when the code or one of these facts does."""
    return " ".join([__version__, code.tree, *(f"{key}:{facts[key].spec}{facts[key].claim}" for key in keys)])


def held_elsewhere(git: Git, commit: str, documents: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """Return the titles and checks of the facts, but for those of names, that hold as documents say, by key.

    Each is also under the key that earlier versions gave it.
    """
    files = Code(git, commit).files
    wanted = [path for path in documents if path in files]
    return _held_in(adopt(git, commit, wanted, kinds=_KINDS)) if wanted else {}


def _held_in(judged: Adoption) -> dict[str, Mapping[str, Any]]:
    return {
        key: {name: proposal.fields[name] for name in ("title", "verify")}
        for proposal in proposals_of(judged, {})
        if proposal.outcome == HOLDS and "symbol" not in proposal.fields["verify"]
        for key in (proposal.key, proposal.former)
    }


def _is_stated(adopted: AdoptedMemory, code: Code) -> bool:
    """Return whether a document still states a fact: its own, or any other if that was renamed or removed.

    Its sentence may also have moved to another document about the same folder, word for word.
    """
    entry = code.files.get(adopted.document)
    if entry is not None and any(anchor.blob == entry[1] for anchor in anchors_in(adopted.fields)):
        return True  # the document is as it was
    source, key = document_of(adopted.document), adopted.memory.key
    paths = [adopted.document] if entry is not None else [other.path for other in _list_documents(code)]
    if any(find_statement(text, source, key, adopted.fields) for text in code.texts(paths).values()):
        return True
    sentence = adopted.fields.get(SENTENCE_FIELD)
    return entry is not None and any(
        sentence in _sentences_in(code, other)
        for other in _list_documents(code)
        if other.folder == source.folder and other.path != source.path
    )


@lru_cache(maxsize=2)  # a document that was rewritten has many facts
def _list_documents(code: Code) -> list[Document]:
    return find_documents(code.files)


@lru_cache(maxsize=200)
def _sentences_in(code: Code, document: Document) -> frozenset[str]:
    return sentences_of(code.text(document.path), document)
