"""Which files record verdicts, and how a store of an earlier format is brought to this one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, put_files, tip
from support.each import each
from support.facts import make_fact, outcomes, put, statuses, verdict_keys, verify

from gitmem.errors import ConflictError
from gitmem.index.catalog import fact_state
from gitmem.memory import Memory
from gitmem.model import Verdict
from gitmem.store import layout
from gitmem.store.verdicts import format_verdict
from gitmem.store.verdicts.files import plan_writes

REF = "refs/heads/memory"
RS256 = {"contains": "RS256", "in": "src/auth/*"}
POLICY = '# The policy of this memory store.\nformat = 1\n\n[verify]\nttl = "20d"\n'


@pytest.fixture
def memory(repo: Path) -> Iterator[Memory]:
    """Return a repository's memory, with a fact that holds."""
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        yield opened


@pytest.fixture
def former(memory: Memory, repo: Path) -> dict[str, str]:
    """Return the verdict files of a store of format 1, by path: three facts with a file each."""
    put(repo, *(make_fact(key, RS256) for key in ("a", "b", "c")))
    verify(memory)
    branch = fact_state.branch_verdicts(memory.repository.catalog())
    found = {layout.verdict_path(v.key, v.spec): format_verdict(v) for vs in branch.values() for v in vs}
    gone = "".join(f"D {layout.bucket_path(key)}\n" for key in branch)
    commit = f"commit {REF}\ncommitter M <m@e> {NOW} +0000\ndata 1\nx\nfrom {REF}^0\n{gone}\n"
    git(repo, "fast-import", "--quiet", input=commit)
    put_files(repo, {**found, "gitmem.toml": POLICY, ".gitattributes": layout.FORMER_ATTRIBUTES})
    return found


def files(repo: Path) -> list[str]:
    return git(repo, "ls-tree", "-r", "--name-only", "memory").split("\n")


def test_store_of_format_1_is_read_and_stays_as_it_is_until_a_verdict_is_written(former, memory, repo):
    before = tip(repo)

    assert statuses(memory) == {"a": "verified", "b": "verified", "c": "verified"}
    assert verify(memory).due == 0
    memory.remember("Something else", key="other")

    assert set(former) <= set(files(repo))
    assert git(repo, "diff", "--name-only", before, "memory") == "learned/other.md"


def test_next_verdict_brings_a_store_of_format_1_to_this_one_in_the_same_commit(former, memory, repo):
    commit_files(repo, {"src/auth/jwt.py": "none\n"})
    before = tip(repo)

    assert outcomes(verify(memory)) == {"a": "fails", "b": "fails", "c": "fails"}

    assert git(repo, "rev-parse", "memory^") == before
    assert verdict_keys(repo) == ["a", "b", "c"]
    assert [path for path in files(repo) if path.startswith("verdicts/")] == sorted(map(layout.bucket_path, "abc"))
    assert git(repo, "show", "memory:gitmem.toml") == POLICY.replace("format = 1", "format = 2").strip()
    assert git(repo, "show", "memory:.gitattributes").endswith("/verdicts/** linguist-generated")


def test_only_the_verdict_that_is_written_differs_after_the_change_of_format(former, memory, repo):
    put(repo, make_fact("c", {"exists": "src"}))

    verify(memory)
    message = fact_state.branch_verdicts(memory.repository.catalog())
    memory.index.refresh(rebuild=True)

    assert fact_state.branch_verdicts(memory.repository.catalog()) == message
    assert {layout.verdict_path(v.key, v.spec): format_verdict(v) for v in (*message["a"], *message["b"])} == {
        path: text
        for path, text in former.items()
        if not path.endswith(message["c"][0].spec[:16]) and "/c." not in path
    }


@each(
    ("policy", "after"),
    [
        ("format = 1\n", "format = 2\n"),
        ("# ours\n  format=1 # x\n[recall]\n", "# ours\n  format=2 # x\n[recall]\n"),
        ("[recall]\nhalf_life_days = 3\n", "format = 2\n[recall]\nhalf_life_days = 3\n"),
        (
            "# The policy of this memory store.\n[recall]\n",
            "# The policy of this memory store.\nformat = 2\n[recall]\n",
        ),
        ("[kinds.format]\n", "format = 2\n[kinds.format]\n"),
        ("format = 2\n", None),
    ],
)
def test_format_is_named_in_the_policy_and_nothing_else_of_it_changes(memory, repo, policy, after):
    put_files(repo, {"gitmem.toml": policy, "learned/x.md": "x"})
    made = Verdict("a", "5" * 64, "c" * 64, "holds", "0" * 40, "", NOW)

    written = plan_writes(memory.repository.git, tip(repo), [made]).writes.get("gitmem.toml")

    assert (written and written.decode()) == after


def test_verdict_in_a_file_of_its_own_that_a_proposal_brought_is_taken_into_its_bucket(memory, repo):
    put(repo, make_fact("a", RS256), make_fact("b", RS256))
    verify(memory, "b")
    git(repo, "branch", "gitmem/x", "memory")
    made = [Verdict("a", s * 64, "c" * 64, "holds", "0" * 40, "", NOW) for s in "56"]
    git_of = memory.repository.git
    single = plan_writes(git_of, tip(repo), made[:1], is_loose=True)
    assert (list(single.writes), single.deletes) == ([layout.verdict_path("a", made[0].spec)], ())
    put_files(repo, {path: content.decode() for path, content in single.writes.items()})

    packed = plan_writes(git_of, tip(repo), [made[1]])

    assert (list(packed.writes), list(packed.deletes)) == ([layout.bucket_path("a")], list(single.writes))
    assert made[0].spec not in packed.writes[layout.bucket_path("a")].decode()


def test_store_of_a_later_format_is_read_and_never_written(memory, repo):
    put(repo, make_fact("a", RS256))
    verify(memory)
    put_files(repo, {"gitmem.toml": "format = 3\nnews = true\n"})
    commit_files(repo, {"src/auth/jwt.py": "none\n"})
    before = tip(repo)

    assert statuses(memory) == {"a": "stale"}
    for write in (lambda: memory.remember("Something"), lambda: verify(memory)):
        with pytest.raises(ConflictError, match=r"memory has the store format 3; .* writes format 2") as caught:
            write()
        assert "update gitmem" in caught.value.hint
    assert tip(repo) == before


def test_change_of_a_bucket_leaves_the_states_of_its_other_facts(memory, repo):
    one, other = [key for key in (f"k{n}" for n in range(9000)) if layout.shard(key) == "07"][:2]
    put(repo, make_fact(one, RS256), make_fact(other, {"exists": "src"}))
    verify(memory)
    path = layout.bucket_path(one)
    text = git(repo, "show", f"memory:{path}")
    head, _, rest = text.partition(f"[{one}.")
    put_files(repo, {path: head + f"[{one}." + rest.replace('outcome = "holds"', 'outcome = "fails"', 1) + "\n"})

    catalog = memory.repository.catalog()
    ground = catalog.row("SELECT id FROM ground")[0]

    assert [row.key for row in fact_state.facts_without_state(catalog, ground)] == [one]
    assert [fact_state.branch_verdicts(catalog)[key][0].outcome for key in (one, other)] == ["fails", "holds"]
