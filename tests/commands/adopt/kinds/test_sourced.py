"""The judge of all kinds that find their own source: what holds, since when it does not, and what is left out."""

import re

import pytest
from conftest import commit_files, git

from gitmem.commands.adopt import kinds
from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER, Source
from gitmem.commands.adopt.formats import sentence
from gitmem.commands.adopt.kinds.sourced import sourced
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover


def owner_claims(statement, _document):
    return [
        Claim("owner", statement.line, name, name, is_certain="certainly" in statement.text)
        for name in re.findall(r"owner (\w+)", statement.text)
    ]


def _lines(code):
    for path in sorted(path for path in code.files if path.rpartition("/")[2] == "OWNERS"):
        for number, line in enumerate(code.text(path).split("\n"), 1):
            yield path, number, line


def find_owner(code, claim, _document):
    return next((Source(path, at, line) for path, at, line in _lines(code) if line == claim.name), None)


def find_ban(code, claim, _document):
    return next((Source(path, at, line) for path, at, line in _lines(code) if line == f"not {claim.name}"), None)


def adopted(repo, monkeypatch, **how):
    kind = sourced("owner", owner_claims, find_owner, "`{token}` owns nothing", **how)
    monkeypatch.setitem(kinds.KINDS, "owner", kind)
    handle = Git(discover(repo))
    return adopt(handle, handle.resolve("HEAD"), kinds=("owner",))


def test_claim_is_false_since_its_source_left_the_last_file_that_it_moved_to(repo, monkeypatch):
    commit_files(repo, {"AGENTS.md": "- the owner Ana\n- the owner Ben\n", "OWNERS": "x\nAna\nBen\n"})
    commit_files(repo, {"OWNERS": "x\nBen\n", "a/OWNERS": "Ana\n"}, "move Ana")
    assert [one.source.where for one in adopted(repo, monkeypatch).of(HOLDS)] == ["a/OWNERS:1", "OWNERS:2"]
    culprit = commit_files(repo, {"a/OWNERS": "Eve\n"}, "Ana leaves")

    adoption = adopted(repo, monkeypatch)

    (finding,) = adoption.of(FALSE)
    assert (finding.claim.name, finding.culprit.commit, finding.held) == ("Ana", culprit, True)
    assert sentence(finding) == "`Ana` owns nothing: it was in OWNERS:2"
    assert [one.claim.name for one in adoption.of(HOLDS)] == ["Ben"]


@pytest.mark.parametrize(
    ("line", "verdicts"),
    [
        ("- the owner Eve", []),
        ("- certainly the owner Eve", [NEVER]),
        ("- for example certainly the owner Eve", []),
        ("- the owner Ana was removed", []),
    ],
)
def test_claim_without_a_source_then_counts_only_if_it_is_certain(repo, monkeypatch, line, verdicts):
    commit_files(repo, {"AGENTS.md": f"{line}\n", "OWNERS": "Ana\n"})
    commit_files(repo, {"OWNERS": "Ben\n"})

    assert [one.verdict for one in adopted(repo, monkeypatch).findings] == verdicts


def test_contradiction_is_the_source_and_the_commit_that_wrote_it_the_culprit(repo, monkeypatch):
    commit_files(repo, {"AGENTS.md": "- the owner Ana\n- the owner Ben\n", "OWNERS": "Ana\nBen\n"})
    commit_files(repo, {"OWNERS": "x\n"}, "nothing is known about Ben")
    culprit = commit_files(repo, {"a/OWNERS": "not Ana\n"}, "ban Ana")

    (finding,) = adopted(repo, monkeypatch, contradict=find_ban).findings

    assert (finding.verdict, finding.culprit.commit) == (FALSE, culprit)
    assert sentence(finding) == "`Ana` owns nothing: a/OWNERS:1 says not Ana"


def test_former_name_of_the_document_is_the_one_of_its_line(repo, monkeypatch):
    commit_files(repo, {"a/AGENTS.md": "- the owner Ana\n", "a/OWNERS": "Ana\n"})
    git(repo, "mv", "a", "b")
    commit_files(repo, {"b/OWNERS": "Ben\n"})
    beside = []

    def find_beside(code, claim, document):
        beside.append(document.folder)
        return find_owner(code, claim, document)

    kind = sourced("owner", owner_claims, find_beside, "`{token}` owns nothing")
    monkeypatch.setitem(kinds.KINDS, "owner", kind)
    handle = Git(discover(repo))
    adopt(handle, handle.resolve("HEAD"), kinds=("owner",))

    assert beside[:2] == ["b", "a"]
