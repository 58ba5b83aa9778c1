"""Find the commit that broke a fact: a search over a lineage that asks as little as it can. Pure.

It walks one line of commits, from one where the fact holds to the one where it fails, along first parents: on such a
line there is a last commit that holds before one that fails, whatever is between. Where that one is a merge whose
other side fails as well, the search goes on along that side. So a side branch that never had what the fact says (it
was begun before) misleads nobody, as it would where all ancestors are one heap.

With *k* candidates (commits that changed the inputs) on a line, at most ``ceil(log2 k) + 2`` runs are needed: half of
what is left goes with each. One of the two is spent on asking nearer to the bad end first, where the last break is if
there were several; the other on asking the culprit once more, since one wrong failure on the way (a flaky check)
always ends there. Each merge that is gone into costs a run or two more, unless its sides have digests that are known.

Where runs were seen to read some files, the commits that changed these come first, and among them those that broke
other facts: mostly a run there and one just before it are all that is needed. They never cost more than the bound.

Searches are generators of the commits where the check is to run next, and are sent what it answers there: many of them
can go on side by side and share what is prepared for a commit.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

from gitmem.frozen import frozen
from gitmem.model import BLOCKED, FAILS, HOLDS
from gitmem.verify.blame.trunk import first_parents, line_of, take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Generator, Iterable, Mapping, Sequence

    from gitmem.verify.blame.lineage import Lineage
    from gitmem.verify.blame.trunk import Trunk

# What a search ends with: one commit; one of several; none, since it never held; the check contradicts itself; nothing.
FOUND, RANGE, NEVER, FLAPPING, UNKNOWN = "found", "range", "never held", "flapping", "unknown"
# Runs at a likely commit where halving the rest may take all runs that are left: it takes the one that only confirms.
GUESSES = 1
# Commits that may turn out impossible to check before the search says what it has.
MOST_SKIPPED = 12
# How near to the bad end of what is left is asked, while that costs no run too many in the end.
NEAR = 1 / 4
# Where the next commit is asked after so many that could not be checked: away from them (as git-bisect(1) does).
FRACTIONS = (1 / 2, 1 / 4, 3 / 4, 1 / 8, 7 / 8, 3 / 8, 5 / 8)


if TYPE_CHECKING:
    # Yields commits where the check is to run, is sent what it answers there, and returns what is made of it.
    Run = Generator[str, str, str]
    Runs = Generator[str, str, "BisectResult"]


class FlappingError(Exception):
    """The check answered in two ways on the same inputs."""


@frozen
class BisectResult:
    """What a search found.

    Attributes:
        outcome: ``found``, ``range``, ``never held``, ``flapping`` or ``unknown``.
        culprit: The commit that broke it; for a range the first one known to be bad; else empty.
        after: The commit before it on the line, which holds; empty where none does.
        among: The commits that it may be, the culprit first: itself alone where it was found.
        candidates: How many commits between the good and the bad one changed the inputs.
        reason: A further reason, on one line.
        asked: How often the check ran at *culprit* and at *after*: 0 where only a verdict says so.
    """

    outcome: str
    culprit: str = ""
    after: str = ""
    among: tuple[str, ...] = ()
    candidates: int = 0
    reason: str = ""
    asked: tuple[int, int] = (0, 0)


class Answers:
    """What a check answers, by the digest of its inputs; it runs only where that is not known.

    Attributes:
        runs: How often the check ran.
        skipped: How many of these learned nothing.
        cap: Runs from which on no run only confirms another.
    """

    def __init__(self, known: Mapping[str, str], sure: Iterable[str] = ()) -> None:
        """Prepare to answer.

        Args:
            known: What is known already, by digest: ``holds`` or ``fails``.
            sure: Digests that need no further run, because they were confirmed.
        """
        self._known = dict(known)
        self._sure = set(sure)
        self._asked: dict[str, int] = {}
        self.runs = 0
        self.skipped = 0
        self.cap = 0

    def known(self, digest: str) -> str:
        """Return what is known for a digest: also that it could not be checked; empty where nothing is."""
        return self._known.get(digest, "")

    def learn(self, digest: str, outcome: str) -> None:
        """Take an answer that is certain and cost no run."""
        self._known[digest] = outcome
        self._sure.add(digest)

    def trust(self, digest: str) -> None:
        """Take what is known for a digest as confirmed."""
        self._sure.add(digest)

    def answer(self, commit: str, digest: str) -> Run:
        """Return what the check answers at a commit: ``holds``, ``fails`` or ``blocked``."""
        return self._known.get(digest) or (yield from self._run(commit, digest))

    def confirm(self, ends: Sequence[tuple[str, str]]) -> Generator[str, str, tuple[int, ...]]:
        """Ask the ends of an answer (commits and digests) again, within the cap, and return how often each was asked.

        Raises:
            FlappingError: One answers differently now.
        """
        while self.runs < self.cap:
            doubtful = [end for end in ends if end[1] not in self._sure and self._asked.get(end[1], 0) < 2]
            if not doubtful:
                break
            commit, digest = min(doubtful, key=lambda end: self._asked.get(end[1], 0))
            before = self._known[digest]
            if (yield from self._run(commit, digest)) not in (before, BLOCKED):
                raise FlappingError(commit)
            self._known[digest] = before
        return tuple(self._asked.get(digest, 0) for _, digest in ends)

    def _run(self, commit: str, digest: str) -> Run:
        self.runs += 1
        self._asked[digest] = self._asked.get(digest, 0) + 1
        found = self._known[digest] = yield commit
        self.skipped += found == BLOCKED
        return found


class CommitLine:
    """Commits one behind the other, as far as they differ in the inputs.

    Attributes:
        steps: The first one, and each that has other inputs than the one before it, the oldest first.
        before: For each step but the first, the commit just before it on the line: one of its parents.
        brought: For each commit of the line, those that it brought in as a merge, or none.
        likely: The steps, by number, at which what runs were seen to read is not what it was before them.
    """

    def __init__(self, lineage: Lineage, line: Trunk) -> None:
        """Take from a line of the history what differs."""
        self._digests = lineage.digests
        self.steps = [line.commits[0]]
        self.before: dict[str, str] = {}
        self.brought = line.brought
        for previous, commit in pairwise(line.commits):
            if self._digests[commit] != self._digests[previous]:
                self.steps.append(commit)
                self.before[commit] = previous
        self.weights = [self._weigh(lineage, step) for step in self.steps]
        seen = lineage.seen
        self.likely = {
            i for i, step in enumerate(self.steps) if i and seen.get(step, ()) != seen.get(self.before[step], ())
        }

    def _weigh(self, lineage: Lineage, step: str) -> int:
        """Return how many candidates a step is for; twice as many for each run that going into it may cost."""
        brought = self.brought[step]
        if not brought:
            return 1
        before = self.before[step]
        runs = 0
        for side in lineage.parents(step):
            if side != before:
                ends = (self._digests[side], self._digests[first_parents(lineage.ancestors, side, brought)[-1]])
                runs += (ends[0] not in (self._digests[step], self._digests[before])) + (
                    ends[1] != self._digests[before]
                )
        return max(1, lineage.is_candidate(step) + (sum(map(lineage.is_candidate, brought)) << min(runs, 4)))

    def digest(self, index: int) -> str:
        """Return the digest of the inputs at a step."""
        return self._digests[self.steps[index]]


class Search:
    """Searches one lineage for the commit that broke a fact."""

    def __init__(
        self,
        lineage: Lineage,
        answers: Answers,
        *,
        created: int = 0,
        named: str = "",
        culprits: Container[str] = (),
    ) -> None:
        """Prepare to search.

        Args:
            lineage: The history. Its bad commit fails; its good one, where it has one, holds.
            answers: What is known, and what runs the check.
            created: When the fact was written, epoch seconds: it held then, most likely.
            named: The culprit that was named before, or by somebody else: asked first.
            culprits: Commits that broke other facts; there may be more of them while the search goes on.
        """
        self._lineage = lineage
        self._answers = answers
        self._created = created
        self._named = named
        self._culprits = culprits

    def run(self) -> Runs:
        """Search and return what was found."""
        line = CommitLine(self._lineage, self._lineage.trunk())
        try:
            if not (yield from self._find_good(line, self._recent(line))):
                return self._no_good(line)
            return (yield from self._search(line, self._begin(line)))
        except FlappingError as err:
            reason = f"the check holds and fails on the same inputs, at {str(err)[:12]}"
            return BisectResult(FLAPPING, candidates=self._count(self._lineage.good), reason=reason)

    def _find_good(self, line: CommitLine, order: Iterable[int]) -> Generator[str, str, bool]:
        """Return whether the check holds somewhere on a line: that is known, or these steps are asked in turn."""
        last = len(line.steps) - 1
        if any(self._answers.known(line.digest(i)) == HOLDS for i in range(last)):
            return True
        skipped = self._answers.skipped
        for index in dict.fromkeys(order):
            if self._answers.skipped - skipped > MOST_SKIPPED:
                break
            if (yield from self._answers.answer(line.steps[index], line.digest(index))) == HOLDS:
                return True
        return False

    def _recent(self, line: CommitLine) -> list[int]:
        """Return the steps where a fact may have held: when it was written, then ever further back, then the first."""
        last, ancestors = len(line.steps) - 1, self._lineage.ancestors
        then = [i for i in range(last) if (one := ancestors.get(line.steps[i])) and one.at <= self._created]
        return [*then[-1:], *(last - 2**n for n in range(last.bit_length()) if 2**n <= last), 0]

    def _no_good(self, line: CommitLine) -> BisectResult:
        number = self._count(self._lineage.good)
        if self._answers.known(line.digest(0)) == FAILS:
            return BisectResult(
                NEVER,
                candidates=number,
                reason="it fails at the first commit in this clone, and was never seen to hold since",
            )
        return BisectResult(
            UNKNOWN, candidates=number, reason="no commit was found where it holds: the oldest ones cannot be checked"
        )

    def _begin(self, line: CommitLine) -> int:
        """Return how many candidates there are; set the cap by those since the last commit that is known to hold."""
        last = max(i for i in range(len(line.steps) - 1) if self._answers.known(line.digest(i)) == HOLDS)
        number = self._count(line.steps[last])
        asked = 0 if self._lineage.good else self._answers.runs
        self._answers.cap = asked + max(0, number - 1).bit_length() + 2
        good = self._lineage.good
        return self._count(good) if good and good != line.steps[last] else number

    def _count(self, good: str) -> int:
        """Return how many commits changed the inputs that are no ancestors of *good*."""
        lineage, ancestors = self._lineage, self._lineage.ancestors
        if good == lineage.good:
            return sum(map(lineage.is_candidate, ancestors))
        inside = take(ancestors, [lineage.bad], set(ancestors) - take(ancestors, [good], set(ancestors)))
        return sum(map(lineage.is_candidate, inside))

    def _search(self, line: CommitLine, candidates: int) -> Runs:
        for index in [i for i, step in enumerate(line.steps) if self._named in (step, *line.brought[step])][-1:]:
            for end in range(max(index - 1, 0), index + 1):
                yield from self._answers.answer(line.steps[end], line.digest(end))
        low, high = yield from self._narrow(line)
        culprit = line.steps[high]
        if high - low > 1:
            among = [c for step in line.steps[low + 1 : high + 1] for c in (step, *line.brought[step])]
            return self._range(culprit, line.steps[low], among, candidates)
        after = line.before[culprit]
        sides = [p for p in self._lineage.parents(culprit) if p != after]
        values = {}
        for tip in sides:
            values[tip] = yield from self._answers.answer(tip, self._lineage.digests[tip])
        failing = next((side for side in sides if values[side] == FAILS), "")
        if failing:
            side = self._side(failing, line.brought[culprit])
            if (yield from self._find_good(side, [0])):
                return (yield from self._search(side, candidates))
            reason = "it holds on one side of this merge, and never held on the other"
            return (yield from self._confirmed(culprit, after, candidates, reason))
        if BLOCKED in values.values():
            return self._range(culprit, after, [culprit, *line.brought[culprit]], candidates)
        reason = "each side of this merge holds without the other" if sides else ""
        return (yield from self._confirmed(culprit, after, candidates, reason))

    def _side(self, tip: str, brought: set[str]) -> CommitLine:
        """Return the line of what a merge brought in: first parents back to what the other side has, or to the end."""
        found = first_parents(self._lineage.ancestors, tip, brought)
        return CommitLine(self._lineage, line_of(self._lineage.ancestors, found[::-1], brought))

    def _narrow(self, line: CommitLine) -> Generator[str, str, tuple[int, int]]:
        """Return the last step that holds and the first behind it that fails, as near as that can be determined."""
        last = len(line.steps) - 1
        skipped, guesses = self._answers.skipped, GUESSES
        while True:
            known = [self._answers.known(line.digest(i)) for i in range(last)]
            low = max(i for i in range(last) if known[i] == HOLDS)
            high = next((i for i in range(low + 1, last) if known[i] == FAILS), last)
            left = [i for i in range(low + 1, high) if not known[i]]
            number = self._answers.skipped - skipped
            if not left or number > MOST_SKIPPED:
                return low, high
            fraction = FRACTIONS[number % len(FRACTIONS)]
            runs = self._answers.cap - 1 - self._answers.runs
            sums = dict(enumerate(accumulate(line.weights[low + 1 : high + 1]), low + 1))
            index = self._likely(line, left, high) if number == 0 else None
            if index is not None and not _is_within(sums, index, runs):
                guesses -= 1
            if index is None or guesses < 0:
                index = _pick(sums, left, fraction, runs)
            yield from self._answers.answer(line.steps[index], line.digest(index))

    def _likely(self, line: CommitLine, left: Sequence[int], high: int) -> int | None:
        """Return which step to ask where some are likelier than others; None where none is.

        They are halved as if there were no others, those that broke other facts first. Once the first of them that
        fails is found, the step before it tells whether it is the culprit.
        """
        before = high - 1 if high in line.likely and high - 1 in left else None
        likely = [i for i in left if i in line.likely]
        if not likely or (before is not None and line.steps[high] in self._culprits):
            return before
        known = [i for i in likely if line.steps[i] in self._culprits]
        return known[-1] if known else likely[len(likely) // 2]

    def _confirmed(self, culprit: str, after: str, candidates: int, reason: str) -> Runs:
        ends = [(commit, self._lineage.digests[commit]) for commit in (culprit, after)]
        if culprit in self._culprits:  # that it broke another fact confirms it
            for _, digest in ends:
                self._answers.trust(digest)
        asked = yield from self._answers.confirm(ends)
        return BisectResult(FOUND, culprit, after, (culprit,), candidates, reason, (asked[0], asked[1]))

    def _range(self, culprit: str, after: str, among: Iterable[str], candidates: int) -> BisectResult:
        ordered = [c for c in self._lineage.ancestors if c in set(among) and self._lineage.is_candidate(c)]
        named = (culprit, *(c for c in ordered if c != culprit))
        return BisectResult(RANGE, culprit, after, named, candidates, "commits between could not be checked")


def _is_within(sums: Mapping[int, int], index: int, runs: int) -> bool:
    """Return whether so many runs are enough whatever a step answers."""
    most = max(sums[index], max(sums.values()) - sums[index])
    return max(0, most - 1).bit_length() < runs


def _pick(sums: Mapping[int, int], left: Sequence[int], fraction: float, runs: int) -> int:
    """Return which of the steps that are *left* to ask.

    Args:
        sums: The weight of what is between the last step that holds and each one up to the first that fails.
        left: Those of them that may be asked, in their order.
        fraction: How much of the weight lies up to the one that is asked, where none near the bad end fits.
        runs: How many runs there may be still.
    """
    total = max(sums.values())
    near = [i for i in left if total - sums[i] >= total * NEAR and (sums[i] - 1).bit_length() < runs]
    if near and fraction == FRACTIONS[0] and sums[near[-1]] > total * fraction:
        return near[-1]
    return min(left, key=lambda index: abs(sums[index] - total * fraction))
