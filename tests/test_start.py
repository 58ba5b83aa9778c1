"""What a start loads: recall and the hooks run on every prompt, and an import is most of what they cost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.facts import make_fact, put

# Each costs 3 ms or more, 0.2 of a bare start, with Python 3.11 (signal 1 ms, pygit2 and whoosh ten times that).
SLOW = {
    "yaml", "frontmatter", "dataclasses", "typing", "inspect", "subprocess", "tomllib", "hashlib", "logging", "http",
    "concurrent.futures", "asyncio", "importlib.metadata", "re2", "pygit2", "git", "whoosh",
    "shutil", "signal", "textual", "rich",
}  # fmt: skip


def loaded_by(code: str) -> set[str]:
    """Return what *code* loads beyond a bare start, in a Python of its own."""
    script = f"import sys; before = set(sys.modules)\n{code}\nprint('\\n'.join(set(sys.modules) - before))"
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=env)
    return set(done.stdout.split())


def imported_while(argv: list[str], cwd: Path, *, stdin: str = "", status: int = 0) -> set[str]:
    """Return every module that a run of our Python with *argv* imports, lazily too."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GIT"))}
    env |= {"HOME": str(cwd), "GIT_CONFIG_NOSYSTEM": "1", "PYTHONPROFILEIMPORTTIME": "1"}
    done = subprocess.run(
        [sys.executable, *argv], input=stdin, capture_output=True, text=True, cwd=cwd, env=env, check=False
    )
    assert done.returncode == status, done.stderr
    return {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


def has(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


needs_recall = pytest.mark.skipif(not has("gitmem.cli.recall"), reason="there is no gitmem.cli.recall yet")


@needs_recall
def test_importing_recall_loads_nothing_slow() -> None:
    loaded = loaded_by("import gitmem.cli, gitmem.cli.recall")

    assert "gitmem.cli.recall" in loaded
    assert sorted(loaded & (SLOW | {"functools", "collections", "keyword"})) == []


@needs_recall
def test_recall_of_facts_whose_statuses_are_known_does_not_load_what_judges_them(
    template: Path, tmp_path: Path
) -> None:
    repo = tmp_path / "repo"
    shutil.copytree(template, repo, symlinks=True)
    put(repo, *(make_fact(f"f{n}", {"contains": "RS256", "in": "src/auth/jwt.py"}) for n in range(2)))
    argv = ["-m", "gitmem", "recall", "fact", "--limit", "1"]
    first = imported_while(argv, repo)

    assert "gitmem.index.catalog.fact_state" in first
    assert not {"gitmem.index.catalog.fact_state", "gitmem.text.secrets"} & imported_while(argv, repo)


def test_importing_what_tasks_are_ready_loads_nothing_slow() -> None:
    loaded = loaded_by("import gitmem.cli, gitmem.cli.task.ready, gitmem.tasks.query")

    assert "gitmem.cli.task.printing" in loaded
    assert sorted(loaded & SLOW) == []


@needs_recall
def test_running_recall_and_remember_on_a_warm_catalog_loads_nothing_slow(tmp_path: Path) -> None:
    gitmem = [sys.executable, "-m", "gitmem"]
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT")}
    env |= {"HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    for argv in (
        ["git", "init", "-q", "-b", "main"],
        [*gitmem, "init"],
        [*gitmem, "remember", "The gateway drops idle connections after a minute"],
        [*gitmem, "recall", "gateway connections"],
    ):
        subprocess.run(argv, cwd=tmp_path, env=env, check=True, capture_output=True)

    bare = imported_while(["-m", "runpy"], tmp_path)
    imported = imported_while(["-m", "gitmem", "recall", "gateway connections"], tmp_path)
    written = imported_while(["-m", "gitmem", "remember", "Timeouts of the ledger are in seconds"], tmp_path)

    assert "_sqlite3" in imported
    assert sorted((imported - bare) & (SLOW | {"re", "argparse", "gettext", "sqlite3", "datetime"})) == []
    assert sorted((written - bare) & (SLOW | {"re", "json", "pathlib", "argparse", "sqlite3", "datetime"})) == []


def test_hook_of_an_agents_tool_loads_nothing_slow(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT")}
    env |= {"HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    for argv in (["git", "init", "-q", "-b", "main"], [sys.executable, "-m", "gitmem", "init"]):
        subprocess.run(argv, cwd=tmp_path, env=env, check=True, capture_output=True)
    payload = {"hook_event_name": "PostToolUse", "session_id": "s", "cwd": str(tmp_path), "tool_name": "Bash"}
    used = json.dumps({**payload, "tool_input": {"command": "ls"}, "tool_response": {"stdout": "done"}})

    first = imported_while(["-m", "gitmem", "hook", "claude-code"], tmp_path, stdin=used)
    again = imported_while(["-m", "gitmem", "hook", "claude-code"], tmp_path, stdin=used.replace('"s"', '"t"'))

    assert "gitmem.agents.session.worklog" in first
    more = again - imported_while(["-m", "runpy"], tmp_path)
    assert sorted(more & (SLOW | {"re", "json", "argparse", "_sqlite3", "datetime", "importlib"})) == []


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: the checkout token cache retries (1795891967044851824)",
        "KeyError of apply_user_key here: see src/recommendations/order_store.py, step 2 of v3",
        "It ends. (more: gitmem show convention-wrap-redis-calls-of-refunds-in-an-encrypted-artifact)",
    ],
)
def test_prose_about_tokens_loads_no_patterns(text: str) -> None:
    loaded = loaded_by(f"from gitmem.text.secrets import redact; redact({text!r})")

    assert "gitmem.text.secret_rules" in loaded
    assert sorted(loaded & {"re", "enum", "functools"}) == []


def test_hook_of_an_edit_that_says_what_depends_on_the_file_loads_nothing_slow(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT")}
    env |= {"HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    gitmem = [sys.executable, "-m", "gitmem"]
    (tmp_path / "a.py").write_text("RETRIES = 5\n")
    for argv in (
        ["git", "init", "-q", "-b", "main"],
        [*gitmem, "init"],
        [*gitmem, "fact", "There are five retries", "--contains", "RETRIES = 5", "--in", "a.py", "--unproven"],
        [*gitmem, "list"],
    ):
        subprocess.run(argv, cwd=tmp_path, env=env, check=True, capture_output=True)
    payload = {"hook_event_name": "PostToolUse", "session_id": "s", "cwd": str(tmp_path), "tool_name": "Edit"}
    used = json.dumps({**payload, "tool_input": {"file_path": str(tmp_path / "a.py"), "new_string": "RETRIES = 6"}})

    imported = imported_while(["-m", "gitmem", "hook", "claude-code"], tmp_path, stdin=used)

    assert "gitmem.commands.context.near" in imported
    more = imported - imported_while(["-m", "runpy"], tmp_path)
    assert sorted(more & (SLOW | {"re", "json", "argparse", "sqlite3", "datetime", "importlib", "Stemmer"})) == []


def test_hook_of_a_failed_command_compiles_no_patterns(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT")}
    env |= {"HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    gitmem = [sys.executable, "-m", "gitmem"]
    for argv in (
        ["git", "init", "-q", "-b", "main"],
        [*gitmem, "init"],
        [*gitmem, "remember", "The gateway answers E_POOL_FULL while it starts"],
        [*gitmem, "list"],
    ):
        subprocess.run(argv, cwd=tmp_path, env=env, check=True, capture_output=True)
    payload = {"hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": str(tmp_path), "tool_name": "Bash"}
    failed = json.dumps({**payload, "tool_input": {"command": "make check"}, "error": "Exit code 1\nE_POOL_FULL"})

    imported = imported_while(["-m", "gitmem", "hook", "claude-code"], tmp_path, stdin=failed)

    assert {"gitmem.agents.capture.fixes", "gitmem.commands.context.parts"} <= imported
    more = imported - imported_while(["-m", "runpy"], tmp_path)
    assert sorted(more & (SLOW | {"re", "json", "argparse", "sqlite3", "datetime", "importlib"})) == []


@pytest.mark.whole_system
def test_start_of_a_session_loads_nothing_slow_to_say_which_facts_fail(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT")}
    env |= {"HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    gitmem = [sys.executable, "-m", "gitmem"]
    facts = [("path/a.py", "There are five retries"), ("path/b.py", "There are five attempts")]
    (tmp_path / "path").mkdir()
    for place, _ in facts:
        (tmp_path / place).write_text("LIMIT = 5\n")
    for argv in (
        ["git", "init", "-q", "-b", "main"],
        ["git", "config", "user.name", "Ana"],
        ["git", "config", "user.email", "ana@example.org"],
        [*gitmem, "init"],
        *([*gitmem, "fact", title, "--contains", "LIMIT = 5", "--in", place, "--unproven"] for place, title in facts),
        ["git", "add", "path"],
        ["git", "commit", "-q", "-m", "code"],
        [*gitmem, "verify"],
        ["git", "rm", "-q", "-r", "path"],
        ["git", "commit", "-q", "-m", "no code"],
    ):
        subprocess.run(argv, cwd=tmp_path, env=env, check=True, capture_output=True)
    subprocess.run([*gitmem, "verify"], cwd=tmp_path, env=env, check=False, capture_output=True)
    payload = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(tmp_path), "source": "startup"}

    imported_while(["-m", "gitmem", "hook", "claude-code"], tmp_path, stdin=json.dumps(payload))
    again = imported_while(
        ["-m", "gitmem", "hook", "claude-code"], tmp_path, stdin=json.dumps(payload | {"session_id": "t"})
    )

    assert "gitmem.verify.overview.cause" in again
    more = again - imported_while(["-m", "runpy"], tmp_path)
    assert sorted(more & (SLOW | {"re", "json", "argparse", "sqlite3", "datetime", "importlib"})) == []


def test_verify_loads_nothing_that_runs_or_explains_checks_where_nothing_is_due(tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    gitmem, who = [sys.executable, "-m", "gitmem"], ["-c", "user.name=Ana", "-c", "user.email=ana@example.org"]
    for argv in (
        ["git", "init", "-q", "-b", "main"],
        ["git", *who, "commit", "-q", "--allow-empty", "-m", "code"],
        [*gitmem, "fact", "There is no setup.py", "--absent", "setup.py"],
        [*gitmem, "verify"],
    ):
        subprocess.run(argv, cwd=tmp_path, env=env, check=True, capture_output=True)

    imported = imported_while(["-m", "gitmem", "verify"], tmp_path)

    assert "gitmem.verify.session" in imported
    assert (
        sorted(
            imported
            & {"gitmem.commands.why", "gitmem.verify.run.judge", "gitmem.verify.sandbox.sandbox", "concurrent.futures"}
        )
        == []
    )
    more = imported - imported_while(["-m", "runpy"], tmp_path)
    assert sorted(more & {"re", "json", "pathlib"}) == []


def test_commit_that_no_fact_reads_loads_nothing_that_judges(tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    gitmem, who = [sys.executable, "-m", "gitmem"], ["-c", "user.name=Ana", "-c", "user.email=ana@example.org"]
    (tmp_path / "notes").touch()
    for argv in (
        ["git", "init", "-q", "-b", "main"],
        ["git", *who, "commit", "-q", "--allow-empty", "-m", "code"],
        [*gitmem, "fact", "There is no setup.py", "--absent", "setup.py"],
        [*gitmem, "fact", "Nothing below src is empty", "--absent", "src/**/empty"],
        ["git", "add", "notes"],
    ):
        subprocess.run(argv, cwd=tmp_path, env=env, check=True, capture_output=True)

    imported = imported_while(["-m", "gitmem", "hook", "check"], tmp_path)

    assert "gitmem.commands.check.staged_files" in imported
    assert "gitmem.commands.check.outcome" not in imported
    # git is asked what is staged, so `subprocess` is, and what it needs.
    assert sorted((imported - imported_while(["-c", "pass"], tmp_path)) & (SLOW - {"subprocess", "signal"})) == []


def test_check_of_a_fact_that_no_document_states_loads_nothing_that_judges_documents(tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    gitmem, who = [sys.executable, "-m", "gitmem"], ["-c", "user.name=Ana", "-c", "user.email=ana@example.org"]
    (tmp_path / "setup.py").touch()
    for argv in (
        ["git", "init", "-q", "-b", "main"],
        ["git", *who, "commit", "-q", "--allow-empty", "-m", "code"],
        [*gitmem, "fact", "There is no setup.py", "--absent", "setup.py"],
        ["git", "add", "setup.py"],
        ["git", *who, "commit", "-q", "-m", "It comes back"],
    ):
        subprocess.run(argv, cwd=tmp_path, env=env, check=True, capture_output=True)

    imported = imported_while(["-m", "gitmem", "check", "--base", "HEAD~1"], tmp_path, status=1)

    assert "gitmem.commands.check.outcome" in imported
    assert not [name for name in imported if name.startswith("gitmem.commands.adopt")]


def test_slow_import_would_be_seen(tmp_path: Path) -> None:
    assert "dataclasses" in loaded_by("import dataclasses") & SLOW
    assert "dataclasses" in imported_while(["-c", "import dataclasses"], tmp_path)
    assert not loaded_by("import gitmem.model, gitmem.errors") & SLOW
