"""A review evaluates built-in checks: they run nothing."""

from __future__ import annotations

from pathlib import Path

from support.reviews import change_of, changed, fact

from gitmem.commands.review.checks import CodeAnswer, CodeAnswers
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.model import BUILTIN, Check
from gitmem.verify.inputs import CodeTree


def test_answer_says_where_it_holds_and_in_how_many_other_files(repo: Path) -> None:
    git = Git(discover(repo))
    common, denied = Check(BUILTIN, ("matches", "=", "**/*.py")), Check(BUILTIN, ("lacks", "HS512", "**"))

    answers = CodeAnswers(git, CodeTree(git, "HEAD"), [common, denied])

    found = answers.find(common)
    assert found is not None
    assert found.sentence == "holds: src/auth/jwt.py:1 matches '='; it also holds in 1 other file"
    assert answers.find(denied) == CodeAnswer("holds", "no file of ** contains 'HS512'", found_files(repo), 0)
    assert CodeAnswers(git, None, [common]).find(common) is None


def found_files(repo: Path) -> frozenset[str]:
    return frozenset(
        str(path.relative_to(repo)) for path in repo.rglob("*") if path.is_file() and ".git/" not in str(path)
    )


def test_review_shows_the_answer_of_a_new_check(repo: Path) -> None:
    review = changed(repo, {"facts/a.md": fact("Tokens are signed", "{contains: HS512, in: src/auth/*.py}")})

    command = change_of(review, "a").command
    assert command is not None
    assert command.answer == "fails: no file of src/auth/*.py contains 'HS512'"
