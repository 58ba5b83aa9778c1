"""``gitmem uninstall git-hooks``."""

from __future__ import annotations

from pathlib import Path


def test_uninstall_reports_removed_files_once(run_cli, repo: Path) -> None:
    run_cli("install", "git-hooks")

    shown = run_cli("uninstall", "git-hooks", "--print")
    ran, again = run_cli("uninstall", "git-hooks"), run_cli("uninstall", "git-hooks")

    assert "-#!/bin/sh\n" in shown.out
    hooks = [line for line in shown.out.splitlines() if line.startswith("remove  ")]
    assert all(line.endswith("  a git hook") for line in hooks)  # a plan is not told in the past
    assert ran.out.count("remove  ") == 5
    assert not (repo / ".git" / "hooks" / "post-commit").exists()
    assert (again.status, again.out) == (0, "nothing is installed here\n")


def test_agents_are_uninstalled_and_foreign_files_are_reported(run_cli, memory, repo: Path, tmp_path: Path) -> None:
    run_cli("install", "codex", "pi")
    run_cli("install", "bmad", "--plugin", "module")
    skill = repo / ".pi/extensions/gitmem.ts"
    skill.write_text(skill.read_text(encoding="utf-8") + "// mine\n", encoding="utf-8")

    shown = run_cli("uninstall", "codex", "pi", "--print")
    ran, again = run_cli("uninstall", "codex", "pi"), run_cli("uninstall", "codex", "pi", "--force")

    assert '-            "command": "gitmem hook codex 2>/dev/null || exit 0",\n' in shown.out
    assert ran.status == 1
    assert f"leave   {skill}  was changed: use --force to remove it\n" in ran.out
    assert not (repo / ".codex").exists()
    assert (again.status, skill.exists()) == (0, False)
    assert run_cli("uninstall", "bmad", "--plugin", "module").status == 0
    assert not (repo / "module").exists()
    assert run_cli("uninstall", "codex", "pi").out == "nothing is installed here\n"
