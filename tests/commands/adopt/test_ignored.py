"""Comments that tell gitmem to ignore a statement."""

from conftest import commit_files, git
from support.each import each

from gitmem.commands.adopt.ignored import split_ignored


@each(
    ("text", "ignored"),
    [
        ("- `a.py` <!-- gitmem: ignore made later -->\n- `b.py`\n", [(1, "made later")]),
        ("<!-- gitmem: ignore -->\n- `a.py`\n- `b.py`\n", [(1, ""), (2, "")]),
        ("- `a.py`\n  goes on <!-- gitmem: ignore x -->\n- `b.py`\n", [(1, "x")]),
        ("```sh\nmake a # gitmem: ignore example\nmake b\n```\n", [(2, "example")]),
        ("```sh\n# gitmem: ignore example\nmake a\nmake b\n```\n", [(2, "example"), (3, "example")]),
        ("| a | b |\n|---|---|\n| `a.py` | 1 <!-- gitmem: ignore --> |\n| `b.py` | 2 |\n", [(3, "")]),
        (
            "# H\n\n<!-- gitmem: ignore-file old notes -->\n\n- `a.py`\n",
            [(1, "old notes"), (3, "old notes"), (5, "old notes")],
        ),
        ("- `a.py`\n<!-- gitmem: ignore -->\n- `b.py`\n", [(2, ""), (3, "")]),
        ("One `a.py`\n<!-- gitmem: ignore -->\ntwo `b.py`\n", [(2, ""), (3, "")]),
        ("- gitmem: ignore is a comment\n- `b.py`\n", []),
    ],
)
def test_comment_applies_to_its_statement_or_to_the_next_one(text, ignored):
    kept, left_out = split_ignored(text)

    assert [(one.statement.line, one.reason) for one in left_out] == ignored
    assert all(one not in kept for one in (other.statement for other in left_out))


def test_ignored_statement_is_no_alarm_and_is_counted(repo, run_cli):
    text = "- See `src/a.py`.\n- See `src/b.py`. <!-- gitmem: ignore made by the build -->\n"
    commit_files(repo, {"AGENTS.md": text, "src/a.py": "", "src/b.py": ""})
    git(repo, "rm", "-q", "src/a.py", "src/b.py")
    git(repo, "commit", "-qm", "remove both")

    done = run_cli("adopt", "-v")

    assert done.status == 1
    assert "src/a.py does not exist" in done.out
    assert "src/b.py does not exist" not in done.out
    assert "AGENTS.md:2  ignored: made by the build" in done.out
    assert "1 ignored" in run_cli("adopt").out


def test_what_gitmem_installed_is_not_a_document_of_the_project(repo, run_cli):
    commit_files(repo, {"AGENTS.md": "# Rules\n\n- Never edit `src/a.py` by hand.\n", "src/a.py": ""})
    run_cli("install", "claude-code")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "install")

    run_cli("init")
    run_cli("adopt", "--apply")

    assert "Read AGENTS.md, README.md." in run_cli("adopt").out
    assert run_cli("list", "--kind", "convention").out == ""
