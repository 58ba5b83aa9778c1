"""Write adopted statements as facts and memories, in one commit, and follow edits of the documents."""

from __future__ import annotations

import json

from gitmem.commands.adopt.code import Code
from gitmem.commands.adopt.dated_sections import split_current
from gitmem.commands.adopt.documents import DECISION
from gitmem.commands.adopt.findings import FALSE, HOLDS
from gitmem.commands.adopt.ignored import is_ignored
from gitmem.commands.adopt.judge.occurrence import is_local
from gitmem.commands.adopt.memories import (
    BY,
    GONE,
    IGNORED,
    SENTENCE_FIELD,
    TAG,
    context_of,
    hash_of,
    proposals_of,
    supporting,
    title_of,
    title_of_check,
    withheld_of,
)
from gitmem.document.anchors import FIELD
from gitmem.document.builtin_checks import words_of
from gitmem.document.check_values import IN, OR_IN
from gitmem.document.parse import parse
from gitmem.document.times import format_time
from gitmem.errors import RefusedError
from gitmem.frozen import frozen, replace
from gitmem.index.catalog import short_ids
from gitmem.model import ADOPTED, BUILTIN, FAILS, Check
from gitmem.policy.kinds import describe_kinds
from gitmem.text import count_of, display
from gitmem.text.globs import path_of
from gitmem.verify.builtin_answers import answer_all
from gitmem.verify.inputs import CodeTree
from gitmem.verify.moves import find_homes, place_check, scope_of
from gitmem.verify.options import Options
from gitmem.verify.references import anchor_fields
from gitmem.write import archive
from gitmem.write.bulk import ImportPlan, Reasons, changes_of
from gitmem.write.draft import with_fields
from gitmem.write.incoming import ForeignMemory, Incoming, incoming_exact, incoming_new
from gitmem.write.place import KnownMemory, PlannedFiles, find_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.commands.adopt.findings import Adoption
    from gitmem.commands.adopt.memories import Proposal
    from gitmem.commands.adopt.statements import Statement
    from gitmem.index.catalog import Catalog
    from gitmem.repository import OpenRepository
    from gitmem.store.commit import CommitPlan
    from gitmem.write.writer import Writer

# The most documents named in the commit.
_DOCUMENTS_SHOWN = 10


@frozen
class ApplyResult:
    """The result of applying an adoption, done or planned.

    Attributes:
        added: Keys and titles of new and restored memories, by kind.
        updated: Keys of memories whose lines, check or text changed.
        retired: Keys of memories whose sentence is gone, or that a comment says to ignore.
        ignored: The number of those that a comment says to ignore.
        unchanged: The number of memories that the store has already.
        unproved: The statements without a check, or whose check disagrees with the judgement or would prove nothing.
        withheld: What holds in sentences that are false in part.
        repeated: The statements that another one's fact proves as well.
        skipped: The statements left out, with reasons.
        commit: The commit; empty if nothing was written.
        short_ids: The short ids of the new and restored memories, by key; empty if nothing was written.
    """

    added: Mapping[str, Sequence[tuple[str, str]]]
    updated: Sequence[str]
    retired: Sequence[str]
    ignored: int
    unchanged: int
    unproved: int
    withheld: int
    repeated: int
    skipped: Reasons
    commit: str
    short_ids: Mapping[str, str]


def apply(
    repository: OpenRepository, adoption: Adoption, *, dry_run: bool = False, is_complete: bool = True
) -> ApplyResult:
    """Write an adoption to the store in one commit, with built-in checks only, so that none needs approval.

    Args:
        repository: The repository.
        adoption: The judged statements.
        dry_run: Only plan it.
        is_complete: Whether all documents were read: then the facts of documents that are gone are retired.

    Raises:
        NoRepositoryError: The repository has no store.
    """
    tip = repository.need_store()
    plan = _Plan(repository, adoption, is_complete=is_complete)
    commit = ""
    if dry_run:
        plan.make(repository.writer(), tip)
    else:
        writer = repository.writer()
        written = writer.write(lambda at: plan.make(writer, at), "adopt")
        commit = written.commit if written else ""
        if culprits := plan.culprits():
            _store_culprits(repository, culprits)
    report = plan.report(commit)
    keys = [key for of in report.added.values() for key, _ in of]
    return replace(report, short_ids=short_ids(repository.catalog(), keys)) if commit else report


def _store_culprits(repository: OpenRepository, culprits: Mapping[str, str]) -> None:
    """Judge false facts, and store the verdicts with culprits in this clone, for the next verify."""
    session = repository.session(Options(keys=tuple(culprits)))
    results = session.judge_many(session.list_due())
    verdicts = (result.verdict for result in results if result.verdict is not None and result.verdict.outcome == FAILS)
    repository.local.add_verdicts([replace(verdict, culprit=culprits[verdict.key]) for verdict in verdicts])


@frozen
class AdoptedMemory:
    """A memory that was adopted, with its frontmatter."""

    memory: KnownMemory
    fields: Mapping[str, Any]

    @property
    def refs(self) -> list[str]:
        """Return its references."""
        refs = self.fields.get("refs") or []
        return [refs] if isinstance(refs, str) else [str(ref) for ref in refs]

    @property
    def document(self) -> str:
        """Return the path of its document."""
        return self.refs[0].rpartition(":")[0] if self.refs else ""

    @property
    def is_retired_here(self) -> bool:
        """Return whether it was retired because its sentence is gone."""
        retired = self.fields.get("retired")
        return isinstance(retired, dict) and retired.get("by") == BY


class _Plan:
    """Plans the commit on a tip of the store; can be repeated for another tip."""

    def __init__(self, repository: OpenRepository, adoption: Adoption, *, is_complete: bool) -> None:
        self._memory, self._adoption, self._is_complete = repository, adoption, is_complete
        self._policy, self._now = repository.policy(), repository.now
        head = self._head = Code(repository.git, adoption.commit)
        texts = head.texts(document.path for document in adoption.documents)
        self._files = head.files
        # The sentences, by document and hash, and the hashes of those that comments say to ignore.
        self._sentences: dict[str, dict[str, Statement]] = {}
        self._ignored: dict[str, set[str]] = {}
        for document in adoption.documents:
            if (text := texts.get(document.path)) is not None:
                current, ignored = split_current(document, text)
                self._sentences[document.path] = {hash_of(statement.text): statement for statement in current}
                self._ignored[document.path] = {hash_of(ignored_statement.text) for ignored_statement in ignored}
        self._sentences |= {document.path: {} for document in adoption.closed}
        self._tree = CodeTree(repository.git, adoption.commit)
        decisions = [document.path for document in adoption.documents if document.kind == DECISION]
        self._ignored_documents = {path for path, text in texts.items() if is_ignored(text)}
        read = [path for path in decisions if path in texts and path not in self._ignored_documents]
        proposed = proposals_of(adoption, {path: texts[path] for path in read})
        self._repeated = len(supporting(adoption.findings)) - sum(bool(proposal.outcome) for proposal in proposed)
        stated = len(proposed)
        proposed = self._check_definitions(proposed)
        answers = self._answers([proposal.fields["verify"] for proposal in proposed if proposal.outcome])
        self._agreeing = [
            proposal
            for proposal in proposed
            if not proposal.outcome or answers[words_of(proposal.fields["verify"])] == proposal.outcome
        ]
        self._proposed: dict[str, Proposal] = {}
        without_check = sum(judged.check is None for judged in (*adoption.of(FALSE), *adoption.of(HOLDS)))
        self._unproved = without_check + stated - len(self._agreeing)
        self._incoming: dict[str, Incoming | str] = {}
        self._settled, self._retired = ImportPlan(), dict[str, AdoptedMemory]()

    def _answers(self, checks: Sequence[Mapping[str, Any]], *, is_followed: bool = False) -> dict[tuple[str, ...], str]:
        """Return the answers of built-in checks at the commit, by their words.

        Args:
            checks: The checks.
            is_followed: Whether a name counts where it moved to, as in ``verify``; otherwise only where the check says.
        """
        questions = [Check(BUILTIN, words_of(check)) for check in checks]
        answers = answer_all(self._memory.git, self._tree, questions)
        if is_followed:
            lost = [check for check, answer in answers.items() if scope_of(check) and answer.outcome != HOLDS]
            moves, found = find_homes(self._memory.git, self._tree, lost)
            answers |= {check: found[place_check(self._tree, check, moves[check])] for check in lost}
        return {check.words: answer.outcome for check, answer in answers.items()}

    def _check_definitions(self, proposed: Sequence[Proposal]) -> list[Proposal]:
        """Return the proposals, each checking for a definition of its name if its file defines the name.

        A plain word that no file defines is left out: its occurrence in the code proves nothing. Nor does a local
        variable define a name: a document is about something that other code can use.
        """
        named = {proposal.key: proposal.symbol_check for proposal in proposed if proposal.symbol_check}
        answers = self._answers(list(named.values()))
        agreed = (
            proposal
            for proposal in proposed
            if proposal.key in named and answers[words_of(named[proposal.key])] == proposal.outcome
        )
        defined = {proposal.key for proposal in agreed if proposal.outcome != HOLDS or not self._is_local(proposal)}
        return [
            proposal.with_check(named[proposal.key]) if proposal.key in defined else proposal
            for proposal in proposed
            if proposal.key in defined or proposal.key not in named or not proposal.is_plain_word
        ]

    def _is_local(self, proposal: Proposal) -> bool:
        """Return whether the file of a proposal's check defines its name as a local variable only."""
        return is_local(self._head.text(path_of(proposal.fields["verify"][IN])), proposal.symbol)

    def make(self, writer: Writer, tip: str | None) -> CommitPlan | None:
        """Return the commit; None if there is nothing to write."""
        catalog = self._memory.catalog_at(tip)
        known = list_adopted(catalog)
        self._proposed = _under_known_keys(self._agreeing, known)
        self._settled = ImportPlan()
        changed: dict[str, dict[str, Any]] = {}
        differing = [
            adopted.fields["verify"]
            for key, proposal in self._proposed.items()
            if (adopted := known.get(key)) and proposal.outcome and isinstance(adopted.fields.get("verify"), dict)
        ]
        answers = self._answers(differing, is_followed=True)
        for key, proposal in self._proposed.items():
            adopted = known.get(key)
            if adopted is None or adopted.memory.archived:
                self._add(catalog, proposal, adopted)
            elif changes := _changes(adopted, proposal, answers):
                changed[key] = {**changes, **(self._place_fields(proposal.refs) if "refs" in changes else {})}
            else:
                self._settled.unchanged += 1
        self._retired = {}
        for key, adopted in known.items():
            if adopted.memory.archived or key in self._proposed:
                continue
            sentence = str(adopted.fields.get(SENTENCE_FIELD))
            statement = self._sentences.get(adopted.document, {}).get(sentence)
            if statement is not None:
                lines = range(statement.line, statement.last + 1)
                moved = not any(ref == f"{adopted.document}:{line}" for ref in adopted.refs for line in lines)
                changes = self._place_fields([f"{adopted.document}:{lines[0]}"]) if moved else {}
                body = context_of(adopted.document, statement.section, statement.text)
                if changes := {
                    **changes,
                    **_retitle(adopted, title_of(statement.text), adopted.fields.get("verify"), body),
                }:
                    changed[key] = changes
            elif adopted.document in self._sentences or (self._is_complete and adopted.document not in self._files):
                self._retired[key] = adopted
        self._change(writer, catalog, known, changed)
        if not (self._settled.new or self._settled.updated or self._retired):
            return None
        return self._commit(writer, catalog)

    def _is_ignored(self, adopted: AdoptedMemory) -> bool:
        """Return whether a comment says to ignore the sentence of a memory, or its whole document."""
        is_whole = adopted.document in self._ignored_documents
        return is_whole or str(adopted.fields.get(SENTENCE_FIELD)) in self._ignored.get(adopted.document, ())

    def _place_fields(self, refs: list[str]) -> dict[str, Any]:
        """Return the fields for a statement's place: its lines, and their text."""
        return {"refs": refs, FIELD: anchor_fields(self._memory.git, self._tree, refs, is_strict=False)}

    def _add(self, catalog: Catalog, proposal: Proposal, known: AdoptedMemory | None) -> None:
        where = proposal.refs[0]
        if known is not None and not known.is_retired_here:
            self._settled.skipped.add(where, f"{proposal.key} was forgotten (gitmem restore {proposal.key})")
        elif known is None and find_known(catalog, proposal.key) is not None:
            self._settled.skipped.add(where, f"{proposal.key} is another memory's key")
        else:
            planned = self._memory_of(proposal)
            if isinstance(planned, str):
                self._settled.skipped.add(where, planned)
            else:
                (self._settled.new if known is None else self._settled.updated)[proposal.key] = planned

    def _memory_of(self, proposal: Proposal) -> Incoming | str:
        """Return the memory for a proposal, or the reason why there is none."""
        if proposal.key not in self._incoming:
            fields = {**proposal.fields, **self._place_fields(proposal.refs)}
            try:
                foreign = ForeignMemory(proposal.key, fields, proposal.body, proposal.refs[0])
                planned = incoming_new(foreign, self._memory.author(), self._policy, now=self._now)
                self._incoming[proposal.key] = planned
            except RefusedError as err:
                self._incoming[proposal.key] = err.message
        return self._incoming[proposal.key]

    def _change(
        self,
        writer: Writer,
        catalog: Catalog,
        known: Mapping[str, AdoptedMemory],
        changed: Mapping[str, Mapping[str, Any]],
    ) -> None:
        texts = writer.texts_of(catalog, [known[key].memory for key in changed]) if changed else {}
        for key, fields in changed.items():
            path = known[key].memory.path
            new = {name: value for name, value in fields.items() if name != "body"}
            new["updated"] = format_time(self._now)
            text = with_fields(texts[path], new, f"{key}.md", body=fields.get("body"))
            document = parse(text, path=f"{key}.md")
            try:
                self._settled.updated[key] = incoming_exact(
                    document, known[key].document, folder="", archived=False, policy=self._policy
                )
            except RefusedError as err:
                self._settled.skipped.add(known[key].document, err.message)

    def _commit(self, writer: Writer, catalog: Catalog) -> CommitPlan:
        changes = changes_of(catalog, self._settled, self._policy)
        retired = {"when": format_time(self._now), "by": BY, "why": GONE}
        gone = [adopted.memory for adopted in self._retired.values()]
        ignored = {adopted.memory.path: IGNORED for adopted in self._retired.values() if self._is_ignored(adopted)}
        old = archive.retire(writer.texts_of, catalog, gone, retired, ignored) if gone else None
        if old is not None:
            files, deletes = {**changes.files, **old.files}, [*changes.deletes, *old.paths]
            changes = PlannedFiles(files, deletes, (*changes.moves, *old.moves))
        count = len(self._settled.new) + len(self._settled.updated) + len(self._retired)
        named = [f"adopt {display(document.path)}" for document in self._adoption.documents[:_DOCUMENTS_SHOWN]]
        subject = f"memory: adopt {count_of(count, 'statement')}"
        return writer.plan(subject, [], changes, sources=named)

    def culprits(self) -> dict[str, str]:
        """Return the commits that made the added facts false, by key."""
        added = self._settled.new.keys() | self._settled.updated.keys()
        return {
            key: proposal.culprit
            for key, proposal in self._proposed.items()
            if proposal.culprit and proposal.outcome == FAILS and key in added
        }

    def report(self, commit: str) -> ApplyResult:
        """Return the result of the last plan."""
        restored = {key for key in self._settled.updated if key in self._incoming}
        new = {**self._settled.new, **{key: self._settled.updated[key] for key in sorted(restored)}}
        added: dict[str, list[tuple[str, str]]] = {}
        for key, incoming in new.items():
            added.setdefault(incoming.kind, []).append((key, incoming.title))
        return ApplyResult(
            added,
            [key for key in self._settled.updated if key not in restored],
            list(self._retired),
            sum(map(self._is_ignored, self._retired.values())),
            self._settled.unchanged,
            self._unproved,
            len(withheld_of(self._adoption.findings)),
            self._repeated,
            self._settled.skipped,
            commit,
            {},
        )


def list_adopted(catalog: Catalog) -> dict[str, AdoptedMemory]:
    """Return the adopted memories by key, including retired ones."""
    rows = catalog.rows(
        "SELECT m.id, m.key, m.path, m.kind, m.title, m.archived, t.fields FROM tag g JOIN memory m ON m.id = g.id"
        " JOIN text t ON t.id = m.id WHERE g.tag = ? AND m.shadowed = 0 ORDER BY m.key",
        (TAG,),
    )
    table = {row[1]: AdoptedMemory(KnownMemory(*row[:6]), json.loads(row[6])) for row in rows}
    return {key: adopted for key, adopted in table.items() if SENTENCE_FIELD in adopted.fields}


def _under_known_keys(proposed: Sequence[Proposal], known: Mapping[str, AdoptedMemory]) -> dict[str, Proposal]:
    """Return the proposals by key: the former one if the store has the memory under that."""
    former = {
        proposal.key: proposal.former for proposal in proposed if proposal.former in known and proposal.key not in known
    }
    return {proposal.key: proposal for proposal in (each.under(former) for each in proposed)}


def _changes(known: AdoptedMemory, proposal: Proposal, answers: Mapping[tuple[str, ...], str]) -> dict[str, Any]:
    """Return the fields that differ from the proposal; ``body`` if the text differs."""
    changes: dict[str, Any] = {} if known.refs == proposal.refs else {"refs": proposal.refs}
    have = known.fields.get("verify")
    # A check with the right answer stays, whichever file it reads; so does a person's own.
    if proposal.outcome and isinstance(have, dict):
        wanted = proposal.fields["verify"]
        if answers[words_of(have)] != proposal.outcome:
            changes["verify"] = wanted
        elif OR_IN in wanted and have == {name: wanted[name] for name in wanted if name != OR_IN}:
            changes["verify"] = wanted  # written before checks could follow a name
    if known.fields.get(SENTENCE_FIELD) != proposal.fields[SENTENCE_FIELD]:
        names = ("title", "status", "superseded_by", "supersedes", SENTENCE_FIELD)
        return (
            changes
            | {name: proposal.fields[name] for name in names if name in proposal.fields}
            | {"body": proposal.body}
        )
    return changes | _retitle(known, proposal.sentence, changes.get("verify", have), proposal.body)


def _retitle(known: AdoptedMemory, sentence: str, check: object, body: str) -> dict[str, Any]:
    """Return the title and body of a claim whose title is not what its check proves; a person's own title stays.

    Args:
        known: The claim.
        sentence: Its sentence as a title, which was the title of claims in earlier versions.
        check: Its check.
        body: Its body.
    """
    have, title = known.fields.get("verify"), known.memory.title
    if known.memory.kind != ADOPTED or not isinstance(check, dict) or not isinstance(have, dict):
        return {}
    wanted = title_of_check(check)
    return {"title": wanted, "body": body} if title != wanted and title in (sentence, title_of_check(have)) else {}


def counts(applied: ApplyResult, *, is_dry: bool) -> str:
    """Return the counts on one line: ``41 claims, 6 conventions added; 2 retired; commit abc``."""
    listed = describe_kinds({kind: len(of) for kind, of in sorted(applied.added.items()) if of})
    parts = [f"{listed} {'would be ' if is_dry else ''}added"] if listed else []
    for what, word in ((applied.updated, "updated"), (applied.retired, "retired")):
        parts += [f"{len(what)} {'would be ' if is_dry else ''}{word}"] if what else []
    if applied.ignored:
        parts[-1] += f" ({applied.ignored} ignored by a comment)"
    parts = parts or ["nothing would be written" if is_dry else "nothing to write"]
    parts += [f"{applied.unchanged} there already"] if applied.unchanged else []
    if applied.repeated:
        parts += [f"{applied.repeated} more {'is' if applied.repeated == 1 else 'are'} proved by these"]
    parts += [f"{applied.unproved} without a check"] if applied.unproved else []
    parts += [f"{applied.withheld} in sentences that are false in part"] if applied.withheld else []
    return "; ".join([*parts, *([f"commit {applied.commit[:10]}"] if applied.commit else [])])
