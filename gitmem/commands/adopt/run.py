"""Adopt: read the documents of a commit, find their claims, and judge each claim."""

from __future__ import annotations

import itertools

from gitmem.commands.adopt.budget import ALMOST, JUDGING, READING, SLOW_S, UNLIMITED, Budget
from gitmem.commands.adopt.change import Change
from gitmem.commands.adopt.claims.claim import DEPENDENCY, PATH, SYMBOL, VALUE, VERSION, is_unwanted
from gitmem.commands.adopt.claims.symbols import dotted, is_plain_word, owner_of, qualified, tied_paths, whole_forms
from gitmem.commands.adopt.code import Code
from gitmem.commands.adopt.contradictions import find_contradictions, find_right_places
from gitmem.commands.adopt.corpus import Corpus, is_aside, search
from gitmem.commands.adopt.correct import add_corrections
from gitmem.commands.adopt.correct.draft import Draft
from gitmem.commands.adopt.dated_sections import is_closed, split_current
from gitmem.commands.adopt.documents import GUIDE, INSTALLERS, INSTRUCTIONS, Document, find_documents, find_installed
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER, Adoption, Mention
from gitmem.commands.adopt.ignored import has_comments, is_installed
from gitmem.commands.adopt.judge.definitions import spellings
from gitmem.commands.adopt.judge.figures import Numbers
from gitmem.commands.adopt.judge.ports import spellings_of_port
from gitmem.commands.adopt.kinds import KINDS, claims_of
from gitmem.commands.adopt.kinds.kind import Basis
from gitmem.commands.adopt.repository_history import Past
from gitmem.commands.adopt.statements import DRAWING, HEADING
from gitmem.commands.adopt.tree import is_sample
from gitmem.frozen import frozen, replace
from gitmem.text import count_of, display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.findings import Correction, JudgedClaim
    from gitmem.commands.adopt.ignored import IgnoredStatement
    from gitmem.commands.adopt.statements import Statement
    from gitmem.git import Git

    _Read = tuple[Document, Statement, list[Claim]]

# The most documents that a note names.
_DOCUMENTS_SHOWN = 5


def adopt(
    git: Git,
    commit: str,
    wanted: Iterable[str] = (),
    *,
    base: str = "",
    since: str = "",
    kinds: Container[str] = KINDS,
    budget: Budget = UNLIMITED,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Adoption:
    """Judge the claims in a commit's documents. Nothing is written, and no program of the repository is run.

    Args:
        git: The repository.
        commit: The commit, full hex.
        wanted: Files or folders; if empty, every document.
        base: The commit before a change, full hex: only statements that the change made false count as false.
        since: A commit, full hex: only statements with a line that was written after it are judged.
        kinds: The kinds of claims to judge.
        budget: The CPU time that it may take; what is left undone then is named in the result.
        progress: Called with the current step, the work done and the total.
    """
    head = Code(git, commit)
    documents, closed, texts, notes = _choose_documents(head, wanted)
    changed = frozenset(Past(head).list_changes(since, commit)) if since else None
    wanted_now = [document for document in documents if changed is None or document.path in changed]
    read, late = _read(wanted_now, texts, kinds, head, budget)
    past = Past(head, list(dict.fromkeys(document.path for document, _, _ in read)))
    judged = [row for row in read if not since or _is_newer(row[0], row[1], past, since)]
    # The names of its section tell what a statement is about.
    sections = {(document.path, statement.section) for document, statement, _ in judged}
    read = [row for row in read if (row[0].path, row[1].section) in sections]
    head.occurrences.expect(
        word for _, _, claims in read for claim in claims for word in KINDS[claim.kind].words(claim)
    )
    names = _names_in(read, head)
    corpus = _search_names(head, names, progress)
    missing = names.symbols - corpus.present.keys()
    # Where the program had a name that only tests have now is searched for as well.
    head.occurrences.expect(missing.union(name for name, path in corpus.present.items() if is_sample(path)))
    if corpus.is_whole:
        progress("reading the code of the past", len(read), len(read))
        past.expect(_missing_names(read, corpus), missing, budget)
    judge = _Judge(head, past, corpus, names, kinds)
    findings, unchecked, unjudged = _judge_claims(judged, judge, budget, progress)
    unjudged = [*late, *unjudged]
    left = {(document.path, statement.line) for document, statement in unjudged}
    read = [row for row in read if (row[0].path, row[1].line) not in left]
    # A part of the statements cannot tell what all documents say.
    contradictions = [] if base or since else find_contradictions(read, findings, head.files)
    if base:
        progress("judging what is false before the change", len(read), len(read))
        findings, earlier = _list_made_false(findings, Change(base, head, past), past, corpus, names)
        notes += [f"{earlier} more statements were false before the change; gitmem adopt shows them"] if earlier else []
    progress("finding culprits", len(read), len(read))
    findings = _add_culprits(_group(findings), past, budget)
    corrections: list[Correction] = []
    if not (is_late := budget.is_spent()):
        findings, corrections = add_corrections(findings, head, past, judge.judge_statement, base=base)
    findings = [
        replace(finding, right=find_right_places(finding, findings)) if finding.verdict == FALSE else finding
        for finding in findings
    ]
    notes += [*past.notes, *_note_lateness(unjudged, findings, budget, is_late=is_late)]
    if not corpus.is_whole:
        notes.append("the code is too large to be read in full; names and values were looked for in part of it")
    ignored = _list_ignored(documents, texts)
    ignored = [row for row in ignored if not since or _is_newer(row[0], row[1].statement, past, since)]
    return Adoption(
        commit,
        documents,
        findings,
        unchecked,
        notes,
        base,
        corrections,
        ignored,
        since,
        closed,
        contradictions,
        unjudged,
    )


def _choose_documents(
    head: Code, wanted: Iterable[str]
) -> tuple[list[Document], list[Document], dict[str, str], list[str]]:
    """Return the documents to read, those about work that is done, the texts of all, and notes on what is left out."""
    documents = find_documents(head.files, wanted)
    texts = head.texts([document.path for document in documents])
    named = {name.strip("/") for name in wanted}
    closed = [
        document
        for document in documents
        if document.path not in named and is_closed(document.path, texts.get(document.path, ""))
    ]
    lists = head.texts(head.tree.files_named(*INSTALLERS))
    foreign = [
        document for document in find_installed(documents, lists, head.tree.folders) if document.path not in named
    ]
    left_out = [*closed, *foreign]
    documents = [
        document
        for document in documents
        if document not in left_out and not is_installed(texts.get(document.path, ""))
    ]
    notes = []
    if large := [
        document.path for document in documents if document.path not in texts and head.is_regular(document.path)
    ]:
        notes.append(f"not read, because they are binary or too large: {display(', '.join(large))}")
    if closed:
        notes.append(f"left out, because the work that they describe is done: {_list_some(closed)}")
    if foreign:
        notes.append(
            f"left out, because they are installed from elsewhere ({display(', '.join(lists))}): {_list_some(foreign)}"
        )
    return documents, closed, texts, notes


def _list_some(documents: Iterable[Document]) -> str:
    """Return the paths of the first of some documents."""
    paths = list(dict.fromkeys(document.path for document in documents))
    return display(", ".join(paths[:_DOCUMENTS_SHOWN])) + (", …" if len(paths) > _DOCUMENTS_SHOWN else "")


def _note_lateness(
    unjudged: Sequence[tuple[Document, Statement]], findings: Iterable[JudgedClaim], budget: Budget, *, is_late: bool
) -> list[str]:
    """Return what was left undone because the time was used up."""
    if budget.limit_s is None:
        return []
    spent = f"because {budget.limit_s:g} s of CPU time are used up"
    notes = []
    if unjudged:
        count = count_of(len(unjudged), "statement")
        notes.append(f"not judged, {spent}: {count} of {_list_some(document for document, _ in unjudged)}")
    if is_late and any(finding.verdict == FALSE for finding in findings):
        notes.append(f"some causes and corrections are missing, {spent}")
    return notes


def open_draft(git: Git, commit: str, path: str, kinds: Container[str]) -> Draft:
    """Return a document of a commit to correct; what it claims of these kinds is judged, without reading all code."""
    head = Code(git, commit)
    (document,) = find_documents(head.files, [path]) or [Document(path, GUIDE, "")]
    judge = _Judge(head, Past(head), Corpus(), _names_in([], head), kinds)
    return Draft(document, head.text(path), judge.judge_statement)


def _read(
    documents: Sequence[Document], texts: Mapping[str, str], kinds: Container[str], head: Code, budget: Budget
) -> tuple[list[_Read], list[tuple[Document, Statement]]]:
    """Return the statements of some documents, each with its claims of these kinds that are about the code.

    Also return the statements that were not read in time.
    """
    read: dict[str, list[_Read]] = {}
    late: dict[str, list[tuple[Document, Statement]]] = {}
    for document in sorted(documents, key=_rank_of):
        for statement in split_current(document, texts.get(document.path, ""))[0]:
            if budget.is_spent(READING):
                late.setdefault(document.path, []).append((document, statement))
                continue
            claims = (claim for claim in claims_of(statement, document) if claim.kind in kinds)
            about = [claim for claim in claims if KINDS[claim.kind].applies(head, claim)]
            read.setdefault(document.path, []).append((document, statement, about))
    return (
        [row for document in documents for row in read.get(document.path, ())],
        [row for document in documents for row in late.get(document.path, ()) if row[1].kind != HEADING],
    )


def _list_ignored(documents: Iterable[Document], texts: Mapping[str, str]) -> list[tuple[Document, IgnoredStatement]]:
    """Return the statements that comments tell to ignore and that make a claim."""
    return [
        (document, ignored)
        for document in documents
        if has_comments(texts.get(document.path, ""))
        for ignored in split_current(document, texts[document.path])[1]
        if any(claims_of(ignored.statement, document))
    ]


def _is_newer(document: Document, statement: Statement, past: Past, since: str) -> bool:
    return past.is_newer(document.path, range(statement.line, statement.last + 1), since)


def _missing_names(read: Iterable[_Read], corpus: Corpus) -> Iterator[Mention]:
    """Yield the claims of names that the code does not have."""
    for document, statement, claims in read:
        for claim in claims:
            if claim.kind == SYMBOL and claim.is_certain and claim.name not in corpus.present:
                mention = Mention(document, statement, claim)
                if not mention.is_past:
                    yield mention


def _search_names(head: Code, names: _Names, progress: Callable[[str, int, int], None]) -> Corpus:
    """Search the code for all names."""
    values = names.values | names.members
    corpus = search(head, names.symbols, values, progress=lambda *done: progress("reading the code", *done))
    # One process reads what would take one for each value, and for each tie.
    head.texts(path for name in names.values for path in corpus.files_by_name.get(name, ()) if not is_aside(path))
    head.texts(names.ties.values())
    return corpus


@frozen
class _Names:
    """What the claims of all documents name.

    Attributes:
        symbols: Names whose occurrence matters.
        values: Names whose definitions matter, each with its possible spellings, and the numbers of ports.
        members: The last parts of qualified names, and plain words, likewise.
        sections: The names whose values are stated, by document and section.
        ties: For claims of names, by document, the file that the sentence says the name is in.
    """

    symbols: set[str]
    values: dict[str, tuple[str, ...]]
    members: dict[str, tuple[str, ...]]
    sections: Mapping[tuple[str, str], list[str]]
    ties: Mapping[tuple[str, Claim], str]


def _names_in(read: Sequence[_Read], head: Code) -> _Names:
    every = [claim for _, _, claims in read for claim in claims]
    named = [claim for claim in every if claim.kind == SYMBOL]
    owned = [(owner, claim.name) for claim in named if (owner := owner_of(claim.token))]
    parts = {part for owner, name in owned for part in (owner, *qualified(owner, name))}
    parts |= {form for claim in named for form in (*whole_forms(claim.token), dotted(claim))} - {""}
    return _Names(
        {claim.name for claim in named} | parts,
        {claim.name: spellings(claim.name) for claim in every if claim.kind == VALUE and not claim.tool}
        | {claim.stated: spellings_of_port(claim.stated) for claim in every if claim.tool == "port"},
        {
            name: (name,)
            for name in (*(name for _, name in owned), *(claim.name for claim in named if is_plain_word(claim)))
        },
        _values_by_section(read),
        _ties(read, head),
    )


def _list_made_false(
    findings: Sequence[JudgedClaim], change: Change, past: Past, corpus: Corpus, names: _Names
) -> tuple[list[JudgedClaim], int]:
    """Return the findings that hold or that a change made false, and how many were false before it."""
    before = change.corpus(corpus, names.symbols, names.values | names.members)
    older = _Judge(change.before, past, before, names)
    newly_false = change.list_made_false(findings, older.judge_one)
    claims = {judged.claim for judged in newly_false}
    earlier = sum(finding.verdict == FALSE and finding.claim not in claims for finding in findings)
    return [*(finding for finding in findings if finding.verdict == HOLDS), *newly_false], earlier


def _values_by_section(read: Sequence[_Read]) -> dict[tuple[str, str], list[str]]:
    """Return the names whose values are stated, by document and section."""
    values: dict[tuple[str, str], list[str]] = {}
    for document, statement, claims in read:
        stated = [claim.name for claim in claims if claim.kind == VALUE and not claim.tool]
        values.setdefault((document.path, statement.section), []).extend(stated)
    return values


def _ties(read: Sequence[_Read], head: Code) -> dict[tuple[str, Claim], str]:
    """Return for each claim of a name, by document, the file that its sentence says it is in."""
    ties = {}
    for document, statement, claims in read:
        for name, path in tied_paths(statement, claims):
            places = [place for place in path.places if head.is_regular(place)] or head.list_ending_with(path.name)
            if len(places) == 1 or (places and path.places[:1] == tuple(places[:1])):
                ties[document.path, name] = places[0]
    return ties


def _judge_claims(
    read: Sequence[_Read], judge: _Judge, budget: Budget, progress: Callable[[str, int, int], None]
) -> tuple[list[JudgedClaim], list[tuple[Document, Statement]], list[tuple[Document, Statement]]]:
    """Return what came of the claims, the statements without one that can be checked, and those not judged in time."""
    found: dict[int, list[JudgedClaim]] = {}
    until = 1.0 if budget.is_spent(ALMOST) else JUDGING
    excused_s = 0.0
    for number, at in enumerate(sorted(range(len(read)), key=lambda at: _rank_of(read[at][0]))):
        document, statement, claims = read[at]
        if not (claims and budget.is_spent(until, excused_s)):
            progress(f"judging {document.path}", number, len(read))
            began_s = budget.used_s()
            found[at] = judge.judge_all(Mention(document, statement, claim) for claim in claims)
            excused_s += max(0.0, budget.used_s() - began_s - SLOW_S)
    findings = [finding for at in range(len(read)) for finding in found.get(at, ())]
    unchecked = [
        (document, statement)
        for at, (document, statement, _) in enumerate(read)
        if found.get(at) == [] and statement.kind != HEADING and statement.language != DRAWING
    ]
    return findings, unchecked, [row[:2] for at, row in enumerate(read) if at not in found]


def _rank_of(document: Document) -> tuple[bool, int]:
    """Return the rank of a document: what agents follow comes first, then what is nearest to the root."""
    return document.kind != INSTRUCTIONS, document.path.count("/")


class _Judge:
    """Judges the claims of a statement."""

    def __init__(self, head: Code, past: Past, corpus: Corpus, names: _Names, kinds: Container[str] = KINDS) -> None:
        self._kinds = kinds
        self._basis = Basis(head, past, corpus, names.ties, Numbers(head, past, corpus, names.sections))

    def judge_all(self, mentions: Iterable[Mention]) -> list[JudgedClaim]:
        findings = [finding for mention in mentions if (finding := self.judge_one(mention)) is not None]
        # A package with a version is stated once, and its name is not also a name in the code.
        versions = {judged.claim.name.lower() for judged in findings if judged.claim.kind == VERSION}
        findings = [
            judged
            for judged in findings
            if judged.claim.kind != DEPENDENCY or judged.claim.name.lower() not in versions
        ]
        # Of two versions of a product, one that never was right beside the right one is what it can read, build or run.
        right = {
            judged.claim.name.lower() for judged in findings if judged.claim.kind == VERSION and judged.verdict == HOLDS
        }
        findings = [
            judged
            for judged in findings
            if judged.claim.relation not in ("is", "at-least")
            or judged.verdict == HOLDS
            or judged.held
            or not (judged.claim.kind == VERSION and judged.claim.name.lower() in right)
        ]
        findings = [judged for judged in findings if not _is_unwanted(judged)]
        details = {judged.claim.token for judged in findings if KINDS[judged.claim.kind].is_detail}
        return [judged for judged in findings if judged.claim.kind != SYMBOL or judged.claim.token not in details]

    def judge_one(self, mention: Mention) -> JudgedClaim | None:
        return KINDS[mention.claim.kind].judge(mention, self._basis)

    def judge_statement(self, document: Document, statement: Statement) -> list[tuple[Claim, JudgedClaim | None]]:
        """Judge the claims of a statement that may have been corrected: it may name other files than the read one."""
        claims = [claim for claim in claims_of(statement, document) if claim.kind in self._kinds]
        basis = replace(self._basis, ties=_ties([(document, statement, claims)], self._basis.head))
        judged = (KINDS[claim.kind].judge(Mention(document, statement, claim), basis) for claim in claims)
        return list(zip(claims, judged, strict=True))


def _is_unwanted(finding: JudgedClaim) -> bool:
    """Return whether a name or package holds in a sentence that says not to use it, which it would not prove."""
    is_name = finding.verdict == HOLDS and finding.claim.kind in (SYMBOL, DEPENDENCY)
    return is_name and is_unwanted(finding.statement.text, finding.claim.token)


def _group(findings: Sequence[JudgedClaim]) -> list[JudgedClaim]:
    """Return the findings, merging equal ones in one document, with the other lines that say the same.

    A name that is false on one line is false on the other ones, also on one that was edited after it was gone.
    """
    false = [finding for finding in findings if finding.verdict == FALSE]
    first = {_identity_of(finding): finding for finding in reversed(false)}
    names = {_subject_of(judged): first[_identity_of(judged)] for judged in reversed(false) if not judged.claim.stated}
    more: dict[int, set[int]] = {}
    groups = []
    for finding in findings:
        same = first[_identity_of(finding)] if finding.verdict == FALSE else names.get(_subject_of(finding))
        if same is None or same is finding or finding.verdict == HOLDS:
            groups.append(finding)
        elif finding.claim.line != same.claim.line:
            more.setdefault(id(same), set()).add(finding.claim.line)
    return [replace(group, more=tuple(sorted(more[id(group)]))) if id(group) in more else group for group in groups]


def _identity_of(finding: JudgedClaim) -> tuple[str, ...]:
    """Return the identity of an alarm: the document, the claim, and the file that contradicts it."""
    claim, where = finding.claim, finding.source.path if finding.source else ""
    return (finding.document.path, claim.kind, finding.then or f"{claim.name} {claim.stated}", where)


def _subject_of(finding: JudgedClaim) -> tuple[str, str, str]:
    return finding.document.path, finding.claim.kind, finding.claim.name


def _add_culprits(findings: list[JudgedClaim], past: Past, budget: Budget) -> list[JudgedClaim]:
    """Return the findings with the commits that made them false, of those that are found in time."""
    if budget.is_spent():
        return findings
    paths = [finding.then for finding in findings if finding.verdict == FALSE and finding.then]
    never = {
        at: finding.claim.places
        for at, finding in enumerate(findings)
        if finding.verdict == NEVER and finding.claim.kind == PATH
    }
    gone = past.find_removals(paths, itertools.chain.from_iterable(never.values()))
    broke = {
        at: commit
        for at, finding in enumerate(findings)
        if finding.verdict == FALSE or (finding.verdict == NEVER and finding.probe)
        if not budget.is_spent() and (commit := _find_culprit(finding, past, gone))
    }
    broke |= {at: gone[place] for at, places in never.items() for place in reversed(places) if place in gone}
    summaries = past.culprits(broke.values())
    return [
        replace(finding, culprit=summaries.get(broke[at])) if at in broke else finding
        for at, finding in enumerate(findings)
    ]


def _find_culprit(finding: JudgedClaim, past: Past, gone: Mapping[str, str]) -> str:
    if finding.probe is None:
        return gone.get(finding.then, "")
    return KINDS[finding.claim.kind].culprit(finding, past)
