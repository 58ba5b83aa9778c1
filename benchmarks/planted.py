"""Verify at every commit of a generated history with planted breaks, and compare each answer with the known truth.

    python -m benchmarks.planted [--commits 36] [--seed 1] [--results FILE]

Each fact belongs to a folder of its own. Commits break what a fact says, make its check crash or hang, delete its
script, take that back, or move files and folders, also folders of equal files. Meanwhile the ignored folder of
dependencies, or a tool of the machine, is gone for some commits. The generator keeps the truth of every fact itself,
with neither git nor gitmem. Three things are counted:

- answers: status of each fact at each commit; the new place where it was moved; and that a break is never excused.
- alerts: what is reported as new at a commit, against what became false, or could not be checked any more, there.
- causes: whether a failure is listed with the commit that broke it, and what rests on it together with it.

Exit status: 0 if every answer is right, 1 if one is not.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.history import Clone, Step, run_git
from gitmem.verify.options import Options
from gitmem.verify.overview.cause import group

# What a file says of its fact, and what a break makes of it.
HOLDS, BROKEN = "holds", "broken"
TIMEOUT_S = 4
# The check of a script: its own file first, then the one that says whether the fact holds.
SCRIPT = 'grep -q holds "$1"\n'
CRASH, HANG = "kill -SEGV $$\n", "sleep 1000\n"
TOOL = "planted-tool"
TOOL_TEXT = '#!/bin/sh\nexec grep -q holds "$1"\n'
VENDOR, VENDOR_FILE = "vendor", "one.sh"
# Lines of a file; commits from one move to the next, and from one change of the environment to the next.
LINES, MOVE_EVERY, TURN_EVERY = 20, 4, 6
BREAKS = {"text": ("text",), "script": ("text", "crash", "hang", "gone"), "needs": ("text", "crash")}


@dataclass
class Unit:
    """One fact with its folder, and the truth about it.

    Attributes:
        key: Its key.
        form: The kind of its check (``checks``).
        folder: Where its files are now.
        home: Where they were when the fact was written.
        rests: The keys that it requires.
        body: What else its files say; equal in units of equal files.
        edits: How often they were edited without breaking anything.
        broken: How it is broken, or empty.
        culprit: The number of the commit that broke it.
        reported: Its own status at the commit before, as gitmem gave it.
        known: Whether it was ``verified`` or ``failed`` when that was judged last.
        touches: How many commits changed its files since it was judged last.
        blamed: The number of the commit that gitmem should have named last as the one that broke it.
        is_open: Whether that commit cannot be known: several changed its files while it could not be judged.
    """

    key: str
    form: str
    folder: str
    home: str
    rests: tuple[str, ...] = ()
    body: str = ""
    edits: int = 0
    broken: str = ""
    culprit: int = -1
    reported: str = "verified"
    known: str = "verified"
    touches: int = 0
    blamed: int = -1
    is_open: bool = False

    @property
    def needs(self) -> str:
        """Return what its check needs of the environment."""
        return {"vendor": VENDOR, "tool": TOOL}.get(self.form, "")

    @property
    def breaks(self) -> tuple[str, ...]:
        """Return the ways in which it can be broken."""
        kind = "script" if self.form in ("script", "program") else "needs" if self.form == "vendor" else "text"
        return BREAKS[kind]

    def files(self) -> dict[str, str]:
        """Return its files as they are now, by path."""
        text = BROKEN if self.broken == "text" else HOLDS
        # As long as real files are: git finds a file that was moved and edited by how much of it is the same.
        chance = random.Random(self.body)
        body = "".join(f"# {chance.randrange(10**12)}\n" for _ in range(LINES))
        found = {f"{self.folder}/state": f"{body}{text}\n# {self.edits}\n"}
        if self.form in ("script", "program", "vendor") and self.broken != "gone":
            script = {"crash": CRASH, "hang": HANG}.get(self.broken, SCRIPT)
            found[f"{self.folder}/check.sh"] = f"{body[::-1].strip()}\n# {self.edits}\n{script}".replace("\n ", "\n# ")
        return found

    def fact(self) -> dict[str, Any]:
        """Return it as a line of a facts file."""
        state, script = f"{self.home}/state", f"{self.home}/check.sh"
        check: dict[str, Any] = {
            "grep": f"grep -q {HOLDS} {state}",
            "contains": {"contains": HOLDS, "in": state},
            "glob": {"contains": HOLDS, "in": f"{self.home}/**"},
            "script": f"sh {script} {state}",
            "program": ["sh", script, state],
            "vendor": f". ./{VENDOR}/{VENDOR_FILE} && sh {script} {state}",
            "tool": f"{TOOL} {state}",
        }
        more = {"requires": list(self.rests)} if self.rests else {}
        return {
            "key": self.key,
            "title": f"The folder of {self.key} holds",
            "verify": check[self.form],
            "timeout": f"{TIMEOUT_S}s",
            **more,
        }


FORMS = ("grep", "contains", "glob", "script", "program", "vendor", "tool")


def make_units() -> list[Unit]:
    """Return the facts: some of each form, some with equal files, and some that rest on others."""
    units = []
    for number in range(21):
        form = FORMS[number % len(FORMS)]
        place = f"src/part{number // 7}/u{number:02}"
        units.append(Unit(f"u{number:02}-{form}", form, place, place, body=f"number {number}"))
    for number, form in enumerate(("grep", "contains", "script", "script", "grep", "glob")):
        # Equal files in folders of equal names: git alone cannot say which of them went where.
        place = f"same/{'abcdef'[number]}/x"
        units.append(Unit(f"s{number:02}-{form}", form, place, place, body="equal"))
    for number, roots in enumerate(((0, 3), (3,), (5,), (7, 21), (23,), (27,))):
        place = f"top/t{number}"
        rests = tuple(units[root].key for root in roots)
        units.append(Unit(f"t{number:02}-rests", "grep", place, place, rests, body=f"top {number}"))
    return units


@dataclass
class Commit:
    """What one commit does, and the environment that it is judged in.

    Attributes:
        what: What it does, for people.
        files: The whole code there.
        missing: What of the environment is gone.
        touched: Keys of the units whose files it changes or moves.
    """

    what: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    touched: set[str] = field(default_factory=set)


def plan(units: Sequence[Unit], commits: int, seed: int) -> Iterator[Commit]:
    """Change the units, commit by commit, and yield what each commit does; the first one changes nothing."""
    chance = random.Random(seed)
    yield Commit(["begin"], _all_files(units))
    gone = ""
    for number in range(1, commits):
        made = Commit()
        if number % TURN_EVERY == 0:
            gone = "" if gone else chance.choice((VENDOR, TOOL))
            made.what.append(f"without {gone}" if gone else "environment back")
        if number % MOVE_EVERY == 1:
            _move(units, number // MOVE_EVERY, made, chance)
        for unit in units:
            # A script that is gone is back before its folder moves: git could not tell where the new one came from.
            is_last = unit.broken == "gone" and number % MOVE_EVERY == 0
            if is_last or (unit.broken and number - unit.culprit >= 3 and chance.random() < 0.5):
                made.what.append(f"mend {unit.key}")
                unit.broken, unit.culprit = "", -1
                made.touched.add(unit.key)
        # Not what this commit moves: a move is not the break.
        whole = [u for u in units if not u.broken and u.key not in made.touched]
        for unit in chance.sample(whole, min(2, len(whole))):
            unit.broken, unit.culprit = chance.choice(unit.breaks), number
            if unit.broken == "gone" and number % MOVE_EVERY == 0:
                unit.broken = "text"
            made.what.append(f"{unit.broken} {unit.key}")
            made.touched.add(unit.key)
        for unit in [u for u in units if u.key not in made.touched and not u.key.startswith("s")]:
            if chance.random() < (0.5 if unit.needs else 0.1):
                unit.edits += 1
                made.touched.add(unit.key)
        made.files, made.missing = _all_files(units), frozenset({gone} - {""})
        yield made


def _move(units: Sequence[Unit], number: int, made: Commit, chance: random.Random) -> None:
    """Move a file's folder, a folder of several, the folders of equal files, or what was moved before."""
    moves = (
        ("src/part0/u00", "lib/u00"),
        ("same", "equal"),
        ("src/part1", "packages/one"),
        ("equal/a", "left/a"),
        ("equal", "again/deep"),
        ("lib/u00", "lib2/inner/u00"),
        ("src", "source"),
        ("top", "summit"),
    )
    old, new = moves[number % len(moves)]
    made.what.append(f"move {old} {new}")
    for unit in units:
        if unit.folder == old or unit.folder.startswith(f"{old}/"):
            unit.folder = new + unit.folder[len(old) :]
            made.touched.add(unit.key)


def _all_files(units: Sequence[Unit]) -> dict[str, str]:
    return {path: text for unit in units for path, text in unit.files().items()}


@dataclass
class Score:
    """What a walk came to.

    Attributes:
        answers: How many there were.
        wrong: Those that were wrong: commit, key, what gitmem said, what is true.
        expected: What was to be reported: commit and key.
        alerts: What was reported.
        causes: How many failures and suspects were listed.
        lost: Those without their cause: commit, key, what is wrong with it.
    """

    answers: int = 0
    wrong: list[tuple[int, str, str, str]] = field(default_factory=list)
    expected: set[tuple[int, str]] = field(default_factory=set)
    alerts: list[tuple[int, str]] = field(default_factory=list)
    causes: int = 0
    lost: list[tuple[int, str, str]] = field(default_factory=list)

    @property
    def per_catch(self) -> float:
        """Return how many alerts there were for each that was to be."""
        caught = len(self.expected & set(self.alerts))
        return len(self.alerts) / caught if caught else 0.0

    def is_right(self) -> bool:
        """Return whether nothing is wrong."""
        return not (self.wrong or self.lost) and sorted(self.alerts) == sorted(self.expected)


def truth_of(unit: Unit, made: Commit, known: str) -> set[str]:
    """Return which statuses of its own are right for a unit, as it is at a commit.

    While what its check needs is gone, a break may be left open but never excused, and what holds never accused. What
    failed before may stay failed: nothing can show that it was mended.

    Args:
        unit: The unit.
        made: The commit.
        known: Whether it was ``verified`` or ``failed`` when that was judged last.
    """
    if unit.needs not in made.missing:
        return {"failed" if unit.broken else "verified"}
    if unit.broken:
        return {"blocked", "failed"}
    # Its check runs where its files changed, and where a program is another one or gone.
    must = known == "verified" and (unit.key in made.touched or unit.form == "tool")
    return {"blocked"} if must else {"verified", "blocked", known}


def walk(folder: Path, *, commits: int, seed: int, options: Options, say: bool = False) -> Score:
    """Walk and compare."""
    score, units = Score(), make_units()
    plans = plan(units, commits, seed)
    first = next(plans)
    code, clone_folder = folder / "code", folder / "clone"
    code.mkdir(parents=True)
    run_git(code, "init", "-q", "-b", "main")
    for name, value in (("user.name", "P"), ("user.email", "p@localhost")):
        run_git(code, "config", name, value)
    oids = [_commit(code, {}, first)]
    clone = Clone(code, clone_folder, [unit.fact() for unit in units], everything=False, options=options)
    exclude = Path(run_git(clone_folder, "rev-parse", "--path-format=absolute", "--git-path", "info/exclude"))
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_text(f"/{VENDOR}\n", encoding="ascii")
    environment = Environment(folder, clone_folder)
    environment.show(first.missing)
    clone.at(oids[0])
    before = first
    for number, made in enumerate(plans, 1):
        oids.append(_commit(code, before.files, made))
        before = made
        environment.show(made.missing)
        step = clone.at(oids[-1])
        own = {unit.key: step.told[unit.key].own for unit in units}
        for unit in units:
            score.answers += 1
            if own[unit.key] not in (right := truth_of(unit, made, unit.known)):
                score.wrong.append((number, unit.key, own[unit.key], " or ".join(sorted(right))))
            unit.touches += unit.key in made.touched
            _expect(score, number, unit, own[unit.key], is_judged=unit.needs not in made.missing)
        score.alerts += [(number, key) for key in sorted(step.alerts)]
        _check_suspects(score, number, units, own, step)
        _check_causes(score, number, units, own, step, oids)
        if say:
            wrong, extra = len(score.wrong), len(score.alerts) - len(score.expected)
            print(f"{number}  {len(step.outcomes)} run, {wrong} wrong, {extra:+} alerts, {len(score.lost)} lost:"
                  f" {', '.join(made.what)}", flush=True)  # fmt: skip
    return score


def _expect(score: Score, number: int, unit: Unit, own: str, *, is_judged: bool) -> None:
    """Note what is news of a unit: that it fails, or cannot be checked any more; each once."""
    if own in ("failed", "blocked") and own not in (unit.reported, unit.known):
        score.expected.add((number, unit.key))
    # That it was mended, or broken again, cannot be known while its environment is gone: the break is that of before.
    if unit.broken and (is_judged or unit.known == "verified"):
        unit.blamed = unit.culprit
    if own == "verified":
        unit.touches, unit.is_open = 0, False
    elif is_judged:
        unit.touches, unit.is_open = 0, unit.is_open or unit.touches > 1
    unit.reported = own
    unit.known = unit.known if own == "blocked" else own


def _check_suspects(score: Score, number: int, units: Sequence[Unit], own: dict[str, str], step: Step) -> None:
    """Look whether what rests on a failure is suspect and nothing else, and whether what moved is marked so."""
    for unit in units:
        status = step.told[unit.key].status
        is_suspect = own[unit.key] != "failed" and bool(_root_of(unit, units, own))
        expected = "suspect" if is_suspect else own[unit.key]
        is_moved = own[unit.key] == "verified" and unit.folder != unit.home
        if status != expected:
            score.wrong.append((number, unit.key, status, expected))
        elif own[unit.key] == "verified" and (unit.key in step.moved) != is_moved:
            score.wrong.append((number, unit.key, "moved" if not is_moved else "not moved", unit.folder))


def _root_of(unit: Unit, units: Sequence[Unit], own: dict[str, str]) -> set[str]:
    """Return what failed below a fact: suspicion goes on along what it requires."""
    named = [other for other in units if other.key in unit.rests]
    below = {key for other in named if own[other.key] != "failed" for key in _root_of(other, units, own)}
    return below | {other.key for other in named if own[other.key] == "failed"}


def _check_causes(
    score: Score, number: int, units: Sequence[Unit], own: dict[str, str], step: Step, oids: Sequence[str]
) -> None:
    """Look whether each failure is listed with its commit, and each suspect with a failure that it rests on."""
    causes = group(step.cases)
    for unit in units:
        if own[unit.key] == "failed":
            mine = [cause for cause in causes if unit.key in cause.keys]
            named = {case.culprit[0] for cause in mine for case in cause.cases if case.key == unit.key}
            score.causes += 1
            unknown = {""} if unit.is_open else set()
            if not named or not named <= {oids[unit.blamed]} | unknown:
                numbers = [oids.index(oid) if oid else "" for oid in named]
                score.lost.append((number, unit.key, f"named {numbers}, broken by {unit.blamed}"))
        elif roots := _root_of(unit, units, own):
            with_it = [cause for cause in causes if unit.key in [case.key for case in cause.suspects]]
            score.causes += 1
            if len(with_it) != 1 or not roots.intersection(with_it[0].keys):
                score.lost.append((number, unit.key, f"listed with {[cause.keys for cause in with_it]}"))


class Environment:
    """The ignored folder of dependencies in the clone, and a tool on PATH, which can both go."""

    def __init__(self, folder: Path, clone: Path) -> None:
        self._vendor, self._tool = clone / VENDOR, folder / "tools" / TOOL
        self._tool.parent.mkdir()
        os.environ["PATH"] = f"{self._tool.parent}:{os.environ['PATH']}"

    def show(self, missing: frozenset[str]) -> None:
        """Have all but what is missing there."""
        shutil.rmtree(self._vendor, ignore_errors=True)
        self._tool.unlink(missing_ok=True)
        if VENDOR not in missing:
            self._vendor.mkdir()
            (self._vendor / VENDOR_FILE).write_text("one=1\n", encoding="ascii")
        if TOOL not in missing:
            self._tool.write_text(TOOL_TEXT, encoding="ascii")
            self._tool.chmod(0o755)
            os.utime(self._tool, (1_700_000_000, 1_700_000_000))  # the same program as before


def _commit(code: Path, before: dict[str, str], made: Commit) -> str:
    for path in before.keys() - made.files.keys():
        (code / path).unlink()
    for path, text in made.files.items():
        if before.get(path) != text:
            place = code / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="ascii")
    run_git(code, "add", "-A")
    run_git(code, "commit", "-q", "--allow-empty", "-m", ", ".join(made.what)[:200])
    return run_git(code, "rev-parse", "HEAD")


def main(argv: Sequence[str]) -> int:
    """Walk, print what is wrong and the sums, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--commits", type=int, default=36)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-sandbox", action="store_true", help="run commands without a sandbox")
    args = parser.parse_args(argv)
    for name in [name for name in os.environ if name.startswith(("GIT_", "GITMEM_"))]:
        del os.environ[name]
    with tempfile.TemporaryDirectory(prefix="gitmem-planted-") as folder:
        os.environ.update(XDG_STATE_HOME=f"{folder}/state", GITMEM_BACKGROUND="off", GITMEM_VIEW="false")
        options = Options(no_sandbox=args.no_sandbox, offline=True)
        score = walk(Path(folder).resolve(), commits=args.commits, seed=args.seed, options=options, say=True)
    for one in (*score.wrong, *score.lost):
        print("WRONG", *one)
    missed, extra = score.expected - set(score.alerts), set(score.alerts) - score.expected
    print(f"{score.answers} answers, {len(score.wrong)} wrong")
    print(f"{len(score.alerts)} alerts for {len(score.expected)} events, {score.per_catch:.2f} per catch;"
          f" missed {sorted(missed)}, too many {sorted(extra)}")  # fmt: skip
    print(f"{score.causes} failures and suspects listed, {len(score.lost)} without their cause")
    return 0 if score.is_right() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
