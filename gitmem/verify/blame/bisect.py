"""Find the commit that broke a fact: a search over a lineage with as few runs as possible. Pure.

It follows one line of commits along first parents, from one where the fact holds to one where it fails. On such a line
there is always a last commit that holds before one that fails. If the failing one is a merge whose other side fails as
well, the search continues on that side. So a side branch that never satisfied the fact (because it was begun earlier)
does not mislead the search, as it would if all ancestors were treated as one set.

With *k* candidates (commits that changed the inputs) on a line, at most ``ceil(log2 k) + 2`` runs are needed, since
each run halves the rest. One of the two extra runs is spent on asking closer to the bad end first, where the last break
is if there were several. The other is spent on running the check at the culprit again, since a single wrong failure (of
a flaky check) always leads there. Each merge whose side is searched costs one or two more runs, unless the digests of
its sides are known.

If the files that runs read are known, the commits that changed these are tried first, and among them those that broke
other facts: usually one run there and one at the commit before are enough. This never exceeds the bound.

Searches are generators: they yield the commits where the check must run next, and are sent its answers. Many searches
can therefore run side by side and share what is prepared for a commit.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

from gitmem.frozen import frozen
from gitmem.model import BLOCKED, FAILS, HOLDS
from gitmem.verify.blame.trunk import first_parents, line_of, take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Generator, Iterable, Mapping, Sequence

    from gitmem.verify.blame.lineage import InputLineage
    from gitmem.verify.blame.trunk import Trunk

# Outcomes of a search: one commit; a range; none, since it never held; the check contradicts itself; nothing learned.
FOUND, RANGE, NEVER, FLAPPING, UNKNOWN = "found", "range", "never held", "flapping", "unknown"
# Runs at a likely commit that may use the run reserved for confirmation, if halving the rest takes all other runs.
GUESSES = 1
# Commits that may turn out to be uncheckable before the search gives up and returns a range.
MOST_SKIPPED = 12
# Asking near the bad end leaves this share of the weight behind it, if the number of runs allows it.
NEAR = 1 / 4
# Where to ask next after commits that could not be checked: away from them (as git-bisect(1) does).
FRACTIONS = (1 / 2, 1 / 4, 3 / 4, 1 / 8, 7 / 8, 3 / 8, 5 / 8)


if TYPE_CHECKING:
    # Yields commits where the check must run, is sent its answers, and returns the result.
    Run = Generator[str, str, str]
    Runs = Generator[str, str, "BisectResult"]


class FlappingError(Exception):
    """The check gave two different answers for the same inputs."""


@frozen
class BisectResult:
    """The result of a search.

    Attributes:
        outcome: ``found``, ``range``, ``never held``, ``flapping`` or ``unknown``.
        culprit: The commit that broke it; for a range, the first one known to be bad; else empty.
        after: The commit before it on the line, where the fact holds; or empty.
        among: The possible culprits, *culprit* first; only *culprit* if it was found.
        candidates: How many commits between the good and the bad one changed the inputs.
        reason: A further explanation, on one line.
        asked: How often the check ran at *culprit* and at *after*; 0 if the answer is that of a verdict.
    """

    outcome: str
    culprit: str = ""
    after: str = ""
    among: tuple[str, ...] = ()
    candidates: int = 0
    reason: str = ""
    asked: tuple[int, int] = (0, 0)


class Answers:
    """The answers of a check by the digest of its inputs; the check runs only for an unknown digest.

    Attributes:
        runs: How often the check ran.
        skipped: How many of these runs gave no answer.
        cap: The number of runs from which on no further run is made only to confirm another.
    """

    def __init__(self, known: Mapping[str, str], sure: Iterable[str] = ()) -> None:
        """Start with known answers.

        Args:
            known: Known answers by digest: ``holds`` or ``fails``.
            sure: Digests whose answers have been confirmed and need no further run.
        """
        self._known = dict(known)
        self._sure = set(sure)
        self._asked: dict[str, int] = {}
        self.runs = 0
        self.skipped = 0
        self.cap = 0

    def get(self, digest: str) -> str:
        """Return the known answer for a digest, which may be that it could not be checked; empty if there is none."""
        return self._known.get(digest, "")

    def learn(self, digest: str, outcome: str) -> None:
        """Record a certain answer that did not need a run."""
        self._known[digest] = outcome
        self._sure.add(digest)

    def trust(self, digest: str) -> None:
        """Treat the known answer for a digest as confirmed."""
        self._sure.add(digest)

    def answer(self, commit: str, digest: str) -> Run:
        """Return what the check answers at a commit: ``holds``, ``fails`` or ``blocked``."""
        return self._known.get(digest) or (yield from self._run(commit, digest))

    def confirm(self, ends: Sequence[tuple[str, str]]) -> Generator[str, str, tuple[int, ...]]:
        """Run the check again at the ends of a result (commits and digests), within the cap; return the runs at each.

        Raises:
            FlappingError: The check answers differently this time.
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
        outcome = self._known[digest] = yield commit
        self.skipped += outcome == BLOCKED
        return outcome


class CommitLine:
    """A line of commits, reduced to those that change the inputs.

    Attributes:
        steps: The first commit, and each whose inputs differ from those of the commit before, the oldest first.
        before: For each step but the first, the commit directly before it on the line, which is one of its parents.
        brought: For each commit of the line, the commits that it merged, or none.
        likely: Indexes of the steps that changed files which runs were seen to read.
    """

    def __init__(self, lineage: InputLineage, line: Trunk) -> None:
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

    def _weigh(self, lineage: InputLineage, step: str) -> int:
        """Return how many candidates a step represents, doubled for each run that searching its side may cost."""
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
        lineage: InputLineage,
        answers: Answers,
        *,
        created: int = 0,
        named: str = "",
        culprits: Container[str] = (),
    ) -> None:
        """Prepare to search.

        Args:
            lineage: The history. The fact fails at its bad commit, and holds at its good one, if any.
            answers: The known answers, and the source of others.
            created: When the fact was written, epoch seconds; it probably held then.
            named: A culprit that was named earlier or by another clone, which is tried first.
            culprits: Commits that broke other facts; more may be added during the search.
        """
        self._lineage = lineage
        self._answers = answers
        self._created = created
        self._named = named
        self._culprits = culprits

    def run(self) -> Runs:
        """Run the search and return its result."""
        line = CommitLine(self._lineage, self._lineage.trunk())
        try:
            if not (yield from self._find_good(line, self._recent(line))):
                return self._no_good(line)
            return (yield from self._search(line, self._begin(line)))
        except FlappingError as err:
            reason = f"the check holds and fails on the same inputs, at {str(err)[:12]}"
            return BisectResult(FLAPPING, candidates=self._count(self._lineage.good), reason=reason)

    def _find_good(self, line: CommitLine, order: Iterable[int]) -> Generator[str, str, bool]:
        """Return whether the check holds at some step of a line, by known answers or by running it at these steps."""
        last = len(line.steps) - 1
        if any(self._answers.get(line.digest(i)) == HOLDS for i in range(last)):
            return True
        skipped = self._answers.skipped
        for index in dict.fromkeys(order):
            if self._answers.skipped - skipped > MOST_SKIPPED:
                break
            if (yield from self._answers.answer(line.steps[index], line.digest(index))) == HOLDS:
                return True
        return False

    def _recent(self, line: CommitLine) -> list[int]:
        """Return steps where a fact may have held: when it was written, at doubling distances, and the first."""
        last, ancestors = len(line.steps) - 1, self._lineage.ancestors
        then = [i for i in range(last) if (ancestor := ancestors.get(line.steps[i])) and ancestor.at <= self._created]
        return [*then[-1:], *(last - 2**n for n in range(last.bit_length()) if 2**n <= last), 0]

    def _no_good(self, line: CommitLine) -> BisectResult:
        number = self._count(self._lineage.good)
        if self._answers.get(line.digest(0)) == FAILS:
            return BisectResult(
                NEVER,
                candidates=number,
                reason="it fails at the first commit in this clone, and was never seen to hold since",
            )
        return BisectResult(
            UNKNOWN, candidates=number, reason="no commit was found where it holds: the oldest ones cannot be checked"
        )

    def _begin(self, line: CommitLine) -> int:
        """Return the number of candidates; set the cap by those since the last commit that is known to hold."""
        last = max(i for i in range(len(line.steps) - 1) if self._answers.get(line.digest(i)) == HOLDS)
        number = self._count(line.steps[last])
        spent = 0 if self._lineage.good else self._answers.runs
        self._answers.cap = spent + max(0, number - 1).bit_length() + 2
        good = self._lineage.good
        return self._count(good) if good and good != line.steps[last] else number

    def _count(self, good: str) -> int:
        """Return how many commits that are not ancestors of *good* changed the inputs."""
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
            reason = "it holds on one side of this merge, but at no commit of the other"
            return (yield from self._confirm(culprit, after, candidates, reason))
        if BLOCKED in values.values():
            return self._range(culprit, after, [culprit, *line.brought[culprit]], candidates)
        reason = "each side of this merge holds without the other" if sides else ""
        return (yield from self._confirm(culprit, after, candidates, reason))

    def _side(self, tip: str, brought: set[str]) -> CommitLine:
        """Return the line of a merge's side: first parents back to a commit that the other side has, or to the end."""
        found = first_parents(self._lineage.ancestors, tip, brought)
        return CommitLine(self._lineage, line_of(self._lineage.ancestors, found[::-1], brought))

    def _narrow(self, line: CommitLine) -> Generator[str, str, tuple[int, int]]:
        """Return the last step that holds and the first failing step after it, as closely as can be determined."""
        last = len(line.steps) - 1
        skipped, guesses = self._answers.skipped, GUESSES
        while True:
            known = [self._answers.get(line.digest(i)) for i in range(last)]
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
        """Return the step to ask if some steps are likelier than others; None if none is.

        The likely steps are halved as if there were no others; those that broke other facts come first. Once the first
        failing one of them is found, the step before it shows whether it is the culprit.
        """
        before = high - 1 if high in line.likely and high - 1 in left else None
        likely = [i for i in left if i in line.likely]
        if not likely or (before is not None and line.steps[high] in self._culprits):
            return before
        known = [i for i in likely if line.steps[i] in self._culprits]
        return known[-1] if known else likely[len(likely) // 2]

    def _confirm(self, culprit: str, after: str, candidates: int, reason: str) -> Runs:
        ends = [(commit, self._lineage.digests[commit]) for commit in (culprit, after)]
        if culprit in self._culprits:  # the fact that it broke another fact confirms it
            for _, digest in ends:
                self._answers.trust(digest)
        confirmation = yield from self._answers.confirm(ends)
        return BisectResult(FOUND, culprit, after, (culprit,), candidates, reason, (confirmation[0], confirmation[1]))

    def _range(self, culprit: str, after: str, among: Iterable[str], candidates: int) -> BisectResult:
        ordered = [c for c in self._lineage.ancestors if c in set(among) and self._lineage.is_candidate(c)]
        named = (culprit, *(c for c in ordered if c != culprit))
        return BisectResult(RANGE, culprit, after, named, candidates, "commits between could not be checked")


def _is_within(sums: Mapping[int, int], index: int, runs: int) -> bool:
    """Return whether this number of runs is enough, whatever the answer at a step is."""
    most = max(sums[index], max(sums.values()) - sums[index])
    return max(0, most - 1).bit_length() < runs


def _pick(sums: Mapping[int, int], left: Sequence[int], fraction: float, runs: int) -> int:
    """Return the step of *left* to ask next.

    Args:
        sums: The cumulative weight from the last step that holds to each step up to the first that fails.
        left: The steps that may be asked, in order.
        fraction: The share of the weight at which to ask if no step near the bad end is suitable.
        runs: How many runs are left.
    """
    total = max(sums.values())
    near = [i for i in left if total - sums[i] >= total * NEAR and (sums[i] - 1).bit_length() < runs]
    if near and fraction == FRACTIONS[0] and sums[near[-1]] > total * fraction:
        return near[-1]
    return min(left, key=lambda index: abs(sums[index] - total * fraction))
