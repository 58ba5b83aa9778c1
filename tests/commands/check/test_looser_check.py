"""If only the form of a text changed, a looser check that holds is suggested."""

from __future__ import annotations

import re

from conftest import commit_files
from support.code_changes import change, check, finding
from support.each import each
from support.facts import make_fact, put

from gitmem.commands.check.looser_check import looser_pattern


@each(
    ("text", "same", "other"),
    [
        ("timeout=5", ["timeout = 5.0", "timeout  =5"], ["timeout=50", "timeout=5.5", "xtimeout=5", "timeout: 5"]),
        ('NAME = "x"', ["NAME='x'", 'NAME  =  "x"'], ['NAME = "xy"']),
        ("def send(self, url)", ["def  send( self,url )"], ["defsend(self, url)"]),
    ],
)
def test_looser_pattern_matches_other_forms_of_the_text_alone(text: str, same: list[str], other: list[str]) -> None:
    pattern = looser_pattern(text)

    assert [one for one in (text, *same) if not re.search(pattern, one)] == []
    assert [one for one in other if re.search(pattern, one)] == []


@each("text", ["RS256", "a=1", "straße = 5", "x\ny = 5"])
def test_text_without_another_form_has_no_pattern(text: str) -> None:
    assert looser_pattern(text) == ""


def test_reformatted_code_is_offered_a_looser_check(memory, repo) -> None:
    retries = {"in": "src/gateway/retry.py"}
    put(
        repo,
        make_fact("text", {"contains": "RETRIES = 3"} | retries),
        make_fact("pattern", {"matches": r"RETRIES = 3\b"} | retries),
        make_fact("other", {"contains": "ETRIES = 3\n"} | retries),
    )
    change(repo, {"src/gateway/retry.py": "RETRIES=3.0\n"})

    checked = check(memory)

    command = r"gitmem edit text --matches '\bRETRIES\s*=\s*3(?:\.0+)?(?:[^\w.]|$)' --in src/gateway/retry.py"
    assert finding(checked, "text").because.endswith(f"; only its form differs, and a looser check holds: {command}")
    assert "gitmem edit pattern --matches" in finding(checked, "pattern").because
    assert "looser" not in finding(checked, "other").because


def test_another_value_is_offered_nothing(memory, repo) -> None:
    put(repo, make_fact("text", {"contains": "RETRIES = 3", "in": "src/gateway/retry.py"}))
    change(repo, {"src/gateway/retry.py": "RETRIES = 4\n"})

    assert finding(check(memory), "text").because == "src/gateway/retry.py does not contain 'RETRIES = 3'"


def test_text_that_another_file_had_before_is_not_offered_there(memory, repo) -> None:
    commit_files(repo, {"examples/a/retry.py": "RETRIES = 5\n"})
    put(repo, make_fact("text", {"contains": "RETRIES = 5", "in": "src/gateway/retry.py"}))
    change(repo, {"src/gateway/retry.py": "RETRIES = 7\n"})

    assert finding(check(memory), "text").because == "src/gateway/retry.py does not contain 'RETRIES = 5'"


def test_name_that_its_file_only_passes_on_is_offered_the_files_that_may_have_it(memory, repo) -> None:
    put(
        repo,
        make_fact("name", {"symbol": "sign", "in": "src/auth/jwt.py"}),
        make_fact("text", {"contains": "def sign", "in": "src/auth/jwt.py"}),
        make_fact("gone", {"symbol": "RETRIES", "in": "src/gateway/retry.py"}),
    )
    change(
        repo,
        {
            "src/auth/jwt.py": "from .tokens import sign\n",
            "src/auth/tokens.py": "def sign(claims):\n    return claims\n",
            "src/gateway/retry.py": "pass\n",
        },
    )

    checked = check(memory)

    offered = "gitmem edit name --symbol sign --in src/auth/jwt.py --or-in 'src/auth/**'"
    assert (
        f"; if the claim is not about one file, src/auth/tokens.py:1 defines sign: {offered}"
        in finding(checked, "name").because
    )
    assert "--contains 'def sign' --in src/auth/jwt.py --or-in 'src/auth/**'" in finding(checked, "text").because
    assert "--or-in" not in finding(checked, "gone").because
