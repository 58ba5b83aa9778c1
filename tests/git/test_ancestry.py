"""How commits stand to each other, in histories of any shape, whatever their dates say."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from conftest import git
from support.ages import grow, opened

from gitmem.git.ancestry import in_order, is_shallow, kin_of, merges_of


def test_dates_have_no_say_in_who_is_whose_ancestor(repo: Path) -> None:
    names = [f"n{nth}" for nth in range(12)]
    rows = [("n0", "", {}), *((name, before, {}) for before, name in pairwise(names))]
    # `git rev-list n0 ^n11` lists n0 here, which n11 descends from (git 2.39): it has the newest date.
    code = grow(repo, [*rows, ("side", "n3", {})], dates=[2_000_000_000, *range(1, 12), 7])

    late = kin_of(opened(repo), code["n11"], [code["n0"]])
    early = kin_of(opened(repo), code["n2"], code.values())

    assert late.before == {code["n0"]}
    assert (early.before, early.after) == ({code[n] for n in names[:3]}, {code[n] for n in [*names[3:], "side"]})
    assert late.after == frozenset()


def test_merge_is_the_one_that_brought_a_commit_to_the_line_of_first_parents(repo: Path) -> None:
    rows = [("A", "", {}), ("B", "A", {}), ("s1", "A", {}), ("s2", "A", {}), ("s3", "s1 s2", {}), ("M", "B s3", {})]
    code = grow(repo, [*rows, ("s4", "s3 M", {}), ("N", "M s4", {}), ("away", "A", {})])

    found = merges_of(opened(repo), code["N"], [*code.values(), "d" * 40])

    assert found == {code[one]: code["M"] for one in ("s1", "s2", "s3")} | {code["s4"]: code["N"]}


def test_some_commits_are_put_in_order_over_what_lies_between(repo: Path) -> None:
    code = grow(
        repo,
        [("A", "", {}), ("B", "A", {}), ("L", "B", {}), ("R", "B", {}), ("M", "L R", {}), ("Z", "", {})],
        dates=[900, 800, 100, 700, 50, 60],
    )

    order, behind = in_order(opened(repo), [code[name] for name in "MARLZ"] + ["d" * 40])

    assert order.index(code["A"]) < order.index(code["R"]) < order.index(code["M"])
    assert behind[code["M"]] == {code["A"], code["L"], code["R"]}
    assert (behind[code["R"]], behind[code["Z"]]) == ({code["A"]}, set())


def test_missing_commit_is_no_ancestor(repo: Path, tmp_path: Path) -> None:
    code = grow(repo, [("A", "", {}), ("B", "A", {}), ("C", "B", {})])
    git(repo, "update-ref", "refs/heads/main", code["C"])
    git(tmp_path, "clone", "-q", "--depth=2", "--branch=main", f"file://{repo}", "shallow")
    tree = git(repo, "rev-parse", "A^{tree}")

    kin = kin_of(opened(tmp_path / "shallow"), code["C"], [code["A"], code["B"], tree])

    assert (kin.before, kin.after) == ({code["B"]}, frozenset())
    assert is_shallow(opened(tmp_path / "shallow"))
    assert not is_shallow(opened(repo))
