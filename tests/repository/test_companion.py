"""On a branch of the code, what is not true on the default branch goes to its companion, all else to memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files, git, tip
from support.companions import COMPANION, RETRIES, branched, check_of, forge, opened, shared_folder, slow_down  # noqa: F401 - fixtures
from support.facts import verify

from gitmem.errors import ConflictError
from gitmem.memory import Memory


def text(folder: Path, ref: str, key: str = "retries") -> str:
    return git(folder, "show", f"{ref}:facts/{key}.md", check=False)


def homes(folder: Path, change) -> tuple[bool, bool]:  # type: ignore[no-untyped-def]
    """Return whether a change was written to the companion, and whether to the memory branch."""
    before = tip(folder)
    with opened(folder) as memory:
        change(memory)
    return bool(git(folder, "rev-parse", "-q", "--verify", COMPANION, check=False)), tip(folder) != before


def new_fact(key: str, **check: str):  # type: ignore[no-untyped-def]
    return lambda memory: memory.fact(f"The {key}", key=key, **check)


CHANGES = [
    ("a fact that the branch makes false, with a check that is true there", slow_down, (True, False)),
    ("only its title", lambda m: m.edit("retries", fields={"title": "Three attempts are made"}), (True, False)),
    ("retired because of the branch", lambda m: m.forget("retries", why="five now"), (True, False)),
    ("a new fact about the branch's code", new_fact("five", contains="RETRIES = 5", within=RETRIES), (True, False)),
    ("a new fact that is true on both", new_fact("sign", contains="def sign", within="src/auth/jwt.py"), (False, True)),
    (
        "a check that is true on both",
        lambda m: m.edit("retries", fields={"verify": {"exists": RETRIES}}),
        (False, True),
    ),
    ("what no check says", lambda m: m.remember("Five is what the provider allows", key="why"), (False, True)),
    ("a memory without a check", lambda m: m.edit("idle", fields={"tags": ["net"]}), (False, True)),
]


@pytest.mark.parametrize(("change", "home"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_memory_untrue_on_the_default_branch_goes_to_the_companion(branch: Path, change, home) -> None:  # type: ignore[no-untyped-def]
    assert homes(branch, change) == home


def test_a_change_that_is_not_committed_yet_goes_there_as_well_and_one_line_says_so(branch: Path) -> None:
    (branch / RETRIES).write_text("RETRIES = 7\n", encoding="utf-8")
    with opened(branch) as memory:
        slow_down(memory, 7)
        said = [*memory.notices]

    assert "RETRIES = 7" in text(branch, COMPANION)
    assert said == [
        "written to gitmem/branch/feature/slow, the memory of this branch, because the default branch differs from it "
        "here: push the branch, then gitmem sync; the memory is merged when the branch is"
    ]


def test_memory_of_the_companion_is_edited_there_on_the_current_memory(branch: Path) -> None:
    with opened(branch) as memory:
        slow_down(memory)
        memory.remember("Written meanwhile", key="meanwhile")
        memory.edit("retries", fields={"tags": ["net"]})
        memory.fact("The limit", key="five", contains="RETRIES = 5", within=RETRIES)
        memory.supersede("retries", "five")

    assert "tags: [net]" in text(branch, COMPANION) and "superseded_by: five" in text(branch, COMPANION)
    assert git(branch, "show", f"{COMPANION}:learned/meanwhile.md")
    assert "RETRIES = 3" in text(branch, "refs/heads/memory")


def test_a_memory_that_rests_on_the_reworded_fact_is_confirmed_there(branch: Path) -> None:
    with opened(branch) as memory:
        memory.remember("Give up after that", key="give-up", kind="gotcha", requires=["retries"])
        slow_down(memory)
        memory.bulk.confirm("give-up")

    assert "confirmed" in git(branch, "show", f"{COMPANION}:gotchas/give-up.md")
    assert "confirmed" not in git(branch, "show", "refs/heads/memory:gotchas/give-up.md")


@pytest.mark.parametrize("where", ["main", "detached", "proposal"])
def test_other_branches_have_no_companion(branch: Path, where: str) -> None:
    if where == "proposal":
        with opened(branch) as memory:
            memory.proposals.send("auth", push=False)
    else:
        git(branch, "checkout", "-q", *(["main"] if where == "main" else ["--detach"]))
        commit_files(branch, {RETRIES: "RETRIES = 5\n"}) if where == "main" else None

    assert homes(branch, slow_down)[0] is False


def test_a_companion_whose_name_is_in_the_way_is_named(branch: Path) -> None:
    with opened(branch) as memory:
        slow_down(memory)
    git(branch, "checkout", "-q", "--detach")
    git(branch, "branch", "-D", "feature/slow")
    git(branch, "checkout", "-q", "-b", "feature/slow/er")

    with (
        opened(branch) as memory,
        pytest.raises(ConflictError, match="cannot exist next to gitmem/branch/feature/slow") as stdin,
    ):
        slow_down(memory)

    assert stdin.value.hint == "merge or drop the other one: gitmem propose --drop branch/feature/slow"


def test_a_command_that_no_one_approved_stays_with_the_branch_where_its_files_differ(branch: Path) -> None:
    def write(memory: Memory) -> None:
        memory.fact("It is long", key="long", verify=f"grep -q RETRIES {RETRIES}", paths=[RETRIES])
        memory.fact("It signs", key="signs", verify="grep -q sign src/auth/jwt.py", paths=["src/auth/jwt.py"])

    assert homes(branch, write) == (True, True)
    assert text(branch, COMPANION, "long") and not text(branch, "refs/heads/memory", "long")
    assert text(branch, "refs/heads/memory", "signs")


def test_a_clone_without_a_memory_branch_of_its_own_starts_at_the_remotes(branch: Path) -> None:
    git(branch, "update-ref", "-d", "refs/heads/memory")

    with opened(branch) as memory:
        slow_down(memory)

    assert "RETRIES = 5" in text(branch, COMPANION)
    assert git(branch, "merge-base", COMPANION, "refs/remotes/origin/memory") == tip(
        branch, "refs/remotes/origin/memory"
    )


def test_moved_reference_of_a_branch_goes_to_its_companion(branch: Path) -> None:
    with opened(branch) as memory:
        memory.remember("About retries", key="about", kind="gotcha", paths=[RETRIES])
        memory.fact("Tokens use RS256", key="rs", contains="RS256", within="src/auth/jwt.py")
        memory.remember("About jwt", key="jwt", kind="gotcha", paths=["src/auth/jwt.py"])
    git(branch, "mv", "src/auth/jwt.py", "src/auth/token.py")
    git(branch, "commit", "-q", "-m", "move it")
    with opened(branch) as memory:
        verify(memory)
        done = memory.bulk.settle_moved()

    assert sorted(one.key for one in done if not one.skipped) == ["jwt", "rs"]
    for key, folder in (("rs", "facts"), ("jwt", "gotchas")):
        assert "token.py" in git(branch, "show", f"{COMPANION}:{folder}/{key}.md")
        assert "jwt.py" in git(branch, "show", f"refs/heads/memory:{folder}/{key}.md")
    assert "gotchas/about.md" not in git(branch, "diff", "--name-only", "memory", COMPANION)
