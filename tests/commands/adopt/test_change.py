"""Adopt with a base on real repositories: which statements a change makes false, and which it does not."""

import pytest
from conftest import commit_files, git

from gitmem.commands.adopt.change import find_base
from gitmem.commands.adopt.findings import FALSE
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover


def messages(repo, base="before"):
    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), base=handle.resolve(base))
    return [(one.claim.token, one.fix) for one in adoption.of(FALSE)]


def corrected(repo):
    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), base=handle.resolve("before"))
    lines = (repo / "AGENTS.md").read_text(encoding="utf-8").split("\n")
    new = {one.line: one.after for one in adoption.corrections}
    after = (new.get(number, line) for number, line in enumerate(lines, 1))
    return "\n".join(line for line in after if line is not None)


DOCUMENT = "- Go 1.24+\n- `max_tries` (default: `3`)\n- `make unit`\n- `sign_claims` signs\n- `src/old.py` has tables\n"
CODE = {
    "AGENTS.md": DOCUMENT,
    "go.mod": "module x\n\ngo 1.24\n",
    "src/run.py": "def run(max_tries: int = 3): ...\n",
    "Makefile": "unit:\n\tpytest\n",
    "src/sign.py": "def sign_claims():\n    return 1\n",
    "src/old.py": "OLD = 1\nOLDER = 2\nOLDEST = 3\n",
}


@pytest.mark.parametrize(
    ("changed", "false"),
    [
        ({"go.mod": "module x\n\ngo 1.25\n"}, [("Go 1.24+", "1.25")]),
        ({"src/run.py": "def run(max_tries: int = 5): ...\n"}, [("max_tries = 3", "5")]),
        ({"Makefile": "all:\n\techo\n"}, [("make unit", "")]),
        ({"src/sign.py": "def sign():\n    return 1\n"}, [("sign_claims", "")]),
        ({"src/old.py": None}, [("src/old.py", "")]),
        ({"src/old.py": None, "src/new.py": CODE["src/old.py"]}, [("src/old.py", "src/new.py")]),
        ({"src/more.py": "A = 1\n"}, []),
    ],
)
def test_statement_that_held_before_the_change_is_false_after_it(repo, changed, false):
    commit_files(repo, CODE)
    git(repo, "tag", "before")
    for path, text in changed.items():
        if text is None:
            git(repo, "rm", "-q", path)
    commit_files(repo, {path: text for path, text in changed.items() if text is not None})

    assert messages(repo) == false


def test_renamed_target_of_a_settings_file_is_found_by_its_commands(repo):
    settings = '[tool.tox.env.unit]\ncommands = [["pytest"]]\n\n[tool.tox.env.docs]\ncommands = [["sphinx"]]\n'
    commit_files(repo, {"AGENTS.md": "- `tox r -e unit` runs each unit\n", "pyproject.toml": settings})
    git(repo, "tag", "before")
    commit_files(repo, {"pyproject.toml": settings.replace("unit", "quick")})

    assert messages(repo) == [("tox unit", "tox quick")]
    assert corrected(repo) == "- `tox r -e quick` runs each unit\n"


GUIDE = "- `src/old.py`: the tables\n- `src/a.py`, `src/b.py`\n- `make old`\n\nAlways read `src/sub/c.py`.\n"


def test_change_is_offered_as_what_to_say_or_what_to_remove(repo):
    files = {"src/old.py": "OLD = 1\n", "src/a.py": "", "src/b.py": "B = 1\n", "src/sub/c.py": "C = 1\nD = 2\n"}
    commit_files(repo, {**files, "AGENTS.md": GUIDE, "Makefile": "old: all\n\tpytest -q\n\nall:\n\techo\n"})
    git(repo, "tag", "before")
    git(repo, "rm", "-q", "src/old.py", "src/b.py", "src/sub/c.py")
    commit_files(repo, {"src/c.py": "print()\n", "Makefile": "new: all\n\tpytest -q\n\nall:\n\techo\n"})

    assert messages(repo) == [
        ("src/old.py", ""),
        ("src/b.py", ""),
        ("make old", "make new"),
        ("src/sub/c.py", "src/c.py"),
    ]
    assert corrected(repo) == "- `src/a.py`\n- `make new`\n\nAlways read `src/c.py`.\n"


def test_statement_that_was_false_before_the_change_is_left_out(repo):
    commit_files(repo, CODE)
    commit_files(repo, {"go.mod": "module x\n\ngo 1.25\n"})
    git(repo, "tag", "before")
    commit_files(repo, {"go.mod": "module x\n\ngo 1.26\n", "AGENTS.md": f"# Guide\n{DOCUMENT}"})

    assert messages(repo) == []


def test_change_that_edits_line_and_code_at_once_is_judged_by_the_new_line(repo):
    commit_files(repo, CODE)
    git(repo, "tag", "before")
    git(repo, "rm", "-q", "src/old.py")
    commit_files(repo, {"AGENTS.md": DOCUMENT.replace("has tables", "has all tables").replace("1.24", "1.23")})

    assert messages(repo) == [("Go 1.23+", "1.24"), ("src/old.py", "")]


def test_renamed_document_makes_no_old_falsehood_new(repo):
    commit_files(repo, CODE | {"go.mod": "module x\n\ngo 1.25\n"})
    git(repo, "tag", "before")
    git(repo, "mv", "AGENTS.md", "CLAUDE.md")
    commit_files(repo, {})

    assert messages(repo) == []


def test_base_is_where_the_head_left_the_other_branch(repo):
    left = git(repo, "rev-parse", "HEAD").strip()
    git(repo, "branch", "topic")
    commit_files(repo, {"a": ""})
    git(repo, "switch", "-q", "topic")
    commit_files(repo, {"b": ""})
    handle = Git(discover(repo))

    assert find_base(handle, "main", handle.resolve("HEAD")) == left


@pytest.mark.parametrize(("homes", "fix"), [(("b", "b", "c"), "src/b/"), (("b", "c", "d"), "")])
def test_folder_is_corrected_only_to_where_most_of_its_files_went(repo, homes, fix):
    files = {f"src/parts/{name}.py": f"{name.upper()} = 1\n" * 9 for name in ("one", "two", "three")}
    commit_files(repo, {"AGENTS.md": "- `src/parts/` has tables\n", **files})
    git(repo, "tag", "before")
    for home, path in zip(homes, files, strict=True):
        (repo / "src" / home).mkdir(exist_ok=True)
        git(repo, "mv", path, f"src/{home}/")
    commit_files(repo, {})

    assert messages(repo) == [("src/parts/", fix)]
