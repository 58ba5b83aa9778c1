"""The known states of facts over the code's commits, from all verdicts of all times."""

from __future__ import annotations

from gitmem.commands.report.page.model import Moment, Strip, Timeline
from gitmem.errors import ProcessError
from gitmem.frozen import frozen
from gitmem.git.history import list_ancestors, list_line, list_touched, read_summaries, read_trees
from gitmem.model import FAILS, HOLDS
from gitmem.statuses import suspicion_chains
from gitmem.text.natural_order import natural_order
from gitmem.text.secrets import redact
from gitmem.verify.due import digester
from gitmem.verify.inputs import CodeTree
from gitmem.verify.past_verdicts import KnownCommit, counting_of, list_known_commits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from gitmem.git import Git
    from gitmem.index.catalog.fact_state import FactRow
    from gitmem.model import Verdict

# The most commits drawn: nine pixels each fill a page of 1,100.
COMMITS = 100
# The most commits searched for merged ones: 50 ms (measured).
ANCESTORS = 20_000
# How a state is known: a bisection found the commit that broke the fact; or a verdict is on the exact inputs of the
# commit, wherever it was made.
CULPRIT, PROVED = "culprit", "proved"
# A known state: the column of the commit (negative: before all of them, the last one -1), the outcome, and how it is
# known (``KnownCommit.how``).
Point = tuple[int, str, str]


@frozen
class FactHistory:
    """A fact with all verdicts on its present form, by anyone."""

    row: FactRow
    verdicts: tuple[Verdict, ...]


@frozen
class FactHistories:
    """What is known of the facts of a store over time.

    Attributes:
        facts: The facts with all their verdicts.
        links: Pairs of a required memory and its dependent.
        here: The outcome of each fact with a verdict on the exact inputs of the newest commit.
        is_whole: Whether all verdicts were read.
    """

    facts: Sequence[FactHistory]
    links: Iterable[tuple[str, str]]
    here: Mapping[str, str]
    is_whole: bool = True


def read(git: Git, tip: str, branch: str, known: FactHistories) -> Timeline | None:
    """Return the timeline of a branch of the code; None if nothing is known at its newest commits, or before them.

    Args:
        git: The repository.
        tip: The newest commit.
        branch: The branch's name.
        known: What is known of its facts.

    Raises:
        ProcessError: The history cannot be read.
    """
    line = list_line(git, tip, at_most=COMMITS + 1)
    shown = [Moment(linear.commit, linear.at, redact(linear.by), redact(linear.subject)) for linear in line[:COMMITS]][
        ::-1
    ]
    names = [moment.commit for moment in shown]
    states = _find_known(git, names, known.facts, known.here)
    columns = _columns(git, tip, names, {known.commit for each in states.values() for known in each})
    points = {
        key: [(columns[known.commit], known.outcome, known.how) for known in each if known.commit in columns]
        for key, each in sorted(states.items())
    }
    if not any(points.values()):
        return None
    strips = [Strip(key, fill(each, len(shown))) for key, each in points.items()]
    return Timeline(
        branch=branch,
        moments=tuple(shown),
        counts=tuple(count(strips, known.links, len(shown))),
        strips=tuple(sorted(filter(_has_failed, strips), key=_what_fails_first)),
        breaks=tuple(_breaks(git, shown, columns, states)),
        has_more=len(line) > COMMITS,
        is_whole=known.is_whole,
    )


def _find_known(
    git: Git, commits: Sequence[str], facts: Sequence[FactHistory], here: Mapping[str, str]
) -> dict[str, list[KnownCommit]]:
    """Return the commits at which the state of each fact is known, by key: judged there, or proved by equal inputs."""
    known = {fact.row.key: list_known_commits(fact.verdicts) for fact in facts}
    proved = prove(git, commits, [fact for fact in facts if _has_changed(fact)])
    for key, each in known.items():
        proofs = [*proved.get(key, ()), *([(commits[-1], here[key])] if key in here and key not in proved else [])]
        there = {known.commit for known in each}
        each += [KnownCommit(commit, outcome, PROVED) for commit, outcome in proofs if commit not in there]
    return known


def _has_changed(fact: FactHistory) -> bool:
    return len({verdict.outcome for verdict in fact.verdicts}) > 1


def prove(git: Git, commits: Sequence[str], facts: Sequence[FactHistory]) -> dict[str, list[tuple[str, str]]]:
    """Return for each fact the commits with the exact inputs of one of its verdicts, and the outcomes.

    Otherwise a fact that was repaired would look broken until it is judged again, although its old verdict makes that
    needless. Three processes serve all commits: the files of the newest, the changes of each commit, and their trees.
    """
    segments: dict[str, list[tuple[str, str]]] = {fact.row.key: [] for fact in facts}
    if not facts or not commits:
        return segments
    trees = read_trees(git, commits)
    touched = list_touched(git, zip(commits[1:], commits, strict=False))
    files = {path: (mode, oid, path) for mode, oid, path in git.list_paths(trees[commits[0]])}
    for commit in commits:
        for change in touched.get(commit, ()):
            if change.mode:
                files[change.path] = (change.mode, change.oid, change.path)
            else:
                files.pop(change.path, None)
        tree = CodeTree.of_entries(git, commit, trees[commit], files.values())
        for fact in facts:
            digest_of = digester(tree, fact.row)
            same = [verdict for verdict in fact.verdicts if verdict.inputs == digest_of(verdict)]
            if same:
                segments[fact.row.key].append((commit, counting_of(same).outcome))
    return segments


def _columns(git: Git, tip: str, shown: Sequence[str], wanted: AbstractSet[str]) -> dict[str, int]:
    """Return the column of each wanted commit: where it entered the branch; negative if before the shown ones.

    Commits that are not in the branch, or too far back, have none.
    """
    columns = {commit: at for at, commit in enumerate(shown)}
    if wanted <= columns.keys():
        return columns
    try:
        parents = {ancestor.commit: ancestor.parents for ancestor in list_ancestors(git, tip, at_most=ANCESTORS)}
    except ProcessError:
        return columns
    reached = set(shown)
    before = _reach(parents, parents.get(shown[0], ())[:1], reached)
    # In the walk, children come before parents: of all earlier commits, the last one counts.
    columns |= {commit: -nth for nth, commit in enumerate((parent for parent in parents if parent in before), 1)}
    for at, commit in enumerate(shown):
        columns |= dict.fromkeys(_reach(parents, parents.get(commit, ())[1:], reached), at)
    return columns


def _reach(parents: Mapping[str, tuple[str, ...]], starts: Iterable[str], taken: set[str]) -> set[str]:
    """Return the commits reachable from some commits and not visited yet, and mark them as visited."""
    reached: set[str] = set()
    stack = list(starts)
    while stack:
        commit = stack.pop()
        if commit not in taken:
            taken.add(commit)
            reached.add(commit)
            stack += parents.get(commit, ())
    return reached


def fill(points: Iterable[Point], width: int) -> str:
    """Return the states of a fact over *width* commits (``model.Strip``), given the known ones.

    States between two equal answers are equal to them; between different ones they are unknown, unless the commit that
    broke the fact is known. Of several at one commit a failure counts: it was observed there.
    """
    known: dict[int, tuple[str, str]] = {}
    for at, outcome, how in points:
        before = known.get(at)
        if before is None or (before[0] == HOLDS and outcome == FAILS) or how == CULPRIT:
            known[at] = (outcome, how)
    states = ["."] * width
    last: tuple[int, str] | None = None
    for at, (outcome, how) in sorted(known.items()):
        if last is not None and (last[1] == outcome or (how == CULPRIT and last[1] == HOLDS)):
            _extend(states, last, at)
        if at >= 0:
            state = "V" if outcome == HOLDS else "X"
            states[at] = "!" if how == CULPRIT else state.lower() if how == PROVED else state
        last = (at, outcome)
    if last is not None:
        _extend(states, last, width)
    return "".join(states)


def _extend(states: list[str], last: tuple[int, str], until: int) -> None:
    for at in range(max(0, last[0] + 1), until):
        states[at] = "v" if last[1] == HOLDS else "x"


def count(strips: Sequence[Strip], links: Iterable[tuple[str, str]], width: int) -> list[tuple[int, int, int, int]]:
    """Return for each commit the number of verified, suspect, failed and unknown facts."""
    requirers: dict[str, list[str]] = {}
    for needed, key in links:
        requirers.setdefault(needed, []).append(key)
    behind: dict[frozenset[str], frozenset[str]] = {}
    counts = []
    for at in range(width):
        failed = frozenset(strip.key for strip in strips if strip.states[at] in "Xx!")
        if failed not in behind:
            behind[failed] = frozenset(suspicion_chains(failed, requirers=lambda level: _next_level(level, requirers)))
        rest = [strip for strip in strips if strip.key not in failed]
        suspect = sum(strip.key in behind[failed] for strip in rest)
        unknown = sum(strip.states[at] == "." for strip in rest if strip.key not in behind[failed])
        counts.append((len(rest) - suspect - unknown, suspect, len(failed), unknown))
    return counts


def _next_level(keys: Iterable[str], requirers: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    causes: dict[str, set[str]] = {}
    for needed in keys:
        for key in requirers.get(needed, ()):
            if key != needed:
                causes.setdefault(key, set()).add(needed)
    return {key: tuple(sorted(them)) for key, them in causes.items()}


def _has_failed(strip: Strip) -> bool:
    return any(state in strip.states for state in "Xx!")


def _what_fails_first(strip: Strip) -> tuple[bool, int, tuple[str, str]]:
    last = max(strip.states.rfind(state) for state in "Xx!")
    return strip.states[-1:] not in ("X", "x", "!"), -last, natural_order(strip.key)


def _breaks(
    git: Git, shown: Sequence[Moment], columns: Mapping[str, int], known: Mapping[str, Sequence[KnownCommit]]
) -> list[tuple[Moment, tuple[str, ...]]]:
    """Return the commits that broke facts, newest first; a merged one by its own name."""
    broken: dict[str, list[str]] = {}
    for key, points in sorted(known.items()):
        for point in points:
            if point.how == CULPRIT and columns.get(point.commit, -1) >= 0:
                broken.setdefault(point.commit, []).append(key)
    values = {moment.commit: moment for moment in shown}
    for summary in read_summaries(git, broken.keys() - values.keys()).values():
        name = summary.author.rpartition(" <")[0]
        values[summary.commit] = Moment(
            summary.commit, shown[columns[summary.commit]].at, redact(name), redact(summary.subject)
        )
    ordered = sorted(broken, key=lambda commit: (-columns[commit], commit))
    return [(values[commit], tuple(broken[commit])) for commit in ordered if commit in values]
