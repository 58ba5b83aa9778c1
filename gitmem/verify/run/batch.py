"""Judge many facts: those with built-in checks at once, those with approved commands in parallel."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from queue import Empty, SimpleQueue

from gitmem.frozen import replace
from gitmem.model import BLOCKED, BUILTIN, FAILS, HOLDS, RUNGS
from gitmem.text import display
from gitmem.verify import builtin_answers
from gitmem.verify.due import Due
from gitmem.verify.ground.open import open_grounds
from gitmem.verify.moves import Moves, digest_after_moves, explain_move, find_homes, is_moved, place_check, scope_of
from gitmem.verify.options import SILENT
from gitmem.verify.run.judge import DENIED, NOT_APPROVED, SKIPPED, Judge, Means, Result, verdict_of
from gitmem.verify.run.reason import LINE_KEPT
from gitmem.verify.trivial import why_trivial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from gitmem.document.answers import BuiltinAnswer
    from gitmem.git import Git
    from gitmem.model import Check
    from gitmem.verify.inputs import CodeTree
    from gitmem.verify.options import Watch

    Item = TypeVar("Item", Due, Result)

# Seconds between updates of the times of running checks.
TICK_S = 0.1
# Runs of one check that confirm its failure at the same time.
CONFIRMED_AT_ONCE = 3


def judge_all(
    tree: CodeTree,
    dues: Sequence[Due],
    means: Means,
    *,
    report: Callable[[Result], None] = lambda _: None,
    watch: Watch = SILENT,
) -> list[Result]:
    """Judge facts on one tree of the code; call *report* with each result as it arrives, and *watch* with progress.

    An interruption kills the running checks; results that were already reported are not lost.
    """
    moves = Moves(tree.git, tree)
    results = judge_builtin(tree, [d for d in dues if d.spec.check.form == BUILTIN], now=means.now, moves=moves)
    commands = [(due, refusal(due, means)) for due in dues if due.spec.check.form != BUILTIN]
    results += [Result(due, SKIPPED, reason=why) for due, why in commands if why]
    for result in results:
        report(result)
    if runnable := [due for due, why in commands if not why]:
        results += _judge_commands(tree, runnable, means, moves, report=report, watch=watch)
    return sorted(results, key=lambda r: r.due.row.key)


def refusal(due: Due, means: Means) -> str:
    """Return why a command may not run here; empty if it may."""
    if not means.trust.allows(due.row.spec, due.approved_line):
        return DENIED if means.trust.denies(due.row.spec) else NOT_APPROVED
    return "" if means.rung else "no sandbox works here"


def judge_builtin(tree: CodeTree, dues: list[Due], *, now: int, moves: Moves | None = None) -> list[Result]:
    """Judge facts with built-in checks on one tree of the code."""
    git, dues = tree.git, [_as_here(tree, due) for due in dues]
    answers = (
        builtin_answers.answer_all(git, tree, (place_check(tree, d.spec.check, d.moved) for d in dues)) if dues else {}
    )
    dues = _with_moves(git, tree, dues, answers, moves or Moves(git, tree))
    results = []
    for due in dues:
        answer = answers[place_check(tree, due.spec.check, due.moved)]
        if answer.outcome == BLOCKED:
            results.append(Result(due, BLOCKED, reason=display(answer.because)[:LINE_KEPT]))
            continue
        verdict = verdict_of(due, answer.outcome, commit=tree.commit, now=now, rung=RUNGS[-1])
        if due.moved:
            verdict = replace(verdict, inputs=digest_after_moves(tree, (BUILTIN,), due.spec.check, due.moved))
        because = display(explain_move(tree, due.spec.check, due.moved, answer.because))[:LINE_KEPT]
        is_weak = answer.outcome == HOLDS and bool(why_trivial(due.spec.check))
        verdict = replace(verdict, because=because, weak=is_weak)
        results.append(Result(due, answer.outcome, because, verdict=verdict))
    return results


def _as_here(tree: CodeTree, due: Due) -> Due:
    """Return a fact with its moves if it is judged by them on a tree; without moves if its files are where it says."""
    return due if is_moved(tree, due.spec.check, due.moved) else replace(due, moved="")


def _with_moves(
    git: Git, tree: CodeTree, dues: list[Due], answers: dict[Check, BuiltinAnswer], moves: Moves
) -> list[Due]:
    """Return facts with the moves of what they name, and answer the moved ones at the new paths of their files.

    A failed fact keeps outdated moves: they give the paths of its files at the commit where it last held.
    """
    lost = [due for due in dues if answers[place_check(tree, due.spec.check, due.moved)].outcome != HOLDS]
    if not lost:
        return dues
    homes, more = find_homes(git, tree, [due.spec.check for due in lost if scope_of(due.spec.check)])
    answers |= more
    found = {
        due.row.key: moves.find(due.spec.check, held, moves.trusted_moves(due.verdict, due.spec.check))
        for due in lost
        if due.spec.check not in homes
        and (held := moves.find_holding_commit(due.spec.check, due.verdict, due.written_at))
    }
    found |= {due.row.key: homes[due.spec.check] for due in lost if due.spec.check in homes}
    dues = [replace(due, moved=found.get(due.row.key, due.moved)) for due in dues]
    new = {place_check(tree, due.spec.check, due.moved) for due in dues} - answers.keys()
    answers |= builtin_answers.answer_all(git, tree, new) if new else {}
    return [
        due if answers[place_check(tree, due.spec.check, due.moved)].outcome == FAILS else _as_here(tree, due)
        for due in dues
    ]


def _judge_commands(
    tree: CodeTree, dues: list[Due], means: Means, moves: Moves, *, report: Callable[[Result], None], watch: Watch
) -> list[Result]:
    results, doubtful = [], []
    with (
        open_grounds(tree.git, means.rung, means.path, now=means.now) as grounds,
        ThreadPoolExecutor(max_workers=min(means.jobs, len(dues))) as pool,
    ):
        judge = Judge(grounds, tree, means, moves)
        try:
            for result in _iter_results(pool, judge.judge, {due.row.key: due for due in dues}, watch):
                if judge.is_doubtful(result):
                    doubtful.append(result)
                    watch.doubted(result.due.row.key)
                else:
                    results.append(result)
                    report(result)
            # One pause for all of them, after everything else, so that the load of the others is gone as well. A check
            # that takes as long needs no pause: it runs where it held first.
            if doubtful and not means.is_hurried and min(r.seconds for r in doubtful) < means.pause_s:
                time.sleep(means.pause_s)
            # With few failures, the runs that confirm one are parallel; with many, the failures are.
            confirm = partial(judge.confirm, width=CONFIRMED_AT_ONCE if len(doubtful) <= means.jobs else 1)
            for result in _iter_results(pool, confirm, {result.due.row.key: result for result in doubtful}, watch):
                results.append(result)
                report(result)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            judge.stop()
            raise
    return results


def _iter_results(
    pool: ThreadPoolExecutor, judge: Callable[[Item], Result], items: Mapping[str, Item], watch: Watch
) -> Iterator[Result]:
    """Judge items, by the keys of their facts, in parallel; yield the results as they arrive."""
    ended: SimpleQueue[Future[Result]] = SimpleQueue()

    def begin(key: str) -> Result:
        watch.began(key)
        return judge(items[key])

    for key in items:
        pool.submit(begin, key).add_done_callback(ended.put)
    for _ in items:
        while True:
            try:
                future = ended.get(timeout=TICK_S)
                break
            except Empty:
                watch.tick()
        yield future.result()
