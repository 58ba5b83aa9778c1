"""A change cannot silence the facts that judge it: the base's claims count, whatever the change's memories say."""

from __future__ import annotations

import re

import pytest
from conftest import NOW, commit_files, git
from support.code_changes import RS256, change, check
from support.facts import approve_all, make_fact, make_memory, put, tracked

from gitmem.cli.check import exit_status
from gitmem.memory import Memory
from gitmem.verify.options import Options
from gitmem.verify.overview.finding import Spot

EDDSA = {"src/auth/jwt.py": 'ALGORITHM = "EdDSA"\n'}
HOLDS = {"exists": "README.md"}
PLACE = ".memory/facts/victim.md"


def both(checked, key: str = "victim") -> tuple[int, str]:
    """Return the exit status, and how the fact was silenced."""
    (found,) = (f for f in checked.of("silenced") if f.key == key)
    return exit_status(checked, "unchecked"), found.because.partition("; ")[0].removeprefix("the change ")


def victim(**fields) -> dict:
    return make_fact("victim", **({"verify": RS256} | fields))


# What lies in .memory/ before and behind the change, and what the change is then said to do. The code makes it false.
OF_THE_CODE = {
    "check changed": (victim(verify=HOLDS), "changes its check"),
    "check weakened": (victim(verify={"contains": "A", "in": "src/auth/*.py"}), "changes its check"),
    "claim reworded, too": (victim(verify=HOLDS, title="Other"), "changes its check"),
    "refute changed": (victim(refute="EdDSA is right"), "changes its check"),
    "check removed": (victim(verify=None), "removes its check"),
    "made a task": (
        {"facts/victim.md": None} | victim(kind="task"),
        "makes it a task in .memory/tasks/victim.md, which hides .memory/facts/victim.md",
    ),
    "of a newer version": (victim(schema=99), "removes its check"),
    "file removed": ({"facts/victim.md": None}, "removes it"),
    "file unreadable": ({"facts/victim.md": "---\nverify: [\n---\n"}, "makes its file unreadable"),
    "file too large": (victim(body="x" * 2_000_000), "makes its file unreadable"),
    "file renamed": (
        {"facts/victim.md": None, "facts/Victim.md": victim()["facts/victim.md"]},
        "removes it",
    ),
    "file moved out": ({"facts/victim.md": None, "other/deep/victim.md": "x"}, "removes it"),
    "archived": (
        {"facts/victim.md": None, "archive/facts/victim.md": victim()["facts/victim.md"]},
        "archives it",
    ),
    "superseded": (
        make_memory("trick", "Takes over", supersedes=["victim"]),
        "supersedes it in .memory/gotchas/trick.md",
    ),
    "superseded by a fact": (
        make_fact("trick", HOLDS, supersedes=["victim"]),
        "supersedes it in .memory/facts/trick.md",
    ),
    "superseded by itself": (victim(superseded_by="other"), f"supersedes it in {PLACE}"),
    "hidden by an earlier path": (
        make_fact("victim", HOLDS, kind="decision"),
        "changes its check in .memory/decisions/victim.md, which hides .memory/facts/victim.md",
    ),
}  # fmt: skip


def named(number: int, memories: dict) -> dict:
    """Return the files of a case with keys of its own: all cases are facts of one repository."""
    names = {"victim": f"victim-{number}", "Victim": f"Victim-{number}", "trick": f"trick-{number}"}

    def rename(text: str) -> str:
        return re.sub("|".join(names), lambda found: names[found[0]], text)

    return {rename(path): text and rename(text) for path, text in memories.items()}


def test_fact_of_the_code_tree_that_a_change_silences_fails_it_all_the_same(memory, repo):
    cases = dict(enumerate(OF_THE_CODE.values()))
    commit_files(repo, tracked(*(named(number, victim()) for number in cases)))
    files = {path: text for number, (memories, _) in cases.items() for path, text in named(number, memories).items()}
    gone = tuple(f".memory/{path}" for path, text in files.items() if text is None)
    change(repo, EDDSA | tracked({path: text for path, text in files.items() if text is not None}), gone=gone)

    checked = check(memory)

    silenced = {number: both(checked, f"victim-{number}") for number in cases}
    assert silenced == {number: (1, next(iter(named(number, {how: ""})))) for number, (_, how) in cases.items()}


OF_THE_BRANCH = {
    "hidden by another check": (
        victim(verify=HOLDS), f"changes its check in {PLACE}, which hides facts/victim.md",
    ),
    "hidden by no check": (victim(verify=None), f"removes its check in {PLACE}, which hides facts/victim.md"),
    "hidden by a kind": (
        victim(kind="task", verify=HOLDS), "makes it a task in .memory/tasks/victim.md, which hides facts/victim.md",
    ),
    "superseded": (
        make_memory("trick", "Takes over", supersedes=["victim"]), "supersedes it in .memory/gotchas/trick.md",
    ),
    "hidden and superseded": (
        victim(superseded_by="other"), f"supersedes it in {PLACE}",
    ),
}  # fmt: skip


def test_fact_of_the_memory_branch_that_a_change_silences_fails_it_all_the_same(memory, repo):
    cases = dict(enumerate(OF_THE_BRANCH.values()))
    put(repo, *(named(number, victim()) for number in cases))
    change(repo, EDDSA | tracked(*(named(number, memories) for number, (memories, _) in cases.items())))

    checked = check(memory)

    silenced = {number: both(checked, f"victim-{number}") for number in cases}
    assert silenced == {number: (1, next(iter(named(number, {how: ""})))) for number, (_, how) in cases.items()}


@pytest.mark.parametrize("kind", ["link", "file"])
def test_folder_that_becomes_something_else_silences_none_of_its_facts(memory, repo, kind):
    commit_files(repo, tracked(victim()))
    git(repo, "checkout", "-q", "-b", "change")
    git(repo, "rm", "-q", "-r", ".memory")
    if kind == "link":
        (repo / ".memory").symlink_to("src")
    else:
        (repo / ".memory").write_text("nothing\n")
    commit_files(repo, EDDSA)

    assert both(check(memory)) == (1, "removes it")


def test_file_that_becomes_a_link_does_not_silence_its_fact(memory, repo):
    commit_files(repo, tracked(victim()) | {"elsewhere.md": victim()["facts/victim.md"]})
    git(repo, "checkout", "-q", "-b", "change")
    (repo / PLACE).unlink()
    (repo / PLACE).symlink_to("../../elsewhere.md")
    commit_files(repo, EDDSA)

    assert both(check(memory)) == (1, "makes its file unreadable")


def test_command_with_narrower_paths_or_a_longer_ttl_is_judged_as_the_base_has_it(memory, repo):
    command = {"verify": "grep -q RS256 src/auth/jwt.py", "paths": ["src/auth/*", "README.md"], "ttl": "3d"}
    changes = {
        "narrower": {"paths": ["README.md"]},
        "anywhere": {"paths": []},
        "rarer": {"ttl": "900d"},
        "hurried": {"timeout": "1s"},
    }
    commit_files(repo, tracked(*(make_fact(key, **command) for key in changes)))
    approve_all(memory)
    change(repo, EDDSA | tracked(*(make_fact(key, **(command | fields)) for key, fields in changes.items())))

    checked = check(memory)

    how = "changes its paths or ttl"
    assert {key: both(checked, key) for key in changes} == {
        "narrower": (1, how), "anywhere": (1, how), "rarer": (1, how), "hurried": (1, "changes its check"),
    }  # fmt: skip


def test_policy_and_attributes_of_a_change_do_not_count(memory, repo):
    commit_files(repo, tracked(victim()))
    change(
        repo,
        EDDSA | {
            ".memory/gitmem.toml": '[check]\nfail_on = "never"\n[kinds.fact]\nneeds_verify = false\n',
            "gitmem.toml": '[check]\nfail_on = "never"\n',
            ".gitattributes": "* export-ignore -diff binary\n.memory/** export-ignore\n",
            ".gitignore": ".memory\n", ".gitmemignore": "*\n",
        },
    )  # fmt: skip

    checked = check(memory)

    assert [f.key for f in checked.of("newly_false")] == ["victim"]
    assert exit_status(checked, memory.repository.policy().check.fail_on) == 1


def test_memory_that_no_longer_requires_what_becomes_false_is_a_suspect_by_the_base(memory, repo):
    rests = make_memory("rests", "Rests on it", requires=["victim"])
    commit_files(repo, tracked(victim(), rests))
    change(repo, EDDSA | tracked(make_memory("rests", "Rests on it")))

    checked = check(memory)

    assert both(checked, "rests") == (1, "disconnects it from a memory that it requires")
    assert [(f.key, f.chain) for f in checked.of("suspect")] == [("rests", ("victim",))]


def test_memory_whose_cause_no_longer_produces_what_it_requires_is_a_suspect_by_the_base(memory, repo):
    rests = make_memory("rests", "Rests on it", requires=["label"])
    commit_files(repo, tracked(victim(produces=["label"]), rests))
    change(repo, EDDSA | tracked(victim()))

    assert both(check(memory), "rests") == (1, "disconnects it from a memory that it requires")


def test_another_branch_is_judged_by_its_base_and_a_commit_by_what_it_says_itself(memory, repo):
    commit_files(repo, tracked(victim()))
    change(repo, EDDSA | tracked(victim(verify=HOLDS)))
    git(repo, "checkout", "-q", "main")

    assert both(check(memory, head="change")) == (1, "changes its check")
    git(repo, "checkout", "-q", "change")
    git(repo, "reset", "-q", "--soft", "main")
    staged = memory.check(options=Options(no_sandbox=True), staged=True)
    assert (exit_status(staged, "unchecked"), staged.of("silenced"), staged.brought) == (0, [], ("victim",))


def test_repository_without_a_memory_branch_is_judged_by_the_base(repo):
    commit_files(repo, tracked(victim()))
    change(repo, EDDSA, gone=(PLACE,))

    with Memory(repo, clock=lambda: float(NOW)) as memory:
        assert not memory.repository.has_store()
        checked = check(memory)
    assert both(checked) == (1, "removes it")
    assert checked.facts == 1


def test_silenced_fact_that_still_holds_is_named_and_fails_nothing(memory, repo):
    commit_files(repo, tracked(victim()))
    change(repo, {"src/auth/jwt.py": "# RS256, still\n"} | tracked(victim(verify=HOLDS)))

    checked = check(memory)

    assert both(checked) == (0, "changes its check")
    (found,) = checked.of("silenced")
    assert found.because.endswith("; as the base has it, it holds")
    assert (found.fact, found.places) == (Spot(PLACE, 1), (Spot("src/auth/jwt.py", 1),))


def test_command_that_is_not_approved_any_more_leaves_the_fact_unchecked(memory, repo):
    commit_files(repo, tracked(victim(verify="grep -q RS256 src/auth/jwt.py", paths=["src/auth/*"])))
    change(repo, EDDSA | tracked(victim(verify=HOLDS)))

    assert both(check(memory)) == (3, "changes its check")


def test_fact_that_the_change_rewords_or_removes_without_touching_what_it_reads_is_no_finding(memory, repo):
    commit_files(repo, tracked(victim(), make_fact("gone", RS256)))
    change(repo, tracked(victim(verify=HOLDS)) | {"other": ""}, gone=(".memory/facts/gone.md",))

    checked = check(memory)

    assert (checked.of("silenced"), checked.removed) == ([], ("gone",))
    assert checked.untouched == (("gone", "removes it"), ("victim", "changes its check"))


def test_fact_that_is_stricter_now_is_not_silenced(memory, repo):
    commit_files(repo, tracked(victim(verify="true; :", paths=["src/auth/*"], ttl="9d")))
    approve_all(memory)
    stricter = victim(verify="true; :", paths=["src/auth/*", "README.md"], ttl="3d", title="Said better")
    change(repo, EDDSA | tracked(stricter))

    assert check(memory).of("silenced") == []
