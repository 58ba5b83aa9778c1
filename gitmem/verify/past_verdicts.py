"""Read every verdict that the memory branch ever had, and the commits where each says whether its fact held."""

from __future__ import annotations

from itertools import pairwise

from gitmem.errors import FormatError, ProcessError
from gitmem.frozen import frozen
from gitmem.model import FAILS, HOLDS, Verdict
from gitmem.store import layout
from gitmem.store.verdicts.buckets import parse_section, sections_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from gitmem.git import Git

# The most versions of one fact's verdicts that are read, the newest: enough for daily changes over almost three years.
MOST_VERSIONS = 1000
# The most for all facts together: parsing one takes 0.1 ms (measured).
MOST_OF_ALL = 10_000
# Seconds that reading the history may take.
HISTORY_S = 10.0


@frozen
class KnownCommit:
    """A code commit where it is known whether a fact held.

    Attributes:
        commit: The commit.
        outcome: ``holds`` or ``fails``.
        how: ``judged`` there, or found by a bisection (``culprit``).
        because: Why it failed.
    """

    commit: str
    outcome: str
    how: str
    because: str = ""


def all_verdicts(git: Git, tip: str, key: str) -> list[Verdict]:
    """Return all verdicts that the store ever had for one fact, the newest first.

    Unreadable verdicts are ignored, as everywhere.
    """
    single = f":(glob)verdicts/{layout.shard(key)}/{key}.{'?' * 16}.toml"
    verdicts, _ = _read(git, tip, (single, layout.bucket_path(key)), (key,), MOST_VERSIONS)
    return verdicts


def verdicts_of(git: Git, tip: str, keys: Collection[str], *, at_most: int = MOST_OF_ALL) -> tuple[list[Verdict], bool]:
    """Return all verdicts that the store ever had for some facts, the newest first, and whether the list is complete.

    Args:
        git: The repository.
        tip: The newest commit of the store; empty if there is none.
        keys: The facts.
        at_most: The most verdicts, and the most commits, that are read.
    """
    return _read(git, tip, ("verdicts",), frozenset(keys), at_most)


def _read(git: Git, tip: str, specs: Iterable[str], keys: Collection[str], at_most: int) -> tuple[list[Verdict], bool]:
    if not tip or not keys:
        return [], True
    argv = ("log", "-z", "--raw", "--no-abbrev", "--no-renames", "--full-history", "--topo-order", "--format=")
    order = ("-c", "diff.orderFile=/dev/null")
    try:
        result = git.run(*order, *argv, f"--max-count={at_most}", tip, "--", *specs, check=False, timeout_s=HISTORY_S)
    except ProcessError:
        return [], False  # a tree in this history has too many files
    words = result.stdout.split(b"\0")
    named: dict[str, str] = {}
    for mark, path in pairwise(words):
        place = layout.place_of(path.decode("ascii", "replace"))
        if mark.lstrip(b"\n").startswith(b":") and isinstance(place, layout.StorePath) and _may_have(place, keys):
            named.setdefault(mark.split(b" ")[3].decode("ascii"), path.decode("ascii"))
    read: dict[tuple[tuple[str, str], bytes], Verdict] = {}
    for oid, content in git.read_blobs(list(named)[:at_most], limit=layout.BUCKET_LIMIT):
        for name, text in sections_of(content or b"", named[oid]):
            if name[0] in keys and (name, text) not in read:  # most of a bucket is the same as in the previous version
                try:
                    read[name, text] = parse_section(name, text, named[oid])
                except FormatError:
                    continue
                if len(read) == at_most:
                    return list(read.values()), False
    return list(read.values()), len(named) <= at_most


def _may_have(place: layout.StorePath, keys: Collection[str]) -> bool:
    return place.what == layout.BUCKET or (place.what == layout.VERDICT and place.key in keys)


def counting_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict that counts, of several on the same inputs.

    As for the present (``state.pick``), a claim that a fact holds does not count if this clone judged the inputs
    itself.
    """
    is_ours = any(v.own for v in verdicts)
    return max((v for v in verdicts if v.own or not is_ours or v.outcome != HOLDS), key=lambda v: (v.at, v.own))


def list_known_commits(verdicts: Iterable[Verdict]) -> list[KnownCommit]:
    """Return the commits where verdicts of one fact say whether it held; a verdict made there takes precedence."""
    known_commits: dict[str, KnownCommit] = {}
    judged: dict[str, list[Verdict]] = {}
    for v in sorted(verdicts, key=lambda v: v.at):
        if v.held_commit:
            known_commits.setdefault(v.held_commit, KnownCommit(v.held_commit, HOLDS, "judged"))
        if v.outcome == FAILS and v.culprit and not v.culprit_after:
            known_commits[v.culprit] = KnownCommit(v.culprit, FAILS, "culprit", v.because)
        judged.setdefault(v.commit, []).append(v)
    for commit, them in judged.items():
        v = counting_of(them)
        is_culprit = v.outcome == FAILS and commit in known_commits and known_commits[commit].how == "culprit"
        known_commits[commit] = KnownCommit(commit, v.outcome, "culprit" if is_culprit else "judged", v.because)
    return list(known_commits.values())
