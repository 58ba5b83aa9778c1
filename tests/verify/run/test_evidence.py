"""Traced runs, from the sandbox to the verdict: what is due because of what was read; what a trace never changes."""

from __future__ import annotations

import os
import shutil
import uuid

import pytest
from conftest import NOW, commit_files, git
from support.each import each
from support.facts import (
    approve_all,
    count_commits,
    is_running,
    make_fact,
    outcomes,
    put,
    result_of,
    statuses,
    verdict_file,
    verify,
)

from gitmem.memory import Memory
from gitmem.store.verdicts.environment import difference, parse_environment
from gitmem.system import process, process_limits
from gitmem.verify.ground.folders import LentFolder
from gitmem.verify.run import evidence
from gitmem.verify.sandbox import sandbox
from gitmem.verify.trace import programs
from gitmem.verify.trace.reads import Places

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")

PATH = os.environ["PATH"]
STRACE = shutil.which("strace") or ""
MANY = 40


@pytest.fixture
def traced(repo, monkeypatch):
    """The memory of a fresh repository, what its checks read looked at."""
    monkeypatch.setenv("GITMEM_TRACE", "auto")
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        opened.init(offline=True)
        yield opened


@pytest.fixture
def mark():
    """A number of seconds to sleep that nobody else sleeps."""
    return f"30.{uuid.uuid4().int % 10**15:015}"


def due(memory):
    """Why each fact is due, and what of it changed, by key."""
    run = verify(memory, dry_run=True)
    return {d.row.key: (d.why, *d.changed) for d in run.would_run}


def ran(command, folder, rung, strace, **options):
    options = {"timeout_s": 10.0, **options}
    return sandbox.run_check(
        ["sh", "-c", command], ground=folder, rung=rung, network=False, path=PATH, strace=strace, **options
    )


# --- a trace changes nothing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rung", ["bubblewrap", "landlock", "none"])
def test_traced_run_ends_as_it_does_untraced(tmp_path, rung, mark):
    if rung != "none" and not sandbox.works(rung, PATH):
        pytest.skip(f"{rung} does not work here")

    for command in (
        "exit 7",
        "kill -9 $$",
        f"setsid sleep {mark} & sleep {mark} & exit 3",
        "trap '' TERM; kill 0; exit 4",
    ):
        plain, seen = (ran(command, tmp_path.resolve(), rung, strace) for strace in ("", STRACE))
        assert (seen.status, seen.output, seen.problem) == (plain.status, plain.output, plain.problem)
        assert not is_running(mark)
    assert evidence.find_tracer(PATH, rung) == STRACE


@pytest.mark.whole_system
def test_traced_run_is_bounded_in_time_and_what_it_says(tmp_path, mark):
    late = ran(f"sleep {mark}", tmp_path, "none", STRACE, timeout_s=0.5)
    loud = ran("yes | head -c 300000", tmp_path, "none", STRACE)

    assert (late.timed_out, late.trace) == (True, None)
    assert not is_running(mark)
    assert (len(loud.output), loud.cut) == (process.OUTPUT_CAP, True)


def test_trace_that_is_too_large_is_discarded(tmp_path, monkeypatch):
    monkeypatch.setattr(process_limits, "TRACE_BYTES", 10_000)

    seen = ran("for n in 1 2 3 4 5 6 7 8 9; do ls >/dev/null; done; exit 5", tmp_path, "none", STRACE)

    assert (seen.status, seen.trace) == (5, None)


def test_a_starter_does_not_mix_up_traces(tmp_path):
    wanted = (("one", STRACE), ("two", ""), ("three", STRACE))
    seen = [ran(f"test -e {name}; exit 2", tmp_path, "none", strace) for name, strace in wanted]

    assert [one.trace and (b'"one"' in one.trace, b'"three"' in one.trace) for one in seen] == [
        (True, False), None, (False, True),
    ]  # fmt: skip


def test_strace_that_does_not_work_is_not_used(tmp_path):
    fake = tmp_path / "strace"
    fake.write_text('#!/bin/sh\nshift 15; exec "$@"\n')
    fake.chmod(0o755)

    assert evidence.find_tracer(f"{tmp_path}:{PATH}", "none") == ""
    assert evidence.find_tracer("/nowhere", "none") == ""


@each(
    ("shown", "rung", "said"),
    [
        (("web/node_modules",), "landlock", ""),
        ((), "landlock", "this sandbox (landlock) cannot show it: apt install bubblewrap"),
        ((), "bubblewrap", "this sandbox (bubblewrap) cannot show it"),
    ],
)
def test_a_folder_of_dependencies_that_cannot_be_shown_is_named_in_one_sentence(shown, rung, said):
    reads = ("=web/node_modules/left", "=target/out")

    about = f"`web/node_modules` exists here but git ignores it; {said}" if said else ""
    assert evidence.describe_hidden(reads, ("web/node_modules",), shown, rung) == about


# --- what is due ----------------------------------------------------------------------------------------------------


def test_only_what_a_check_read_makes_it_due(traced, repo):
    put(repo, make_fact("a", "grep -q service README.md"), make_fact("b", "test ! -e new"), make_fact("c", "ls src"))
    approve_all(traced)
    verify(traced)
    before = count_commits(repo)

    commit_files(repo, {"unrelated/file.txt": "x\n"})
    untouched = due(traced)
    verify(traced)
    commit_files(repo, {"new/x": "x\n", "README.md": "# Nothing\n", "src/more.py": ""})

    assert untouched == {}
    assert statuses(traced) == {"a": "stale", "b": "stale", "c": "stale"}
    assert count_commits(repo) == before
    assert due(traced) == {"a": ("inputs", "README.md"), "b": ("inputs", "new/x"), "c": ("inputs", "src/more.py")}


def test_a_commit_runs_exactly_the_facts_whose_inputs_it_touches(traced, repo):
    commit_files(repo, {f"data/{n:02}.txt": f"{n}\n" for n in range(MANY)})
    put(repo, *(make_fact(f"f{n:02}", f"grep -q {n} data/{n:02}.txt") for n in range(MANY)))
    approve_all(traced)
    verify(traced)

    commit_files(repo, {"data/07.txt": "7 and more\n", "data/new.txt": "x\n"})
    run = verify(traced)

    assert outcomes(run) == {"f07": "holds"}
    assert set(statuses(traced).values()) == {"verified"}


def test_whoever_reads_history_or_does_not_show_what_it_reads_depends_on_the_whole_tree(traced, repo):
    put(repo, make_fact("a", "git log -1 --format=%s | grep -q ."), make_fact("b", "test -f README.md", timeout="5s"))
    approve_all(traced)
    run = verify(traced, "a")

    commit_files(repo, {"unrelated.txt": "x\n"})

    assert result_of(run, "a").verdict.reads == ""
    assert due(traced) == {"a": ("inputs", "unrelated.txt"), "b": ("new",)}


def test_verdicts_of_one_fact_may_have_read_different_things(traced, repo):
    put(repo, make_fact("a", "test -e one || grep -q service README.md"))
    approve_all(traced)
    verify(traced)
    base = git(repo, "rev-parse", "HEAD")
    commit_files(repo, {"one": ""})
    verify(traced)
    commit_files(repo, {"README.md": "# Nothing\n"})
    with_one = due(traced)

    git(repo, "checkout", "-q", base)

    assert (with_one, due(traced)) == ({}, {})


def test_what_setup_reads_counts_as_well(traced, repo):
    put(repo, {"gitmem.toml": '[verify]\nsetup = "cp README.md built"\n'}, make_fact("a", "grep -q service built"))
    approve_all(traced)
    verify(traced)

    commit_files(repo, {"src/new.py": ""})
    untouched = due(traced)
    commit_files(repo, {"README.md": "# Nothing\n"})

    assert (untouched, due(traced)) == ({}, {"a": ("inputs", "README.md")})


def test_link_of_an_ignored_folder_leads_into_the_code(traced, repo):
    commit_files(repo, {".gitignore": "node_modules\n", "packages/one/index.js": "1\n"})
    (repo / "node_modules").mkdir()
    (repo / "node_modules/one").symlink_to("../packages/one")
    policy = {"gitmem.toml": '[verify]\nfolders = ["node_modules"]\n'}
    put(repo, policy, make_fact("a", "test -d node_modules/one/. && test ! -e node_modules/one/new.js"))
    approve_all(traced)
    run = verify(traced)

    commit_files(repo, {"packages/one/new.js": ""})

    assert outcomes(run) == {"a": "holds"}
    assert due(traced) == {"a": ("inputs", "packages/one/new.js")}


def test_without_strace_everything_is_as_ever(traced, repo, monkeypatch):
    monkeypatch.setattr(evidence, "PROGRAM", "no-such-strace")
    evidence.find_tracer.cache_clear()
    put(repo, make_fact("a", "test -f README.md"))
    approve_all(traced)
    run = verify(traced)
    evidence.find_tracer.cache_clear()

    commit_files(repo, {"unrelated.txt": "x\n"})

    assert (result_of(run, "a").verdict.reads, due(traced)) == ("", {"a": ("inputs", "unrelated.txt")})


def test_policy_switches_tracing_off(repo, memory, monkeypatch):
    monkeypatch.delenv("GITMEM_TRACE")
    put(repo, {"gitmem.toml": '[verify]\ntrace = "off"\n'}, make_fact("a", "test -f README.md"))
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        approve_all(opened)

        assert result_of(verify(opened), "a").verdict.reads == ""


def test_check_that_cannot_be_traced_is_believed_untraced_and_not_traced_again(traced, repo, tmp_path):
    log = tmp_path / "runs"
    put(repo, make_fact("a", f"printf x >> {log}; test -f README.md && strace -o /dev/null true"))
    approve_all(traced)
    first = result_of(verify(traced), "a")
    runs = len(log.read_text())
    commit_files(repo, {"unrelated.txt": "x\n"})
    second = result_of(verify(traced), "a")

    assert [first.outcome, second.outcome] == ["holds", "holds"]
    assert len(log.read_text()) - runs == 1
    assert (first.verdict.reads, second.verdict.reads) == ("!", "!")


def test_hostile_reads_of_a_pushed_verdict_are_worth_nothing(traced, repo):
    put(repo, make_fact("a", "grep -q service README.md"))
    approve_all(traced)
    verify(traced)
    path = verdict_file(traced, "a")
    text = git(repo, "show", f"memory:{path}")
    traced.close()
    shutil.rmtree(repo / ".git/gitmem")
    commit_files(repo, {"README.md": "# Nothing\n"})

    for reads in ("1", "1 =../x", "2 =README.md", "1 =" + "x" * 9000):
        put(repo, {path: text.replace("1 =README.md", reads)})
        with Memory(repo, clock=lambda: float(NOW)) as opened:
            assert due(opened)["a"][0] in ("inputs", "new")


# --- tools ----------------------------------------------------------------------------------------------------------


def test_program_that_changed_makes_what_it_proved_due_here_and_nowhere_else(traced, repo, tmp_path, monkeypatch):
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\ntest -f README.md\n")
    tool.chmod(0o755)
    put(repo, make_fact("a", str(tool)), make_fact("b", "test -f README.md"))
    approve_all(traced)
    run = verify(traced)
    unchanged = due(traced)

    tool.write_text("#!/bin/sh\ntest -f README.md # another\n")
    changed = due(traced)
    again = verify(traced)
    tool.write_text("#!/bin/sh\nexit 1 # broken\n")
    broken = result_of(verify(traced), "a")

    assert str(tool) in programs.parse_tools(result_of(run, "a").verdict.tools)
    assert (unchanged, changed) == ({}, {"a": ("tools", str(tool))})
    assert outcomes(again) == {"a": "holds"}
    assert broken.reason == f"exit 1; it held on this commit before: the environment changed: {tool} differs"
    git(tmp_path, "clone", "-q", "--branch=memory", str(repo), "other")
    git(tmp_path / "other", "checkout", "-q", "main")
    with Memory(tmp_path / "other", clock=lambda: float(NOW)) as other:
        assert due(other) == {}


@each(
    ("reads", "absent"),
    [
        (["=node_modules/.bin/tsc", "=src/node_modules"], "node_modules"),
        (["=web/node_modules/a", "/web"], "web/node_modules"),
        (["=.venv/bin/pytest"], ".venv"),
        (["=vendor/lib.go", "/node_modules", "=there/venv/x", "=there/src/venv"], ""),
    ],
)
def test_absent_folder_of_dependencies_is_found_among_what_was_looked_for(reads, absent):
    places = Places([("100644", "", "vendor/lib.go")], ["vendor/lib.go"])

    assert evidence.find_absent(reads, places, ["there/venv"]) == absent


def test_blocked_check_names_the_folder_of_dependencies_that_is_gone(traced, repo, tmp_path):
    world = tmp_path / "installed"
    world.touch()
    put(repo, make_fact("a", f"test -e node_modules/x || test -e {world}"))
    approve_all(traced)
    verify(traced)

    world.unlink()
    result = result_of(verify(traced, "a"), "a")

    assert result.outcome == "blocked"
    assert result.reason.endswith(
        "it looked for node_modules, which is not in this work tree: install the dependencies"
    )


# --- environments ---------------------------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(traced, repo):
    """Return a function that opens the store as a clone that got its verdict from another environment."""
    put(repo, make_fact("a", "grep -q service README.md"))
    approve_all(traced)
    verify(traced)
    path, text = verdict_file(traced, "a"), git(repo, "show", f"memory:{verdict_file(traced, 'a')}")
    (named,) = (line for line in text.split("\n") if line.startswith("environment = "))
    traced.close()

    def open_it(outcome: str = "holds", system: str = "beos-m68k") -> Memory:
        changed = named.replace(f'"{programs.system()}', f'"{system}')
        message = text.replace(named, changed).replace('outcome = "holds"', f'outcome = "{outcome}"')
        put(repo, {path: message + "\n"})
        for kept in (repo / ".git/gitmem").glob("local.sqlite*"):
            kept.unlink()
        return Memory(repo, clock=lambda: float(NOW + 60))

    return open_it


def test_verdict_names_programs_and_the_system_and_no_place(traced, repo):
    put(repo, make_fact("a", "grep -q service README.md"))
    approve_all(traced)

    verdict = result_of(verify(traced), "a").verdict

    found = parse_environment(verdict.environment)
    assert found.system == programs.system()
    assert {"sh", "grep"} <= found.versions.keys()
    assert not [word for word in verdict.environment.split(" ") if "/" in word]
    assert str(repo) not in git(repo, "show", f"memory:{verdict_file(traced, 'a')}")


def test_claim_of_another_environment_is_judged_here_and_the_branch_stays_as_it_is(elsewhere, repo):
    with elsewhere(system=programs.system()) as same:
        assert due(same) == {}
    with elsewhere() as other:
        before = git(repo, "rev-parse", "memory")

        said = "verified elsewhere: beos m68k; not judged here"
        assert due(other) == {"a": ("environment", said)}
        assert other.show("a").document["verdict"]["elsewhere"] == said
        assert other.status().document["elsewhere"] == {"a": said}
        assert outcomes(verify(other)) == {"a": "holds"}
        assert (due(other), git(repo, "rev-parse", "memory")) == ({}, before)
        assert other.show("a").document["verdict"]["elsewhere"] == ""
        assert other.status().document["elsewhere"] == {}


def test_claim_of_another_environment_has_to_do_where_its_command_is_not_approved(
    elsewhere, repo, monkeypatch, tmp_path
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another person"))
    with elsewhere() as other:
        assert (due(other), statuses(other)) == ({}, {"a": "verified"})


def test_failure_of_another_environment_does_not_hide_what_holds_here_nor_is_it_taken_back(elsewhere, repo):
    with elsewhere(outcome="fails") as other:
        before = git(repo, "rev-parse", "memory")
        assert statuses(other) == {"a": "failed"}

        assert outcomes(verify(other)) == {"a": "holds"}

        assert (statuses(other), git(repo, "rev-parse", "memory")) == ({"a": "verified"}, before)
        assert result_of(verify(other, everything=True), "a").verdict.flapping == 0


def test_lock_file_beside_a_folder_of_dependencies_is_part_of_the_environment(tmp_path):
    (tmp_path / "web" / "node_modules").mkdir(parents=True)
    (tmp_path / "web" / "package-lock.json").write_text("{}", encoding="ascii")
    (tmp_path / "uv.lock").symlink_to("/etc/hostname")

    locks = evidence.list_locks(
        [LentFolder("web/node_modules", tmp_path / "web/node_modules"), LentFolder(".venv", tmp_path / ".venv")]
    )
    one = evidence.environment_of((), locks)
    (tmp_path / "web" / "package-lock.json").write_text('{"a": 1}', encoding="ascii")
    other = evidence.environment_of((), locks)

    assert list(locks) == ["web/package-lock.json"]
    assert difference(one, other) == "another web/package-lock.json"


# --- paths ----------------------------------------------------------------------------------------------------------


def test_declared_paths_decide_and_what_they_leave_out_is_reported(traced, repo, run_cli):
    put(repo, make_fact("a", "grep -q service README.md && test -f pyproject.toml", paths=["README.md"]))
    approve_all(traced)
    run = verify(traced)

    message = run_cli("show", "a", cwd=repo)
    problems = [p for p in traced.doctor(fix=False).problems if p.code == "undeclared-read"]
    commit_files(repo, {"pyproject.toml": "[project]\n"})

    assert result_of(run, "a").verdict.undeclared == "pyproject.toml"
    assert "undeclared: it also reads pyproject.toml" in message.out
    assert [(p.key, p.severity) for p in problems] == [("a", "warning")]
    assert due(traced) == {}


def test_declared_path_that_is_gone_makes_observed_reads_count(traced, repo):
    put(repo, make_fact("a", "grep -q service README.md", paths=["README.md"]))
    approve_all(traced)
    verify(traced)
    git(repo, "rm", "-q", "README.md")
    commit_files(repo, {})
    failed = result_of(verify(traced), "a").verdict

    commit_files(repo, {"unrelated.txt": "x\n"})
    untouched = due(traced)
    commit_files(repo, {"README.md": "# The service\n"})

    assert (failed.outcome, failed.reads) == ("fails", "1 =README.md")
    assert (untouched, due(traced)) == ({}, {"a": ("inputs", "README.md")})
    assert outcomes(verify(traced)) == {"a": "holds"}


def test_fact_that_leaves_out_what_it_reads_is_reported_when_it_is_written(traced, repo):
    traced.fact("A title", verify="grep -q service README.md; test -f pyproject.toml", paths=["README.md"], key="k",
                approve=True)  # fmt: skip

    assert any("k reads files outside its paths: pyproject.toml" in notice for notice in traced.notices)


def test_doctor_says_what_the_lack_of_strace_costs(traced, monkeypatch):
    here = dict(traced.doctor(fix=False).machine)["tracing"]
    monkeypatch.setattr("gitmem.verify.trace.strace.PROGRAM", "no-such-strace")
    lacking = dict(traced.doctor(fix=False).machine)["tracing"]

    assert here == "strace observes which files checks read"
    assert lacking == "strace is not installed: a fact without paths depends on the whole tree"


def test_verdict_of_the_branch_that_still_stands_is_not_written_again_because_a_run_read_something_else(traced, repo):
    put(repo, make_fact("a", "touch made-$$-$(date +%N); test -f README.md"))
    approve_all(traced)
    verify(traced)
    before = count_commits(repo)

    run = verify(traced, "a")

    assert (outcomes(run), count_commits(repo)) == ({"a": "holds"}, before)


def test_new_failure_is_reported_with_what_the_traced_run_read(traced, repo):
    put(repo, make_fact("a", "grep -q service README.md"))
    approve_all(traced)
    verify(traced)
    commit_files(repo, {"README.md": "# Nothing\n"})

    failed = result_of(verify(traced), "a").verdict
    commit_files(repo, {"unrelated.txt": "x\n"})

    assert (failed.outcome, failed.confirmed, failed.reads) == ("fails", True, "1 =README.md")
    assert due(traced) == {}


def test_the_work_tree_as_it_is_judges_only_facts_whose_reads_it_changes(traced, repo):
    put(repo, make_fact("a", "grep -q service README.md"), make_fact("b", "ls src"))
    approve_all(traced)
    verify(traced)

    (repo / "README.md").write_text("# Nothing\n")
    run = verify(traced, dirty=True)

    assert outcomes(run) == {"a": "fails"}
