"""Which branches commands of git change, and which sentences are about others."""

from __future__ import annotations

from support.each import each

from gitmem.agents.moments.branches import changed_branches, names_other_branches


@each(
    ("line", "changed"),
    [
        ("git rebase main", {"pdf"}),
        ("git rebase main release/2", {"release/2"}),
        ("git checkout release/2 && git rebase main", {"release/2"}),
        ("git switch -c fix origin/main; git commit --amend", {"fix"}),
        ("git push -f", {"pdf"}),
        ("git push -f origin HEAD:refs/heads/main", {"main"}),
        ("git push origin +a b", {"a", "b"}),
        ("git merge origin/main", {"pdf", "main"}),
        ("git status && ls", set()),
        ("git push -f origin HEAD", {"pdf"}),
        ("git push origin @:main", {"main"}),
        ("git push -f 'origin' \"main\"", {"main"}),
        ("git push -f > log.txt 2>&1", {"pdf"}),
        ("git push -f 2>/dev/null", {"pdf"}),
        ("git rebase main >log", {"pdf"}),
        ("git checkout -- a.py && git push -f", {"pdf"}),
        ("git checkout main a.py && git push -f", {"pdf"}),
        ("git checkout -B fix origin/dev && git push", {"fix"}),
        ("git switch --create fix main && git commit", {"fix"}),
        ("git -c a=b commit", {"pdf"}),
        ("git checkout . && git push -f", set()),
        ("git checkout a.py && git push -f", set()),
        ("git checkout - && git push -f", set()),
        ("git checkout 3f2a91c && git commit", set()),
        ("git push --all origin", set()),
        ("git push --mirror", set()),
        ("git push origin $BRANCH", set()),
        ("git push origin 'refs/heads/*'", set()),
        ("git -C ../other push -f", set()),
        ("git rebase --onto main topic release/2", set()),
        ("git rebase -X ours main", set()),
        ("git rebase -x 'make test' main", set()),
    ],
)
def test_branches_are_those_that_a_command_changes(line: str, changed: set[str]) -> None:
    assert changed_branches(line, "pdf") == changed


@each(
    ("sentence", "is_about_them"),
    [
        ("Never rebase `release/*`: auditors read it.", True),
        ("Don't push to main.", True),
        ("Release branches are never rebased.", True),
        ("Never rebase pdf/main files", False),
        ("Never rebase.", False),
        ("Never force-push to main, develop or `release/*`.", True),
        ("Never push anything straight to `production`.", True),
        ("Never push to the staging branch.", True),
        ("main is never rebased.", True),
        ("Never run `git push -f origin main`.", True),
        ("Never force-push; rebase onto main instead.", False),
        ("Never force-push: production deploys from every push.", False),
        ("Never force-push: the stable mirror rejects it.", False),
        ("Never rebase on main.", False),
        ("Never force-push - main has listeners.", False),
        ("Never force-push and merge main first.", False),
        ("Never rebase topic branches onto main.", False),
        ("Never force-push except to feature/*.", False),
        ("Don't push before main is green.", False),
    ],
)
def test_sentence_that_names_other_branches_is_about_them(sentence: str, is_about_them: bool) -> None:
    assert names_other_branches(sentence.split(), {"pdf"}) is is_about_them
    assert not names_other_branches(sentence.split(), {"main", "release/3", "production", "staging"})
    assert not names_other_branches(sentence.split(), set())
