"""Which branches commands of git change, and which sentences are about others."""

from __future__ import annotations

from support.each import each

from gitmem.agents.moments.branches import changed_branches, is_about_others


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
    ],
)
def test_branches_are_those_that_a_command_changes(line: str, changed: set[str]) -> None:
    assert changed_branches(line, "pdf") == changed


@each(
    ("sentence", "is_about_others_"),
    [
        ("Never rebase `release/*`: auditors read it.", True),
        ("Don't push to main.", True),
        ("Release branches are never rebased.", True),
        ("Never rebase pdf/main files", False),
        ("Never rebase.", False),
    ],
)
def test_sentence_that_names_other_branches_is_about_them(sentence: str, is_about_others_: bool) -> None:
    assert is_about_others(sentence.split(), {"pdf"}) is is_about_others_
    assert not is_about_others(sentence.split(), {"main", "release/3"})
    assert not is_about_others(sentence.split(), set())
