"""What is due, and nothing else: by the digest of inputs, by the TTL, by specification and claim."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, put_files
from support.each import each
from support.facts import (
    DAY,
    Clock,
    approve_all,
    count_commits,
    loose_file,
    make_fact,
    make_memory,
    outcomes,
    put,
    spec_of,
    statuses,
    verify,
)

from gitmem.frozen import replace
from gitmem.index.catalog import fact_state
from gitmem.memory import Memory
from gitmem.model import FAILS, HOLDS, Verdict
from gitmem.policy import Policy
from gitmem.repository.approvals import approve_command
from gitmem.store.verdicts import format_verdict, parse_verdict
from gitmem.verify import due as due_module
from gitmem.verify.due import is_accepted, list_publishable
from gitmem.verify.options import Options


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def timed(memory, repo, clock):
    """The memory of a fresh repository whose clock a test sets."""
    with Memory(repo, clock=clock) as opened:
        yield opened


@pytest.fixture
def runs(tmp_path):
    """A command that counts its runs outside of the repository, and holds while README.md does; and the count."""
    log = tmp_path / "runs"

    def count():
        return log.read_text().count("x") if log.exists() else 0

    count.command = f"printf x >> {log}; grep -q service README.md"
    return count


def due(memory, **options):
    """Return why each fact is due, by key."""
    session = memory.repository.session(Options(**{"no_sandbox": True, **options}))  # as ``verify`` runs them here
    return {d.row.key: d.why for d in session.list_due()}


RS256 = {"contains": "RS256", "in": "src/auth/*.py"}


def test_fact_without_a_verdict_is_due_as_new(memory, repo):
    put(repo, make_fact("a", RS256), make_memory("b", "No fact"))

    assert due(memory) == {"a": "new"}
    assert statuses(memory) == {"a": "unproven", "b": ""}


def test_nothing_is_due_after_a_run_and_no_second_run_commits(memory, repo, runs):
    put(repo, make_fact("a", RS256), make_fact("b", runs.command, paths=["README.md"]))
    approve_all(memory)
    verify(memory)
    before, ran = count_commits(repo), runs()

    again = verify(memory)

    assert due(memory) == {}
    assert (again.due, again.results, again.recorded) == (0, (), None)
    assert count_commits(repo) == before
    assert runs() == ran


@pytest.mark.parametrize(
    ("fields", "verify_as"),
    [({}, RS256), ({"paths": ["src/auth/**"]}, "test -f README.md")],
    ids=["known", "declared"],
)
def test_change_elsewhere_is_not_due_and_one_of_an_input_is(memory, repo, fields, verify_as):
    put(repo, make_fact("a", verify_as, **fields))
    approve_all(memory)
    verify(memory)

    commit_files(repo, {"README.md": "# Another\n", "src/new.py": "x\n"})
    elsewhere = due(memory)
    commit_files(repo, {"src/auth/jwt.py": "changed\n"})

    assert elsewhere == {}
    assert due(memory) == {"a": "inputs"}
    assert statuses(memory) == {"a": "stale"}


def test_any_change_is_due_where_nothing_is_declared(memory, repo):
    put(repo, make_fact("a", "test -f README.md"))
    approve_all(memory)
    verify(memory)

    commit_files(repo, {"unrelated/file.txt": "x\n"})

    assert due(memory) == {"a": "inputs"}


def test_commit_that_changes_no_file_is_not_due(memory, repo):
    put(repo, make_fact("a", "test -f README.md"))
    approve_all(memory)
    verify(memory)

    git(repo, "commit", "-q", "--amend", "-m", "rewritten")
    git(repo, "commit", "-q", "--allow-empty", "-m", "nothing")

    assert due(memory) == {}
    assert statuses(memory) == {"a": "verified"}


def test_input_that_is_changed_back_is_not_due(memory, repo):
    put(repo, make_fact("a", RS256))
    verify(memory)
    before = (repo / "src/auth/jwt.py").read_text()

    commit_files(repo, {"src/auth/jwt.py": "RS256, otherwise\n"})
    changed = due(memory)
    commit_files(repo, {"src/auth/jwt.py": before})

    assert changed == {"a": "inputs"}
    assert due(memory) == {}


def test_due_fact_alone_is_run(memory, repo, runs):
    put(repo, make_fact("a", runs.command, paths=["README.md"]), make_fact("b", RS256))
    approve_all(memory)
    verify(memory)
    ran = runs()

    commit_files(repo, {"src/auth/jwt.py": "RS256, otherwise\n"})

    assert outcomes(verify(memory)) == {"b": "holds"}
    assert runs() == ran


def test_fact_is_due_and_stale_past_its_ttl_and_not_before(timed, repo, clock):
    put(repo, make_fact("a", RS256, ttl="2d"), make_fact("b", RS256), make_fact("c", RS256, ttl="never"))
    verify(timed)

    clock.now = NOW + 2 * DAY
    before = due(timed), statuses(timed)
    clock.now = NOW + 2 * DAY + 1

    assert before == ({}, {"a": "verified", "b": "verified", "c": "verified"})
    assert due(timed) == {"a": "ttl"}
    assert statuses(timed) == {"a": "stale", "b": "verified", "c": "verified"}


def test_ttl_is_thirty_days_where_none_is_given(timed, repo, clock):
    put(repo, make_fact("a", RS256), make_fact("c", RS256, ttl="never"))
    verify(timed)

    clock.now = NOW + 30 * DAY
    before = due(timed)
    clock.now += 1

    assert before == {}
    assert due(timed) == {"a": "ttl"}


def test_failed_fact_past_its_ttl_is_due_and_stays_failed(timed, repo, clock):
    put(repo, make_fact("a", {"exists": "nothing"}, ttl="1d"))
    verify(timed)

    clock.now += DAY + 1

    assert due(timed) == {"a": "ttl"}
    assert statuses(timed) == {"a": "failed"}


def test_failed_fact_is_not_run_again_until_its_inputs_change(memory, repo):
    put(repo, make_fact("a", {"exists": "later"}))
    verify(memory)

    unchanged = due(memory)
    commit_files(repo, {"later": ""})

    assert unchanged == {}
    assert due(memory) == {"a": "inputs"}


def test_named_facts_are_judged_whether_due_or_not(memory, repo):
    put(repo, make_fact("a", RS256), make_fact("b", RS256))
    verify(memory)

    assert due(memory, keys=("b",)) == {"b": "asked"}
    assert due(memory, everything=True) == {"a": "asked", "b": "asked"}
    assert due(memory, keys=("nothing",)) == {}


def test_changed_claim_is_unproven_and_due_as_new(memory, repo):
    put(repo, make_fact("a", RS256, title="It holds"))
    verify(memory)

    put(repo, make_fact("a", RS256, title="It holds no more"))

    assert statuses(memory) == {"a": "unproven"}
    assert due(memory) == {"a": "new"}


def test_changed_check_is_unproven_and_due_as_new(memory, repo):
    put(repo, make_fact("a", RS256))
    verify(memory)

    put(repo, make_fact("a", {"contains": "RS25", "in": "src/auth/*.py"}))

    assert statuses(memory) == {"a": "unproven"}
    assert due(memory) == {"a": "new"}


def test_changed_tags_change_no_status(memory, repo):
    put(repo, make_fact("a", RS256))
    verify(memory)

    put(repo, make_fact("a", RS256, tags=["auth"], requires=["b"]))

    assert due(memory) == {}
    assert statuses(memory) == {"a": "verified"}


def test_declared_paths_that_change_make_a_fact_due(memory, repo):
    put(repo, make_fact("a", "test -f README.md", paths=["README.md"]))
    approve_all(memory)
    verify(memory)

    put(repo, make_fact("a", "test -f README.md", paths=["src"]))

    assert due(memory) == {"a": "inputs"}


def test_retired_and_superseded_facts_are_never_due(memory, repo):
    put(repo, make_fact("a", RS256), make_fact("b", RS256), make_fact("c", RS256, supersedes=["a"]))

    memory.forget("b")

    assert due(memory) == {"c": "new"}
    assert due(memory, everything=True) == {"c": "new"}
    assert due(memory, keys=("a", "b")) == {}


def test_memory_of_any_kind_with_a_check_is_judged(memory, repo):
    put(repo, make_fact("a", RS256, kind="gotcha"))

    assert due(memory) == {"a": "new"}
    assert statuses(memory) == {"a": "unproven"}


def test_fact_that_a_newer_version_wrote_is_never_run(memory, repo, runs):
    put(repo, make_fact("a", runs.command, schema=2))

    assert due(memory, everything=True) == {}
    assert statuses(memory) == {"a": ""}


def test_gate_of_a_task_runs_on_request_only(memory, repo):
    put(repo, make_fact("a", {"exists": "later"}, kind="task"))

    assert due(memory) == {}
    assert due(memory, everything=True) == {}
    assert due(memory, keys=("a",)) == {"a": "new"}


def test_dry_run_says_what_is_due_and_runs_nothing(memory, repo, runs):
    put(repo, make_fact("a", runs.command), make_fact("b", RS256))
    approve_all(memory)
    before = count_commits(repo)

    run = verify(memory, dry_run=True)

    assert [d.row.key for d in run.would_run] == ["a", "b"]
    assert (runs(), count_commits(repo), statuses(memory)["b"]) == (0, before, "unproven")


# --- branches ------------------------------------------------------------------------------------------------------


def test_checkout_of_another_branch_shows_its_statuses_by_itself(memory, repo, runs):
    put(repo, make_fact("a", RS256), make_fact("b", runs.command, paths=["README.md"]))
    approve_all(memory)
    verify(memory)
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {"src/auth/jwt.py": "HS256\n", "README.md": "# Nothing\n"})
    unknown = statuses(memory)
    verify(memory)
    ran = runs()

    shown = [statuses(memory)]
    for branch in ("main", "feature", "main"):
        git(repo, "checkout", "-q", branch)
        shown.append(statuses(memory))
        assert due(memory) == {}

    bad, good = {"a": "failed", "b": "failed"}, {"a": "verified", "b": "verified"}
    assert unknown == {"a": "stale", "b": "stale"}
    assert shown == [bad, good, bad, good]
    assert runs() == ran


def test_each_work_tree_shows_the_statuses_of_what_it_has_checked_out(memory, repo, tmp_path):
    put(repo, make_fact("a", RS256))
    git(repo, "worktree", "add", "-q", "-b", "feature", str(tmp_path / "linked"))
    commit_files(tmp_path / "linked", {"src/auth/jwt.py": "HS256\n"})

    with Memory(tmp_path / "linked", clock=lambda: float(NOW)) as linked:
        verify(linked)
        verify(memory)

        assert (statuses(memory), statuses(linked)) == ({"a": "verified"}, {"a": "failed"})


def test_verdict_made_on_a_branch_is_written_down_when_that_code_is_on_the_default_one(memory, repo, runs):
    put(repo, make_fact("a", runs.command, paths=["README.md"]))
    approve_all(memory)
    verify(memory)
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {"README.md": "# Broken\n"})
    local = verify(memory)
    before, ran = count_commits(repo), runs()
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "feature")

    run = verify(memory)

    assert (local.is_local, local.recorded) == (True, None)
    assert run.recorded.failed == ("a",)
    assert (count_commits(repo), runs()) == (before + 1, ran)
    assert list_publishable(memory.repository.catalog(), memory.repository.local, memory.repository.ground()) == []


def test_suspects_are_named_when_a_verdict_of_a_branch_is_written_down(memory, repo):
    put(repo, make_fact("a", RS256), make_memory("b", "Rests on it", requires=["a"]))
    verify(memory)
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {"src/auth/jwt.py": "HS256\n"})
    verify(memory)
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "feature")

    run = verify(memory)

    assert (run.recorded.failed, run.recorded.suspect) == (("a",), (("b", ("a",)),))


def test_nothing_is_due_in_a_shallow_clone_of_what_was_verified(memory, repo, tmp_path):
    put(repo, make_fact("a", RS256), make_fact("b", "test -f README.md"))
    approve_all(memory)
    verify(memory)
    commit_files(repo, {"new.txt": "x\n"})
    git(repo, "revert", "--no-edit", "HEAD")
    git(repo, "push", "-q", ".", "memory:refs/heads/memory-copy")
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", f"file://{repo}", "shallow")

    with Memory(tmp_path / "shallow", clock=lambda: float(NOW)) as shallow:
        assert due(shallow) == {}
        assert statuses(shallow) == {"a": "verified", "b": "verified"}


def test_more_code_commits_than_are_kept_show_the_right_statuses(timed, repo, clock):
    put(repo, make_fact("a", RS256))
    commits = [commit_files(repo, {"src/auth/jwt.py": f"{'RS256' if n % 2 else 'HS256'} {n}\n"}) for n in range(12)]
    for commit in commits:
        git(repo, "checkout", "-q", commit)
        verify(timed)

    shown = []
    for commit in commits:
        git(repo, "checkout", "-q", commit)
        shown.append(statuses(timed)["a"])

    assert shown == ["failed", "verified"] * 6
    assert timed.repository.catalog().row("SELECT count(*) FROM ground")[0] <= fact_state.KEPT_GROUNDS


def test_clock_that_was_set_back_does_not_keep_statuses_from_being_worked_out(timed, repo, clock):
    put(repo, make_fact("a", RS256))
    for n in range(fact_state.KEPT_GROUNDS + 2):
        clock.now = NOW - n * DAY
        commit_files(repo, {"n.txt": str(n)})

        assert statuses(timed) == {"a": "unproven"}


def test_states_kept_from_before_do_not_hide_a_verdict_that_came_by_fetch(memory, repo):
    put(repo, make_fact("a", "test -f README.md"))  # not built in: what others say of those is worked out again
    assert statuses(memory) == {"a": "unproven"}
    (due,) = memory.repository.session(Options(keys=("a",))).list_due()
    verdict = Verdict(
        key="a",
        spec=spec_of(memory, "a"),
        claim=due.row.claim,
        outcome=FAILS,
        commit="1" * 40,
        inputs=due.digest,
        at=NOW,
    )

    put_files(repo, {loose_file(memory, "a"): format_verdict(verdict)})

    assert statuses(memory) == {"a": "failed"}


# --- whose verdict -------------------------------------------------------------------------------------------------


def verdict(**fields) -> Verdict:
    return Verdict(
        **{"key": "a", "spec": "s", "claim": "c", "outcome": HOLDS, "commit": "1" * 40, "inputs": "i", "at": 1} | fields
    )


@each(
    ("settings", "fields", "accepted"),
    [
        ({}, {"sandbox": "none"}, True),
        ({}, {"sandbox": "unheard-of"}, True),
        ({"claimed": False}, {}, False),
        ({"claimed": False}, {"own": True}, True),
        ({"min_sandbox": "landlock"}, {"sandbox": "none", "own": True}, False),
        ({"min_sandbox": "landlock"}, {"sandbox": "landlock"}, True),
        ({"min_sandbox": "landlock"}, {"sandbox": "bubblewrap"}, True),
        ({"min_sandbox": "bubblewrap"}, {"sandbox": "landlock"}, False),
        ({"min_sandbox": "bubblewrap"}, {"sandbox": "builtin"}, True),
        ({"min_sandbox": "bubblewrap"}, {"sandbox": "unheard-of"}, False),
        ({"min_sandbox": "landlock", "claimed": False}, {"sandbox": "bubblewrap"}, False),
    ],
)
def test_policy_says_whose_verdicts_count(settings, fields, accepted):
    assert is_accepted(verdict(**fields), Policy.from_dict({"verify": settings}), now=1) == accepted


def claim_of(memory, key="a"):
    return memory.repository.session(Options(keys=(key,))).list_due()[0]


def forged(memory, **fields) -> dict[str, str]:
    """Return a verdict file for the fact ``a`` that somebody wrote by hand: of the very inputs, by default."""
    message = claim_of(memory)
    made = verdict(
        **{
            "spec": message.row.spec,
            "claim": message.row.claim,
            "inputs": message.digest,
            "at": NOW,
            "sandbox": "bubblewrap",
        }
        | fields
    )
    return {loose_file(memory, "a"): format_verdict(made)}


def test_verdict_written_by_hand_counts_and_says_that_it_is_claimed(memory, repo):
    put(repo, make_fact("a", "test -f README.md"))

    put_files(repo, forged(memory))

    shown = memory.show("a").document
    assert (shown["status"], shown["verdict"]["own"]) == ("verified", False)
    assert due(memory) == {}


@pytest.mark.parametrize("fields", [{"claim": "0" * 64}, {"spec": "0" * 64}], ids=["claim", "spec"])
def test_verdict_written_by_hand_does_not_count_for_another_claim_or_specification(memory, repo, fields):
    put(repo, make_fact("a", "test -f README.md"))

    put_files(repo, forged(memory, **fields))

    assert statuses(memory) == {"a": "unproven"}
    assert due(memory) == {"a": "new"}


def test_verdict_written_by_hand_for_other_inputs_is_due(memory, repo):
    put(repo, make_fact("a", "test -f README.md"))

    put_files(repo, forged(memory, inputs="tree:" + "0" * 40))

    assert (statuses(memory), due(memory)) == ({"a": "stale"}, {"a": "inputs"})


def test_verdict_written_by_hand_does_not_count_where_the_policy_wants_our_own(memory, repo):
    put(repo, make_fact("a", RS256), {"gitmem.toml": "[verify]\nclaimed = false\n"})

    put_files(repo, forged(memory))

    with Memory(repo, clock=lambda: float(NOW)) as opened:
        assert (statuses(opened), due(opened)) == ({"a": "unproven"}, {"a": "new"})
        assert opened.show("a").document["verdict"] is None
        verify(opened)
        assert statuses(opened) == {"a": "verified"}


def test_verdict_that_repeats_when_ours_was_made_is_not_ours(memory, repo):
    """What is public of our verdict (commit, time, outcome) does not make one of a new command our own."""
    put(repo, make_fact("a", RS256), {"gitmem.toml": "[verify]\nclaimed = false\n"})
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        verify(opened)
        assert statuses(opened) == {"a": "verified"}
        commit = git(repo, "rev-parse", "HEAD")

        put(repo, make_fact("a", {"contains": "HS256", "in": "src/auth/*.py"}, title="Another claim"))
        put_files(repo, forged(opened, commit=commit, at=NOW, sandbox="builtin"))

        assert statuses(opened) == {"a": "unproven"}
        assert due(opened) == {"a": "new"}


def test_verdict_that_repeats_ours_for_other_inputs_is_not_ours(memory, repo):
    put(repo, make_fact("a", RS256), {"gitmem.toml": "[verify]\nclaimed = false\n"})
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        verify(opened)
        made_at = git(repo, "rev-parse", "HEAD")
        commit_files(repo, {"src/auth/jwt.py": "HS256\n"})

        put_files(repo, forged(opened, commit=made_at, at=NOW, sandbox="builtin"))

        assert due(opened) == {"a": "inputs"}


def test_verdict_of_too_weak_a_sandbox_is_due_again(memory, repo):
    put(repo, make_fact("a", "test -f README.md"), {"gitmem.toml": '[verify]\nmin_sandbox = "landlock"\n'})

    put_files(repo, forged(memory, sandbox="none"))

    assert due(memory) == {"a": "new"}


def test_verdict_from_the_future_does_not_win_over_ours_of_today(memory, repo):
    """A hand-written year must not hide what was found here: a time in the future counts as now."""
    put(repo, make_fact("a", {"exists": "nothing"}))
    git(repo, "checkout", "-q", "-b", "feature")
    verify(memory)
    assert statuses(memory) == {"a": "failed"}

    put_files(repo, forged(memory, at=253_402_300_799))

    assert statuses(memory) == {"a": "failed"}


def test_verdict_from_the_future_is_not_verified_for_ever(timed, repo, clock):
    put(repo, make_fact("a", RS256, ttl="1d"))

    put_files(repo, forged(timed, at=253_402_300_799))
    clock.now += 400 * DAY

    assert statuses(timed) != {"a": "verified"}
    assert "a" in due(timed)


def test_verdict_from_a_clock_that_is_a_little_ahead_counts(memory, repo):
    put(repo, make_fact("a", RS256))

    put_files(repo, forged(memory, at=NOW + 120))

    assert (statuses(memory), due(memory)) == ({"a": "verified"}, {})


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: "outcome = ",
        lambda text: text.replace('"holds"', '"error"'),
        lambda text: text.replace('"holds"', "true"),
        lambda text: text.replace("1" * 40, "--upload-pack=touch marker"),
        lambda text: text.replace("1" * 40, "HEAD"),
        lambda text: text.replace("2026", "20x6"),
        lambda text: text + 'held-commit = "../../etc"\n',
        lambda text: text + "x = " + "[" * 2000,
    ],
    ids=["empty", "no-toml", "outcome", "type", "option", "no-object-name", "time", "held-commit", "nested"],
)
def test_invalid_verdict_file_is_a_problem_and_not_a_verdict(memory, repo, change):
    put(repo, make_fact("a", RS256))
    ((path, text),) = forged(memory).items()

    put_files(repo, {path: change(text)})

    assert statuses(memory) == {"a": "unproven"}
    assert [p.code for p in memory.doctor(fix=False).problems if p.path == path] == ["bad-verdict"]
    assert outcomes(verify(memory)) == {"a": "holds"}
    assert statuses(memory) == {"a": "verified"}


def test_verdict_file_of_another_specification_than_its_name_says_is_a_problem(memory, repo):
    put(repo, make_fact("a", RS256))
    ((path, text),) = forged(memory).items()

    put_files(repo, {path.replace(spec_of(memory, "a")[:16], "0" * 16): text})

    assert statuses(memory) == {"a": "unproven"}
    assert "bad-verdict" in [p.code for p in memory.doctor(fix=False).problems]


def test_verdicts_of_many_facts_are_read_at_once(memory, repo, monkeypatch):
    monkeypatch.setattr(due_module, "MANY", 3)
    put(repo, *(make_fact(f"f{n}", RS256) for n in range(9)))

    verify(memory)

    assert set(statuses(memory).values()) == {"verified"}
    assert due(memory, everything=True) == {f"f{n}": "asked" for n in range(9)}


def test_latest_verdict_counts_among_those_of_the_same_inputs():
    first, second = verdict(at=1), verdict(at=2, outcome=FAILS)

    assert fact_state.pick([first, second], "i") == (second, True)
    assert fact_state.pick([second, first], "i") == (second, True)


def test_verdict_of_these_inputs_counts_before_a_later_one_of_others():
    same, later = verdict(at=1), verdict(at=2, inputs="j", outcome=FAILS)

    assert fact_state.pick([same, later], "i") == (same, True)
    assert fact_state.pick([later], "i") == (later, False)
    assert fact_state.pick([], "i") == (None, False)


def test_of_our_own_verdicts_the_one_kept_last_is_the_latest():
    failed, again = verdict(at=2, outcome=FAILS, own=True), verdict(at=1, inputs="j", own=True)

    assert fact_state.pick([failed, again], "other inputs") == (again, False)
    assert fact_state.pick([again, failed], "other inputs") == (failed, False)
    assert fact_state.pick([replace(again, at=2), failed], "other inputs") == (failed, False)
    # One that others claim is compared by its time, and the branch's copy of ours is no newer than ours.
    assert fact_state.pick([failed, again, verdict(at=3, inputs="k")], "other inputs")[0] == verdict(at=3, inputs="k")
    assert fact_state.pick([failed, again, failed], "other inputs") == (again, False)


def test_our_own_verdict_counts_before_a_claimed_one_of_the_same_second():
    claimed, own = verdict(), verdict(outcome=FAILS, own=True)

    assert fact_state.pick([claimed, own], "i") == (own, True)


def test_verdict_file_is_read_as_it_was_written():
    made = verdict(
        spec="a" * 64, claim="b" * 64, at=NOW, because='a "quoted" \\ reason\n\twith \x7f and ü', sandbox="landlock",
        held_commit="2" * 40, held_at=NOW - 5, weak=True, confirmed=False, culprit="3" * 40, seconds=1.25,
    )  # fmt: skip

    assert parse_verdict(format_verdict(made).encode(), key="a", path="p") == made
    assert parse_verdict(format_verdict(replace(made, because="")).encode(), key="a", path="p").because == ""


def test_declared_paths_that_match_nothing_count_as_unknown(memory: Memory) -> None:
    memory.fact("RS256 is used", verify="grep -q RS256 src/auth/jwt.py", key="k", paths=["src/typo.py"], unproven=True)
    for due in memory.repository.commands():
        approve_command(memory.repository, due)
    assert outcomes(memory.verify(options=Options(), report=lambda *_: None)) == {"k": "holds"}

    commit_files(Path(memory.repository.git.repository.top or ""), {"src/auth/jwt.py": "none\n"})

    assert outcomes(memory.verify(options=Options(), report=lambda *_: None)) == {"k": "fails"}
