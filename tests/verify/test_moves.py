"""Checks whose files git renamed are judged where these are now; and only those."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from conftest import CODE, NOW, commit_all, commit_files, git
from support.each import each
from support.facts import (
    approve_all,
    make_fact,
    outcomes,
    put,
    result_of,
    spec_of,
    statuses,
    tree_of,
    verdict_file,
    verify,
)

from gitmem.frozen import replace
from gitmem.git import Git
from gitmem.git.history import find_commit_at
from gitmem.git.repository import discover
from gitmem.memory import Memory
from gitmem.model import BUILTIN, HOLDS, PROGRAM, SHELL, Check, Verdict
from gitmem.store.verdicts import format_verdict
from gitmem.store.verdicts.buckets import join_bucket
from gitmem.verify import moves as moves_module
from gitmem.verify.code_files import CodeFiles
from gitmem.verify.inputs import digest
from gitmem.verify.moves import (
    MOST_KEPT,
    Move,
    Moves,
    digest_after_moves,
    list_paths,
    move_glob,
    parse_moves,
    place_check,
    replace_words,
    restore_command,
)
from gitmem.verify.options import Options

JWT = CODE["src/auth/jwt.py"]


def move(repo: Path, old: str, new: str) -> str:
    """Rename a file or folder and commit that."""
    (repo / new).parent.mkdir(parents=True, exist_ok=True)
    git(repo, "mv", old, new)
    git(repo, "commit", "-q", "-m", f"move {old}")
    return git(repo, "rev-parse", "HEAD")


def make_later(repo: Path) -> None:
    """Let the newest commit be made a minute after NOW."""
    later = {**os.environ, "GIT_COMMITTER_DATE": f"{NOW + 60} +0000"}
    subprocess.run(["git", "commit", "--quiet", "--amend", "--no-edit"], cwd=repo, env=later, check=True)


@each(
    ("glob", "old", "new", "there"),
    [
        ("src/a.py", "src/a.py", "lib/b.py", "lib/b.py"),
        ("./src/a.py", "src/a.py", "lib/b.py", "lib/b.py"),
        ("src/a.py", "src/b.py", "lib/b.py", ""),
        ("src/auth", "src/auth/", "lib/auth/", "lib/auth"),
        ("src/auth/*.py", "src/auth/", "lib/auth/", "lib/auth/*.py"),
        ("src/auth/", "src/auth/", "./", "**"),
        ("*.py", "./", "lib/", "lib/*.py"),
        ("src/other/*.py", "src/auth/", "lib/auth/", ""),
    ],
)
def test_a_glob_follows_the_move_of_what_it_names(glob, old, new, there):
    assert move_glob(glob, Move(old, new)) == there


@each(
    ("check", "paths"),
    [
        (Check(SHELL, ("grep -q RS256 ./src/auth/jwt.py",)), {"src/auth/jwt.py"}),
        (Check(SHELL, ("python tool.py --config=conf/app.toml 'src/*.py'",)), {"tool.py", "conf/app.toml", "src/*.py"}),
        (Check(PROGRAM, ("python", "-c", 'open("src/a.py")')), {"src/a.py"}),
        (Check(SHELL, ("cat ../x /etc/passwd src/a.py.bak",)), {"etc/passwd", "src/a.py.bak"}),
    ],
)
def test_paths_of_a_command_are_whole_words(check, paths):
    assert {path for path in list_paths(check) if "." in path or "/" in path} == paths


def test_invalid_moves_of_a_verdict_are_ignored():
    assert len(parse_moves("a\tb\n" * 1000)) <= MOST_KEPT
    assert parse_moves("src/a\t../b\nsrc/a\t/etc\nonly one\nsrc/a\tlib/a") == (Move("src/a", "lib/a"),)


@pytest.mark.parametrize(
    ("words", "there"),
    [
        (("contains", "RS256", "src/auth/jwt.py"), "lib/auth/jwt.py"),
        (("contains", "RS256", "src/auth/*.py"), "lib/auth/*.py"),
        (("lacks", "HS256", "src/auth/**"), "lib/auth/**"),
        (("exists", "src/auth"), "src/auth"),
        (("contains", "RS256", "src/auth/jwt.py", "", "true"), "true"),
        (("absent", "setup.py"), "setup.py"),
        (("contains", "RETRIES", "src/gateway/retry.py"), "src/gateway/retry.py"),
    ],
)
def test_a_built_in_check_follows_a_folder(repo, words, there):
    held = git(repo, "rev-parse", "HEAD")
    move(repo, "src/auth", "lib/auth")
    check = Check(BUILTIN, words)

    found = Moves(Git(discover(repo)), tree_of(repo)).find(check, held)

    assert place_check(tree_of(repo), check, found).words[-1] == there


def test_a_file_is_followed_through_moves_and_edits(repo):
    held = git(repo, "rev-parse", "HEAD")
    check = Check(BUILTIN, ("contains", "RS256", "src/auth/jwt.py"))
    lines = [f"line {n}\n" for n in range(20)]
    commit_files(repo, {"src/auth/jwt.py": JWT + "".join(lines)}, "grow")
    move(repo, "src/auth/jwt.py", "src/token.py")
    commit_files(repo, {"src/token.py": "".join(lines) + "".join(f"other {n}\n" for n in range(60))}, "rewrite")
    move(repo, "src/token.py", "lib/deep/token.py")

    found = Moves(Git(discover(repo)), tree_of(repo)).find(check, held)

    assert place_check(tree_of(repo), check, found).words[-1] == "lib/deep/token.py"


@pytest.mark.parametrize("halves", [False, True])
def test_split_or_copied_file_has_no_move(repo, halves):
    lines = [f"some line {n}\n" for n in range(40)]
    held = commit_files(repo, {"src/big.py": "".join(lines)}, "big")
    (repo / "src/big.py").unlink()
    parts = (lines[:21], lines[19:]) if halves else (lines, lines)
    commit_files(repo, {"src/one.py": "".join(parts[0]), "src/two.py": "".join(parts[1])}, "split")
    check = Check(BUILTIN, ("contains", "some line 20", "src/big.py"))

    assert Moves(Git(discover(repo)), tree_of(repo)).find(check, held) == ""


def test_commit_of_facts_that_were_written_together_is_asked_of_git_once(repo, monkeypatch):
    git_of = Git(discover(repo))
    for minutes in (1, 2, 3):
        (repo / "minute.txt").write_text(f"{minutes}\n", encoding="ascii")
        commit_all(repo, after_s=60 * minutes)
    tree, asked = tree_of(repo), []
    times = [NOW + seconds for seconds in (200, 190, 500, 130, 170, 150, 65, 110, 70, 0, 20, -99, -90)]
    wanted = [find_commit_at(git_of, tree.commit, at) for at in times]
    monkeypatch.setattr(moves_module, "find_commit_at", lambda *args: asked.append(args) or find_commit_at(*args))
    moves = Moves(git_of, tree)

    assert [moves.find_written_commit(at) for at in times * 2] == wanted * 2
    assert len(set(wanted)) > 3 and len(asked) < len(times)


def test_a_name_is_followed_into_the_one_part_of_a_split_file_that_has_it(repo):
    lines = [f"def name_{n}(): ...\n" for n in range(40)]
    held = commit_files(repo, {"src/big.py": "".join(lines)}, "big")
    (repo / "src/big.py").unlink()
    parts = {"src/one.py": lines[:21], "src/two.py": lines[19:], "docs/names.md": lines[:9]}
    commit_files(repo, {path: "".join(part) for path, part in parts.items()}, "split")
    move(repo, "src/two.py", "lib/two.py")
    moves = Moves(Git(discover(repo)), tree_of(repo))

    found = {
        name: moves.find(Check(BUILTIN, ("symbol", name, "src/big.py")), held)
        for name in ("name_3", "name_30", "name_20", "name_99")
    }

    assert found == {
        "name_3": "src/big.py\tsrc/one.py",
        "name_30": "src/big.py\tlib/two.py",
        "name_20": "",  # both have it
        "name_99": "",
    }
    assert moves.find(Check(BUILTIN, ("lacks", "name_99", "src/big.py")), held) == ""


def test_fact_of_a_split_file_holds_in_its_part_here_and_in_another_clone(memory: Memory, repo: Path) -> None:
    lines = [f"def name_{n}(): ...\n" for n in range(40)]
    commit_files(repo, {"src/big.py": "".join(lines)}, "big")
    put(repo, make_fact("three", {"symbol": "name_3", "in": "src/big.py"}))
    verify(memory)
    (repo / "src/big.py").unlink()
    commit_files(repo, {"src/one.py": "".join(lines[:20]), "src/two.py": "".join(lines[20:])}, "split")

    run = verify(memory)

    verdict = result_of(run, "three").verdict
    assert verdict is not None
    check = Check(BUILTIN, ("symbol", "name_3", "src/big.py"))
    claims = {
        path: Moves(Git(discover(repo)), tree_of(repo)).trusted_moves(
            replace(verdict, own=False, moved=f"src/big.py\t{path}"), check
        )
        for path in ("src/one.py", "src/no.py")
    }
    assert (statuses(memory)["three"], verdict.moved) == ("verified", "src/big.py\tsrc/one.py")
    assert claims == {"src/one.py": "src/big.py\tsrc/one.py", "src/no.py": ""}
    assert [one.fields["verify"]["in"] for one in memory.bulk.settle_moved()] == ["src/one.py"]
    assert verify(memory).due == 0


def test_glob_whose_files_went_to_several_folders_has_no_move(repo):
    held = commit_files(repo, {"src/h/a.py": "a = 1\n" * 9, "src/h/b.py": "b = 2\n" * 9}, "two")
    move(repo, "src/h/a.py", "one/a.py")
    move(repo, "src/h/b.py", "two/b.py")

    assert Moves(Git(discover(repo)), tree_of(repo)).find(Check(BUILTIN, ("contains", "1", "src/h/*.py")), held) == ""


def test_verify_judges_moved_facts_where_their_files_are(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_fact("rs", {"contains": "RS256", "in": "src/auth/jwt.py"}),
        make_fact("hs", {"lacks": "HS256", "in": "src/auth/*.py"}),
        make_fact("grep", "grep -q RS256 src/auth/jwt.py"),
        make_fact("retries", {"contains": "RETRIES", "in": "src/gateway/retry.py"}),
    )
    approve_all(memory)
    verify(memory)
    move(repo, "src/auth", "lib/auth")

    run = verify(memory)

    assert statuses(memory) == dict.fromkeys(("rs", "hs", "grep", "retries"), "verified")
    assert {r.due.row.key for r in run.results if r.verdict and r.verdict.moved} == {"rs", "hs", "grep"}
    assert verify(memory).due == 0


def test_a_fact_that_was_never_judged_here_is_followed_from_where_it_was_written(memory: Memory, repo: Path) -> None:
    written = "2026-09-21T14:13:30Z"  # ten seconds after NOW
    put(
        repo,
        make_fact("held", {"contains": "RS256", "in": "src/auth/jwt.py"}, created=written),
        make_fact("never", {"contains": "HS512", "in": "src/auth/jwt.py"}, created=written),
        make_fact("command-held", "grep -q RS256 src/auth/jwt.py", created=written),
        make_fact("command-never", "grep -q HS512 src/auth/jwt.py", created=written),
    )
    approve_all(memory)
    move(repo, "src/auth", "lib/auth")
    make_later(repo)

    verify(memory)

    assert statuses(memory) == {
        "held": "verified", "command-held": "verified", "never": "failed", "command-never": "unproven",
    }  # fmt: skip


def test_a_fact_that_never_held_here_is_followed_from_where_it_was_written(memory: Memory, repo: Path) -> None:
    written = "2026-09-21T14:13:30Z"  # ten seconds after NOW
    put(
        repo,
        make_fact("builtin", {"contains": "RS256", "in": "src/auth/jwt.py"}, created=written),
        make_fact("command", "grep -q RS256 src/auth/jwt.py", created=written),
    )
    approve_all(memory)
    commit_files(repo, {"src/auth/jwt.py": JWT.replace("RS256", "HS256")})
    make_later(repo)
    verify(memory)
    before = statuses(memory)
    move(repo, "src/auth", "lib/auth")
    make_later(repo)
    commit_files(repo, {"lib/auth/jwt.py": JWT})
    make_later(repo)

    verify(memory)

    assert before == dict.fromkeys(("builtin", "command"), "failed")
    assert statuses(memory) == dict.fromkeys(("builtin", "command"), "verified")


def test_a_moved_fact_fails_with_what_is_wrong_where_its_file_is(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_fact("rs", {"contains": "RS256", "in": "src/auth/jwt.py"}),
        make_fact("grep", "grep -q RS256 src/auth/jwt.py"),
    )
    approve_all(memory)
    verify(memory)
    move(repo, "src/auth", "lib/auth")
    verify(memory)
    commit_files(repo, {"lib/auth/jwt.py": JWT.replace("RS256", "HS256")}, "break it")

    run = verify(memory)

    assert statuses(memory) == {"rs": "failed", "grep": "failed"}
    assert "lib/auth/jwt.py" in result_of(run, "rs").because
    commit_files(repo, {"lib/auth/jwt.py": JWT}, "mend it")
    verify(memory)
    assert statuses(memory) == {"rs": "verified", "grep": "verified"}


def test_a_move_that_breaks_the_code_is_no_excuse(memory: Memory, repo: Path) -> None:
    commit_files(repo, {"run.sh": "grep -q RS256 src/auth/jwt.py\n"}, "a script")
    put(repo, make_fact("script", "sh run.sh"))
    approve_all(memory)
    verify(memory)
    move(repo, "src/auth", "lib/auth")

    verify(memory)

    assert statuses(memory) == {"script": "failed"}


def test_a_script_that_was_deleted_and_is_back_is_followed_like_any_other(memory: Memory, repo: Path) -> None:
    script = "grep -q RS256 $1\n# and more lines\n# that tell it from other files\n"
    commit_files(repo, {"src/auth/run.sh": script}, "a script")
    put(repo, make_fact("script", "sh src/auth/run.sh src/auth/jwt.py"))
    approve_all(memory)
    verify(memory)
    git(repo, "rm", "-q", "src/auth/run.sh")
    commit_files(repo, {"x": "x\n"}, "delete it")
    verify(memory)
    commit_files(repo, {"src/auth/run.sh": script}, "back")
    verify(memory)
    move(repo, "src/auth", "lib/auth")

    verify(memory)

    assert statuses(memory) == {"script": "verified"}


def test_a_denied_or_unapproved_command_is_not_run_for_a_move(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("grep", "grep -q RS256 src/auth/jwt.py"))
    move(repo, "src/auth", "lib/auth")

    run = verify(memory)

    assert result_of(run, "grep").reason == "not approved"


def test_the_old_place_counts_where_it_is_there_again(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("rs", {"contains": "RS256", "in": "src/auth/jwt.py"}))
    verify(memory)
    move(repo, "src/auth", "lib/auth")
    verify(memory)

    commit_files(repo, {"src/auth/jwt.py": "nothing\n"}, "another file of that name")
    verify(memory)

    assert statuses(memory) == {"rs": "failed"}


def test_the_digest_of_moved_inputs_is_that_of_the_files_as_they_are_now(repo):
    held = git(repo, "rev-parse", "HEAD")
    move(repo, "src/auth", "lib/auth")
    check = Check(SHELL, ("grep -q RS256 src/auth/jwt.py",))
    text = Moves(Git(discover(repo)), tree_of(repo)).find(check, held)
    inputs = ["paths", "src/auth/jwt.py"]

    before = digest_after_moves(tree_of(repo), inputs, check, text)
    commit_files(repo, {"lib/auth/jwt.py": "changed\n"}, "change")

    assert before == digest(tree_of(repo, held), inputs, check)
    assert digest_after_moves(tree_of(repo), inputs, check, text) != before


def claim_move(memory: Memory, repo: Path, check: Check, inputs: list[str]) -> None:
    """Delete the file of the fact `rs`, and push a verdict that says that it is another one that was there before."""
    commit_files(repo, {"other.py": JWT + "# another\n"}, "another file")
    git(repo, "rm", "-q", "src/auth/jwt.py")
    git(repo, "commit", "-q", "-m", "delete it")
    text = "src/auth/jwt.py\tother.py"
    (claim,) = memory.repository.catalog().row("SELECT claim FROM fact")
    verdict = Verdict(
        "rs", spec_of(memory, "rs"), claim, HOLDS, git(repo, "rev-parse", "HEAD"),
        digest_after_moves(tree_of(repo), inputs, check, text), NOW, sandbox="builtin", moved=text,
        held_commit=git(repo, "rev-parse", "HEAD"), held_at=NOW,
    )  # fmt: skip
    bucket = join_bucket({("rs", verdict.spec[:16]): format_verdict(verdict).encode()})
    put(repo, {verdict_file(memory, "rs"): bucket})


def test_a_move_that_only_a_pushed_verdict_knows_of_is_wrong(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("rs", {"contains": "RS256", "in": "src/auth/jwt.py"}))
    claim_move(memory, repo, Check(BUILTIN, ("contains", "RS256", "src/auth/jwt.py")), ["builtin"])

    run = verify(memory)

    assert [one.key for one in run.wrong] == ["rs"]
    assert outcomes(run) == {"rs": "fails"}


def test_a_command_does_not_run_where_only_a_pushed_verdict_says_that_its_files_moved(memory: Memory, repo) -> None:
    put(repo, make_fact("rs", "grep -q RS256 src/auth/jwt.py"))
    approve_all(memory)
    claim_move(memory, repo, Check(SHELL, ("grep -q RS256 src/auth/jwt.py",)), ["unknown"])

    run = verify(memory, "rs")

    assert outcomes(run)["rs"] != "holds"
    assert result_of(run, "rs").due.moved == ""


@each("place", [".git/hooks/post-index-change", "sub/.GIT/config", "/etc/passwd", "../a", "a\0b", "a//b", ""])
def test_a_verdict_moves_nothing_to_or_from_a_place_that_no_code_has(place: str) -> None:
    assert parse_moves(f"{place}\tevil.sh\nevil.sh\t{place}") == ()


@each("new", ["a;touch owned", "$(id)", "a b", "*", "a\nb", "~", "#a", "a!b"])
@each("form", [SHELL, PROGRAM])
def test_the_name_of_a_file_never_becomes_part_of_a_command(form: str, new: str) -> None:
    check = Check(form, ("cat src/a.py",))

    assert replace_words(CodeFiles([("100644", "", new)]), check, f"src/a.py\t{new}") == check


def test_the_name_of_a_file_never_becomes_an_option() -> None:
    found = replace_words(CodeFiles([("100644", "", "-rf")]), Check(PROGRAM, ("rm", "src/a.py")), "src/a.py\t-rf")

    assert found.words == ("rm", "./-rf")


def test_what_moved_is_never_put_back_through_a_link(repo: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo / "src/auth").rename(repo / "lib")
    (repo / "src/auth").symlink_to(outside)

    subprocess.run(["sh", "-c", restore_command("src/auth/jwt.py\tlib/jwt.py")], cwd=repo, check=True)

    assert list(outside.iterdir()) == []


def test_moved_is_reported_once_and_shown_wherever_a_reader_meets_the_fact(memory, repo, run_cli):
    put(
        repo,
        make_fact("rs", {"contains": "RS256", "in": "src/auth/jwt.py"}),
        make_fact("hs", {"lacks": "HS256", "in": "src/auth/**"}),
    )
    verify(memory)
    move(repo, "src/auth", "lib/auth")
    line = "2 facts are judged where what they check moved (src → lib); to write that down: gitmem settle --moved"

    said = [run_cli("verify").out for _ in range(2)]

    assert line in said[0]
    assert line not in said[1] and "2 moved" in said[1]
    assert json.loads(run_cli("verify", "--json").out)["moved"] == ["hs", "rs"]
    shown = json.loads(run_cli("show", "rs", "--json").out)
    assert (shown["status"], shown["moved"]) == ("verified", True)
    assert shown["verdict"]["moved"] == [{"from": "src/auth/jwt.py", "to": "lib/auth/jwt.py"}]
    assert "moved: src/auth/jwt.py → lib/auth/jwt.py" in run_cli("show", "rs").out
    assert json.loads(run_cli("status", "--json").out)["moved"] == ["hs", "rs"]
    assert "2 facts are judged where what they check moved" in run_cli("status").out
    assert [row["moved"] for row in json.loads(run_cli("list", "--json").out)["memories"]] == [True, True]


def test_check_follows_the_files_that_a_change_moves(memory, repo, run_cli):
    put(
        repo,
        make_fact("rs", {"contains": "RS256", "in": "src/auth/jwt.py"}),
        make_fact("grep", "grep -q RS256 src/auth/jwt.py"),
        make_fact("gone", {"contains": "RETRIES", "in": "src/gateway/retry.py"}),
    )
    approve_all(memory)
    git(repo, "checkout", "-q", "-b", "topic")
    move(repo, "src/auth", "lib/auth")
    git(repo, "rm", "-q", "src/gateway/retry.py")
    git(repo, "commit", "-q", "-m", "delete")

    found = json.loads(run_cli("check", "--no-sandbox", "--json").out)

    assert [one["key"] for one in found["newly_false"]] == ["gone"]
    assert (found["holds"], found["moved"]) == (2, ["grep", "rs"])
    git(repo, "checkout", "-q", "main")
    git(repo, "mv", "src/auth", "lib")
    assert json.loads(run_cli("check", "--staged", "--no-sandbox", "--json").out)["newly_false"] == []


def test_why_names_the_commit_that_broke_a_moved_fact_and_not_the_move(memory, repo):
    put(
        repo,
        make_fact("rs", {"contains": "RS256", "in": "src/auth/jwt.py"}),
        make_fact("grep", "grep -q RS256 src/auth/jwt.py"),
    )
    approve_all(memory)
    verify(memory)
    move(repo, "src/auth", "lib/auth")
    commit_files(repo, {"README.md": "between\n"}, "between")
    broken = commit_files(repo, {"lib/auth/jwt.py": JWT.replace("RS256", "HS256")}, "break it")
    commit_files(repo, {"README.md": "after\n"}, "after")
    verify(memory)

    found = {key: memory.why(key, options=Options(no_sandbox=True)).found for key in ("rs", "grep")}

    assert {key: one.culprit for key, one in found.items()} == {"rs": broken, "grep": broken}


@pytest.mark.parametrize("is_new_there", [False, True], ids=["gone", "another-file-has-the-old-name"])
def test_what_was_deleted_after_a_known_move_failed_with_that_commit(memory, repo, is_new_there: bool) -> None:
    put(
        repo,
        make_fact("rs", {"contains": "RS256", "in": "src/auth/jwt.py"}),
        make_fact("there", {"exists": "src/auth/jwt.py"}),
        make_fact("grep", "grep -q RS256 src/auth/jwt.py"),
    )
    approve_all(memory)
    verify(memory)
    moved = move(repo, "src/auth", "lib/auth")
    verify(memory)
    git(repo, "rm", "-q", "lib/auth/jwt.py")
    deleted = commit_files(repo, {"README.md": "deleted\n"}, "delete it")
    verdict = result_of(verify(memory), "rs").verdict
    assert verdict is not None
    claimed = Moves(Git(discover(repo)), tree_of(repo)).trusted_moves(replace(verdict, own=False))
    keys = ["rs", "there", "grep"]
    if is_new_there:
        keys.remove("there")
        commit_files(repo, {"src/auth/jwt.py": "print('another')\n"}, "another file")
        verify(memory)

    found = {key: memory.why(key, options=Options(no_sandbox=True)).found for key in keys}

    assert {key: statuses(memory)[key] for key in keys} == dict.fromkeys(keys, "failed")
    assert {key: one.culprit for key, one in found.items() if one} == dict.fromkeys(keys, deleted) | (
        {"there": moved} if "there" in keys else {}
    )
    assert claimed == verdict.moved == "src/auth/jwt.py\tlib/auth/jwt.py"  # another clone looks where it held


def test_check_sees_what_a_change_breaks_in_files_that_moved_before_it(memory, repo, run_cli):
    put(
        repo,
        make_fact("there", {"exists": "src/auth/jwt.py"}),
        make_fact("rs", {"contains": "RS256", "in": "src/auth/*.py"}),
        make_fact("gone", {"contains": "RETRIES", "in": "src/gateway/retry.py"}),
    )
    verify(memory)
    move(repo, "src/auth", "lib/auth")
    verify(memory)
    git(repo, "checkout", "-q", "-b", "topic")
    git(repo, "rm", "-q", "lib/auth/jwt.py")
    commit_files(repo, {"README.md": "deleted\n"}, "delete it")

    found = json.loads(run_cli("check", "--json").out)["newly_false"]

    assert [(one["key"], one["changed"][0]["path"]) for one in found] == [("rs", "lib/auth/jwt.py")]
