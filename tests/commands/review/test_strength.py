"""Checks that became weaker, or are weaker than their claim."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import commit_files
from support.reviews import changed, fact, of, text

from gitmem.commands.review.checks import CodeAnswers
from gitmem.commands.review.model import NOTE
from gitmem.commands.review.strength import why_weaker
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.model import BUILTIN, SHELL, Check
from gitmem.text.hazards.instructions import WARNING
from gitmem.verify.inputs import CodeTree


@pytest.fixture(scope="module")
def code(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with many files that have a common word."""
    folder = Path(shutil.copytree(template, tmp_path_factory.mktemp("strength") / "service", symlinks=True))
    commit_files(folder, {f"src/part{n}.py": f"def part{n}():\n    return {n}\n" for n in range(8)})
    return folder


def builtin(*words: str) -> Check:
    return Check(BUILTIN, words)


RS256 = builtin("contains", "RS256", "src/auth/*.py")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (RS256, builtin("exists", "README.md"), "only asks whether README.md is there"),
        (RS256, builtin("contains", "RS", "src/auth/*.py"), "a part of 'RS256'"),
        (RS256, builtin("contains", "RS256", "**"), "any file of ** may have it"),
        (RS256, builtin(*RS256.words, "**"), "any code file of ** may have it once src/auth/*.py has not"),
        (RS256, builtin("contains", "return", "src/**"), "it holds in 9 files, the one before in 1"),
        (
            builtin("lacks", "HS256", "src/**"),
            builtin("lacks", "HS256", "src/auth/jwt.py"),
            "into src/auth/jwt.py alone",
        ),
        (builtin("lacks", "HS256", "src/**"), builtin("lacks", "HS256-none", "src/**"), "forbids 'HS256-none' alone"),
        (
            builtin("value", "pyproject.toml#project.name", "service"),
            builtin("value", "pyproject.toml#project.name", "", "0"),
            "accepts other values: at-least 0",
        ),
        (builtin("depends", "httpx", "", ">=0.27"), builtin("depends", "httpx"), "no longer asks at >=0.27"),
        (Check(SHELL, ("make ports",)), builtin("contains", "x", "README.md"), "it runs nothing"),
        (Check(SHELL, ("make ports && make types",)), Check(SHELL, ("make types",)), "no longer runs make ports"),
        # As strict, or nothing is known of it.
        (RS256, builtin("contains", "EdDSA", "src/auth/*.py"), ""),
        (builtin("contains", "RS", "src/auth/*.py"), RS256, ""),
        (builtin(*RS256.words, "**"), RS256, ""),
        (builtin("contains", "RS256", "src/**"), RS256, ""),
        (builtin("lacks", "HS256", "src/auth/jwt.py"), builtin("lacks", "HS256", "src/**"), ""),
        (Check(SHELL, ("test -f README.md",)), builtin("exists", "README.md"), ""),
        (Check(SHELL, ("make ports",)), Check(SHELL, ("make port-numbers",)), ""),
    ],
)
def test_check_that_says_less_is_weaker(code: Path, old: Check, new: Check, why: str) -> None:
    git = Git(discover(code))
    answers = CodeAnswers(git, CodeTree(git, "HEAD"), [one for one in (old, new) if one.form == BUILTIN])

    found = why_weaker(old, new, answers)

    assert why in found
    assert bool(found) == bool(why)


def test_what_a_change_makes_of_a_claim_and_its_check_is_found_by_memory(repo: Path) -> None:
    rs256 = "{contains: RS256, in: src/auth/*.py}"
    base = {
        "facts/removed.md": fact("Tokens are signed with RS256", rs256),
        "facts/real.md": fact("Keys are rotated by RS256 tokens", rs256),
        "facts/seldom.md": fact("The algorithm is RS256", rs256, ttl="30d", requires="[real]", refute="grep x y"),
        "facts/claim.md": fact("Tokens live 5 minutes", rs256),
        "facts/words.md": fact("Tokens carry a signature", rs256),
        "gotchas/loud.md": text("The gateway drops requests", importance="low"),
    }
    review = changed(
        repo,
        base,
        {
            "facts/removed.md": text("Tokens are signed with RS256", kind="gotcha"),
            "facts/new.md": fact("Keys are rotated with the gateway", "{exists: README.md}", supersedes="[real]"),
            "facts/seldom.md": fact("The algorithm is RS256", rs256, ttl="never"),
            "facts/claim.md": fact("Tokens live 50 minutes", rs256),
            "facts/words.md": fact("Every token carries a signature", rs256),
            "gotchas/loud.md": text("The gateway drops requests", importance="critical"),
        },
    )

    assert [(one.key, one.severity) for one in of(review, "check-removed")] == [("removed", WARNING)]
    weaker = {(one.key, one.message.partition(":")[0]) for one in of(review, "check-weaker")}
    assert weaker == {
        ("new", "it supersedes real, whose check said more than the new one"),
        ("seldom", "its check runs less often"),
        ("seldom", "its counterexample is gone"),
    }
    assert [one.key for one in of(review, "check-unrelated")] == ["new"]
    assert [one.key for one in of(review, "requires-dropped")] == ["seldom"]
    assert [(one.key, one.severity) for one in of(review, "claim-changed")] == [("claim", WARNING), ("words", NOTE)]
    assert [one.key for one in of(review, "importance-raised")] == ["loud"]
    assert all(one.line for one in of(review, "claim-changed"))
