"""``gitmem install git-hooks``: what it says, and what it leaves to the person."""

from __future__ import annotations

import io
from pathlib import Path

from conftest import commit_files, git
from support.each import each

from gitmem.cli import install
from gitmem.cli.output import Output
from gitmem.commands.install import shim
from gitmem.commands.install.place import InstallStep


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_print_shows_each_file_as_a_difference_and_changes_nothing(run_cli, repo: Path) -> None:
    ran = run_cli("install", "git-hooks", "--print")

    assert ran.status == 0
    assert f"add     {repo}/.git/hooks/post-checkout  a git hook\n" in ran.out
    assert f"+{shim.MARK}post-checkout\n" in ran.out
    assert not (repo / ".git" / "hooks" / "post-checkout").exists()


def test_print_keeps_the_tabs_of_files(run_cli, repo: Path) -> None:
    ran = run_cli("install", "schedule", "--launchd", "--print")

    assert "+\t<key>Label</key>\n" in ran.out


def test_paths_below_the_current_folder_are_short_on_a_terminal(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = Screen()
    steps = [InstallStep("add", path, "commit it to share it") for path in (f"{tmp_path}/.codex/hooks.json", "/etc/x")]

    install.print_steps(steps, Output(color="never", stdout=shown, stderr=io.StringIO()))

    *files, last = shown.getvalue().splitlines()
    assert [line.split()[1:] for line in files] == [[".codex/hooks.json"], ["/etc/x"]]
    assert last == "commit these files to share them"


def test_two_schedulers_cannot_be_combined(run_cli, repo: Path) -> None:
    ran = run_cli("install", "schedule", "--cron", "--launchd", "--print")

    assert (ran.status, ran.out) == (2, "")


def test_steps_for_the_user_are_reported_and_exit_with_1(run_cli, repo: Path) -> None:
    git(repo, "config", "core.hooksPath", ".githooks")
    commit_files(repo, {".githooks/post-merge": "#!/bin/sh\n"})

    ran = run_cli("install", "git-hooks")

    assert ran.status == 1
    assert 'add this line to it yourself: gitmem hook post-merge "$@" 2>/dev/null || :' in ran.out


def test_agents_are_installed_several_at_once_with_what_the_person_has_to_do(run_cli, memory, repo: Path) -> None:
    ran = run_cli("install", "codex", "cursor", "git-hooks")

    assert (ran.status, ran.err) == (0, "")
    assert f"add     {repo}/.codex/hooks.json\n" in ran.out
    assert ran.out.count("commit these files to share them") == 1
    assert "Codex skips hooks until you trust them: start it here and review them" in ran.out
    assert (repo / ".cursor/hooks.json").exists()
    assert shim.is_shim((repo / ".git/hooks/post-merge").read_bytes())
    assert run_cli("install", "codex", "cursor").out.count("already exists") == 8


def test_print_shows_what_would_be_written_for_an_agent(run_cli, memory, repo: Path) -> None:
    (repo / ".mcp.json").write_text('{"mcpServers": {"db": {"command": "db"}}}\n')

    ran = run_cli("install", "claude-code", "--mcp", "--print")

    assert ran.status == 0
    assert '-{"mcpServers": {"db": {"command": "db"}}}\n' in ran.out
    assert '+            "command": "gitmem hook claude-code 2>/dev/null || exit 0",\n' in ran.out
    assert not (repo / ".claude").exists()


def test_unreadable_settings_fail(run_cli, memory, repo: Path) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude/settings.json").write_text("{,}")

    ran = run_cli("install", "claude-code")

    assert ran.status == 1
    assert f"leave   {repo}/.claude/settings.json  is not valid JSON (line 1: " in ran.out
    assert (repo / ".claude/settings.json").read_text() == "{,}"


def test_own_settings_and_plugins_need_no_repository(run_cli, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    assert run_cli("install", "gemini", "--user", cwd=tmp_path).status == 0
    assert (tmp_path / "home/.gemini/settings.json").exists()
    assert run_cli("install", "bmad", "--plugin", "module", cwd=tmp_path).status == 0
    assert (tmp_path / "module/skills/module.yaml").exists()
    assert run_cli("install", "gemini", cwd=tmp_path).status == 3


def test_options_of_others_are_refused(run_cli, memory) -> None:
    for words in (
        ("git-hooks", "--mcp"),
        ("codex", "--every", "6h"),
        ("codex", "--plugin", "x"),
        ("schedule", "--user"),
    ):
        ran = run_cli("install", *words)
        assert ran.status == 2, words
        assert "is for gitmem install" in ran.err


@each(
    ("name", "message", "hint"),
    [
        ("windsurf", "gitmem has no hooks for Windsurf", "gitmem install agents"),
        ("nano", "gitmem has no hooks for nano", "gitmem install agents"),
        ("claude-cod", "unknown target: claude-cod", "gitmem install claude-code"),
    ],
)
def test_unknown_client_is_offered_what_any_client_reads(run_cli, name: str, message: str, hint: str) -> None:
    ran = run_cli("install", name)

    assert ran.status == 2
    assert message in ran.err
    assert f"hint: {hint}\n" in ran.err


def test_agents_prints_the_entry_of_the_server(run_cli, memory, repo: Path) -> None:
    ran = run_cli("install", "agents")

    assert ran.status == 0
    assert '{"mcpServers": {"gitmem": {"command": "gitmem", "args": ["mcp"]}}}' in ran.out
    assert "gitmem:begin" in (repo / "AGENTS.md").read_text()


def test_gemini_is_told_to_read_agents_md(run_cli, memory, repo: Path) -> None:
    (repo / "AGENTS.md").write_text("# Us\n")

    assert '"context": {"fileName": ["GEMINI.md", "AGENTS.md"]}' in run_cli("install", "gemini").out
    (repo / ".gemini/settings.json").write_text('{"context": {"fileName": ["AGENTS.md"]}}\n')
    assert "GEMINI.md only" not in run_cli("install", "gemini").out


def test_command_of_a_source_is_installed_once_there_is_one(run_cli, memory, repo: Path) -> None:
    run_cli("install", "claude-code")
    assert not (repo / ".claude/commands/gitmem-github.md").exists()

    assert run_cli("sources", "add", "github", "acme/shop").status == 0
    run_cli("install", "claude-code")

    assert (repo / ".claude/commands/gitmem-github.md").exists()
    assert not (repo / ".claude/commands/gitmem-jira.md").exists()


def test_install_reports_that_hooks_do_nothing_without_a_memory(repo: Path, run_cli) -> None:
    before = run_cli("install", "pi")
    run_cli("init", "--no-view")

    assert "there is no memory here yet, so hooks do nothing: gitmem init" in before.out
    assert "gitmem init" not in run_cli("install", "pi").out
