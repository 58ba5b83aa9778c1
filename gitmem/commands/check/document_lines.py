"""Where documents state facts that a change makes false: the line at the head, the contradiction, the right line."""

from __future__ import annotations

import json
import re
from posixpath import basename

from gitmem.document.anchors import parse_reference
from gitmem.document.builtin_checks import SURE_PART, find_row, parse_arguments, row_of, words_of
from gitmem.frozen import replace
from gitmem.model import ADOPTED, BUILTIN, Check
from gitmem.text.code.languages import is_prose
from gitmem.text.corrections import as_exact, is_same_type, only_difference, replace_word, word_places
from gitmem.text.globs import path_of
from gitmem.verify import builtin_answers
from gitmem.verify.due import read_fact
from gitmem.verify.moves import parse_moves, scope_of
from gitmem.verify.overview.finding import Spot, StatedLine
from gitmem.verify.overview.path_move import parse_path_move
from gitmem.verify.references import CHANGED, FILE_LIMIT, anchors_in, reference_states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from gitmem.commands.adopt.correct.draft import Draft
    from gitmem.commands.adopt.findings import Adoption, JudgedClaim
    from gitmem.commands.check.change import Trees
    from gitmem.commands.check.judge import AnswerPair
    from gitmem.document.anchors import LineReference
    from gitmem.document.answers import BuiltinAnswer
    from gitmem.index.catalog import Catalog
    from gitmem.model import Document
    from gitmem.policy import Policy
    from gitmem.verify.inputs import CodeTree

# Files that tell people and agents about the code.
_DOCUMENT = re.compile(r"\.(mdx?|mdc|rst|txt|adoc)$|^(README|CONTRIBUTING|\.\w+rules|\.goosehints)$", re.I)
# The fields of a built-in check that may repeat a number from a document's line.
_EXPECTED = ("is", "at-least", "within", "at")
# The field of an adopted fact with the hash of its sentence (``adopt.memories``).
SENTENCE = "sentence"
_HUNK = re.compile(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.M)


class DocumentLines:
    """Finds the lines of documents that state a fact."""

    def __init__(self, catalog: Catalog, policy: Policy, trees: Trees) -> None:
        self._catalog, self._policy, self._trees = catalog, policy, trees
        self._texts: dict[tuple[str, str], list[str]] = {}
        self._hunks: dict[str, list[range]] = {}
        self._adopted: dict[str, dict[int, str | range]] = {}
        self._false: dict[str, list[JudgedClaim]] = {}
        self._drafts: dict[str, Draft] = {}
        self._held: dict[str, Collection[str]] = {}

    def is_only_moved(self, pair: AnswerPair) -> bool:
        """Return whether an adopted fact is false only by a move: then its document counts, which may follow it."""
        if parse_path_move(pair.head.because) is None:
            return False
        fact = pair.touched.fact
        return read_fact(self._catalog, fact.row, fact.path, self._policy)[1].kind == ADOPTED

    def holds_elsewhere(self, pair: AnswerPair) -> bool:
        """Return whether an adopted fact holds at the head by another place than its check's, as ``adopt`` judges."""
        fact = pair.touched.fact
        document = read_fact(self._catalog, fact.row, fact.path, self._policy)[1]
        check, ref = document.fields.get("verify"), next(iter(document.strings("refs")), "")
        row = find_row(check) if document.kind == ADOPTED and isinstance(check, dict) else None
        if row is None or row.part == SURE_PART:  # a definition is nowhere else
            return False
        source = ref.rpartition(":")[0]
        if source not in self._held:  # one judgement for all facts of a document
            from gitmem.commands.adopt.withdrawn import held_elsewhere  # 60 ms (measured)

            self._held[source] = held_elsewhere(self._trees.git, self._trees.behind, [source]).keys()
        return document.key in self._held[source]

    def find_outdated(self, pair: AnswerPair) -> tuple[StatedLine, ...]:
        """Return the lines that name the old path of a renamed file, each with the new one.

        Only for adopted facts: they repeat a document, which is now false although their check follows the rename.
        """
        base, fact = pair.base, pair.touched.fact
        if not pair.head.moved or base is None or base.moved == pair.head.moved:
            return ()
        document = read_fact(self._catalog, fact.row, fact.path, self._policy)[1]
        if document.kind != ADOPTED:
            return ()
        return tuple(replace(line, where="") for line in self.find(pair, ()) if line.corrected)

    def find_withdrawal(self, pair: AnswerPair) -> str:
        """Return why nothing at the head states an adopted fact, as a clause; empty if a document still does.

        A document that states another value of it, which is wrong as well, still does: as in ``adopt --base``.
        """
        fact = pair.touched.fact
        document = read_fact(self._catalog, fact.row, fact.path, self._policy)[1]
        refs = [ref.path for ref in map(parse_reference, document.strings("refs")) if ref]
        if document.kind != ADOPTED or not document.fields.get(SENTENCE) or not refs:
            return ""
        changed = [change.path for change in self._trees.changes if _DOCUMENT.search(basename(change.path))]
        # Where its document is still there, another one states it in the same sentence, or makes a claim of its own.
        is_gone = not self._read_lines(self._trees.behind, refs[0])
        others = [path for path in changed if path not in refs]
        if any(self._find_statement(document, refs[0], path) for path in refs) or any(
            self._find_statement(document, refs[0], path, is_same=not is_gone) for path in others
        ):
            return ""
        is_wrong = any(self._is_about(pair, judged) for judged in self._list_false(refs[0]))
        return "" if is_wrong else f"{refs[0]} no longer says so"

    def _find_statement(self, document: Document, source: str, path: str, *, is_same: bool = False) -> int:
        """Return the line of a file at the head that states a fact adopted from a document; 0 if none does.

        With *is_same*, only the same sentence counts.
        """
        from gitmem.commands.adopt.documents import document_of
        from gitmem.commands.adopt.memories import find_statement  # all patterns of claims: only for adopted facts

        is_adopted = bool(document.fields.get(SENTENCE))
        text = "\n".join(self._read_lines(self._trees.behind, path))
        key = "" if is_same else document.key
        return find_statement(text, document_of(source), key, document.fields) if text and is_adopted else 0

    def _list_false(self, path: str) -> list[JudgedClaim]:
        """Return what the change makes false of a document."""
        from gitmem.commands.adopt.findings import FALSE

        if path not in self._false:
            is_there = bool(self._read_lines(self._trees.behind, path))
            self._false[path] = _adopt(self._trees, path).of(FALSE) if is_there else []
        return self._false[path]

    def _is_about(self, pair: AnswerPair, finding: JudgedClaim) -> bool:
        """Return whether a false statement is contradicted by the same place as a fact, or has the same check."""
        words = json.loads(pair.touched.fact.row.words)
        if finding.check and words_of(finding.check)[:2] == tuple(words[:2]):
            return True
        answer = self.answer(pair, self._trees.head)
        return finding.source is not None and answer is not None and finding.source.where == answer.where != ""

    def find(self, pair: AnswerPair, spots: Sequence[Spot]) -> tuple[StatedLine, ...]:
        """Return the lines of documents that a fact refers to and that are unchanged at the head, in order.

        *spots* are the places that the change touches in its inputs.
        """
        fact = pair.touched.fact
        document = read_fact(self._catalog, fact.row, fact.path, self._policy)[1]
        refs = list(self._places(document))
        if not refs:
            return ()
        check = Check(BUILTIN, tuple(json.loads(fact.row.words))) if fact.row.form == BUILTIN else None
        answer = self.answer(pair, self._trees.head)
        stated_lines = []
        for ref in refs:
            lines = self._read_lines(self._trees.behind, ref.path)[ref.first - 1 : ref.last]
            if not lines:
                continue
            places = [(ref.path, number) for number in range(ref.first, ref.first + len(lines))]
            right = [self._correct(line, place, pair, check, answer) for line, place in zip(lines, places, strict=True)]
            at = next((at for at, (was, now) in enumerate(zip(lines, right, strict=True)) if was != now), 0)
            offered: str | range = right[at] if right[at] != lines[at] else ""
            if not offered and document.kind == ADOPTED:
                offered = self._find_offer(ref)
            corrected, cut = (offered, range(0)) if isinstance(offered, str) else ("", offered)
            spot = Spot(ref.path, ref.first + at)
            where = answer.where if answer is not None else ""
            where = where or next((f"{spot.path}:{spot.line}" for spot in spots if spot.line), "")
            stated_lines.append(StatedLine(spot, lines[at], where, corrected, self._is_in_diff(spot), cut))
        return tuple(stated_lines)

    def answer(self, pair: AnswerPair, tree: CodeTree) -> BuiltinAnswer | None:
        """Return the answer of a built-in check on the code before or after, with its place; None for a command."""
        row, known = pair.touched.fact.row, pair.head if tree is self._trees.head else pair.base
        if row.form != BUILTIN or (known is not None and known.found is not None):
            return known.found if known is not None else None
        check = Check(BUILTIN, tuple(json.loads(row.words)))  # a known verdict has no place
        return builtin_answers.answer_all(self._trees.git, tree, [check])[check]

    def _find_offer(self, ref: LineReference) -> str | range:
        """Return adopt's suggestion for a line: the corrected line, or the lines to delete; empty if nothing."""
        if ref.path not in self._adopted:
            lines = self._read_lines(self._trees.behind, ref.path)
            self._adopted[ref.path] = _read_corrections(self._trees, ref.path, lines)
        return self._adopted[ref.path].get(ref.first, "")

    def _places(self, document: Document) -> Iterator[LineReference]:
        """Yield the current places of the lines, unless their text changed."""
        refs = [
            ref
            for ref in map(parse_reference, document.strings("refs"))
            if ref and _DOCUMENT.search(basename(ref.path))
        ]
        if not refs:
            return
        anchors = anchors_in(document.fields)
        states = reference_states(self._trees.git, self._trees.head, anchors, has_diff=False)
        known = {state.ref: state for state in states}
        for ref in refs:
            state = known.get(str(ref))
            if state is None:
                yield from self._find_again(ref)
            elif state.state != CHANGED:
                place = parse_reference(state.place) if state.place else ref
                assert place is not None
                yield place
            elif line := self._find_statement(document, ref.path, ref.path):  # reworded
                yield replace(ref, first=line, last=line)

    def _find_again(self, ref: LineReference) -> Iterator[LineReference]:
        """Yield the place of a line without an anchor at the head, if it occurs there once."""
        before = self._read_lines(self._trees.before, ref.path)[ref.first - 1 : ref.first]
        now = self._read_lines(self._trees.behind, ref.path)
        if before and before[0].strip() and now.count(before[0]) == 1:
            first = now.index(before[0]) + 1
            yield replace(ref, first=first, last=first + ref.last - ref.first)

    def _read_lines(self, commit: str, path: str) -> list[str]:
        if (commit, path) not in self._texts:  # many facts are from one document
            spec = f"{commit}:{path}"
            content = next(self._trees.git.read_blobs([spec], limit=FILE_LIMIT))[1]
            lines = content.split(b"\n") if content is not None else []
            self._texts[commit, path] = [line.decode("utf-8", "replace").rstrip("\r") for line in lines]
        return self._texts[commit, path]

    def _is_in_diff(self, spot: Spot) -> bool:
        """Return whether the change's diff shows a line: a forge accepts suggestions only there."""
        if all(change.path != spot.path for change in self._trees.changes):
            return False
        if spot.path not in self._hunks:
            argv = ("diff", "--no-color", "--no-ext-diff", "--unified=3", self._trees.before, self._trees.behind)
            result = self._trees.git.run(*argv, "--", f":(literal){spot.path}")
            starts = [(int(first), int(count or 1)) for first, count in _HUNK.findall(result.stdout)]
            self._hunks[spot.path] = [range(first, first + count) for first, count in starts]
        return any(spot.line in lines for lines in self._hunks[spot.path])

    def _correct(
        self, line: str, place: tuple[str, int], pair: AnswerPair, check: Check | None, answer: BuiltinAnswer | None
    ) -> str:
        """Return the corrected line if the document is right with it; the line itself if unknown."""
        # What a fact with a scope looks for moved, not the file: a path on the line is about something else.
        moves = parse_moves(pair.head.moved) if check is None or not scope_of(check) else ()
        for move in moves:
            line = self._follow_path(line, place, (move.old.rstrip("/"), move.new.rstrip("/")))
        if check is None or answer is None or pair.head.moved:
            return line
        arguments = parse_arguments(check.words)
        if row_of(check).part == SURE_PART and not scope_of(check):  # a definition, in a file that the line may name
            there = self._find_definition(check)
            return self._follow_path(line, place, (path_of(arguments.where), there), is_home=True) if there else line
        if check.words[0] == "contains":
            return self._replace_word(line, place, *self._find_replaced_word(arguments.text, pair))
        wanted = next((arguments.more[field] for field in _EXPECTED if field in arguments.more), "")
        stated = next((text for text in (wanted, *re.findall(r"\d+(?:\.\d+)*", wanted)) if _is_once(text, line)), "")
        if not stated or not answer.actual:
            return line
        numbers = re.findall(r"\d+(?:\.\d+)*", answer.actual)
        is_version = stated != wanted or re.fullmatch(r"\d+(?:\.\d+)+", stated) is not None
        actual = as_exact(stated, numbers[0]) if is_version and numbers else answer.actual
        return self._replace_word(line, place, stated, actual)

    def _draft_of(self, path: str) -> Draft:
        # Only here: these judge a document.
        from gitmem.commands.adopt.claims.claim import COMMAND, PATH
        from gitmem.commands.adopt.run import open_draft

        if path not in self._drafts:
            self._drafts[path] = open_draft(self._trees.git, self._trees.behind, path, (PATH, COMMAND))
        return self._drafts[path]

    def _follow_path(self, line: str, place: tuple[str, int], move: tuple[str, str], *, is_home: bool = False) -> str:
        """Return a line with another path for a moved one, written as the line writes it."""
        from gitmem.commands.adopt.correct.wording import path_wordings

        path, number = place
        draft = self._draft_of(path)
        ways = path_wordings(draft, number, move, is_home=is_home)
        right = (way.edits[number] for way in ways if draft.would_be_right(way))
        return next(right, line) or line

    def _replace_word(self, line: str, place: tuple[str, int], old: str, new: str) -> str:
        """Return a line with another word instead of one that it has once."""
        from gitmem.commands.adopt.correct.draft import Wording

        if not old or not _is_once(old, line) or not is_same_type(old, new):
            return line
        changed = replace_word(line, word_places(line, old), new)
        path, number = place
        return changed if self._draft_of(path).would_be_right(Wording({number: changed}, new, old, None)) else line

    def _find_definition(self, check: Check) -> str:
        """Return the changed file that now defines a name; empty if none or several do."""
        files = [
            (change.mode, change.oid, change.path)
            for change in self._trees.changes
            if change.mode in builtin_answers.FILE_MODES and not is_prose(change.path)
        ]
        found = builtin_answers.look_into(self._trees.git, {check: files})[check]
        having = [path for (_, _, path), findings in found.items() if any(not finding.problem for finding in findings)]
        return having[0] if len(having) == 1 else ""

    def _find_replaced_word(self, text: str, pair: AnswerPair) -> tuple[str, str]:
        """Return a word that the change replaced in a file, and the new one; empty unless exactly one was replaced."""
        for change in pair.touched.changed:
            was = self._read_lines(self._trees.before, change.path)
            now = self._read_lines(self._trees.behind, change.path)
            old = next((line for line in was if text in line), None)
            new = [line for line in now if line not in was] if old is not None else []
            words = [words for line in new if old is not None and (words := only_difference(old, line))[0]]
            if len(words) == 1 and words[0][0] in text:
                return words[0]
        return "", ""


def _is_once(text: str, line: str) -> bool:
    return len(word_places(line, text)) == 1


def _read_corrections(trees: Trees, document: str, lines: Sequence[str]) -> dict[int, str | range]:
    """Return the corrected lines of a document after a change, by number; or the lines to delete, for each.

    Only names of files and of targets are judged: the right value is in the answer of a fact's check.
    """
    from gitmem.commands.adopt.claims.claim import COMMAND, PATH
    from gitmem.commands.adopt.correct import applicable
    from gitmem.commands.adopt.findings import FALSE

    adoption = _adopt(trees, document, PATH, COMMAND)
    corrected = applicable(adoption.corrections, {document: lines})
    corrections: dict[int, str | range] = {
        correction.line: correction.after for correction in corrected if correction.after
    }
    return corrections | {line: judged.cut for judged in adoption.of(FALSE) for line in judged.cut}


def _adopt(trees: Trees, document: str, *kinds: str) -> Adoption:
    """Return the judgement of ``adopt`` on a document after a change; of these kinds of claims, or of all."""
    # Only here: it judges a whole document.
    from gitmem.commands.adopt.kinds import KINDS
    from gitmem.commands.adopt.run import adopt

    return adopt(trees.git, trees.behind, [document], base=trees.before, kinds=kinds or KINDS)
