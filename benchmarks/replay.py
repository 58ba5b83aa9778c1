"""Replay a real history: verify every commit incrementally and in full, and compare every answer.

Two clones of the repository walk the same commits with the same facts: one runs what is due, the other everything.
They share the code's objects and nothing else, no verdict above all. Where what a reader would be told of a fact
differs, the incremental run has missed something. A fact that the engine marked as flapping, or that does not answer
twice the same when it is asked again, is unstable, listed, and its differences are counted apart.

    python benchmarks/replay.py . benchmarks/own-facts.jsonl benchmarks/unsteady-facts.jsonl
    python benchmarks/replay.py ../project facts.jsonl --from v1.0 --every 10 --results results.jsonl

An alert is what a person is told anew, as ``gitmem verify`` tells it: a fact newly fails, or could be checked so far
and now cannot. That a fact is marked as flapping is told once as well; since it holds, and the exit status stays 0,
it is counted as a mark and not as an alert. What is known at the first commit is no news.

A facts file has one JSON object a line: ``key``, ``title``, ``verify`` (a command, a program as a list, or a built-in
check as a mapping), and if wanted ``requires``, ``paths``, ``tags`` and other fields of a memory.
Exit status: 0 all agree, 1 something disagrees, 2 wrong use, 3 there is no history to walk.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.history import Clone, ReplayError, Step, list_commits, read_facts, run_git
from gitmem.verify.options import Options

# A difference is put to the check so often again before it is called the engine's.
ASKED_AGAIN = 3
FORMS = {"str": "shell", "list": "program", "dict": "built-in"}
STATUS_OF = {"holds": "verified", "fails": "failed", "blocked": "blocked"}
OUTCOME_OF = {"verified": "holds", "failed": "fails", "suspect": "suspect", "blocked": "error"}


@dataclass(frozen=True)
class Difference:
    """One fact of which the two clones tell different things at one commit."""

    commit: str
    key: str
    incremental: str
    full: str
    chain: tuple[str, ...] = ()


@dataclass
class Walk:
    """A whole replay.

    Attributes:
        facts: The facts, as they were read.
        steps: The incremental clone's steps, the oldest first.
        full: The full clone's steps by commit; fewer where only some were asked for.
        differences: Where they differ, unstable facts included.
        unstable: Facts that answered differently on the same code.
        alerts: Commit and key of everything that a person was told anew after the first commit.
        marks: Commit and key of every fact that was marked as flapping.
        culprits: What broke each fact that fails at the end, where that was asked for (``Clone.culprits``).
    """

    facts: Sequence[Mapping[str, Any]]
    steps: list[Step] = field(default_factory=list)
    full: dict[str, Step] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)
    unstable: set[str] = field(default_factory=set)
    alerts: list[tuple[str, str]] = field(default_factory=list)
    marks: list[tuple[str, str]] = field(default_factory=list)
    culprits: list[dict[str, Any]] = field(default_factory=list)

    def disagreements(self) -> list[Difference]:
        """Return the differences that no unstable fact explains."""
        return [d for d in self.differences if not self.unstable.intersection((d.key, *d.chain))]

    def turns(self, key: str) -> list[tuple[str, str]]:
        """Return the commits at which a fact's own status changed, with the new one; the first commit's comes first."""
        found: list[tuple[str, str]] = []
        for step in self.steps:
            own = step.told[key].own
            if not found or found[-1][1] != own:
                found.append((step.commit, own))
        return found

    def breaks(self) -> list[tuple[str, str]]:
        """Return commit and key of every real break: by the full runs where there is one at the commit."""
        found = []
        for fact in self.facts:
            before = ""
            for step in self.steps:
                own = self.full.get(step.commit, step).told[fact["key"]].own
                if before and own == "failed" and before != own:
                    found.append((step.commit, fact["key"]))
                before = own
        return [(commit, key) for commit, key in found if key not in self.unstable]


def replay(
    repo: Path,
    facts: Sequence[Mapping[str, Any]],
    commits: Sequence[str],
    folder: Path,
    *,
    full_every: int = 1,
    no_sandbox: bool = False,
    jobs: int = 0,
    why: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Walk:
    """Walk the commits in two clones under an empty folder and compare them.

    Args:
        repo: The repository.
        facts: The facts.
        commits: The commits, in the order of the walk.
        folder: Where the clones go.
        full_every: At every how many commits everything runs too; the last one is always among them; 0 for never.
        no_sandbox: Run commands without a sandbox.
        jobs: Checks run at once; 0 = one per core.
        why: Ask at the end what broke each fact that fails.
        say: Told how far it is.
    """
    options = Options(no_sandbox=no_sandbox, jobs=jobs)
    incremental = Clone(repo, folder / "incremental", facts, everything=False, options=options)
    full = Clone(repo, folder / "full", facts, everything=True, options=options) if full_every else None
    walk = Walk(facts)
    for number, commit in enumerate(commits):
        step = incremental.at(commit)
        walk.alerts += [(commit, key) for key in sorted(step.alerts if walk.steps else ())]
        walk.marks += [(commit, key) for key in sorted(step.marks)]
        walk.steps.append(step)
        walk.unstable |= step.flapping
        if full is not None and (number % full_every == 0 or number == len(commits) - 1):
            _compare(walk, step, full)
        say(f"{number + 1}/{len(commits)} {commit[:12]}  {len(step.outcomes)} run, {len(walk.differences)} differ")
    walk.culprits = incremental.culprits() if why else []
    return walk


def _compare(walk: Walk, step: Step, clone: Clone) -> None:
    full = walk.full[step.commit] = clone.at(step.commit)
    walk.unstable |= full.flapping
    found = compare(step, full)
    asked = sorted({d.key for d in found} - walk.unstable)
    for _ in range(ASKED_AGAIN if asked else 0):
        more = clone.again(step.commit, asked)
        walk.unstable |= more.flapping | {key for key in asked if more.outcomes[key] != full.outcomes[key]}
    walk.differences += found


def compare(step: Step, full: Step) -> list[Difference]:
    """Return the facts of which a reader is told something else than what the full run showed or tells, by key."""
    found = []
    for key, told in sorted(step.told.items()):
        other = full.told[key]
        shown = STATUS_OF.get(full.outcomes[key], other.own)
        if (told.own, told.status) != (shown, other.status):
            chain = (*told.chain, *other.chain)
            found.append(Difference(step.commit, key, told.status, shown if told.own != shown else other.status, chain))
    return found


def rows(walk: Walk) -> Iterable[dict[str, Any]]:
    """Yield a row for every fact at every commit where it ran or what is told of it changed."""
    alerts = set(walk.alerts)
    before: dict[str, str] = {}
    for step in walk.steps:
        for key, told in sorted(step.told.items()):
            ran = key in step.outcomes
            if ran or before.get(key) != told.status:
                before[key] = told.status
                yield {
                    "commit": step.commit,
                    "key": key,
                    "status": OUTCOME_OF.get(told.status, "unknown"),
                    "outcome": OUTCOME_OF.get(told.own, "unknown"),
                    "ran": ran,
                    "alert": (step.commit, key) in alerts,
                }


def summary(walk: Walk) -> dict[str, Any]:
    """Return the figures of a walk."""
    forms = Counter(FORMS[type(fact["verify"]).__name__] for fact in walk.facts)
    breaks, cells = set(walk.breaks()), len(walk.facts) * len(walk.steps)
    caught = len(breaks & set(walk.alerts))
    runs = sum(len(step.outcomes) for step in walk.steps)
    return {
        "commits": len(walk.steps),
        "facts": len(walk.facts),
        "forms": dict(sorted(forms.items())),
        "compared": len(walk.full) * len(walk.facts),
        "disagreements": len(walk.disagreements()),
        "unstable": sorted(walk.unstable),
        "runs": runs,
        "runs_in_full": cells,
        "runs_saved": round(1 - runs / cells, 4),
        "breaks": len(breaks),
        "caught": caught,
        "alerts": len(walk.alerts),
        "alerts_of_unstable": sum(key in walk.unstable for _, key in walk.alerts),
        "marks": len(walk.marks),
        "alerts_per_catch": round(len(walk.alerts) / caught, 3) if caught else None,
        "seconds_per_commit": _mean([step.seconds for step in walk.steps]),
        "seconds_per_commit_in_full": _mean([step.seconds for step in walk.full.values()]),
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 3) if values else None


def report(walk: Walk, repo: Path) -> str:
    """Return what a person reads."""
    told = summary(walk)
    forms = ", ".join(f"{number} {form}" for form, number in told["forms"].items())
    each = "" if told["alerts_per_catch"] is None else f", {told['alerts_per_catch']:.2f} per catch"
    each += f"; {told['alerts_of_unstable']} of them of unstable facts" if told["alerts_of_unstable"] else ""
    full = told["seconds_per_commit_in_full"]
    lines = [
        f"{told['commits']} commits, {told['facts']} facts ({forms})",
        f"disagreements  {told['disagreements']} of {told['compared']} answers compared",
        f"runs           {told['runs']} of {told['runs_in_full']}: {told['runs_saved']:.1%} saved",
        f"alerts         {told['alerts']} for {told['breaks']} breaks, {told['caught']} caught at their commit{each}",
        f"seconds        {told['seconds_per_commit']} a commit" + (f", in full {full}" if full is not None else ""),
        f"unstable       {', '.join(told['unstable']) or 'none'}; marked as flapping {told['marks']} times",
    ]
    lines += [f"  {d.commit[:12]} {d.key}: {d.incremental}, in full {d.full}" for d in walk.disagreements()]
    for fact in walk.facts:
        turns = walk.turns(fact["key"])
        if len(turns) > 1:
            what = [f"{own} from {_named(repo, commit)}" for commit, own in turns[1:]]
            lines.append(f"{fact['key']}: {turns[0][1]}; " + "; ".join(what))
    return "\n".join(lines)


def _named(repo: Path, commit: str) -> str:
    subject = run_git(repo, "log", "-1", "--format=%s", commit)
    return f"{commit[:12]} ({''.join(c if c.isprintable() else '?' for c in subject)[:60]})"


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("repo", type=Path, metavar="REPO", help="a repository with its history; nothing changes in it")
    parser.add_argument("facts", type=Path, nargs="+", metavar="FACTS", help="facts files")
    parser.add_argument("--from", dest="first", default="", metavar="REV", help="where to begin (the first commit)")
    parser.add_argument("--to", dest="last", default="HEAD", metavar="REV", help="where to end (HEAD)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="walk every Nth commit")
    parser.add_argument("--newest", type=int, default=0, metavar="N", help="walk the newest N commits only")
    parser.add_argument("--whole", action="store_true", help="walk what merges brought in too")
    parser.add_argument(
        "--full-every", type=int, default=1, metavar="N", help="run everything at every Nth commit walked; 0: never"
    )
    parser.add_argument("--no-sandbox", action="store_true", help="run commands without a sandbox")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="checks run at once (one per core)")
    parser.add_argument("--results", type=Path, metavar="FILE", help="write a JSON row for every run and change")
    parser.add_argument("--why", type=Path, metavar="FILE", help="write what broke each fact that fails at the end")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args(argv)
    if options.every < 1 or min(options.newest, options.full_every, options.jobs) < 0:
        parser.error("numbers are not negative, and --every is at least 1")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Replay what the command line asks for and report."""
    options = _parse(argv)
    folder = Path(tempfile.mkdtemp(prefix="gitmem-replay-"))
    for name in [name for name in os.environ if name.startswith(("GIT_", "GITMEM_"))]:
        del os.environ[name]  # of a hook that started this, or settings of this person
    os.environ.update(XDG_STATE_HOME=str(folder / "state"), GITMEM_BACKGROUND="off")  # approvals go with the folder
    try:
        repo, facts = options.repo.resolve(), read_facts(*options.facts)
        commits = list_commits(
            repo,
            first=options.first,
            last=options.last,
            every=options.every,
            newest=options.newest,
            whole=options.whole,
        )
        walk = replay(
            repo,
            facts,
            commits,
            folder,
            full_every=options.full_every,
            no_sandbox=options.no_sandbox,
            jobs=options.jobs,
            why=options.why is not None,
            say=lambda text: print(text, file=sys.stderr, flush=True),
        )
        if options.results:
            options.results.write_text("".join(json.dumps(row) + "\n" for row in rows(walk)), encoding="utf-8")
        if options.why:
            options.why.write_text("".join(json.dumps(row) + "\n" for row in walk.culprits), encoding="utf-8")
        print(json.dumps(summary(walk), indent=1) if options.json else report(walk, repo))
        return 1 if walk.disagreements() else 0
    except (ReplayError, OSError) as err:
        print(f"replay: {err}", file=sys.stderr)
        return err.status if isinstance(err, ReplayError) else 3
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
