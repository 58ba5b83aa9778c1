"""Judge facts again with the base's version of the files that their checks run, if the change edits these.

A check that runs `make ports` depends on the Makefile. A change that replaces the recipe with `@true` must not pass
because of that, so the head is judged a second time with the base's version of every file that checks run.
"""

from __future__ import annotations

import json
from functools import cache

from gitmem.commands.check.change import Trees
from gitmem.commands.check.programs import PACKAGE, SIZE_LIMIT, list_programs, scripts_of
from gitmem.frozen import frozen
from gitmem.git import Git
from gitmem.model import BUILTIN, FAILS, HOLDS, SHELL, UNPROVEN, Check
from gitmem.text import display, list_some
from gitmem.verify.overview.finding import ERROR, NOTE, WARNING, ReviewFinding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from gitmem.commands.check.facts import HeadFact
    from gitmem.commands.check.judge import AnswerPair, FactAnswer
    from gitmem.git.git import TreeChange

    # The changed files that each fact's check runs, by the fact's key.
    ProgramEdits = Mapping[str, tuple[TreeChange, ...]]

# The most facts named for one file; all are counted.
FACTS_SHOWN = 5


def find_program_edits(
    facts: Iterable[HeadFact], trees: Trees, *, setup: str, brought: Collection[int]
) -> dict[str, tuple[TreeChange, ...]]:
    """Return the changed files that the checks of facts run, by key; files that the change adds are left out.

    Args:
        facts: The live facts of the head.
        trees: The change.
        setup: The policy's command that runs before each check, or empty.
        brought: Numbers of the facts that the change adds, which may run anything.
    """
    commands = [fact.row for fact in facts if fact.row.form != BUILTIN and fact.row.id not in brought]
    changed = {change.path: change for change in trees.changes if change.old_oid.strip("0")}
    if not commands or not changed:
        return {}
    entries = {path: oid for _, oid, path in trees.base.entries}
    paths = frozenset(entries)

    @cache  # most checks run the same Makefile
    def read(path: str) -> str:
        return _text(trees.git, entries.get(path, ""))

    both = {path for path in changed if path.rpartition("/")[2] == PACKAGE}
    same = {path for path in both if scripts_of(read(path)) == scripts_of(_text(trees.git, changed[path].oid))}
    before = list_programs(Check(SHELL, (setup,)), paths, read) if setup else frozenset()
    program_edits = {}
    for row in commands:
        programs = before | list_programs(Check(row.form, tuple(json.loads(row.words))), paths, read)
        edits = tuple(changed[path] for path in sorted(programs & (changed.keys() - same)))
        if edits:
            program_edits[row.key] = edits
    return program_edits


def _text(git: Git, oid: str) -> str:
    """Return the text of a file; empty if there is none, or it is too large."""
    content = next(git.read_blobs([oid], limit=SIZE_LIMIT))[1] if oid.strip("0") else None
    return (content or b"").decode("utf-8", "replace")


@frozen
class BaseAnswer:
    """The answer of a fact's check on the head with the base's version of the files that it runs.

    Attributes:
        answer: The answer; None if the check did not run, since it fails with the new files as well.
        only_new: Whether it holds only with the change's version.
    """

    answer: FactAnswer | None
    only_new: bool = False


def judge_with_base(
    pairs: Sequence[AnswerPair],
    edits: ProgramEdits,
    trees: Trees,
    answers: Callable[[Trees, Sequence[AnswerPair]], Mapping[str, FactAnswer]],
) -> dict[str, BaseAnswer]:
    """Judge again the facts that hold on the head and run files that the change edits, by key.

    *answers* judges facts after another change from the same commit.
    """
    mine = [pair for pair in pairs if pair.key in edits and pair.base is not None]
    holding = [pair for pair in mine if pair.head.outcome == HOLDS]
    answers_by_key = {pair.key: BaseAnswer(None) for pair in mine}
    if not holding:
        return answers_by_key
    # Temporary folders: only if a check's program was edited.
    from pathlib import Path

    from gitmem.verify.ground.private_commits import Apart
    from gitmem.verify.sandbox.temporary import temporary_folder

    restored = {change.path: change for pair in holding for change in edits[pair.key]}
    with temporary_folder("gitmem-base-") as folder:
        apart = Apart(trees.git, folder, Path(folder, "none"))
        apart.run("read-tree", trees.behind)
        lines = "".join(f"{change.old_mode} {change.old_oid}\t{path}\0" for path, change in restored.items())
        apart.run("update-index", "-z", "--index-info", input=lines.encode("utf-8", "surrogateescape"))
        commit = apart.commit(trees.behind, "The head with the base's programs")
        git = Git(trees.git.repository, objects=apart.objects)
        mixed = Trees(git, trees.before, lambda: commit, git.diff_trees(trees.before, commit))
        for key, answer in answers(mixed, holding).items():
            is_outside = answer.verdict is not None and answer.verdict.outside
            answers_by_key[key] = BaseAnswer(answer, answer.outcome in (FAILS, UNPROVEN) and not is_outside)
    return answers_by_key


def describe_only_new(answer: BaseAnswer, edits: Sequence[TreeChange]) -> str:
    """Return why a fact that holds only with the change's files does not count as holding."""
    names = ", ".join(display(change.path) for change in edits)
    because = answer.answer.because if answer.answer is not None else ""
    return f"it holds only with the change's {names}, which its check runs; with the base's version: {because}"


def list_program_findings(edits: ProgramEdits, answers: Mapping[str, BaseAnswer]) -> Iterator[ReviewFinding]:
    """Yield for each changed file the checks that run it, and the result of judging them with the base's version."""
    cases: dict[tuple[str, str, str], list[str]] = {}
    for key, changes in edits.items():
        severity, result = _result(answers.get(key))
        for change in changes:
            cases.setdefault((severity, display(change.path), result), []).append(key)
    for (severity, path, result), keys in sorted(cases.items(), key=lambda case: (case[0][0] != ERROR, case[0][1])):
        message = f"the check of {list_some(keys, FACTS_SHOWN)} runs it; {result}"
        yield ReviewFinding(severity, "check-program", message, keys[0] if len(keys) == 1 else "", path)


def _result(answer: BaseAnswer | None) -> tuple[str, str]:
    if answer is None:
        return WARNING, "no input of the fact changes by its paths, so it was not judged again"
    if answer.answer is None:
        return WARNING, "it does not hold with the new version"
    if answer.only_new:
        return ERROR, "true only by the new version: with the base's, it does not hold"
    if answer.answer.outcome == HOLDS:
        return NOTE, "with the base's version it holds as well"
    return WARNING, f"with the base's version it could not be judged: {answer.answer.because}"
