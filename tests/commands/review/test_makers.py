"""Who made what a change of the memory branch brings."""

from __future__ import annotations

import pytest
from conftest import NOW, git, tip
from support.facts import approve_all, make_fact, verify
from support.reviews import reviewed
from support.signers import Signer, allow, ask, needs_ssh_keygen, push

from gitmem.commands.review.markdown import page
from gitmem.memory import Memory

pytestmark = needs_ssh_keygen
CHECK = "grep -q service README.md"


@pytest.fixture
def ana(tmp_path):
    return Signer(tmp_path, "ana@example.com")


@pytest.fixture
def bob(tmp_path):
    return Signer(tmp_path, "bob@example.com")


def codes(review) -> set[tuple[str, str]]:
    return {(one.severity, one.code) for one in review.findings if "signe" in one.message}


def test_review_says_who_wrote_proved_and_signed_and_on_what_machine(repo, memory, ana, bob):
    allow(repo, ana.line())
    ask(memory, "verdicts")
    base = push(repo, make_fact("a", CHECK), bob)
    ana.configure(repo)
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        approve_all(opened)
        verify(opened)

    review = reviewed(repo, f"{base}..memory")

    (proof,) = review.proofs
    assert (proof.key, proof.outcome, proof.author, proof.prover, proof.signer) == (
        *("a", "holds", "bob@example.com", "ana@example.com", "ana@example.com"),
    )
    assert proof.machine.startswith("none, ")
    assert proof.sentence.startswith("holds: written by bob@example.com, proved by ana@example.com on none, ")
    assert "### Verdicts (1)" in page(review) and "signed by ana" in page(review)
    assert codes(review) == set()


def test_review_names_what_does_not_count_unsigned(repo, memory, ana, bob):
    allow(repo, ana.line())
    ask(memory, "verdicts", "memories")
    base = tip(repo)
    push(repo, make_fact("a", CHECK))
    approve_all(memory)
    text = make_fact("b", CHECK)
    push(repo, text, bob)

    review = reviewed(repo, f"{base}..memory")

    assert codes(review) == {("warning", "memory-unsigned")}
    assert sorted(one.key for one in review.findings if one.code == "memory-unsigned") == ["a", "b"]


def test_policy_that_asks_for_less_is_an_error_unless_an_allowed_signer_signed_it(repo, memory, ana):
    allow(repo, ana.line())
    ask(memory, "verdicts")
    base, less = tip(repo), {"gitmem.toml": "format = 2\n"}

    push(repo, less)
    unsigned = reviewed(repo, f"{base}..memory")
    git(repo, "update-ref", "refs/heads/memory", base)
    push(repo, less, ana)

    assert ("error", "signatures-dropped") in codes(unsigned)
    assert ("error", "signatures-dropped") not in codes(reviewed(repo, f"{base}..memory"))
