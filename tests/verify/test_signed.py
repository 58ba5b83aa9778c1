"""Which verdicts and memories count where the policy asks for signatures, with real keys and commits."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from conftest import NOW, commit_files, git, memory_text, tip
from support.facts import approve_all, make_fact, outcomes, put, statuses, verify
from support.signers import Signer, allow, ask, forget, needs_ssh_keygen, push

from gitmem.commands.policy import change_policy
from gitmem.index.catalog.agent_text import MemoryLabel, about, label_and_text
from gitmem.memory import Memory
from gitmem.policy.edit import with_setting
from gitmem.store.layout import bucket_path

pytestmark = needs_ssh_keygen
LATER = NOW + 100


@pytest.fixture
def ana(tmp_path):
    return Signer(tmp_path, "ana@example.com")


@pytest.fixture
def bob(tmp_path):
    return Signer(tmp_path, "bob@example.com")


CHECK = "grep -q service README.md"


def status_of(repo, key: str = "a") -> str:
    """Return the status of a fact in a process that knows nothing but the repository."""
    with Memory(repo, clock=lambda: float(LATER)) as opened:
        return statuses(opened)[key]


@contextmanager
def configured(repo, who: Signer) -> Iterator[Memory]:
    """Open the memory as this person."""
    who.configure(repo)
    with Memory(repo, clock=lambda: float(LATER)) as opened:
        yield opened


@pytest.fixture
def proved(repo, memory, ana):
    """A repository whose fact ana proved, in a signed commit, as another clone sees it."""
    allow(repo, ana.line())
    ana.configure(repo)
    ask(memory, "verdicts")
    put(repo, make_fact("a", CHECK, paths=["README.md"]))
    approve_all(memory)
    assert outcomes(verify(memory)) == {"a": "holds"}
    forget(memory, repo)
    return repo


def altered(repo, old: str, new: str) -> dict:
    """Return the file of the fact's verdict with a text replaced."""
    path = bucket_path("a")
    text = git(repo, "show", f"memory:{path}") + "\n"
    assert old in text
    return {path: text.replace(old, new)}


def test_verdict_counts_if_an_allowed_signer_signed_its_commit(proved):
    assert git(proved, "log", "-1", "--format=%an %ce", "memory") == "gitmem ana@example.com"
    assert status_of(proved) == "verified"


def test_verdict_of_another_clone_does_not_count_unsigned(repo, memory, ana):
    allow(repo, ana.line())
    ask(memory, "verdicts")
    put(repo, make_fact("a", CHECK, paths=["README.md"]))
    approve_all(memory)
    verify(memory)

    assert status_of(repo) == "verified"  # this clone judged it itself
    forget(memory, repo)
    assert status_of(repo) == "unproven"


@pytest.mark.parametrize(
    "lines",
    [
        lambda ana, bob: (),
        lambda ana, bob: (bob.line(),),
        lambda ana, bob: (bob.line(principal="ana@example.com"),),
        lambda ana, bob: (ana.line(principal="bob@example.com"),),
        lambda ana, bob: (ana.line('namespaces="file"'),),
        lambda ana, bob: (ana.line('valid-before="20200101"'),),
    ],
    ids=["nobody", "another-person", "another-key", "another-address", "another-purpose", "an-expired-key"],
)
def test_signature_counts_only_as_the_reviewed_list_allows(proved, ana, bob, lines):
    assert status_of(proved) == "verified"

    allow(proved, "# signers\n", *lines(ana, bob))

    assert status_of(proved) == "unproven"
    allow(proved, ana.line())
    assert status_of(proved) == "verified"


ATTACKS = {
    "altered in a later unsigned commit": lambda repo, bob: push(repo, altered(repo, "seconds", "took")),
    "altered in a commit of another person": lambda repo, bob: push(repo, altered(repo, "seconds", "took"), bob),
    "altered in the name of an allowed signer": lambda repo, bob: push(
        repo, altered(repo, "seconds", "took"), bob, author="ana@example.com"
    ),
    "of another fact": lambda repo, bob: push(repo, altered(repo, "[a.", "[b.")),
    "restored after it was replaced": lambda repo, bob: restore(repo),
    "restored by merging an old commit": lambda repo, bob: merge_old(repo),
}


def restore(repo) -> None:
    text = altered(repo, "seconds", "seconds")
    push(repo, altered(repo, "seconds", "took"))
    push(repo, text)


def merge_old(repo) -> None:
    """Replace the verdict, and bring the signed one back with the merge of an old commit."""
    old, text = tip(repo), altered(repo, "seconds", "seconds")
    new = push(repo, altered(repo, 'outcome = "holds"', 'outcome = "fails"'))
    side = git(repo, "commit-tree", f"{old}^{{tree}}", "-p", old, "-m", "side")
    merge = git(repo, "commit-tree", f"{push(repo, text)}^{{tree}}", "-p", new, "-p", side, "-m", "merge")
    git(repo, "update-ref", "refs/heads/memory", merge)


@pytest.mark.parametrize("is_read_between", [False, True], ids=["at once", "read in between"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_signed_verdict_does_not_count_once_it_is(proved, bob, attack, is_read_between):
    if is_read_between:
        assert status_of(proved) == "verified"

    ATTACKS[attack](proved, bob)

    assert status_of(proved) == "unproven"


def test_list_on_the_memory_branch_allows_nobody(repo, memory, bob):
    ask(memory, "verdicts")
    bob.configure(repo)
    put(repo, make_fact("a", CHECK, paths=["README.md"]), {".github/gitmem-signers": bob.line()})
    approve_all(memory)
    verify(memory)
    forget(memory, repo)

    assert status_of(repo) == "unproven"


def test_list_in_the_work_tree_or_on_another_branch_allows_nobody(proved, ana, bob):
    allow(proved, bob.line())
    git(proved, "checkout", "-q", "-b", "proposal")
    allow(proved, ana.line())
    git(proved, "config", "gpg.ssh.allowedSignersFile", ".github/gitmem-signers")

    assert status_of(proved) == "unproven"


def test_list_of_gits_own_setting_counts_as_well(proved, ana, bob, tmp_path):
    allow(proved, bob.line())
    (tmp_path / "signers").write_text(ana.line(), encoding="ascii")
    git(proved, "config", "gpg.ssh.allowedSignersFile", str(tmp_path / "signers"))

    assert status_of(proved) == "verified"
    (tmp_path / "signers").write_text(bob.line(), encoding="ascii")
    assert status_of(proved) == "unproven"


def test_commit_that_a_shallow_clone_lacks_proves_nothing(proved, ana, tmp_path):
    push(proved, {"gotchas/later.md": memory_text(kind="gotcha")}, ana)
    for depth, wanted in ((1, "unproven"), (9, "verified")):
        clone = tmp_path / f"depth-{depth}"
        git(proved, "clone", "-q", f"--depth={depth}", "--no-single-branch", f"file://{proved}", str(clone))
        git(clone, "branch", "-q", "memory", "origin/memory")

        assert status_of(clone) == wanted


def test_signed_squash_vouches_for_all_that_it_holds(proved, ana, bob):
    tree = git(proved, "rev-parse", "memory^{tree}")
    for who, wanted in ((bob, "unproven"), (ana, "verified")):
        git(proved, "update-ref", "refs/heads/memory", who.commit(proved, tree))

        assert status_of(proved) == wanted


def test_unsigned_fact_does_not_count_where_memories_must_be_signed(proved, memory, ana):
    with Memory(proved, clock=lambda: float(LATER)) as opened:
        ask(opened, "verdicts", "memories")
    assert status_of(proved) == "unproven"

    push(proved, make_fact("a", CHECK, paths=["README.md"], tags=["signed"]), ana)
    assert status_of(proved) == "verified"
    push(proved, make_fact("a", CHECK, paths=["README.md"], tags=["unsigned"]))
    assert status_of(proved) == "unproven"


def test_person_can_demand_signatures_whatever_the_policy_says(proved, monkeypatch):
    push(proved, {"gitmem.toml": "format = 2\n"})
    push(proved, altered(proved, "seconds", "took"))
    assert status_of(proved) == "verified"

    git(proved, "config", "gitmem.signatures", "verdicts")

    assert status_of(proved) == "unproven"


def test_nothing_counts_as_signed_without_ssh_keygen(proved, monkeypatch, tmp_path):
    for name in ("git", "sh"):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    assert status_of(proved) == "unproven"


def test_fact_that_asks_for_it_needs_a_verdict_by_someone_other_than_its_author(repo, memory, ana, bob):
    put(repo, make_fact("plain", CHECK, paths=["README.md"]))
    ana.configure(repo)
    memory.fact("It is a service", verify=CHECK, key="a", paths=["README.md"], independent=True, approve=True)
    approve_all(memory)

    assert outcomes(verify(memory)) == {"plain": "holds"}  # it would be for nothing
    run = verify(memory, "a")
    assert (outcomes(run), status_of(repo)) == ({"a": "holds"}, "unproven")
    assert "other than its author ana@example.com" in run.unrecorded

    with configured(repo, bob) as opened:
        approve_all(opened)
        assert outcomes(verify(opened)) == {"a": "holds"}
    assert status_of(repo) == "verified"
    forget(memory, repo)
    assert status_of(repo) == "verified"


def test_policy_can_ask_it_of_all_facts_and_an_edit_makes_its_author_another_one(repo, memory, ana, bob):
    change_policy(memory.repository, lambda text: with_setting(text, "verify.independent", "true"), "ask")
    put(repo, make_fact("a", CHECK, paths=["README.md"]))
    ana.configure(repo)
    approve_all(memory)
    assert outcomes(verify(memory)) == {"a": "holds"}
    assert status_of(repo) == "verified"  # the author is who pushed the fact

    memory.edit("a", fields={"tags": ["reworked"]})

    assert status_of(repo) == "unproven"


def test_verdict_of_the_author_does_not_count_in_the_name_of_someone_else_where_it_must_be_signed(proved, ana):
    with Memory(proved, clock=lambda: float(LATER)) as opened:
        change_policy(opened.repository, lambda text: with_setting(text, "verify.independent", "true"), "ask")
    push(proved, altered(proved, 'by = "ana@example.com"', 'by = "bob@example.com"'), ana)
    assert status_of(proved) == "verified"  # somebody who is unknown pushed the fact

    push(proved, make_fact("a", CHECK, paths=["README.md"], tags=["mine"]), ana)

    assert status_of(proved) == "unproven"


def test_verdict_is_not_recorded_unsigned_over_a_signed_one(proved):
    git(proved, "config", "commit.gpgSign", "false")
    before = tip(proved)
    with Memory(proved, clock=lambda: float(LATER)) as opened:
        approve_all(opened)
        run = verify(opened, "a")

    assert outcomes(run) == {"a": "holds"}
    assert "counts only signed verdicts" in run.unrecorded
    assert tip(proved) == before


def test_unsigned_verdict_is_replaced_by_a_signed_one(repo, memory, ana):
    allow(repo, ana.line())
    put(repo, make_fact("a", CHECK, paths=["README.md"]))
    approve_all(memory)
    verify(memory)
    with configured(repo, ana) as opened:
        ask(opened, "verdicts")
        assert outcomes(verify(opened, "a")) == {"a": "holds"}

    forget(memory, repo)
    assert status_of(repo) == "verified"


def test_approval_counts_by_the_signature_of_the_line_that_gives_it(repo, memory, ana, bob):
    allow(repo, ana.line())
    put(repo, make_fact("a", CHECK), make_fact("b", CHECK + " -i"))
    ask(memory, "approvals")
    lines = [f"{due.approved_line}\n" for due in memory.repository.commands()]
    commit_files(repo, {".github/gitmem-approved": lines[0]}, "approve, unsigned")
    commit_files(repo, {".github/gitmem-approved": "".join(lines)}, "approve more")
    tree, parent = git(repo, "rev-parse", "HEAD^{tree}"), git(repo, "rev-parse", "HEAD~1")
    git(repo, "reset", "-q", "--hard", ana.commit(repo, tree, parent))

    with Memory(repo, clock=lambda: float(LATER)) as opened:
        run = verify(opened, approved=".github/gitmem-approved")
        notices = opened.repository.notices

    assert outcomes(run) == {"a": "skipped", "b": "holds"}
    assert any("1 of 2 lines approve nothing" in one and "not signed" in one for one in notices)


def test_agents_see_which_memories_nobody_signed(repo, memory, ana):
    allow(repo, ana.line())
    put(repo, make_fact("a", {"exists": "README.md"}, title="The readme exists"))
    ask(memory, "memories")
    push(repo, make_fact("b", {"exists": "README.md"}, title="The readme is here"), ana)

    with Memory(repo, clock=lambda: float(LATER)) as opened:
        ground, catalog = opened.repository.ground(), opened.repository.catalog()
        known = about(catalog, ground, ["a", "b"], now=LATER)

    assert {key: one.is_claimed for key, one in known.items()} == {"a": True, "b": False}
    assert "not signed" in label_and_text(MemoryLabel("a", "fact", "unproven"), "x", known["a"])[0]


def test_show_says_whose_a_verdict_is_or_why_it_does_not_count(proved, bob):
    def shown() -> tuple[str, str]:
        with Memory(proved, clock=lambda: float(LATER)) as opened:
            found = opened.show("a").document
        return found["claimed"], (found["verdict"] or {}).get("signer", "")

    assert shown() == ("", "ana@example.com")
    push(proved, altered(proved, "seconds", "took"), bob)
    claimed, signer = shown()
    assert "no allowed signer signed its verdict (no allowed signer bob@example.com signed it)" in claimed
    assert signer == ""


def test_agents_see_that_others_signed_a_verdict(proved, bob):
    with configured(proved, bob) as opened:
        opened.list()
        catalog = opened.repository.catalog()
        known = about(catalog, opened.repository.ground(catalog), ["a"], now=LATER)

        assert label_and_text(MemoryLabel("a", "fact", "verified"), "So.", known["a"])[0].count("signed by others") == 1


def test_nothing_is_looked_at_where_nothing_asks(repo, memory, ana, monkeypatch):
    put(repo, make_fact("a", CHECK))
    allow(repo, ana.line())

    def refuse(*_: object) -> None:
        raise AssertionError("looked at")

    for name in ("settle", "is_settled", "demands_of"):
        monkeypatch.setattr(f"gitmem.verify.signed.{name}", refuse)

    approve_all(memory)
    assert outcomes(verify(memory)) == {"a": "holds"}
    assert status_of(repo) == "verified"
