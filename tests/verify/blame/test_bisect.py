"""The search for a culprit, on histories made up here: no repository, no check, every answer counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.git.history import Ancestor
from gitmem.model import BLOCKED, FAILS, HOLDS
from gitmem.verify.blame.bisect import FLAPPING, FOUND, NEVER, RANGE, UNKNOWN, Answers, BisectResult, Search
from gitmem.verify.blame.lineage import InputLineage

WORDS = {"h": HOLDS, "f": FAILS, "?": BLOCKED}


class World:
    """A history with the truth at each commit, and a record of what was asked.

    Commits are written ``name:parents:truth[=digest]``, parents before children, the good one first and the bad last.
    """

    def __init__(self, *commits: str, good: bool = True) -> None:
        parts = [commit.split(":") for commit in commits]
        self.parents = {name: tuple(filter(None, of.split(","))) for name, of, _ in parts}
        self.truth = {name: WORDS[stdin[0]] for name, _, stdin in parts}
        self.digests = {name: stdin.partition("=")[2] or name for name, _, stdin in parts}
        names = list(self.parents)
        self.lineage = InputLineage(
            names[-1],
            names[0] if good else "",
            {n: Ancestor(n, "", at, self.parents[n]) for at, n in reversed([*enumerate(names)][int(good) :])},
            self.digests,
            {},
            [],
        )
        self.asked: list[str] = []

    def ask(self, commit: str) -> str:
        self.asked.append(commit)
        return self.truth[commit]

    def search(
        self, *, created: int = -1, sure: bool = False, named: str = "", culprits: frozenset[str] = frozenset()
    ) -> BisectResult:
        ends = {self.digests[self.lineage.bad]: FAILS}
        if self.lineage.good:
            ends[self.digests[self.lineage.good]] = HOLDS
        self.answers = Answers(ends, ends if sure else ())
        search = Search(self.lineage, self.answers, created=created, named=named, culprits=culprits).run()
        try:
            commit = next(search)
            while True:
                commit = search.send(self.ask(commit))
        except StopIteration as end:
            return end.value


def chain(truth: str) -> World:
    """Return a history without merges: one letter a commit."""
    return World(*(f"c{n}:{f'c{n - 1}' if n else ''}:{stdin}" for n, stdin in enumerate(truth)))


def bound(candidates: int) -> int:
    return max(0, candidates - 1).bit_length() + 2


@each("length", [1, 2, 3, 7, 8, 9, 64, 1000])
def test_break_is_found_wherever_it_is_within_the_bound(length):
    for at in {min(2, length), length // 2 or 1, length - 1 or 1, length}:
        world = chain("h" * at + "f" * (length + 1 - at))

        found = world.search()

        assert (found.outcome, found.culprit, found.after, found.candidates) == (FOUND, f"c{at}", f"c{at - 1}", length)
        assert len(world.asked) <= bound(length)


def test_both_ends_are_known_from_a_confirmed_verdict_and_nothing_runs():
    world = chain("hf")

    assert world.search(sure=True) == BisectResult(FOUND, "c1", "c0", ("c1",), 1)
    assert world.asked == []


def test_ends_are_asked_again_where_only_a_verdict_says_so():
    world = chain("hf")

    assert world.search().asked == (1, 1)
    assert sorted(world.asked) == ["c0", "c1"]


def test_commits_with_equal_inputs_share_an_answer():
    world = World("a::h", "b:a:f", "c:b:h=a", "d:c:f=d", "e:d:f=x", "f:e:f=d")

    found = world.search(sure=True)

    assert (found.culprit, found.candidates) == ("d", 5)
    assert "b" not in world.asked


def test_of_several_breaks_the_later_one_is_looked_for_first():
    assert chain("hffffhff").search(sure=True).culprit == "c6"


def test_culprit_inside_a_merged_branch_is_named():
    world = World("g::h", "a:g:h=g", "x:g:h=x", "y:x:f=y", "m:a,y:f=y", "z:m:f=z")

    found = world.search()

    assert (found.outcome, found.culprit, found.after) == (FOUND, "y", "x")


def test_branch_that_began_before_the_fact_was_true_is_not_accused():
    """All its commits fail, and the merge holds: git-bisect would name its first one."""
    world = World("old::f", "g:old:h", "s:old:f=s", "t:s:f=t", "m:g,t:h=m", "b:m:f=b")
    world.lineage = InputLineage(
        "b", "g", {n: a for n, a in world.lineage.ancestors.items() if n not in ("old", "g")}, world.digests, {}, []
    )

    found = world.search()

    assert (found.culprit, found.after) == ("b", "m")


def test_merge_whose_sides_hold_is_the_culprit_itself():
    world = World("g::h", "a:g:h", "x:g:h", "m:a,x:f", "z:m:f")

    found = world.search()

    assert (found.culprit, found.after, found.reason) == ("m", "a", "each side of this merge holds without the other")


@each("breaking", ["x", "y", "z"])
def test_culprit_on_any_side_of_an_octopus_is_named(breaking):
    sides = [f"{name}:g:{'f' if name == breaking else 'h'}" for name in "xyz"]

    found = World("g::h", "a:g:h", *sides, "m:a,x,y,z:f").search()

    assert (found.culprit, found.after) == (breaking, "g")


def test_criss_cross_is_followed_to_where_it_broke():
    world = World("g::h", "a:g:h", "b:g:h", "p:a,b:h", "q:b,a:h", "r:q:f", "m:p,r:f", "z:m:f")

    assert world.search().culprit == "r"


def test_side_that_failed_since_before_it_began_leaves_the_merge():
    world = World("g::h", "f:g:f", "a:f:h", "x:f:f", "m:a,x:f=x")

    found = world.search()

    assert (found.culprit, found.after) == ("m", "a")
    assert "it holds on one side of this merge, but at no commit of the other" in found.reason


def test_commits_that_cannot_be_checked_leave_a_range():
    world = chain("hh???ff")

    found = world.search()

    assert (found.outcome, found.culprit, found.after) == (RANGE, "c5", "c1")
    assert set(found.among) == {"c2", "c3", "c4", "c5"}
    assert found.among[0] == "c5"


def test_commits_that_cannot_be_checked_are_skipped_where_others_decide():
    assert chain("h?h?h?hf").search().culprit == "c7"


def test_side_that_cannot_be_checked_leaves_a_range_with_the_merge():
    found = World("g::h", "a:g:h", "x:g:?", "m:a,x:f").search()

    assert (found.outcome, found.culprit, found.after, found.among) == (RANGE, "m", "a", ("m", "x"))


def test_search_gives_up_among_very_many_that_cannot_be_checked():
    world = chain("h" + "?" * 200 + "f")

    found = world.search()

    assert (found.outcome, len(found.among)) == (RANGE, 201)
    assert len(world.asked) < 20


@each(("named", "runs"), [("c700", 2), ("c20", 12)])
def test_known_culprit_is_checked_first_and_not_trusted(named, runs):
    world = chain("h" * 700 + "f" * 301)

    assert world.search(named=named).culprit == "c700"
    assert len(set(world.asked)) <= runs
    assert world.asked[1] == named


def test_known_culprit_inside_a_merge_is_checked_first():
    world = World(
        "g::h", "a:g:h", *(f"x{n}:{f'x{n - 1}' if n else 'g'}:{'hf'[n > 50]}" for n in range(99)), "m:a,x98:f"
    )

    assert world.search(named="x51").culprit == "x51"
    assert len(set(world.asked)) <= 6


def test_check_that_contradicts_itself_accuses_no_one():
    world = chain("hhhhhhhhf")
    answers = {"c6": [FAILS, HOLDS]}
    honest = world.ask
    world.ask = lambda commit: honest(commit) and (answers.get(commit) or [world.truth[commit]]).pop(0)  # type: ignore[method-assign]

    found = world.search()

    assert (found.outcome, found.culprit) == (FLAPPING, "")


def test_without_a_good_commit_one_is_looked_for_ever_further_back():
    world = World(*(f"c{n}:{f'c{n - 1}' if n else ''}:{'h' if n < 90 else 'f'}" for n in range(100)), good=False)

    found = world.search()

    assert (found.outcome, found.culprit) == (FOUND, "c90")
    assert world.asked[:4] == ["c98", "c97", "c95", "c91"]


def test_search_without_a_good_commit_begins_where_the_fact_was_written():
    world = World(*(f"c{n}:{f'c{n - 1}' if n else ''}:{'h' if n < 40 else 'f'}" for n in range(100)), good=False)

    found = world.search(created=20)

    assert (found.culprit, world.asked[0]) == ("c40", "c20")
    assert len(world.asked) <= bound(found.candidates) + 1


@each(("truth", "outcome"), [("fffff", NEVER), ("?ffff", UNKNOWN)])
def test_fact_that_never_held_has_no_culprit(truth, outcome):
    names = [f"c{n}:{f'c{n - 1}' if n else ''}:{stdin}" for n, stdin in enumerate(truth)]

    found = World(*names, good=False).search()

    assert (found.outcome, found.culprit) == (outcome, "")


@st.composite
def histories(draw: st.DrawFn, *, merges: bool) -> tuple[list[str], list[tuple[int, ...]]]:
    """Return names and parents, the oldest first; every commit leads to the last one."""
    number = draw(st.integers(2, 40))
    parents: list[tuple[int, ...]] = [()]
    for n in range(1, number):
        near = st.integers(max(0, n - 6), n - 1)
        others = draw(st.lists(near, max_size=2)) if merges else []
        parents.append(tuple(dict.fromkeys([draw(near) if merges else n - 1, *others])))
    leads = {number - 1}
    for n in range(number - 1, -1, -1):
        leads |= set(parents[n]) if n in leads else set()
    parents = [of if n in leads else () for n, of in enumerate(parents)]
    return [f"c{n}" for n in range(number) if n in leads], [parents[n] for n in range(number) if n in leads]


def world_of(history: tuple[list[str], list[tuple[int, ...]]], fails: list[bool]) -> World:
    names, parents = history
    truth = dict(zip(names, ["h", *("f" if one else "h" for one in fails[1 : len(names) - 1]), "f"], strict=True))
    return World(*(f"{n}:{','.join(f'c{p}' for p in of)}:{truth[n]}" for n, of in zip(names, parents, strict=True)))


@given(histories(merges=True), st.lists(st.booleans(), min_size=40, max_size=40))
def test_named_commit_fails_and_its_parents_hold_whatever_the_truth(history, fails):
    world = world_of(history, fails)

    found = world.search()

    assert found.outcome == FOUND
    assert world.truth[found.culprit] == FAILS
    assert world.truth[found.after] == HOLDS
    failing = [p for p in world.parents[found.culprit] if world.truth[p] == FAILS]
    assert not failing or "it holds on one side of this merge, but at no commit of the other" in found.reason


@given(histories(merges=True), st.integers(1, 38))
def test_commit_that_broke_it_for_good_is_found_in_any_history(history, at):
    names, parents = history
    broken: set[str] = {names[1:][at % (len(names) - 1)]}
    (culprit,) = broken
    for name, of in zip(names, parents, strict=True):
        broken |= {name} if broken & {f"c{p}" for p in of} else set()
    world = world_of(history, [name in broken for name in names] + [False] * 40)

    if names[-1] in broken:
        assert world.search().culprit == culprit


@given(histories(merges=False), st.lists(st.booleans(), min_size=40, max_size=40))
def test_without_merges_there_are_never_more_runs_than_promised(history, fails):
    world = world_of(history, fails)

    found = world.search()

    assert world.answers.runs == len(world.asked) <= bound(found.candidates)


@each("at", [1, 40, 99])
@each("is_known", [False, True])
def test_commits_that_changed_files_that_were_read_are_checked_first(at, is_known):
    """Of 100 candidates three changed what was seen to be read; if one broke another fact, two runs are enough."""
    world = chain("h" * at + "f" * (101 - at))
    world.lineage.seen.update({f"c{n}": (str(sum(n >= i for i in (1, 40, 99))),) for n in range(101)})

    found = world.search(sure=True, culprits=frozenset({f"c{at}"} if is_known else ()))

    assert (found.culprit, found.after) == (f"c{at}", f"c{at - 1}")
    assert len(world.asked) <= (2 if is_known else bound(3) + 2)


@given(st.integers(1, 199), st.sets(st.integers(1, 199), max_size=30), st.sets(st.integers(1, 199)))
def test_misleading_reads_and_culprits_cost_no_run_beyond_the_bound(at, likely, culprits):
    world = chain("h" * at + "f" * (200 - at))
    world.lineage.seen.update({f"c{n}": (str(sum(n >= i for i in likely)),) for n in range(200)})

    found = world.search(culprits=frozenset(f"c{n}" for n in culprits))

    assert found.culprit == f"c{at}"
    assert world.answers.runs <= bound(199)
