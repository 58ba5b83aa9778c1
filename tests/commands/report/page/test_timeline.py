"""The timeline: known states at each commit, states in between, and the commits that broke facts."""

from __future__ import annotations

from pathlib import Path

from conftest import NOW, commit_files, git
from support.each import each
from support.facts import make_fact, put, verify

from gitmem.commands.report.page.model import Strip
from gitmem.commands.report.page.timeline import count, fill
from gitmem.memory import Memory
from gitmem.model import FAILS, HOLDS
from gitmem.verify.options import Options

RETRIES = "src/gateway/retry.py"
THREE = {"contains": "RETRIES = 3", "in": RETRIES}


@each(
    ("points", "states"),
    [
        ([], "......"),
        ([(1, HOLDS, "judged")], ".Vvvvv"),
        ([(0, HOLDS, "judged"), (4, HOLDS, "judged")], "VvvvVv"),
        ([(0, HOLDS, "judged"), (4, FAILS, "judged")], "V...Xx"),
        ([(0, HOLDS, "judged"), (4, FAILS, "culprit")], "Vvvv!x"),
        ([(1, FAILS, "judged"), (4, HOLDS, "judged")], ".X..Vv"),
        ([(1, FAILS, "judged"), (2, HOLDS, "proved")], ".Xvvvv"),
        ([(-3, FAILS, "judged"), (-1, HOLDS, "judged")], "vvvvvv"),
        ([(-1, FAILS, "judged"), (2, FAILS, "judged")], "xxXxxx"),
        ([(2, HOLDS, "judged"), (2, FAILS, "judged")], "..Xxxx"),
        ([(2, FAILS, "culprit"), (2, FAILS, "judged")], "..!xxx"),
    ],
)
def test_states_are_distinguished_from_what_is_known(points, states: str) -> None:
    assert fill(points, 6) == states


def test_what_rested_on_a_failure_is_counted_as_suspect_three_links_far() -> None:
    strips = [Strip("a", "VX"), Strip("b", "vv"), Strip("c", ".."), Strip("d", "vv"), Strip("e", "vv")]
    links = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "a")]

    assert count(strips, links, 2) == [(4, 0, 0, 1), (1, 3, 1, 0)]


def read(memory: Memory):
    page = memory.report()
    assert page.timeline is not None
    return page.timeline


def test_breaking_and_mending_are_seen_at_their_commits_though_no_one_looked_there(repo: Path, memory) -> None:
    put(repo, make_fact("retries", THREE), make_fact("steady", {"exists": "README.md"}))
    verify(memory)
    commit_files(repo, {"notes.txt": "1"})
    bad = commit_files(repo, {RETRIES: "RETRIES = 5\n"}, "gateway: five <b>retries</b>")
    commit_files(repo, {"notes.txt": "2"})
    verify(memory)
    memory.jobs.explain_failures(Options(everything=True, no_sandbox=True))
    commit_files(repo, {RETRIES: "RETRIES = 3\n"})
    commit_files(repo, {"notes.txt": "3"})

    found = read(memory)

    assert [strip.states for strip in found.strips] == ["Vv!Xvv"]
    assert found.counts == ((2, 0, 0, 0), (2, 0, 0, 0), (1, 0, 1, 0), (1, 0, 1, 0), (2, 0, 0, 0), (2, 0, 0, 0))
    assert [(moment.commit, moment.subject, keys) for moment, keys in found.breaks] == [
        (bad, "gateway: five <b>retries</b>", ("retries",))
    ]
    assert (found.branch, found.has_more, found.is_whole) == ("main", False, True)


def test_a_culprit_that_was_merged_is_named_and_marked_where_it_came_in(repo: Path, memory) -> None:
    put(repo, make_fact("retries", THREE))
    verify(memory)
    git(repo, "checkout", "-q", "-b", "topic")
    bad = commit_files(repo, {RETRIES: "RETRIES = 5\n"}, "five")
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {"notes.txt": "1"})
    git(repo, "merge", "-q", "--no-edit", "topic")
    verify(memory)
    memory.jobs.explain_failures(Options(everything=True, no_sandbox=True))

    found = read(memory)

    assert [strip.states for strip in found.strips] == ["Vv!"]
    assert [(moment.commit, moment.subject) for moment, _ in found.breaks] == [(bad, "five")]


def test_on_another_branch_the_default_one_is_reported_and_nothing_of_what_was_never_judged(repo: Path, memory) -> None:
    put(repo, make_fact("retries", THREE))
    assert memory.report().timeline is None
    verify(memory)
    git(repo, "checkout", "-q", "-b", "topic")
    commit_files(repo, {RETRIES: "RETRIES = 5\n"})

    found = read(memory)

    assert (found.branch, len(found.moments), found.strips) == ("main", 1, ())
    assert found.moments[0].at == NOW


def test_where_history_is_missing_what_holds_here_is_known_all_the_same(repo: Path, memory, tmp_path: Path) -> None:
    put(repo, make_fact("retries", THREE))
    verify(memory)
    commit_files(repo, {"notes.txt": "1"})
    git(tmp_path, "clone", "-q", "--depth", "1", "--no-single-branch", repo.as_uri(), "shallow")

    with Memory(tmp_path / "shallow", clock=lambda: float(NOW)) as shallow:
        found = read(shallow)

    assert (found.counts, len(found.moments)) == (((1, 0, 0, 0),), 1)
