"""A change that makes a documented fact false is shown at the document's line, with the line that would be right."""

from __future__ import annotations

import pytest
from conftest import NOW, commit_files, git
from support.code_changes import change, check, finding
from support.facts import make_fact, put

from gitmem.cli.check import exit_status
from gitmem.commands.check.summary import findings_of
from gitmem.commands.report import github, render
from gitmem.verify.overview.finding import BROKEN, Spot

NOTES = "# Notes\n\n- Python 3.10+\n- Handlers are in `src/routes.py`.\n- `retries` is 3.\n"
CODE = {
    "AGENTS.md": NOTES,
    "pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.10"\n',
    "src/routes.py": "def show(city):\n    return city\n\n\ndef search(text):\n    return text\n",
    "src/client.py": "retries = 3\n",
}
PYTHON = make_fact(
    *("python", {"value": "pyproject.toml#project.requires-python", "is": ">=3.10"}),
    title="Python 3.10+",
    refs=["AGENTS.md:3"],
)
ROUTES = make_fact("routes", {"exists": "src/routes.py"}, title="Handlers are in src/routes.py", refs=["AGENTS.md:4"])
RETRIES = make_fact(
    "retries", {"contains": "retries = 3", "in": "src/client.py"}, title="retries is 3", refs=["AGENTS.md:5"]
)


def test_broken_fact_is_shown_at_the_line_of_the_document_with_the_right_one(memory, repo):
    commit_files(repo, CODE)
    put(repo, PYTHON, ROUTES, RETRIES)
    change(
        repo,
        {
            "pyproject.toml": CODE["pyproject.toml"].replace("3.10", "3.12"),
            "src/client.py": "retries = 5\n",
        },
    )

    checked = check(memory)

    (python,), (retries,) = finding(checked, "python").stated, finding(checked, "retries").stated
    assert (python.spot, python.where, python.corrected) == (Spot("AGENTS.md", 3), "pyproject.toml:3", "- Python 3.12+")
    assert (retries.spot, retries.corrected) == (Spot("AGENTS.md", 5), "- `retries` is 5.")
    assert retries.where == "src/client.py:1"
    assert not python.is_in_diff
    assert "file=AGENTS.md,line=3" in github.commands(findings_of(checked, now=NOW))
    assert "```diff\n-- Python 3.10+\n+- Python 3.12+\n```" in render("markdown", findings_of(checked, now=NOW))


def test_line_that_the_change_shows_takes_a_suggestion_at_its_new_place(memory, repo):
    commit_files(repo, CODE)
    put(repo, PYTHON)
    moved = NOTES.replace("# Notes\n", "# Notes\n\nRead this first.\n")
    change(repo, {"AGENTS.md": moved, "pyproject.toml": CODE["pyproject.toml"].replace("3.10", "3.12")})

    (line,) = finding(check(memory), "python").stated

    assert (line.spot, line.corrected) == (Spot("AGENTS.md", 5), "- Python 3.12+")
    assert line.is_in_diff


def test_fact_whose_refs_name_no_document_has_no_such_line(memory, repo):
    commit_files(repo, CODE)
    put(repo, make_fact("client", {"contains": "retries = 3", "in": "src/client.py"}, refs=["src/client.py:1"]))
    change(repo, {"src/client.py": "retries = 5\n"})

    assert finding(check(memory), "client").stated == ()


def moved(repo):
    git(repo, "checkout", "-q", "-b", "change")
    (repo / "src/web").mkdir()
    git(repo, "mv", "src/routes.py", "src/web/routes.py")
    git(repo, "commit", "-qm", "move")


def test_renamed_file_breaks_a_fact_about_its_path(memory, repo):
    commit_files(repo, CODE)
    put(repo, ROUTES)
    moved(repo)

    assert [(found.key, found.kind) for found in check(memory).findings] == [("routes", "newly_false")]


def test_old_path_in_a_document_is_a_finding_of_an_adopted_fact(memory, repo):
    commit_files(repo, CODE)
    put(repo, make_fact("routes", {"exists": "src/routes.py"}, title="x", kind="claim", refs=["AGENTS.md:4"]))
    moved(repo)

    checked = check(memory)

    (line,) = finding(checked, "routes").stated
    assert (finding(checked, "routes").kind, line.spot) == ("outdated", Spot("AGENTS.md", 4))
    assert line.corrected == "- Handlers are in `src/web/routes.py`."
    assert exit_status(checked, "newly_false") == 0
    assert "::warning file=AGENTS.md,line=4" in github.commands(findings_of(checked, now=NOW))


def test_document_that_follows_the_rename_is_not_a_finding(memory, repo):
    commit_files(repo, CODE)
    put(repo, make_fact("routes", {"exists": "src/routes.py"}, title="x", kind="claim", refs=["AGENTS.md:4"]))
    moved(repo)
    commit_files(repo, {"AGENTS.md": NOTES.replace("src/routes", "src/web/routes")})

    assert finding(check(memory), "routes").kind == "holds"


def test_name_that_left_the_file_on_the_line_is_shown_with_the_file_that_has_it_now(memory, repo):
    commit_files(repo, {**CODE, "AGENTS.md": "- `search` is in `src/routes.py`\n"})
    put(repo, make_fact("search", {"symbol": "search", "in": "src/routes.py"}, refs=["AGENTS.md:1"]))
    change(repo, {"src/routes.py": "def show(city): ...\n", "src/find.py": "def search(text): ...\n"})

    (line,) = finding(check(memory), "search").stated

    assert line.corrected == "- `search` is in `src/find.py`"


GUIDE = """# Guide

- Limits: `src/limits.py`
  - `src/limits.py` has no tests
- Sign in `src/a.py` and `src/b.py`
- `make unit` runs what is quick
- Always read `src/rules.py` first.
"""


def test_removal_or_new_path_is_offered_at_the_line_of_an_adopted_fact(memory, repo, run_cli):
    sources = dict.fromkeys(("src/limits.py", "src/a.py", "src/b.py", "src/rules.py"), "")
    commit_files(repo, {"AGENTS.md": GUIDE, "Makefile": "unit:\n\tpytest -q unit\n", **sources})
    assert run_cli("adopt", "--apply").status == 0
    git(repo, "rm", "-q", "src/limits.py", "src/a.py", "src/rules.py")
    change(repo, {"Makefile": "quick:\n\tpytest -q unit\n"})

    checked = check(memory)

    found = {line.spot.line: line for one in checked.of(BROKEN) for line in one.stated}
    assert {number: line.corrected or line.remove for number, line in found.items()} == {
        3: "remove lines 3 to 4",
        4: "remove lines 3 to 4",
        5: "- Sign in `src/b.py`",
        6: "- `make quick` runs what is quick",
        7: "",
    }
    shown = findings_of(checked, now=NOW)
    assert "; remove lines 3 to 4." in github.commands(shown)
    assert "AGENTS.md:3 is about something that is gone: remove lines 3 to 4." in render("markdown", shown)


STEPS = {
    "AGENTS.md": "# Guide\n\n- `MAX_STEPS` (default: `100`) bounds the loop.\n- See `config.py`.\n",
    "config.py": "MAX_STEPS = 100\n",
}


def pull_request(repo, run_cli, text, path="AGENTS.md"):
    """Adopt the document, and make a branch that changes the value in the code and the document."""
    commit_files(repo, STEPS)
    assert run_cli("adopt", "--apply").status == 0
    gone = () if path == "AGENTS.md" and text else ("AGENTS.md",)
    change(repo, {"config.py": "MAX_STEPS = 500\n", **({path: text} if text else {})}, gone=gone)


@pytest.mark.parametrize(
    ("text", "path", "is_retired"),
    [
        (STEPS["AGENTS.md"].replace("100", "500"), "AGENTS.md", True),
        ("# Guide\n\n- See `config.py`.\n", "AGENTS.md", True),
        ("", "AGENTS.md", True),
        (STEPS["AGENTS.md"].replace("bounds", "limits"), "AGENTS.md", False),
        (STEPS["AGENTS.md"].replace("100", "300"), "AGENTS.md", False),
        (STEPS["AGENTS.md"], "docs/AGENTS.md", False),
        (STEPS["AGENTS.md"].replace("- See", "- Read"), "AGENTS.md", False),
    ],
    ids=["corrected", "sentence deleted", "document deleted", "reworded", "another value", "document moved", "kept"],
)
def test_check_and_adopt_agree_on_a_change_of_document_and_code(memory, repo, run_cli, text, path, is_retired):
    pull_request(repo, run_cli, text, path)

    checked = check(memory)

    (claim,) = [one for one in checked.findings if "max-steps" in one.key]
    assert claim.kind == ("retired" if is_retired else BROKEN)
    assert exit_status(checked, "newly_false") == run_cli("adopt", "--base", "main").status == int(not is_retired)


def test_claim_that_another_document_makes_anew_does_not_keep_the_one_that_is_gone(memory, repo, run_cli):
    commit_files(repo, {**STEPS, "docs/a.md": "# A\n"})
    assert run_cli("adopt", "--apply").status == 0
    other = "# A\n\n| `config.py` | is written by the release |\n"
    change(repo, {"AGENTS.md": "# Guide\n", "docs/a.md": other}, gone=("config.py",))

    checked = check(memory)

    assert {one.kind for one in checked.findings} == {"retired"}


def test_reworded_sentence_is_shown_where_it_is_now(memory, repo, run_cli):
    pull_request(repo, run_cli, "Read this.\n\n- `MAX_STEPS` (default: `100`) limits it.\n")

    (claim,) = check(memory).of(BROKEN)

    (line,) = claim.stated
    assert (line.spot, line.where) == (Spot("AGENTS.md", 3), "config.py:1")
    assert line.corrected == "- `MAX_STEPS` (default: `500`) limits it."


def test_line_is_corrected_only_to_what_holds_there(memory, repo, run_cli):
    text = "- Run `npm start`\n- See [routes](/src/routes.py)\n- `retries` is 3, and 3 are many\n"
    package = '{\n  "scripts": {\n    "start": "node ."\n  }\n}\n'
    commit_files(repo, {**CODE, "AGENTS.md": text, "package.json": package})
    assert run_cli("adopt", "--apply").status == 0
    put(
        *(repo, make_fact("retries", {"contains": "retries = 3", "in": "src/client.py"}, refs=["AGENTS.md:3"])),
        make_fact("routes", {"exists": "src/routes.py"}, refs=["AGENTS.md:2"]),
    )
    moved(repo)
    commit_files(repo, {"package.json": package.replace("start", "start-app"), "src/client.py": "retries = 5\n"})

    found = {line.spot.line: line.corrected for one in check(memory).findings for line in one.stated}

    assert found == {1: "- Run `npm run start-app`", 2: "- See [routes](/src/web/routes.py)", 3: ""}
