"""Each kind of claim: what became false is found, with its commit, and true siblings are not accused."""

import pytest
from conftest import commit_files, git

from benchmarks.kinds import CASES
from gitmem.commands.adopt.findings import FALSE
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover


def false_claims(repo):
    handle = Git(discover(repo))
    return adopt(handle, handle.resolve("HEAD")).of(FALSE)


@pytest.mark.whole_system
@pytest.mark.parametrize("kind", CASES)
def test_claim_is_false_once_the_code_contradicts_it_and_its_true_siblings_are_not(repo, kind):
    document, files, change, expected = CASES[kind]
    commit_files(repo, {"AGENTS.md": document, **files})
    assert false_claims(repo) == []

    for path in [path for path, text in change.items() if text is None]:
        git(repo, "rm", "-q", path)
    culprit = commit_files(repo, {path: text for path, text in change.items() if text is not None}, "change it")

    false = false_claims(repo)
    assert [one.claim.token for one in false] == expected
    assert {one.culprit and one.culprit.commit for one in false} == {culprit}
