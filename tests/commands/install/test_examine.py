"""Further findings: obstacles for hooks, and the findings of ``gitmem doctor``."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from conftest import NOW, commit_files

from gitmem.commands.install import agents, examine
from gitmem.commands.install.agents import AgentSetup
from gitmem.commands.install.client_files import BMAD_STEPS
from gitmem.memory import Memory
from gitmem.store.state.registration import ACCEPTED, unregister


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program called gitmem on PATH."""
    program = tmp_path / "bin" / "gitmem"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return program


def codes(memory: Memory) -> dict[str, str]:
    return {problem.code: problem.message for problem in memory.doctor(fix=False).problems}


def test_doctor_accepts_current_hooks(memory: Memory, on_path: Path) -> None:
    assert codes(memory) == {}
    agents.install(memory.repository.git, AgentSetup(tuple(agents.CLIENTS)))
    assert codes(memory) == {}


def test_doctor_reports_hooks_of_another_version_with_a_hint(memory: Memory, repo: Path, on_path: Path) -> None:
    agents.install(memory.repository.git, AgentSetup(("codex", "pi")))
    path = repo / ".codex/hooks.json"
    path.write_text(path.read_text().replace('"timeout": 5', '"timeout": 50'))

    [problem] = memory.doctor(fix=False).problems

    assert (problem.code, problem.path, problem.severity) == ("agent-hook-stale", str(path), "warning")
    assert problem.hint == "to see the difference: gitmem install codex --print"


def test_doctor_finds_hooks_whose_program_is_not_on_path(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    agents.install(memory.repository.git, AgentSetup(("codex", "pi")))
    monkeypatch.setattr(examine.shutil, "which", lambda _: None)

    found = codes(memory)

    assert found == {"agent-hook-not-found": "hooks of Codex, pi call gitmem, which is not on PATH"}


def test_doctor_examines_user_hooks(memory: Memory, on_path: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    agents.install(None, AgentSetup(("cursor",), user=True))
    path = tmp_path / "home/.cursor/hooks.json"
    path.write_text(path.read_text().replace("postToolUseFailure", "postToolUse"))

    assert codes(memory) == {"agent-hook-stale": "the hooks of Cursor differ from those of this version"}


def test_program_inside_an_active_environment_is_reported(on_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    monkeypatch.setattr(sys, "prefix", str(on_path.parent.parent))
    assert "only while this environment is active: mkdir -p ~/.local/bin && ln -sf " in examine.find_program()[1]
    *_, why, command = examine.list_notes(None, AgentSetup(("cursor",), user=True))
    assert why.endswith("only while this environment is active:")
    assert command.startswith("  mkdir -p ~/.local/bin && ln -sf ")  # a line of its own, to be copied

    monkeypatch.setattr(sys, "prefix", "/elsewhere")
    assert examine.find_program() == (str(on_path), "")


NOTES = {
    "trust": (("codex",), {}, "Codex skips hooks until you trust them: start it here and review them"),
    "two places": (("codex",), {".codex/config.toml": "[hooks]\n"}, "[hooks] in config.toml"),
    "feature off": (("codex",), {".codex/config.toml": "[features]\nhooks = false\n"}, "features.hooks is false"),
    "off in Claude": (("claude-code",), {".claude/settings.json": '{"disableAllHooks": true}'}, "disableAllHooks"),
    "off in Gemini": (("gemini",), {".gemini/settings.json": '{"hooksConfig": {"enabled": false}}'}, "hooksConfig"),
    "folder of Gemini": (("gemini",), {}, "in a folder that you trust"),
    "both": (("cursor", "claude-code"), {}, "Cursor also runs the hooks in Claude Code's settings: duplicate"),
    "bmad": (
        ("bmad",),
        {},
        "install --directory . --modules bmm --custom-source ./bmad-gitmem, then gitmem install bmad again",
    ),
    "module of bmad": (
        ("bmad",),
        {"_bmad/_config/manifest.yaml": ""},
        "--directory . --yes --custom-source ./bmad-gitmem",
    ),
}


@pytest.mark.parametrize(("names", "files", "said"), NOTES.values(), ids=NOTES)
def test_notes_report_obstacles(memory: Memory, repo: Path, on_path: Path, names, files, said: str) -> None:
    if files:
        commit_files(repo, files)

    assert any(said in note for note in examine.list_notes(memory.repository.git, AgentSetup(names)))


def test_no_notes_without_obstacles(memory: Memory, on_path: Path) -> None:
    assert examine.list_notes(memory.repository.git, AgentSetup(("claude-code", "opencode"))) == []


def test_doctor_reports_a_bmad_without_our_module(memory: Memory, repo: Path) -> None:
    git = memory.repository.git
    (repo / "_bmad/_config").mkdir(parents=True)
    assert codes(memory) == {}, "nobody wants the module there"

    agents.install(git, AgentSetup(("bmad",)))
    [problem] = memory.doctor(fix=False).problems
    assert (problem.code, problem.hint) == (
        "bmad-module-missing",
        "npx bmad-method install --directory . --yes --custom-source ./bmad-gitmem",
    )

    skills = repo / "_bmad/_config/skill-manifest.csv"
    skills.write_text("".join(f'"gitmem-{step}",""\n' for step in BMAD_STEPS))
    agents.install(git, AgentSetup(("bmad",)))
    assert codes(memory) == {}
    assert not [note for note in examine.list_notes(git, AgentSetup(("bmad",))) if note.startswith("next")]

    skills.write_text('"gitmem-decide",""\n')
    assert "which is not installed there" in codes(memory)["bmad-module-missing"]


def test_doctor_names_a_copy_that_was_not_accepted_and_how_to_accept_it(
    memory: Memory, repo: Path, on_path: Path, tmp_path: Path
) -> None:
    memory.fact("It has a page", exists="README.md", key="page")
    memory.verify()
    (repo / ".git/gitmem/capture").mkdir(parents=True, exist_ok=True)
    shutil.copytree(repo, tmp_path / "copy", symlinks=True)
    (repo / ".git/gitmem/clone-id").unlink()
    assert _clone(memory) == f"not accepted: {SILENT} ({ACCEPT})"

    with Memory(tmp_path / "copy", clock=lambda: NOW) as copied:
        assert _clone(copied) == f"not accepted: {SILENT}, and {UNCOUNTED} ({ACCEPT})"
        copied.init(offline=True)
        assert _clone(copied) == ""


SILENT = "hooks of coding agents show and store nothing"
UNCOUNTED = "earlier approvals and local verdicts do not count"
ACCEPT = "it is new or a copy, or lost its clone-id; to accept it: gitmem init"


def _clone(memory: Memory) -> str:
    return dict(memory.doctor(fix=False).machine).get("clone", "")


def test_doctor_is_silent_in_a_new_clone_without_hooks(memory: Memory, repo: Path, on_path: Path) -> None:
    unregister(str(repo / ".git/gitmem"), ACCEPTED)

    assert _clone(memory) == ""
