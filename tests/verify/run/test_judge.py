"""Judging: what each way of ending shows, and that a failure is confirmed before it is reported."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, put_files
from support.each import each
from support.facts import (
    BETWEEN,
    DAY,
    Clock,
    approve_all,
    commit_later,
    is_running,
    make_fact,
    outcomes,
    put,
    result_of,
    statuses,
    verdict_file,
    verdict_text,
    verify,
)
from support.processes import wait_until

from gitmem.memory import Memory
from gitmem.system import process
from gitmem.system.process_limits import stop_all, stop_count
from gitmem.verify.options import Options
from gitmem.verify.run import confirm, judge
from gitmem.verify.run.evidence import find_tracer
from gitmem.verify.sandbox import sandbox


@pytest.fixture
def mark():
    """A number of seconds to sleep that nobody else sleeps."""
    return f"30.{uuid.uuid4().int % 10**15:015}"


# --- the three forms -----------------------------------------------------------------------------------------------


def test_each_form_of_check_is_judged_in_one_run(memory, repo):
    put(
        repo,
        make_fact("builtin", {"contains": "RS256", "in": "src/**"}),
        make_fact("program", ["grep", "-q", "RETRIES = 3", "src/gateway/retry.py"]),
        make_fact("shell", "grep -q service README.md && test ! -e setup.py"),
        make_fact("not-builtin", {"lacks": "RS256", "in": "src/**"}),
        make_fact("not-program", ["grep", "-q", "$(echo RETRIES)", "src/gateway/retry.py"]),
        make_fact("not-shell", "grep -q nothing README.md"),
    )
    approve_all(memory)

    run = verify(memory)

    assert outcomes(run) == {
        "builtin": "holds", "program": "holds", "shell": "holds",
        "not-builtin": "fails", "not-program": "unproven", "not-shell": "unproven",
    }  # fmt: skip
    assert [r.due.row.key for r in run.results] == sorted(outcomes(run))


def test_checks_run_in_the_sandbox_that_works_here(memory, repo):
    put(repo, make_fact("a", "grep -q service README.md"), make_fact("b", ["grep", "-q", "nothing", "README.md"]))
    approve_all(memory)
    rung = sandbox.probe(os.environ["PATH"])
    if rung == "none":
        pytest.skip("no sandbox works here")

    run = verify(memory, no_sandbox=False)

    assert (outcomes(run), run.rung) == ({"a": "holds", "b": "unproven"}, rung)
    assert result_of(run, "a").verdict.sandbox == rung


def test_check_sees_the_commit_and_not_the_work_tree(memory, repo):
    put(repo, make_fact("a", "grep -q service README.md && test ! -e untracked"))
    approve_all(memory)
    (repo / "README.md").write_text("changed\n", encoding="utf-8")
    (repo / "untracked").write_text("", encoding="utf-8")

    assert outcomes(verify(memory)) == {"a": "holds"}


def test_check_that_writes_changes_nothing_of_the_repository(memory, repo):
    put(repo, make_fact("a", "rm -rf src && echo x > README.md && git commit -qam x"), make_fact("b", "test -d src"))
    approve_all(memory)
    before = git(repo, "status", "--porcelain"), git(repo, "for-each-ref"), (repo / "README.md").read_text()

    run = verify(memory, jobs=1, no_sandbox=True)

    assert outcomes(run)["b"] == "holds"
    assert (git(repo, "status", "--porcelain"), (repo / "README.md").read_text()) == (before[0], before[2])
    assert git(repo, "rev-parse", "main") in before[1]


def test_without_a_sandbox_only_builtin_checks_are_judged(memory, repo, monkeypatch, tmp_path):
    put(repo, make_fact("a", f"touch {tmp_path}/marker"), make_fact("b", {"exists": "README.md"}))
    approve_all(memory)
    monkeypatch.setattr(sandbox, "probe", lambda path: "none")

    run = verify(memory, no_sandbox=False)

    assert outcomes(run) == {"a": "skipped", "b": "holds"}
    assert result_of(run, "a").reason == "no sandbox works here"
    assert not (tmp_path / "marker").exists()


def test_setup_of_the_policy_comes_first_and_its_failure_is_an_error(memory, repo):
    put(repo, make_fact("a", "test -f made"), {"gitmem.toml": '[verify]\nsetup = "echo x > made"\n'})
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        approve_all(opened)
        assert outcomes(verify(opened)) == {"a": "holds"}

    put(repo, {"gitmem.toml": '[verify]\nsetup = "echo no network; exit 1"\n'})
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        approve_all(opened)
        result = result_of(verify(opened), "a")

    assert (result.outcome, result.reason) == (
        "blocked",
        "the policy's setup (echo no network; exit 1) failed: exit 1: no network",
    )


# --- what may be the environment ------------------------------------------------------------------------------------

UNCLEAR_ENDS = {
    "not-found": "no-such-program-anywhere",
    "not-executable": "./README.md",
    "exit-126": "exit 126",
    "exit-127": "exit 127",
    "killed": "kill -9 $$",
    "killed-child": "sh -c 'kill -9 $$'",
    "exit-like-a-signal": "exit 137",
}


def test_change_that_makes_a_check_crash_is_a_failure(memory, repo):
    commit_files(repo, {f"{how}.sh": "exit 0\n" for how in UNCLEAR_ENDS})
    put(repo, *(make_fact(how, f". ./{how}.sh") for how in UNCLEAR_ENDS))
    approve_all(memory)
    verify(memory)

    commit_files(repo, {f"{how}.sh": f"{end}\n" for how, end in UNCLEAR_ENDS.items()})
    run = verify(memory)

    shown = {r.due.row.key: (r.outcome, r.verdict.confirmed, r.because != "") for r in run.results}
    assert shown == dict.fromkeys(UNCLEAR_ENDS, ("fails", True, True))
    assert statuses(memory) == dict.fromkeys(UNCLEAR_ENDS, "failed")
    assert run.recorded.failed == tuple(sorted(UNCLEAR_ENDS))


# What wraps an environment's error in an exit status of its own.
WRAPPED_ENDS = {
    "make": "printf 'all:\\n\\tno-such-program-anywhere\\n' | make -s -f -",
    "python": "python3 -c 'import no_such_module'",
    "python-subprocess": "python3 -c 'import subprocess; subprocess.run([\"no-such-program-anywhere\"], check=True)'",
    "npm": "sh -c 'sh: 1: jest: not found' 2>/dev/null || exit 1",
    "tox": "echo 'ERROR: InterpreterNotFound: python3.99'; exit 1",
    "npx": "exit 128",
}


def test_error_of_the_environment_is_blocked_whatever_its_exit_status(memory, repo, tmp_path):
    worlds = {how: tmp_path / how for how in WRAPPED_ENDS}
    for world in worlds.values():
        world.write_text("exit 0\n")
    put(repo, *(make_fact(how, f". {world}") for how, world in worlds.items()))
    approve_all(memory)
    verify(memory)

    for how, world in worlds.items():
        world.write_text(WRAPPED_ENDS[how] + "\n")
    commit_files(repo, {"new.txt": "x\n"})
    run = verify(memory)

    blocked = dict.fromkeys(WRAPPED_ENDS, "blocked")
    assert (outcomes(run), statuses(memory)) == (blocked, blocked)
    reasons = {r.due.row.key: r.reason for r in run.results}
    assert [how for how, why in reasons.items() if "where it held: the environment changed" not in why] == []


# A check, what a change makes of its script (None: it is gone), and how the reason of the failure begins.
STOPPED = {
    "gone": ("sh tools/gone.sh", None, "its script is gone: tools/gone.sh ("),
    "program-gone": ("./tools/program-gone.sh", None, "its script is gone: tools/program-gone.sh ("),
    "list-gone": (["sh", "tools/list-gone.sh"], None, "its script is gone: tools/list-gone.sh ("),
    "crashes": ("sh tools/crashes.sh", "kill -SEGV $$", "it crashes: killed by a signal (exit 139)"),
    "hangs": ("sh tools/hangs.sh", "sleep 30", "it hangs: timed out after 1 s"),
}


@pytest.mark.whole_system
def test_change_that_stops_a_check_says_how(memory, repo):
    scripts = {how: f"tools/{how}.sh" for how in STOPPED}
    commit_files(repo, dict.fromkeys(scripts.values(), "#!/bin/sh\nexit 0\n"))
    (repo / scripts["program-gone"]).chmod(0o755)
    git(repo, "commit", "-qam", "make it a program")
    limits = {"hangs": {"timeout": "1s"}}
    put(repo, *(make_fact(how, check, **limits.get(how, {})) for how, (check, _, _) in STOPPED.items()))
    approve_all(memory)
    assert outcomes(verify(memory)) == dict.fromkeys(STOPPED, "holds")

    git(repo, "rm", "-q", *(scripts[how] for how, (_, script, _) in STOPPED.items() if script is None))
    commit_files(repo, {scripts[how]: f"#!/bin/sh\n{script}\n" for how, (_, script, _) in STOPPED.items() if script})
    run = verify(memory)

    for how, (_, _, because) in STOPPED.items():
        result = result_of(run, how)
        assert (result.outcome, result.verdict.confirmed) == ("fails", True), how
        assert result.because.startswith(because), how


def test_check_that_crashes_where_it_held_too_is_blocked_and_its_verdict_stays(memory, repo, tmp_path):
    ends = UNCLEAR_ENDS | {"failed-before": UNCLEAR_ENDS["not-found"]}
    first = dict.fromkeys(ends, "holds") | {"failed-before": "fails"}
    commit_files(repo, {"ok": "\n"})
    for how in ends:
        (tmp_path / how).write_text("exit 0\n" if first[how] == "holds" else "test -e ok\n")
    put(repo, *(make_fact(how, f". {tmp_path / how}") for how in ends))
    approve_all(memory)
    verify(memory)
    git(repo, "rm", "-q", "ok")
    git(repo, "commit", "-qm", "break one of them")
    verify(memory)
    assert statuses(memory) == dict.fromkeys(ends, "verified") | {"failed-before": "failed"}
    written = {how: verdict_text(repo, memory, how).splitlines() for how in ends}

    for how, end in ends.items():
        (tmp_path / how).write_text(end + "\n")
    commit_files(repo, {"new.txt": "x\n"})
    run = verify(memory)

    assert outcomes(run) == dict.fromkeys(ends, "blocked")
    assert statuses(memory) == dict.fromkeys(ends, "blocked") | {"failed-before": "failed"}
    for how in ends:
        verdict = memory.show(how).document["verdict"]
        assert (verdict["outcome"], verdict["attempt"]) == (first[how], result_of(run, how).reason), how
        assert verdict["attempt"], how
        assert verdict_text(repo, memory, how).splitlines() == written[how], how


def test_program_that_is_not_there_blocks(memory, repo):
    put(repo, make_fact("a", ["no-such-program-anywhere"]))
    approve_all(memory)

    result = result_of(verify(memory), "a")

    assert (result.outcome, statuses(memory)) == ("blocked", {"a": "blocked"})
    assert "no such program" in result.reason


def test_program_is_missing_only_if_it_is_in_no_environment_of_the_project_either(memory, repo):
    commit_files(repo, {".gitignore": ".venv\n"})
    program = repo / ".venv/bin/own-lint"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
    program.chmod(0o755)
    (repo / ".venv/pyvenv.cfg").touch()
    commit_files(repo, {"ci/lint.sh": "! no-such-lint .\n", "Makefile": "lint:\n\t@! no-such-lint .\nall:\n\ttrue\n"})
    put(
        repo,
        make_fact("own", "! own-lint . 2>/dev/null"),
        make_fact("absent", "! no-such-lint . 2>/dev/null"),
        make_fact("script", "sh ci/lint.sh"),
        make_fact("target", ["make", "-s", "lint"]),
        make_fact("read", "! grep -q yes ci/lint.sh"),
        make_fact("other", "make all"),
    )
    approve_all(memory)

    report = verify(memory)

    blocked, holds = dict.fromkeys(("absent", "script", "target"), "blocked"), ("own", "read", "other")
    assert outcomes(report) == blocked | dict.fromkeys(holds, "holds")
    assert "it needs the program no-such-lint" in result_of(report, "absent").reason


def test_check_past_its_time_is_blocked_and_nothing_of_it_goes_on(memory, repo, mark):
    put(repo, make_fact("a", f"sleep {mark} & setsid sleep {mark} & sleep {mark}", timeout="1s"))
    approve_all(memory)

    result = result_of(verify(memory), "a")

    assert (result.outcome, result.reason) == ("blocked", "timed out after 1 s")
    assert not is_running(mark)


def test_check_that_the_sandbox_keeps_from_the_network_is_blocked(memory, repo):
    if sandbox.probe(os.environ["PATH"]) == "none":
        pytest.skip("no sandbox works here")
    code = "import socket; socket.create_connection(('192.0.2.1', 80), 2)"
    put(repo, make_fact("a", ["python3", "-c", code]))
    approve_all(memory)

    result = result_of(verify(memory, no_sandbox=False), "a")

    assert result.outcome == "blocked"
    assert "network: true" in result.reason


def test_attempt_is_forgotten_once_something_is_learnt(memory, repo):
    commit_files(repo, {"check.sh": "exit 127\n"})
    put(repo, make_fact("a", ". ./check.sh"))
    approve_all(memory)
    verify(memory)
    before = memory.show("a").document["verdict"]["attempt"]

    commit_files(repo, {"check.sh": "exit 0\n"})
    verify(memory)

    assert before
    assert "attempt" not in memory.show("a").document["verdict"]


# --- confirmed before anybody is accused ---------------------------------------------------------------------------


@pytest.fixture
def world(tmp_path):
    """A file outside of the repository that a check looks at: what the environment is to it."""
    return tmp_path / "world"


def test_check_that_fails_and_then_holds_holds_and_flaps(memory, repo, world):
    put(repo, make_fact("a", f"test -e {world} || {{ touch {world}; exit 1; }}"))
    approve_all(memory)

    result = result_of(verify(memory), "a")

    assert (result.outcome, result.because, result.is_marked) == ("holds", "", True)
    assert result.verdict.attempt == "it failed, then held on the same code"
    assert statuses(memory) == {"a": "verified"}


@pytest.mark.parametrize(
    ("trace", "check", "before"),
    [
        ("off", "grep -q service README.md", confirm.STEADY),
        ("auto", "grep -q service README.md", 1),
        ("auto", "perl -0ne 'exit !/service/' README.md", confirm.STEADY),
    ],
    ids=["not-traced", "follows-from-its-files", "an-interpreter"],
)
def test_quick_check_is_known_to_be_steady_before_it_breaks_and_costs_five_runs_then(
    memory, repo, world, monkeypatch, trace, check, before
):
    if before == 1 and not find_tracer(os.environ["PATH"], sandbox.NONE):
        pytest.skip("strace does not work here: every check runs again")
    monkeypatch.setenv("GITMEM_TRACE", trace)
    monkeypatch.setenv("GITMEM_TRIAL_LIMIT", "10")
    put(repo, make_fact("a", f"test -e README.md && echo x >>{world}; {check}"))
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        approve_all(opened)
        verify(opened)
        ran = len(world.read_text().split())
        commit_files(repo, {"README.md": "# Nothing\n"})
        result = result_of(verify(opened), "a")

    assert (ran, result.outcome, len(world.read_text().split()) - ran) == (before, "fails", 5)


def test_quick_check_that_fails_in_its_trial_is_marked_and_holds(memory, repo, world, monkeypatch):
    monkeypatch.setenv("GITMEM_TRIAL_LIMIT", "10")
    put(repo, make_fact("a", f"echo x >>{world}; test $(wc -l <{world}) != 4"))
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        approve_all(opened)
        result = result_of(verify(opened), "a")

    assert (result.outcome, result.is_marked) == ("holds", True)
    assert result.verdict.attempt == "it held, then failed in run 3 on the same code"


def test_trials_end_at_the_limit_of_the_settings(memory, repo, world):
    put(repo, make_fact("a", f"echo x >>{world}; test $(wc -l <{world}) != 4"))
    approve_all(memory)

    result = result_of(verify(memory), "a")

    assert (result.outcome, result.is_marked, result.verdict.alike) == ("holds", False, 1)


def test_check_that_fails_and_then_cannot_be_run_has_shown_nothing(memory, repo, world):
    put(repo, make_fact("a", f"test -e {world} && exit 127; touch {world}; exit 1"))
    approve_all(memory)

    result = result_of(verify(memory), "a")

    assert (result.outcome, result.is_marked) == ("blocked", False)
    assert result.reason == "it failed once, and could not be run again: the command could not be run (exit 127)"


def test_new_failures_are_confirmed_after_all_others_and_a_pause(memory, repo, world, monkeypatch):
    """What makes a check fail at random often lasts a moment: here it is over when the pause is."""
    put(repo, make_fact("a", f"test -e {world}"), make_fact("b", "sleep 0.3; grep -q service README.md"))
    approve_all(memory)
    world.touch()
    verify(memory)
    world.unlink()
    lines, paused, sleep = [], [], time.sleep
    monkeypatch.setenv("GITMEM_CONFIRM_PAUSE", "0.51")

    def wait(seconds):
        sleep(min(seconds, 0.1))
        if seconds == 0.51:
            paused.append(seconds)
            world.touch()

    monkeypatch.setattr(time, "sleep", wait)
    commit_files(repo, {"new.txt": "x\n"})

    with Memory(repo, clock=lambda: float(NOW + 1)) as later:
        later.verify(
            options=Options(no_sandbox=True),
            report=lambda result, *_: lines.append((result.due.row.key, result.outcome)),
        )

    assert (lines, paused) == ([("b", "holds"), ("a", "holds")], [0.51])


def test_failure_at_the_last_good_commit_too_is_the_environment(memory, repo, world):
    world.touch()
    put(repo, make_fact("a", f"test -e {world} && test -f README.md"))
    approve_all(memory)
    verify(memory)
    good = git(repo, "rev-parse", "HEAD")

    world.unlink()
    commit_files(repo, {"new.txt": "x\n"})
    result = result_of(verify(memory), "a")

    assert result.outcome == "blocked"
    assert result.reason == f"exit 1; it does not pass at {good[:12]} either, where it held: the environment changed"
    assert statuses(memory) == {"a": "blocked"}


def test_failure_on_the_very_commit_where_it_held_is_the_environment(memory, repo, world):
    world.touch()
    put(repo, make_fact("a", f"test -e {world}"))
    approve_all(memory)
    verify(memory)

    world.unlink()
    result = result_of(verify(memory, "a"), "a")

    assert result.outcome == "blocked"
    assert result.reason == "exit 1; it held on this commit before: the environment changed"
    assert statuses(memory) == {"a": "blocked"}


def test_fact_stays_blocked_when_its_earlier_verdict_is_recorded(memory, repo, world):
    world.touch()
    put(repo, make_fact("a", f"test -e {world}"))
    approve_all(memory)
    verify(memory)
    commit_files(repo, {"new.txt": "x\n"})
    with Memory(repo, clock=lambda: float(NOW + 60)) as later:
        verify(later)  # the same answer on other inputs: the branch is not told of it yet
    world.unlink()

    with Memory(repo, clock=lambda: float(NOW + 120)) as latest:
        run = verify(latest, "a")

        assert outcomes(run) == {"a": "blocked"}
        assert statuses(latest) == {"a": "blocked"}


def test_known_failure_keeps_its_reason_where_the_environment_is_gone(memory, repo, world):
    put(repo, make_fact("a", f"sh {world} && {{ grep -q service README.md || {{ echo Error: none; exit 1; }}; }}"))
    world.write_text("exit 0\n")
    approve_all(memory)
    verify(memory)
    commit_files(repo, {"README.md": "# Nothing\n"})
    verify(memory)

    world.write_text("echo Error: no tool; exit 1\n")
    run = verify(memory, everything=True)

    assert outcomes(run) == {"a": "blocked"}
    assert (statuses(memory), memory.show("a").document["verdict"]["because"]) == (
        {"a": "failed"},
        "exit 1: Error: none",
    )


def test_what_is_blocked_in_one_clone_writes_nothing_to_the_branch(memory, repo, world):
    put(repo, make_fact("a", f"test -e {world} && grep -q service README.md"))
    approve_all(memory)
    world.touch()
    verify(memory)
    rounds, now = [], NOW

    def in_a_fresh_clone():
        nonlocal now
        now += 60
        shutil.rmtree(repo / ".git/gitmem")
        with Memory(repo, clock=lambda: float(now)) as fresh:
            approve_all(fresh)
            run = verify(fresh)
            found = result_of(run, "a")
            rounds.append((found.outcome, found.is_news, bool(run.recorded and run.recorded.commit)))

    memory.close()
    world.unlink()
    for number in range(3):
        commit_files(repo, {"README.md": f"# service {number}\n"})
        in_a_fresh_clone()
    world.touch()
    in_a_fresh_clone()
    world.unlink()
    commit_files(repo, {"README.md": "# another service\n"})
    in_a_fresh_clone()

    assert rounds == [*[("blocked", True, False)] * 3, ("holds", False, False), ("blocked", True, False)]


def test_failure_that_is_of_the_code_is_confirmed_where_it_held(memory, repo):
    put(repo, make_fact("a", "grep -q service README.md"))
    approve_all(memory)
    verify(memory)
    good = git(repo, "rev-parse", "HEAD")

    commit_files(repo, {"README.md": "# Nothing\n"})
    result = result_of(verify(memory), "a")

    assert (result.outcome, result.because) == ("fails", "exit 1")
    assert (result.verdict.confirmed, result.verdict.held_commit) == (True, good)
    assert statuses(memory) == {"a": "failed"}


def test_long_check_runs_where_it_held_and_here_at_the_same_time(memory, repo, world, tmp_path, monkeypatch):
    monkeypatch.setattr(judge, "LONG_S", 0.0)
    monkeypatch.setattr(confirm, "QUICK_S", 0.0)
    log = tmp_path / "runs"
    # Where it held, it ends when all runs have begun: one after the other, it would hang.
    wait = f"test -e {world} || until [ $(wc -l <{log}) -ge 7 ]; do sleep 0.01; done"
    put(repo, make_fact("a", f"echo x >>{log}; grep -q service README.md && {{ {wait}; }}", timeout="10s"))
    approve_all(memory)
    world.touch()
    verify(memory)
    world.unlink()

    commit_files(repo, {"README.md": "# Nothing\n"})
    result = result_of(verify(memory), "a")

    assert (result.outcome, result.verdict.confirmed, log.read_text().count("x")) == ("fails", True, 7)


def test_first_failure_of_a_fact_that_never_held_accuses_nothing_and_is_recorded_nowhere(memory, repo):
    put(repo, make_fact("a", "grep -q nothing README.md"))
    approve_all(memory)
    tip = git(repo, "rev-parse", "memory")

    run = verify(memory)
    again = verify(memory)

    result = result_of(run, "a")
    assert (result.outcome, result.reason, result.verdict) == ("unproven", "does not pass here: exit 1", None)
    assert (result.is_news, result_of(again, "a").is_news) == (True, False)
    assert (statuses(memory), git(repo, "rev-parse", "memory")) == ({"a": "unproven"}, tip)
    assert memory.show("a").document["verdict"]["attempt"] == result.reason


def test_fact_that_was_broken_before_its_first_judgement_fails_by_the_commit_where_it_was_written(memory, repo):
    put(repo, make_fact("a", "grep -q service README.md", created=BETWEEN))
    approve_all(memory)
    written = git(repo, "rev-parse", "HEAD")
    commit_later(repo, {"README.md": "# Nothing\n"})

    result = result_of(verify(memory), "a")

    assert (result.outcome, result.verdict.confirmed, result.verdict.held_commit) == ("fails", True, written)


@pytest.mark.parametrize("allowed", [True, False])
def test_missing_commit_where_it_held_is_fetched_by_its_id(memory, repo, tmp_path, allowed):
    put(repo, make_fact("a", "grep -q service README.md"))
    approve_all(memory)
    verify(memory)
    commit_files(repo, {"README.md": "# Nothing\n"})
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", f"file://{repo}", "shallow")
    # What a remote may refuse (git-config(1), uploadpack.allowAnySHA1InWant; protocol 2 gives everything).
    git(tmp_path / "shallow", "config", "protocol.version", "2" if allowed else "0")

    with Memory(tmp_path / "shallow", clock=lambda: float(NOW)) as shallow:
        approve_all(shallow)
        result = result_of(verify(shallow), "a")
        messages = shallow.show("a").document

    assert result.outcome == ("fails" if allowed else "unproven")
    assert messages["status"] == ("failed" if allowed else "unproven")


def test_fact_that_did_not_pass_already_is_not_run_twice(memory, repo, world):
    put(repo, make_fact("a", f"printf x >> {world}; grep -q nothing README.md"))
    approve_all(memory)
    verify(memory)
    first = len(world.read_text())

    commit_files(repo, {"new.txt": "x\n"})
    verify(memory)

    assert (first, len(world.read_text())) == (2, 3)
    assert statuses(memory) == {"a": "unproven"}


def test_fix_of_a_failure_is_seen_though_the_environment_was_gone_when_it_came(memory, repo, world):
    world.touch()
    put(repo, make_fact("a", f"test -e {world} && grep -q service README.md"))
    approve_all(memory)
    verify(memory)
    commit_files(repo, {"README.md": "# Nothing\n"})
    verify(memory)

    world.unlink()
    commit_files(repo, {"README.md": "# A service, of another kind\n"})
    blocked = result_of(verify(memory), "a")
    messages = statuses(memory)
    world.touch()
    verify(memory)

    assert (blocked.outcome, blocked.is_news, messages) == ("blocked", False, {"a": "failed"})
    assert statuses(memory) == {"a": "verified"}


def test_last_good_commit_is_kept_through_failures(memory, repo):
    put(repo, make_fact("a", "grep -q service README.md"))
    approve_all(memory)
    verify(memory)
    good = git(repo, "rev-parse", "HEAD")

    for text in ("# One\n", "# Two\n"):
        commit_files(repo, {"README.md": text})
        verify(memory)

    assert memory.show("a").document["verdict"]["held_commit"] == good


def test_fact_that_holds_again_is_verified(memory, repo):
    put(repo, make_fact("a", "grep -q service README.md"))
    approve_all(memory)
    verify(memory)
    for text in ("# One\n", "# A service again\n"):
        commit_files(repo, {"README.md": text})
        run = verify(memory)

    assert (outcomes(run), run.recorded.holds_again) == ({"a": "holds"}, ("a",))
    assert statuses(memory) == {"a": "verified"}


# --- weak checks ---------------------------------------------------------------------------------------------------


@each(
    ("command", "weak"),
    [
        ("! grep -q HS256 src/auth/jwt.py 2>/dev/null", True),
        ("test ! -e setup.py", True),
        ("ls | cat", True),
        ("grep -q RS256 src/auth/jwt.py", False),
        ("grep -q RS256 src/auth/jwt.py && ! grep -q HS256 src/auth/jwt.py", False),
    ],
)
def test_check_that_also_holds_in_an_empty_folder_is_weak(memory, repo, command, weak):
    put(repo, make_fact("a", command))
    approve_all(memory)

    result = result_of(verify(memory), "a")

    assert (result.outcome, result.verdict.weak) == ("holds", weak)
    assert memory.show("a").document["weak"] == weak


@pytest.mark.parametrize(
    ("refute", "weak"),
    [
        ("echo HS256 >> src/auth/jwt.py", False),
        ("echo harmless >> src/auth/jwt.py", True),
        ("exit 1", True),
        ("rm -rf src", True),
    ],
)
def test_counterexample_takes_the_weakness_away_when_it_makes_the_check_fail(memory, repo, refute, weak):
    put(repo, make_fact("a", "! grep -q HS256 src/auth/jwt.py 2>/dev/null", refute=refute))
    approve_all(memory)

    run = verify(memory)

    assert result_of(run, "a").verdict.weak == weak
    assert "HS256" not in (repo / "src/auth/jwt.py").read_text()


def test_counterexample_changes_the_code_before_the_setup_runs(memory, repo):
    setup = "cp src/auth/jwt.py built"
    put(repo, {"gitmem.toml": f'[verify]\nsetup = "{setup}"\n'})
    put(repo, make_fact("a", "! grep -q HS256 built", refute="echo HS256 >> src/auth/jwt.py"))
    put(repo, make_fact("b", "grep -q RS256 built", refute="true"))
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        approve_all(opened)
        run = verify(opened)

    assert {key: result_of(run, key).verdict.weak for key in "ab"} == {"a": False, "b": True}


def test_weakness_is_found_out_though_the_fact_failed_at_first(memory, repo):
    put(repo, make_fact("a", "test ! -e setup.py"))
    approve_all(memory)
    commit_files(repo, {"setup.py": ""})
    verify(memory)

    git(repo, "rm", "-q", "setup.py")
    git(repo, "commit", "-qm", "gone")
    result = result_of(verify(memory), "a")

    assert (result.outcome, result.verdict.weak) == ("holds", True)


def test_weakness_is_asked_once_a_specification(memory, repo, world):
    put(repo, make_fact("a", f"printf x >> {world}; test ! -e setup.py"))
    approve_all(memory)
    verify(memory)
    first = len(world.read_text())

    commit_files(repo, {"new.txt": "x\n"})
    result = result_of(verify(memory), "a")

    assert (first, len(world.read_text()) - first) == (2, 1)
    assert result.verdict.weak


# --- many at once, and interrupted ---------------------------------------------------------------------------------


def test_checks_run_beside_each_other_and_none_sees_what_another_writes(memory, repo):
    put(
        repo,
        *(make_fact(f"f{n}", f"test ! -e seen && echo {n} > seen && sleep 0.2 && grep -qx {n} seen") for n in range(4)),
    )
    approve_all(memory)

    run = verify(memory, jobs=4)

    assert set(outcomes(run).values()) == {"holds"}


def test_each_result_is_reported_as_it_comes(memory, repo):
    put(
        repo,
        make_fact("a", "sleep 0.3; test -f README.md"),
        make_fact("b", "test -f README.md"),
        make_fact("c", {"exists": "src"}),
    )
    approve_all(memory)
    messages: list[tuple[str, int, int]] = []

    memory.verify(
        options=Options(no_sandbox=True, jobs=2),
        report=lambda result, done, total: messages.append((result.due.row.key, done, total)),
    )

    assert messages == [("c", 1, 3), ("b", 2, 3), ("a", 3, 3)]


@pytest.mark.whole_system
def test_interruption_keeps_what_was_reported_and_ends_what_is_under_way(memory, repo, mark):
    put(
        repo,
        make_fact("a", "test -f README.md"),
        make_fact("b", {"exists": "src"}),
        make_fact("c", f"sleep {mark}"),
        make_fact("d", f"sleep {mark}"),
    )
    approve_all(memory)

    def messages(result, done, total):
        if result.due.row.key == "a":
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        memory.verify(options=Options(no_sandbox=True, jobs=2), report=messages)

    assert time.monotonic() - began < 60
    assert not is_running(mark)
    assert statuses(memory) == {"a": "verified", "b": "verified", "c": "unproven", "d": "unproven"}
    assert verdict_text(repo, memory, "a").startswith('outcome = "holds"')


def test_interrupted_command_line_keeps_what_was_reported(memory, repo, tmp_path):
    started = tmp_path / "started"
    put(repo, make_fact("a", {"exists": "src"}), make_fact("b", f"touch {started}; sleep 30", timeout="60s"))
    approve_all(memory)
    main = "import sys; from gitmem.cli import main; sys.exit(main(['verify', '--no-sandbox']))"
    env = {**os.environ, "PYTHONPATH": str(Path(process.__file__).parents[2])}
    child = subprocess.Popen(
        [sys.executable, "-c", main], cwd=repo, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert wait_until(started.exists)

    child.send_signal(signal.SIGINT)
    said, _ = child.communicate(timeout=60)

    assert child.returncode == 130, said
    with Memory(repo) as opened:
        assert statuses(opened) == {"a": "verified", "b": "unproven"}


def test_killed_command_line_leaves_a_store_that_works(memory, repo, tmp_path, mark):
    started = tmp_path / "started"
    put(repo, make_fact("a", f"touch {started}; sleep {mark}", timeout="60s"), make_fact("b", {"exists": "src"}))
    approve_all(memory)
    main = "import sys; from gitmem.cli import main; sys.exit(main(['verify', '--no-sandbox']))"
    env = {**os.environ, "PYTHONPATH": str(Path(process.__file__).parents[2]), "TMPDIR": str(tmp_path)}
    child = subprocess.Popen([sys.executable, "-c", main], cwd=repo, env=env)
    assert wait_until(started.exists)

    child.kill()
    child.wait()

    assert outcomes(verify(memory, "b")) == {"b": "holds"}
    assert git(repo, "fsck", "--no-dangling") == ""


def test_file_of_another_scratch_does_not_stay_behind(memory, repo):
    put(repo, make_fact("a", "test ! -e left && echo x > left"))
    approve_all(memory)

    assert [outcomes(verify(memory, "a")) for _ in range(2)] == [{"a": "holds"}] * 2


def test_clone_whose_scratch_folder_was_removed_works(memory, repo):
    put(repo, make_fact("a", "test -f README.md"))
    approve_all(memory)
    verify(memory)

    shutil.rmtree(repo / ".git/gitmem/ground")

    assert outcomes(verify(memory, "a")) == {"a": "holds"}


def test_commit_named_by_a_hostile_verdict_is_no_option_of_git(memory, repo, tmp_path):
    """A verdict from a push names the commit at which a failure is confirmed."""
    put(repo, make_fact("a", "grep -q service README.md"))
    approve_all(memory)
    verify(memory)
    path = verdict_file(memory, "a")
    text = git(repo, "show", f"memory:{path}")
    held = next(line for line in text.split("\n") if line.startswith("held-commit"))
    marker = tmp_path / "marker"

    put_files(repo, {path: text.replace(held, f'held-commit = "--upload-pack=touch {marker}"')})
    commit_files(repo, {"README.md": "# Nothing\n"})
    verify(memory)

    assert not marker.exists()
    assert statuses(memory)["a"] in ("failed", "unproven")


def test_clock_is_read_once_for_all_verdicts_of_a_run(repo, memory):
    clock = Clock()
    put(repo, make_fact("a", {"exists": "src"}), make_fact("b", "test -f README.md"))
    with Memory(repo, clock=clock) as opened:
        approve_all(opened)
        clock.now += DAY

        run = verify(opened)

    assert {r.verdict.at for r in run.results} == {NOW + DAY}


@pytest.mark.parametrize(
    ("where", "claimed", "outside", "outcome"),
    [
        ("HEAD", True, "", "blocked"),
        ("HEAD", True, "declared", "blocked"),
        ("HEAD~1", True, "", "fails"),
        ("HEAD~1", True, "declared", "fails"),
        ("aside", True, "", "unproven"),
        ("HEAD", False, "", "unproven"),
    ],
    ids=[
        *(
            "at-this-commit",
            "which-says-what-the-fact-does-not",
            "where-it-does-hold",
            "where-it-does-hold-and-says-so",
        ),
        *("not-of-this-history", "policy-takes-no-claims"),
    ],
)
def test_commit_that_a_claimed_verdict_names_is_one_to_compare_with(memory, repo, where, claimed, outside, outcome):
    memory.fact("RS256 is used", verify="grep -q RS256 src/auth/jwt.py", key="k", approve=True)
    git(repo, "branch", "aside")
    git(repo, "-c", "advice.detachedHead=false", "checkout", "-q", "aside")
    commit_files(repo, {"aside.txt": "x\n"})
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {"src/auth/jwt.py": "none\n"})
    named, path = git(repo, "rev-parse", where), verdict_file(memory, "k")
    text = git(repo, "show", f"memory:{path}")
    lines = [line for line in text.splitlines() if not line.startswith(("held-", "at =", "commit ="))]
    stamp = '"2026-09-21T13:33:21Z"'
    messages = [*lines, f'commit = "{named}"', f"at = {stamp}", f'held-commit = "{named}"', f"held-at = {stamp}"]
    messages += [f'outside = "{outside}"'] if outside else []
    put_files(repo, {path: "\n".join(messages) + "\n"})
    if not claimed:
        put_files(repo, {"gitmem.toml": "[verify]\nclaimed = false\n"})
    memory.close()
    for kept in (repo / ".git/gitmem").glob("local.sqlite*"):
        kept.unlink()  # as in a clone that never ran it

    result = result_of(verify(memory, everything=True), "k")

    assert (result.outcome, "outside the repository" in result.because) == (outcome, False)


@pytest.mark.whole_system
def test_check_that_starts_while_all_are_stopped_ends_at_once(tmp_path, mark):
    before = stop_count()
    stop_all()

    ran = sandbox.run_check(
        ["sleep", mark], ground=tmp_path, rung="none", network=False, timeout_s=600, path=os.defpath, stops=before
    )

    assert ran.status != 0
    assert ran.seconds < 60  # it would sleep ten minutes
    assert not is_running(mark)


def test_check_that_hides_the_crash_or_the_absence_of_its_program_is_blocked(memory, repo):
    files = {
        "lint.py": "import absent_yaml\n",
        "lint.sh": "#!/bin/sh\nwhich absent-rg >/dev/null || exit 0\n! absent-rg -q TODO src\n",
        "Makefile": "check: lint\nlint:\n\t! absent-rg -q TODO src\nfind:\n\tabsent-rg TODO src\n",
    }
    if not sandbox.ladder():
        pytest.skip("needs a sandbox")
    commit_files(repo, files, "tools")
    commands = ["! python3 lint.py 2>/dev/null", "sh lint.sh", "make check", "! make find 2>/dev/null"]
    commands += ["! python3 -c 'raise SystemExit(1)' 2>&1"]
    put(repo, *(make_fact(f"check-{nth}", command) for nth, command in enumerate(commands)))
    approve_all(memory)

    found = verify(memory, no_sandbox=False)

    missing = ["the Python module absent_yaml", *["the program absent-rg"] * 3, ""]
    reasons = [result_of(found, f"check-{nth}").reason for nth in range(len(commands))]
    assert [reason.partition("it needs ")[2].partition(",")[0] for reason in reasons] == missing
