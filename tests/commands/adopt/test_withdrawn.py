"""On the default branch, verify retires the adopted facts that no document states any more."""

import json

import pytest
from conftest import commit_files, git

from gitmem.commands.adopt import withdrawn
from gitmem.commands.adopt.run import adopt

TEXT = "- `MAX_STEPS` (default: `100`) bounds the loop.\n- `config.py` has it.\n"


def adopted(repo, run_cli):
    commit_files(repo, {"AGENTS.md": TEXT, "config.py": "MAX_STEPS = 100\n"})
    assert run_cli("adopt", "--apply").status == 0
    assert run_cli("verify").status == 0


def claims(run_cli):
    listed = json.loads(run_cli("list", "--kind", "claim", "--json").out)["memories"]
    return sorted((one["title"], one["status"]) for one in listed)


PATH, VALUE = "`config.py` exists", "`MAX_STEPS` in `config.py` is 100"


def test_verify_retires_the_fact_of_a_corrected_sentence(memory, repo, run_cli):
    adopted(repo, run_cli)
    commit_files(repo, {"AGENTS.md": TEXT.replace("100", "500"), "config.py": "MAX_STEPS = 500\n"})

    done = run_cli("verify")

    assert done.status == 0
    assert "1 claim retired" in done.err
    assert claims(run_cli) == [(PATH, "verified")]
    assert run_cli("adopt", "--apply").status == 0
    assert claims(run_cli) == [(VALUE.replace("100", "500"), "unproven"), (PATH, "verified")]


def test_fact_of_a_reworded_or_moved_sentence_fails(memory, repo, run_cli):
    adopted(repo, run_cli)
    (repo / "docs").mkdir()
    git(repo, "mv", "AGENTS.md", "docs/AGENTS.md")
    commit_files(repo, {"docs/AGENTS.md": TEXT.replace("bounds", "limits"), "config.py": "MAX_STEPS = 500\n"})

    assert run_cli("verify").status == 1
    assert claims(run_cli) == [(VALUE, "failed"), (PATH, "verified")]


def test_fact_of_a_sentence_that_moved_to_another_document_stays(memory, repo, run_cli):
    adopted(repo, run_cli)
    first, second = TEXT.splitlines(keepends=True)
    commit_files(repo, {"AGENTS.md": second, "README.md": f"# Loops\n\n{first}", "config.py": "MAX_STEPS = 500\n"})

    assert run_cli("verify").status == 1
    assert claims(run_cli) == [(VALUE, "failed"), (PATH, "verified")]


def test_documents_of_withdrawn_facts_are_judged_once(memory, repo, run_cli, monkeypatch):
    adopted(repo, run_cli)
    git(repo, "switch", "-qc", "tidy")
    commit_files(repo, {"AGENTS.md": "- `config.py` has it.\n", "config.py": "MAX_STEPS = 500\n", "setup.py": ""})
    (repo / "config.py").unlink()
    commit_files(repo, {"limits.py": "MAX_STEPS = 500\n"})
    judged = []
    monkeypatch.setattr(
        withdrawn, "adopt", lambda git, commit, paths, **how: judged.append(paths) or adopt(git, commit, paths, **how)
    )

    run_cli("verify")

    assert judged == [["AGENTS.md"]]


def test_fact_of_a_name_in_a_file_is_retired_once_its_sentence_names_another_file(memory, repo, run_cli):
    text = "- Add the case in `load_all()` in `shell.py`.\n"
    code = {"src/shell.py": "def load_all(): ...\n", "src/run.py": "def run(): ...\n"}
    commit_files(repo, {"AGENTS.md": text, **code})
    assert run_cli("adopt", "--apply").status == 0
    assert ("`load_all` is defined in `src/shell.py`", "unproven") in claims(run_cli)
    moved = {"src/shell.py": "A = 1\n", "src/run.py": "def load_all(): ...\n"}
    commit_files(repo, {"AGENTS.md": text.replace("Add", "Write"), **moved})
    assert run_cli("verify").status == 1
    commit_files(repo, {"AGENTS.md": text.replace("shell", "run")})

    assert run_cli("verify").status == 0
    assert not any("load_all" in title for title, _ in claims(run_cli))


def test_version_that_another_file_states_now_is_checked_there(memory, repo, run_cli):
    text = "- Python 3.10+ is required\n- Node 18+ is required\n"
    old = {"setup.cfg": "[options]\npython_requires = >=3.10\n", "package.json": '{"engines": {"node": ">=18"}}'}
    commit_files(repo, {"AGENTS.md": text, **old})
    assert run_cli("adopt", "--apply").status == run_cli("verify").status == 0
    git(repo, "rm", "-q", *old)
    commit_files(repo, {"pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.10"\n'})

    done = run_cli("check", "--base", "HEAD~1")
    assert (done.status, "python-3-10" in done.out) == (1, False), "nothing says which Node is needed"
    assert run_cli("verify").status == 1
    assert claims(run_cli) == [
        ("`engines.node` in `package.json` is within 18", "failed"),
        ("`project.requires-python` in `pyproject.toml` is within 3.10", "verified"),
    ]


def test_other_branch_retires_nothing(memory, repo, run_cli):
    adopted(repo, run_cli)
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {"AGENTS.md": "# Nothing\n"})

    run_cli("verify")

    assert [title for title, _ in claims(run_cli)] == [VALUE, PATH]


def test_retired_fact_comes_back_with_its_sentence(memory, repo, run_cli):
    adopted(repo, run_cli)
    commit_files(repo, {"AGENTS.md": "# Nothing\n"})
    run_cli("verify")
    assert claims(run_cli) == []

    commit_files(repo, {"AGENTS.md": TEXT})
    run_cli("adopt", "--apply")

    assert [title for title, _ in claims(run_cli)] == [VALUE, PATH]


@pytest.mark.parametrize(
    ("text", "before", "after", "is_still_true"),
    [
        ("- `make lint` checks it\n", {"Makefile": "lint:\n\truff\n"}, {"GNUmakefile": "lint:\n\truff\n"}, True),
        ("- `make lint` checks it\n", {"Makefile": "lint:\n\truff\n"}, {"GNUmakefile": "check:\n\truff\n"}, False),
        ("- `one.py` has it\n", {"a/one.py": "A = 1\n"}, {"b/one.py": "B = 2\n"}, True),
        ("- `one.py` has it\n", {"a/one.py": "A = 1\n"}, {"b/two.py": "B = 2\n"}, False),
        ("- It opens port 4100\n", {"a.py": "PORT = 4100\n"}, {"a.py": "PORT: int = 4100  # open\n"}, True),
        ("- It opens port 4100\n", {"a.py": "PORT = 4100\n"}, {"a.py": "PORT = 4200\n"}, False),
    ],
)
def test_claim_that_holds_by_another_place_is_checked_there_and_named(
    memory, repo, run_cli, text, before, after, is_still_true
):
    commit_files(repo, {"AGENTS.md": text, **before})
    assert run_cli("adopt", "--apply").status == run_cli("verify").status == 0
    (before.keys() - after.keys()) and git(repo, "rm", "-q", *(before.keys() - after.keys()))
    commit_files(repo, after)

    checked, verified = run_cli("check", "--base", "HEAD~1"), run_cli("verify")

    assert (checked.status == 0, verified.status == 0) == (is_still_true, is_still_true)
    assert ("1 claim checked at another place" in verified.err) == is_still_true
    assert [status for _, status in claims(run_cli)] == ["verified" if is_still_true else "failed"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({}, {"AGENTS.md": "- `config.py` has it.\n", "config.py": "STEPS = 1\n"}, id="deleted"),
        pytest.param({}, {"AGENTS.md": TEXT.replace("100", "500"), "config.py": "MAX_STEPS = 500\n"}, id="changed"),
        pytest.param({}, {"AGENTS.md": "", "config.py": "MAX_STEPS = 500\n"}, id="document deleted"),
        pytest.param(
            {},
            {"AGENTS.md": "# No\n", "README.md": TEXT.replace("100", "500"), "config.py": "MAX_STEPS = 500\n"},
            id="moved to another document",
        ),
        pytest.param(
            {},
            {"AGENTS.md": TEXT.replace("config.py", "conf.py"), "config.py": "", "conf.py": "MAX_STEPS = 100\n#\n"},
            id="path renamed in both",
        ),
        pytest.param(
            {"AGENTS.md": "- It opens port 4100\n", "config.py": "PORT = 4100\n"},
            {"config.py": "PORT: int = 4100  # open\n"},
            id="holds by another place",
        ),
    ],
)
def test_branch_that_corrects_a_sentence_accuses_no_claim(memory, repo, run_cli, before, after):
    commit_files(repo, {"AGENTS.md": TEXT, "config.py": "MAX_STEPS = 100\n", **before})
    assert run_cli("adopt", "--apply").status == run_cli("verify").status == 0
    known, stored = claims(run_cli), git(repo, "rev-parse", "memory")
    git(repo, "checkout", "-q", "-b", "feature")
    for path in [path for path, text in after.items() if not text]:
        git(repo, "rm", "-q", path)
    for path, text in after.items():
        text and (repo / path).write_text(text)

    assert run_cli("verify", "--dirty").status == 0
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "correct")
    checked, verified, again = (run_cli(*argv) for argv in (("check", "--base", "main"), ("verify",), ("verify",)))

    assert [done.status for done in (checked, verified, again)] == [0, 0, 0], verified.out
    assert "gone or changed here: " in verified.err
    assert "gone or changed here: " in again.err
    assert git(repo, "rev-parse", "memory") == stored
    assert not {"failed", "suspect"} & {status for _, status in claims(run_cli)}
    assert [title for title, _ in claims(run_cli)] == [title for title, _ in known]
    named = json.loads(verified.err and run_cli("verify", "--json").out)["withdrawn"]
    assert all(run_cli("verify", one["key"]).status == 0 and one["because"] for one in named)
    assert all("it does not count" in run_cli("why", one["key"]).out for one in named)
    git(repo, "checkout", "-q", "main")
    assert run_cli("verify").status == 0
    assert claims(run_cli) == known, "the default branch still says so"
    git(repo, "merge", "-q", "feature")

    merged = run_cli("verify")

    assert (merged.status, "retired" in merged.err or "at another place" in merged.err) == (0, True)
    assert "retired" not in run_cli("verify").err


def test_branch_accuses_a_claim_whose_sentence_it_keeps(memory, repo, run_cli):
    adopted(repo, run_cli)
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {"AGENTS.md": "# No\n", "config.py": "MAX_STEPS = 500\n"})
    assert run_cli("verify").status == 0

    commit_files(repo, {"AGENTS.md": f"# Agents\n\n{TEXT.replace('bounds', 'limits')}"})

    assert run_cli("verify").status == 1
    assert claims(run_cli) == [(VALUE, "failed"), (PATH, "verified")]


@pytest.mark.parametrize(("stated", "status"), [("500", 0), ("400", 1)])
def test_branch_that_corrects_a_sentence_wrongly_fails_as_check_does(memory, repo, run_cli, stated, status):
    adopted(repo, run_cli)
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {"AGENTS.md": TEXT.replace("100", stated), "config.py": "MAX_STEPS = 500\n"})

    done = [run_cli(*argv).status for argv in (("check", "--base", "main"), ("verify",), ("verify",))]

    assert done == [status] * 3
