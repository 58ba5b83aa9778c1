"""The truth of a fact at a commit of the code: proved by inputs, or bounded by its known states before and after.

The code: A good - B good, other words - C bad - D bad, other words - E as A - F;
T goes off B and meets D in M; Z has no ancestor.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import NOW, commit_files, put_files, tip
from support.ages import grow, opened, says_good

from gitmem.commands.time_travel.truth import Truth, truth_at
from gitmem.frozen import replace
from gitmem.index.catalog.fact_state import FactRow
from gitmem.model import BUILTIN, FAILS, HOLDS, Check, Verdict
from gitmem.verify.inputs import CodeTree, digest
from gitmem.verify.options import Options
from gitmem.verify.past_verdicts import all_verdicts

TEXTS = {"A": "good", "B": "good too", "C": "bad", "D": "bad too", "E": "good", "T": "good, on a topic"}
SHAPE = [("A", ""), ("B", "A"), ("C", "B"), ("D", "C"), ("E", "D"), ("F", "E"), ("T", "B"), ("M", "D T"), ("Z", "")]
WORDS = ("contains", "good", "f.txt")
FACT = FactRow(1, "f", "spec", "claim", BUILTIN, json.dumps(WORDS), json.dumps(["builtin"]), None)


class Code:
    """A history of the code, and the verdicts of one fact on it."""

    def __init__(self, repo: Path) -> None:
        rows = [(name, parents, {"f.txt": TEXTS.get(name, f"text of {name}")}) for name, parents in SHAPE]
        self.names = grow(repo, rows, dates=[NOW - 1000 * nth for nth in range(len(rows))])
        self.git = opened(repo)

    def verdict(self, name: str, outcome: str, at: int = NOW, **fields: object) -> Verdict:
        commit = self.names[name]
        inputs = digest(CodeTree(self.git, commit), ["builtin"], Check(BUILTIN, WORDS))
        return Verdict("f", "spec", "claim", outcome, commit, inputs, at, **fields)  # type: ignore[arg-type]

    def truth(self, name: str, *verdicts: Verdict) -> Truth:
        return truth_at(self.git, self.names[name], FACT, verdicts)

    def line(self, truth: Truth) -> str:
        """Return the explaining line with names for commits."""
        text = truth.line
        for name, commit in self.names.items():
            text = text.replace(commit[:12], name)
        return text

    def segments(self, truth: Truth) -> list[str]:
        name = {commit: name for name, commit in self.names.items()}
        return [f"{s.outcome} {name[s.first]}-{name[s.last]}{'!' * s.culprit}" for s in truth.segments]


@pytest.fixture
def code(repo: Path) -> Code:
    return Code(repo)


def test_verdict_of_the_very_inputs_proves_whenever_it_was_made(code: Code) -> None:
    later = code.verdict("E", HOLDS, NOW + 99)

    truth = code.truth("A", later, code.verdict("C", FAILS))

    assert (truth.status, truth.proof) == ("verified", code.names["E"])
    assert code.line(truth) == "held here: judged at E, which has the same inputs"
    assert code.segments(truth) == ["holds A-A", "fails C-C", "holds E-E"]


@pytest.mark.parametrize(
    ("asked", "known", "status", "line"),
    [
        ("C", "C-", "failed", "failed here: judged at this commit"),
        ("B", "A+ C-", "stale", "held at A, failed from C, unknown between"),
        ("B", "C-", "unproven", "first known at C, where it failed; unknown before"),
        ("C", "B+ E+", "stale", "held at B, also held at E, unknown between"),
        ("D", "B+", "stale", "held at B, not judged since"),
        ("D", "B+ C-", "failed", "failed at C, not judged since"),
        ("D", "C- E+", "failed", "failed at C, held again from E, unknown between"),
        ("D", "C- F-", "failed", "failed at C, failed again at F, unknown between"),
        ("M", "C- T+", "failed", "held at T and failed at C, on branches merged since, not judged since"),
        ("D", "T-", "unproven", "never judged on this line of history"),
        ("Z", "A+ C-", "unproven", "never judged on this line of history"),
    ],
)
def test_what_nothing_proves_lies_between_what_is_known(
    code: Code, asked: str, known: str, status: str, line: str
) -> None:
    verdicts = [code.verdict(word[0], HOLDS if word[1] == "+" else FAILS) for word in known.split()]

    truth = code.truth(asked, *verdicts)

    assert (truth.status, code.line(truth)) == (status, line)


def test_truth_over_the_history_names_who_broke_it_and_where_it_holds_again(code: Code) -> None:
    failed = code.verdict("D", FAILS, because="no good", held_commit=code.names["A"], culprit=code.names["C"])
    verdicts = [failed, code.verdict("E", HOLDS), code.verdict("T", FAILS)]

    before, broken = code.truth("B", *verdicts), code.truth("C", *verdicts)

    assert code.segments(broken) == ["holds A-A", "fails C-D!", "holds E-E"]
    assert (broken.status, code.line(broken)) == ("failed", "failed here: this commit broke it")
    assert code.line(before) == "held at A, failed from T and failed from C, which broke it, unknown between"


def test_range_of_culprits_says_nothing_of_any_one_commit(code: Code) -> None:
    names = code.names
    failed = code.verdict("D", FAILS, held_commit=names["A"], culprit=names["C"], culprit_after=names["A"])

    truth = code.truth("B", failed)

    assert code.segments(truth) == ["holds A-A", "fails D-D"]
    assert code.line(truth) == "held at A, failed from D, unknown between"


def test_other_claims_and_specifications_do_not_count(code: Code) -> None:
    others = [Verdict("f", "spec", "else", HOLDS, code.names["A"], "x", NOW)]
    others.append(Verdict("f", "else", "claim", HOLDS, code.names["A"], "x", NOW))

    assert code.truth("A", *others).status == "unproven"


def test_failure_outlives_an_edit_of_the_words(code: Code) -> None:
    failure = replace(code.verdict("C", FAILS), claim="else")

    assert code.truth("C", failure).status == "failed"


def test_of_two_verdicts_on_one_commit_the_later_run_counts(code: Code) -> None:
    verdicts = [code.verdict("C", HOLDS, NOW + 5), code.verdict("C", FAILS, NOW)]

    assert code.segments(code.truth("D", *verdicts)) == ["holds C-C"]


def test_what_is_only_claimed_does_not_excuse_what_failed_here(code: Code) -> None:
    own, claimed = code.verdict("C", FAILS, NOW, own=True), code.verdict("C", HOLDS, NOW + 5)

    assert code.segments(code.truth("D", own, claimed)) == ["fails C-C"]


def test_every_version_of_a_verdict_is_found_that_a_branch_ever_had(memory, repo: Path) -> None:
    put_files(repo, says_good())
    for text in ("good", "bad", "good again"):
        commit_files(repo, {"f.txt": text})
        memory.verify(options=Options(), report=lambda *_: None)
    spec = next(iter(memory.repository.catalog().row("SELECT path FROM verdict")))
    put_files(repo, {spec: "not a verdict"})

    found = all_verdicts(memory.repository.git, tip(repo), "f")

    assert [verdict.outcome for verdict in found] == [HOLDS, FAILS, HOLDS]
    assert all_verdicts(memory.repository.git, tip(repo), "g") == all_verdicts(memory.repository.git, "", "f") == []
