"""Which branches commands of git change, and which sentences are about others."""

from __future__ import annotations

import time

from support.each import each

from gitmem.agents.moments.branches import changed_branches, names_other_branches
from gitmem.agents.moments.risk import find_risk, warns


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
        ("cd ../other && git push -f", set()),
        ("pushd ../other; git commit --amend", set()),
        ("cd src && git push -f origin pdf", {"pdf"}),
        ("git --git-dir=../o/.git push -f", set()),
        ("GIT_DIR=../o/.git git push -f", set()),
        ("export GIT_WORK_TREE=../o; git push -f", set()),
        ("git worktree add ../m main && cd ../m && git commit", set()),
        ("timeout 60 git push -f origin main && git commit", {"main", "pdf"}),
        ("env A=1 git push -f origin main && git commit", {"main", "pdf"}),
        ("B=2 sudo A=1 /usr/bin/git push origin main", {"main"}),
        ("if make; then git push -f; fi", {"pdf"}),
        ("git commit && xargs git push", set()),
        ("git commit && sudo -u ci git push origin main", set()),
        ("git branch -f main HEAD && git commit", {"main", "pdf"}),
        ("git branch -u origin/main && git push", {"main", "pdf"}),
        ("git branch -a && git pull && git push", {"pdf"}),
        ("git fetch . pdf:main && git push", set()),
        ("git update-ref refs/heads/main HEAD && git commit", set()),
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
        ("Never force-push any branch, main included.", False),
        ("Never push to main or any other shared branch.", False),
        ("Never force-push main or branches that others use.", False),
        ("Never push to main, branches of customers included.", False),
        ("Never push to main, or to any shared branch.", False),
        ("Never force-push, or rebase main.", False),
        ("Never force-push main or a protected branch.", False),
        ("Never force-push any branch (main, develop).", False),
        ("Never force-push shared history such as main.", False),
        ("Never force-push, not even to main.", False),
        ("Never push to main or elsewhere.", False),
        ("Never push to main or feature branches.", False),
        ("Never push to main other than from CI.", True),
        ("Don't push your branch to main.", True),
        ("Never push to main from a feature branch.", True),
        ("Never push to our protected branches main and develop.", True),
    ],
)
def test_sentence_that_names_other_branches_is_about_them(sentence: str, is_about_them: bool) -> None:
    assert names_other_branches(sentence.split(), {"pdf"}) is is_about_them
    assert not names_other_branches(sentence.split(), {"main", "release/3", "production", "staging"})
    assert not names_other_branches(sentence.split(), set())


def test_long_sentence_is_not_read_for_branches() -> None:
    begun = time.process_time()
    risk = find_risk("git push -f", branch="pdf")

    assert warns("Never force push " + "main " * 12_000, risk)
    assert time.process_time() - begun < 1  # 0.01 s; 15 if the words before each name were read again
