"""Writing a fact: it needs a check that can fail, that is run, and that holds now; or it stays unproven."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, put_files, tip
from support.each import each
from support.facts import count_commits, outcomes, spec_of, statuses, verdict_file, verdict_text, verify

from gitmem.cli.parser import parser_of
from gitmem.commands import fact as fact_module
from gitmem.errors import RefusedError
from gitmem.memory import Memory
from gitmem.repository.approvals import trust_of

RS256 = {"contains": "RS256", "in": "src/auth/*.py"}


@pytest.fixture
def marker(tmp_path):
    """A file outside of the repository that a command makes when it runs."""
    return tmp_path / "it-ran"


@pytest.fixture(autouse=True)
def _no_sandbox(monkeypatch):
    """Run commands without a sandbox: it is tested elsewhere, and a marker outside can be seen."""
    from gitmem.verify import session

    real = session.Session.means

    def means(self):
        self.options = session.Options(no_sandbox=True)
        return real(self)

    monkeypatch.setattr(session.Session, "means", means)


# --- refused -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nothing", [None, "", []])
def test_fact_without_a_check_is_refused_and_another_kind_suggested(memory, repo, nothing):
    before = tip(repo)

    with pytest.raises(RefusedError, match="needs a check that proves it") as refused:
        memory.fact("We like tabs", verify=nothing)

    assert "gitmem remember 'We like tabs' --kind convention" in refused.value.hint
    assert refused.value.exit_status == 2
    assert tip(repo) == before


@pytest.mark.parametrize("needs", [{"outside": True}, {"network": True}, {"env": ["HOME_URL"]}])
def test_builtin_check_with_network_or_environment_is_refused(memory, needs):
    with pytest.raises(RefusedError, match="a built-in check reads the code alone"):
        memory.fact("Tokens are signed", verify=RS256, **needs)


def test_fact_without_a_title_is_refused(memory):
    with pytest.raises(RefusedError, match="needs a title"):
        memory.fact("  ", verify=RS256)


@each("check", ["true", "echo ok", "grep -q x f || true", ["true"], {"contains": "", "in": "**"}])
def test_check_that_cannot_fail_is_refused_without_being_run(memory, repo, check):
    before = tip(repo)

    with pytest.raises(RefusedError):
        memory.fact("It is so", verify=check, approve=True)

    assert tip(repo) == before
    assert trust_of(memory.repository).list_all() == []


def test_check_that_cannot_fail_is_refused_even_unproven(memory):
    with pytest.raises(RefusedError, match="cannot fail"):
        memory.fact("It is so", verify="true", unproven=True)


@each(
    ("check", "because"),
    [
        ({"exists": "setup.py"}, "setup.py does not exist"),
        ({"contains": "HS256", "in": "src/**"}, "no file of src/** contains 'HS256'"),
        ("grep -q nothing README.md", "exit 1"),
        (["grep", "-q", "nothing", "README.md"], "exit 1"),
    ],
)
def test_check_that_does_not_hold_now_is_refused(memory, repo, check, because):
    before = tip(repo)

    with pytest.raises(RefusedError) as refused:
        memory.fact("It is so", verify=check, approve=True)

    assert because in refused.value.message
    assert ": the check does not hold:" in refused.value.message
    assert "--unproven" in refused.value.hint
    assert tip(repo) == before


@each(
    "check",
    [
        "no-such-program-anywhere",
        "exit 126",
        "kill -9 $$",
        ["no-such-program-anywhere"],
        {"lacks": "x", "in": "nothing/**"},
        {"matches": "(", "in": "**"},
    ],
)
def test_check_that_could_not_be_run_is_refused(memory, repo, check):
    before = tip(repo)

    with pytest.raises(RefusedError, match=r"could not be run|does not pass here"):
        memory.fact("It is so", verify=check, approve=True)

    assert tip(repo) == before


def test_counterexample_that_refutes_nothing_is_refused(memory):
    with pytest.raises(RefusedError, match="refutes nothing"):
        memory.fact("There is a README", verify="test -f README.md", refute="echo x >> README.md", approve=True)


def test_counterexample_is_stored_and_leaves_the_code_unchanged(memory, repo):
    memory.fact("No HS256", key="k", verify="! grep -rq HS256 src", refute="echo HS256 > src/x", approve=True)

    assert (statuses(memory), memory.show("k").document["weak"]) == ({"k": "verified"}, False)
    assert git(repo, "status", "--porcelain") == ""


@each("options", [{"timeout": "0s"}, {"timeout": "2d"}, {"ttl": "soon"}, {"network": "yes"}, {"refute": "a\x1bb"}])
def test_unusable_field_is_refused(memory, repo, options):
    before = tip(repo)

    with pytest.raises(RefusedError) as refused:
        memory.fact("It is so", verify=RS256, **options)

    assert tip(repo) == before
    assert "line" not in refused.value.message  # of a file that the author never saw


@each("pattern", ["(", "(?=a)b"])
def test_expression_that_cannot_be_run_says_what_is_not_supported(memory, repo, pattern):
    with pytest.raises(RefusedError, match="not a valid regular expression of RE2, which has no look-around"):
        memory.fact("It is so", matches=pattern, within="src/**")


@each("command", ["make\u202e test", "make\x00", "make\rrm -rf /", "make \u2800 test", "\x1b[8mrm x\x1b[0m"])
def test_command_with_hidden_characters_is_refused(memory, repo, marker, command):
    before = tip(repo)

    with pytest.raises(RefusedError):
        memory.fact("It is so", verify=f"{command}; touch {marker}", approve=True)

    assert tip(repo) == before
    assert not marker.exists()


# --- proved and written --------------------------------------------------------------------------------------------


def test_fact_and_its_verdict_are_one_commit(memory, repo):
    before = count_commits(repo)

    change = memory.fact("Tokens are signed with RS256", verify=RS256, key="rs256")

    assert count_commits(repo) == before + 1
    assert change.commit == tip(repo)
    files = git(repo, "diff-tree", "-r", "--name-only", "--no-commit-id", "memory").split("\n")
    assert files == ["facts/rs256.md", verdict_file(memory, "rs256")]
    assert statuses(memory) == {"rs256": "verified"}


def test_nothing_is_due_right_after_a_fact_was_proved(memory):
    memory.fact("Tokens are signed with RS256", verify=RS256)
    memory.fact("There is a README", verify="test -f README.md", approve=True)

    run = verify(memory)

    assert (run.due, run.recorded) == (0, None)
    assert set(statuses(memory).values()) == {"verified"}


def test_fact_that_another_clone_proved_is_verified_there_too(memory, repo, tmp_path):
    memory.fact("Tokens are signed with RS256", verify=RS256, key="k")
    git(tmp_path, "clone", "-q", str(repo), "clone")

    with Memory(tmp_path / "clone", clock=lambda: float(NOW)) as clone:
        shown = clone.show("k").document

    assert (shown["status"], shown["verdict"]["own"]) == ("verified", False)


def test_verdict_of_a_fact_written_on_another_branch_stays_local(memory, repo):
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {"new.py": "x\n"})

    memory.fact("There is new.py", verify={"exists": "new.py"}, key="k")

    assert git(repo, "ls-tree", "-r", "--name-only", "memory", "verdicts") == ""
    assert (statuses(memory), memory.show("k").document["verdict"]["own"]) == ({"k": "verified"}, True)


def test_uncommitted_change_does_not_prove_a_fact_at_head(memory, repo):
    (repo / "new.py").write_text("x\n", encoding="utf-8")

    memory.fact("There is new.py", key="new", verify={"exists": "new.py"})

    assert (statuses(memory), memory.show("new").document["verdict"]) == ({"new": "unproven"}, None)


def test_fact_keeps_all_its_fields(memory):
    memory.fact(
        "Tokens are signed", verify=RS256, key="k", body="HS256 was dropped.", tags=["auth"], paths=["src/auth/**"],
        requires=["jwt"], produces=["signing"], ttl="10d", importance="high", task="T-1",
    )  # fmt: skip

    fields = memory.show("k").document["frontmatter"]
    assert fields["verify"] == RS256
    assert {name: fields[name] for name in ("paths", "requires", "produces", "ttl", "importance", "task")} == {
        "paths": ["src/auth/**"], "requires": ["jwt"], "produces": ["signing"], "ttl": "10d", "importance": "high",
        "task": "T-1",
    }  # fmt: skip
    assert (fields["kind"], fields["by"], fields["created"]) == ("fact", {"who": "Ana"}, "2026-09-21T14:13:20Z")
    assert memory.show("k").document["body"].strip() == "HS256 was dropped."


def test_weak_check_is_reported_as_weak(memory):
    memory.fact("There is no setup.py", verify="test ! -e setup.py", key="k", approve=True)

    assert any("weak" in notice for notice in memory.notices)
    assert memory.show("k").document["weak"]


def test_builtin_check_is_suggested_for_a_plain_grep(memory):
    memory.fact("It is RS256", verify="grep -q RS256 src/auth/jwt.py", approve=True)

    assert any("--contains 'RS256' --in src/auth/jwt.py" in notice for notice in memory.notices)


def test_builtin_check_is_never_weak_and_suggests_nothing(memory):
    memory.fact("There is a readme", verify={"exists": "README.md"}, key="k")

    assert memory.notices == []
    assert not memory.show("k").document["weak"]


def test_second_fact_with_the_same_key_wins_with_its_verdict(memory, repo):
    memory.fact("It is RS256", verify=RS256, key="k")
    first = verdict_text(repo, memory, "k")

    memory.fact("There is a README", verify={"exists": "README.md"}, key="k")

    assert memory.show("k").document["title"] == "There is a README"
    assert statuses(memory) == {"k": "verified"}
    assert verdict_text(repo, memory, "k") not in ("", first)


def test_same_fact_again_writes_nothing(memory, repo):
    memory.fact("It is RS256", verify=RS256, key="k")
    before = tip(repo)

    change = memory.fact("It is RS256", verify=RS256, key="k")

    assert (change.is_written, tip(repo)) == (False, before)


# --- approval ------------------------------------------------------------------------------------------------------


def test_command_that_cannot_be_approved_now_stays_unproven_and_is_not_run(memory, marker):
    memory.fact("It is so", verify=f"touch {marker}", key="k")

    assert not marker.exists()
    assert statuses(memory) == {"k": "unproven"}
    assert [due.row.key for due in memory.repository.list_waiting()] == ["k"]
    assert any("it stays unproven" in notice for notice in memory.notices)


def test_command_typed_at_a_terminal_is_approved_and_run(memory, marker):
    memory.fact("It is so", verify=f"touch {marker}; test -f README.md", key="k", approve=True)

    assert marker.exists()
    assert statuses(memory) == {"k": "verified"}
    assert [a.spec for a in trust_of(memory.repository).list_all()] == [spec_of(memory, "k")]


def test_approval_by_writing_covers_exactly_these_bytes(memory, marker):
    memory.fact("It is so", verify="test -f README.md", key="k", approve=True)

    memory.fact("It is otherwise", verify=f"test -f README.md; touch {marker}", key="other")

    assert not marker.exists()
    assert statuses(memory)["other"] == "unproven"


def test_unproven_runs_nothing_and_approves_nothing(memory, marker):
    memory.fact("It is so", verify=f"touch {marker}", key="k", approve=True, unproven=True)

    assert not marker.exists()
    assert trust_of(memory.repository).list_all() == []
    assert statuses(memory) == {"k": "unproven"}


def test_fact_that_does_not_hold_can_be_written_unproven_and_fails_when_it_is_run(memory):
    memory.fact("There is a setup.py", verify={"exists": "setup.py"}, key="k", unproven=True)

    assert statuses(memory) == {"k": "unproven"}
    assert outcomes(verify(memory)) == {"k": "fails"}


def test_fact_stays_unproven_before_the_first_commit(repo):
    git(repo, "checkout", "-q", "--orphan", "empty")
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        memory.fact("It is RS256", verify=RS256, key="k")

        assert statuses(memory) == {"k": "unproven"}
        assert any("no commit" in notice for notice in memory.notices)


def test_policy_against_weak_sandboxes_leaves_the_fact_unproven(memory, repo):
    put_files(repo, {"gitmem.toml": '[verify]\nmin_sandbox = "bubblewrap"\n'})
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        opened.fact("There is a README", verify="test -f README.md", key="k", approve=True)

        assert statuses(opened) == {"k": "unproven"}


# --- edited --------------------------------------------------------------------------------------------------------


def test_edited_check_must_hold(memory, repo):
    memory.fact("It is RS256", verify=RS256, key="k")
    before = tip(repo)

    with pytest.raises(RefusedError, match=": the check does not hold:"):
        memory.edit("k", fields={"verify": {"exists": "setup.py"}}, body=None, approve=True)

    assert tip(repo) == before
    assert statuses(memory) == {"k": "verified"}


def test_edited_check_that_holds_is_verified(memory):
    memory.fact("It is RS256", verify=RS256, key="k")

    memory.edit("k", fields={"verify": {"exists": "README.md"}}, body=None, approve=False)

    assert statuses(memory) == {"k": "verified"}
    assert verify(memory).due == 0


def test_edited_command_that_cannot_be_approved_stays_unproven(memory, marker):
    memory.fact("It is RS256", verify=RS256, key="k")

    memory.edit("k", fields={"verify": f"touch {marker}"}, body=None, approve=False)

    assert not marker.exists()
    assert statuses(memory) == {"k": "unproven"}


def test_edited_text_alone_runs_nothing_and_is_unproven(memory, tmp_path):
    log = tmp_path / "runs"
    memory.fact("It holds", verify=f"printf x >> {log}; test -f README.md", key="k", approve=True)
    ran = len(log.read_text())

    memory.edit("k", fields={"title": "It holds and more"}, body=None, approve=True)

    assert len(log.read_text()) == ran
    assert statuses(memory) == {"k": "unproven"}


def test_edited_tags_leave_the_status_alone(memory):
    memory.fact("It is RS256", verify=RS256, key="k")

    memory.edit("k", fields={"tags": ["auth", "new"]}, body=None, approve=False)

    assert statuses(memory) == {"k": "verified"}


def test_check_cannot_be_edited_away_from_a_fact(memory, repo):
    memory.fact("It is RS256", verify=RS256, key="k")
    before = tip(repo)

    with pytest.raises(RefusedError):
        memory.edit("k", fields={"verify": ""}, body=None, approve=True)

    assert tip(repo) == before


def test_check_of_another_kind_of_memory_is_proved_as_well(memory):
    memory.remember("The gateway retries three times", key="k", kind="gotcha")

    memory.edit("k", fields={"verify": {"contains": "RETRIES = 3", "in": "src/gateway/*"}}, body=None, approve=False)

    assert statuses(memory) == {"k": "verified"}


EDDSA = {"contains": "EdDSA", "within": "src/auth/jwt.py"}


@pytest.mark.parametrize(("is_staged", "tree"), [(False, ""), (False, "dirty"), (True, ""), (True, "staged")])
def test_fact_that_uncommitted_changes_make_true_is_recorded_with_a_notice(memory, repo, is_staged, tree):
    (repo / "src/auth/jwt.py").write_text('ALGORITHM = "EdDSA"\n')
    if is_staged:
        git(repo, "add", "-A")

    memory.fact("Tokens use EdDSA", key="eddsa", tree=tree, **EDDSA)

    assert any("it is not true on the default branch" in notice for notice in memory.notices)
    assert statuses(memory)["eddsa"] == "unproven"
    git(repo, "commit", "-qam", "sign with EdDSA")
    verify(memory)
    assert statuses(memory)["eddsa"] == "verified"


def test_changes_elsewhere_do_not_make_a_fact_true(memory, repo):
    (repo / "README.md").write_text("EdDSA\n")

    with pytest.raises(RefusedError, match=r"does not hold: src/auth/jwt\.py does not contain") as err:
        memory.fact("Tokens use EdDSA", **EDDSA)
    assert "--dirty" in err.value.hint and "--unproven" in err.value.hint


def test_unstaged_changes_do_not_count_as_staged(memory, repo):
    (repo / "src/auth/jwt.py").write_text('ALGORITHM = "EdDSA"\n')

    with pytest.raises(RefusedError, match="does not hold"):
        memory.fact("Tokens use EdDSA", tree="staged", **EDDSA)


def test_inputs_that_do_not_change_are_judged_at_head_and_recorded(memory, repo):
    (repo / "README.md").write_text("something else\n")

    memory.fact("Tokens use RS256", key="rs", tree="dirty", contains="RS256", within="src/auth/jwt.py")

    assert statuses(memory)["rs"] == "verified"
    assert memory.show("rs").document["verdict"]["commit"] == git(repo, "rev-parse", "HEAD")


def test_approved_command_is_judged_with_uncommitted_changes(memory, repo):
    (repo / "src/auth/jwt.py").write_text('ALGORITHM = "EdDSA"\n')

    memory.fact("Tokens use EdDSA", key="grep", verify="grep -q EdDSA src/auth/jwt.py", approve=True)

    assert any("your uncommitted changes" in notice for notice in memory.notices)


@pytest.mark.parametrize("command", ["edit", "settle"])
def test_a_changed_check_is_judged_with_the_changes(memory, repo, run_cli, command):
    memory.fact("Tokens use RS256", key="alg", contains="RS256", within="src/auth/jwt.py")
    (repo / "src/auth/jwt.py").write_text('ALGORITHM = "EdDSA"\n')
    title = "--title" if command == "edit" else "--reword"

    said = run_cli(command, "alg", title, "Tokens use EdDSA", "--contains", "EdDSA", "--in", "src/auth/jwt.py")

    assert (said.status, said.out) == (0, "alg\n")
    assert "it is not true on the default branch until they are there" in said.err
    other = (title, "Tokens use HS256", "--contains", "HS256", "--in", "src/auth/jwt.py")
    assert run_cli(command, "alg", *other).status == 2
    assert run_cli(command, "alg", *other, "--unproven").status == 0


def test_options_named_by_refusals_exist_in_the_commands_that_write_checks():
    source = Path(fact_module.__file__).read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w-])--[a-z]+", source.replace("gitmem trust --review", "")))
    assert {"--unproven", "--dirty", "--refute"} <= named

    for name in ("fact", "edit", "settle"):
        parser = parser_of(name, importlib.import_module(f"gitmem.cli.{name}"))
        assert named - {"--kind"} <= set(parser._option_string_actions), name
