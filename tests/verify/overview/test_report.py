"""What a verify run found, as findings."""

from __future__ import annotations

from conftest import NOW, commit_files
from support.facts import make_fact, make_memory, put, tracked, verify

from gitmem.verify.overview.finding import Spot
from gitmem.verify.overview.report import findings_of


def test_run_tells_what_it_judged_what_failed_before_and_what_is_suspect(memory, repo):
    put(
        repo,
        make_fact("fails", {"contains": "HS512", "in": "src/auth/jwt.py"}, by={"who": "ana"}),
        make_fact("rests", {"exists": "README.md"}, requires=["fails"]),
        make_fact("waits", "make", paths=["Makefile", "src/**"]),
        make_memory("near", "Rests on it too", requires=["fails"]),
    )
    verify(memory)
    commit_files(repo, tracked(make_fact("here", {"exists": "missing"})))

    found = findings_of(verify(memory), memory.repository.git, summary="S", now=NOW)

    assert [(f.key, f.kind, f.because, f.by) for f in found.findings] == [
        ("fails", "failed", "src/auth/jwt.py does not contain 'HS512'", "ana"),
        ("here", "failed", "missing does not exist", ""),
        ("near", "suspect", "rests on fails", ""),
        ("rests", "suspect", "rests on fails", ""),
        ("waits", "unchecked", "not approved", ""),
    ]
    assert {f.key: f.places for f in found.findings if f.places} == {
        "here": (Spot("missing"),), "waits": (Spot("Makefile"),),
    }  # fmt: skip
    assert {f.key: f.fact for f in found.findings if f.fact} == {"here": Spot(".memory/facts/here.md", 5)}
    assert [f.path for f in found.findings if f.key == "near"] == ["gotchas/near.md"]
    assert (found.command, found.base, found.summary) == ("verify", "", "S")
