"""Installing into real repositories and home folders: existing content stays, and ours can be removed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from conftest import commit_files, git

from gitmem import __version__
from gitmem.agents.clients import cline
from gitmem.commands.install import agents
from gitmem.commands.install.agents import AgentSetup
from gitmem.commands.install.client_files import BMAD_STEPS, CLIENTS
from gitmem.errors import GitmemError, UsageError
from gitmem.memory import Memory

ALL = (*CLIENTS, agents.BMAD)
THEIRS = {
    ".claude/settings.json": '{\n  // ours\n  "model": "x",\n  "hooks": {"Stop": [{"hooks": []}]},\n}\n',
    ".codex/config.toml": 'model = "x"',
    ".gemini/settings.json": '{"context": {"fileName": ["AGENTS.md"]}}',
    ".cursor/hooks.json": '{"version": 1, "hooks": {}}\n',
    "AGENTS.md": "# How we work\r\n",
    "CLAUDE.md": "Be kind.",
    ".mcp.json": '\ufeff{"mcpServers": {"db": {"command": "db"}}}',
}


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture
def theirs(memory: Memory, repo: Path) -> Path:
    commit_files(repo, THEIRS)
    return repo


def test_install_is_idempotent_and_uninstall_restores_every_byte(memory: Memory, theirs: Path) -> None:
    before, wanted = content(theirs), AgentSetup(ALL, mcp=True)

    steps = agents.install(memory.repository.git, wanted)
    again = agents.install(memory.repository.git, wanted)

    assert {step.what for step in steps} == {"add", "update"}
    assert {step.what for step in again} == {"keep"}
    for path, text in THEIRS.items():
        said = next(step for step in steps if step.path == str(theirs / path))
        assert (said.what, said.about) == ("update", "git tracks it: commit the change"), path
        assert text.encode() != (theirs / path).read_bytes()
    agents.uninstall(memory.repository.git, AgentSetup(ALL))
    assert content(theirs) == before
    assert git(theirs, "status", "--porcelain") == ""
    assert agents.uninstall(memory.repository.git, AgentSetup(ALL)) == ()


def test_plan_writes_nothing(memory: Memory, theirs: Path) -> None:
    before = content(theirs)

    planned = agents.plan_install(memory.repository.git, AgentSetup(ALL, mcp=True))

    assert content(theirs) == before
    assert planned == agents.install(memory.repository.git, AgentSetup(ALL, mcp=True))
    planned = agents.plan_uninstall(memory.repository.git, AgentSetup(ALL))
    assert content(theirs) != before
    assert planned == agents.uninstall(memory.repository.git, AgentSetup(ALL))


def test_files_needed_by_another_client_stay(memory: Memory, repo: Path) -> None:
    agents.install(memory.repository.git, AgentSetup(("codex", "pi")))

    agents.uninstall(memory.repository.git, AgentSetup(("codex",)))

    assert not (repo / ".codex").exists()
    assert (repo / ".agents/skills/gitmem/SKILL.md").exists()
    assert "gitmem:begin" in (repo / "AGENTS.md").read_text()
    agents.uninstall(memory.repository.git, AgentSetup(("pi",)))
    assert git(repo, "status", "--porcelain") == ""


def test_unreadable_files_are_left_and_the_others_written(memory: Memory, repo: Path) -> None:
    broken = {".claude/settings.json": '{"hooks": ', ".codex/config.toml": "a = ", "AGENTS.md": "<!-- gitmem:end -->\n"}
    for name, text in broken.items():
        (repo / name).parent.mkdir(exist_ok=True)
        (repo / name).write_text(text)

    steps = agents.install(memory.repository.git, AgentSetup(("claude-code", "codex"), mcp=True))

    left = {os.path.relpath(step.path, repo): step.about for step in steps if step.what == "leave"}
    assert {name: (repo / name).read_text() for name in broken} == broken
    assert set(left) == set(broken)
    assert left[".claude/settings.json"].startswith("is not valid JSON (line 1: a value is missing)")
    assert (repo / ".codex/hooks.json").exists()


def test_links_out_of_the_project_and_read_only_files_are_left_unchanged(
    memory: Memory, repo: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (repo / ".codex").symlink_to(tmp_path / "elsewhere")
    (repo / "AGENTS.md").write_text("mine\n")
    (repo / "AGENTS.md").chmod(0o444)

    steps = agents.install(memory.repository.git, AgentSetup(("codex",)))

    assert {os.path.relpath(step.path, repo): step.what for step in steps} == {
        ".codex/hooks.json": "leave", ".agents/skills/gitmem/SKILL.md": "add", "AGENTS.md": "leave"
    }  # fmt: skip
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert (repo / "AGENTS.md").read_text() == "mine\n"


def test_one_file_under_two_names_gets_one_section(memory: Memory, repo: Path) -> None:
    (repo / "AGENTS.md").write_text("# Us\n")
    (repo / "CLAUDE.md").symlink_to("AGENTS.md")

    agents.install(memory.repository.git, AgentSetup(("claude-code", "cursor")))

    assert (repo / "AGENTS.md").read_text().count("gitmem:begin") == 1
    assert (repo / "CLAUDE.md").is_symlink()


SECTION_FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md")
INSTRUCTIONS = {
    "claude-code": [({}, "AGENTS.md"), ({"CLAUDE.md": "x"}, "CLAUDE.md"), ({"CLAUDE.md": "@AGENTS.md"}, "AGENTS.md")],
    "gemini": [
        ({}, "GEMINI.md"),
        ({"AGENTS.md": "x"}, "AGENTS.md"),
        ({"AGENTS.md": "x", "GEMINI.md": "x"}, "AGENTS.md"),
        ({".gemini/settings.json": '{"context": {"fileName": "AGENTS.md"}}'}, "AGENTS.md"),
    ],
    "copilot": [({}, ".github/copilot-instructions.md")],
}
CASES = [(name, *case) for name, cases in INSTRUCTIONS.items() for case in cases]


@pytest.mark.parametrize(("name", "files", "expected"), CASES)
def test_instructions_are_in_the_file_that_the_client_reads(
    memory: Memory, repo: Path, name: str, files: dict[str, str], expected: str
) -> None:
    commit_files(repo, files) if files else None

    agents.install(memory.repository.git, AgentSetup((name,)))

    found = [path for path in SECTION_FILES if (repo / path).exists() and "gitmem:begin" in (repo / path).read_text()]
    assert found == [expected]


def test_gemini_shares_agents_md_with_a_client_of_the_same_installation(memory: Memory, repo: Path) -> None:
    agents.install(memory.repository.git, AgentSetup(("gemini", "codex")))

    assert not (repo / "GEMINI.md").exists()
    assert (repo / "AGENTS.md").read_text().count("gitmem:begin") == 1


def test_gemini_keeps_the_section_that_it_has(memory: Memory, repo: Path) -> None:
    agents.install(memory.repository.git, AgentSetup(("gemini",)))
    agents.install(memory.repository.git, AgentSetup(("codex",)))
    before = content(repo)

    agents.install(memory.repository.git, AgentSetup(("gemini", "codex")))

    assert content(repo) == before


def test_agents_of_any_client_get_the_section_and_the_skill(memory: Memory, repo: Path) -> None:
    commit_files(repo, {"AGENTS.md": "# Us\n"})
    before = content(repo)
    agents.install(memory.repository.git, AgentSetup((agents.AGENTS,)))

    assert set(content(repo)) - set(before) == {".agents/skills/gitmem/SKILL.md"}
    assert (repo / "AGENTS.md").read_text().startswith("# Us\n")
    assert "gitmem:begin" in (repo / "AGENTS.md").read_text()
    agents.uninstall(memory.repository.git, AgentSetup((agents.AGENTS,)))
    assert content(repo) == before


@pytest.mark.parametrize("sources", [(), ("github",), ("github", "jira")])
def test_commands_of_sources_are_installed_where_there_is_one(
    memory: Memory, repo: Path, sources: tuple[str, ...]
) -> None:
    agents.install(memory.repository.git, AgentSetup(("claude-code",), sources=sources))

    found = {path.stem.removeprefix("gitmem-") for path in (repo / ".claude/commands").iterdir()}
    assert found == {"save", "search", "status", "practices", *sources}
    agents.uninstall(memory.repository.git, AgentSetup(("claude-code",)))
    assert not (repo / ".claude").exists()


def test_step_says_whether_git_tracks_the_file(memory: Memory, repo: Path) -> None:
    commit_files(repo, {".gitignore": ".claude/\n", "AGENTS.md": "# Us\n"})

    values = {
        os.path.relpath(s.path, repo): s.about
        for s in agents.plan_install(memory.repository.git, AgentSetup(("claude-code",)))
    }

    assert values[".claude/settings.json"] == "git ignores it: yours only"
    assert values["AGENTS.md"] == "git tracks it: commit the change"
    assert agents.plan_install(memory.repository.git, AgentSetup(("codex",)))[0].about == "commit it to share it"


def test_user_settings_need_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / ".codex").mkdir(parents=True)
    (tmp_path / "home" / ".codex" / "config.toml").write_text("a = 1\n")

    steps = agents.install(None, AgentSetup(tuple(CLIENTS), user=True, mcp=True))

    hooks = json.loads((tmp_path / "home/.codex/hooks.json").read_text())["hooks"]
    assert hooks["Stop"][0]["hooks"][0]["command"] == "gitmem hook codex --user 2>/dev/null || exit 0"
    assert not any(step.path.endswith(("AGENTS.md", "CLAUDE.md", "GEMINI.md")) for step in steps)
    assert {step.about for step in steps} == {"not in a repository: yours only"}
    agents.uninstall(None, AgentSetup((agents.FOUND,), user=True))
    assert content(tmp_path / "home") == {".codex/config.toml": b"a = 1\n"}


def test_found_selects_clients_with_a_folder(memory: Memory, repo: Path) -> None:
    with pytest.raises(UsageError, match="no agent has a folder in this project"):
        agents.plan_install(memory.repository.git, AgentSetup((agents.FOUND,)))
    (repo / ".cursor").mkdir()
    (repo / "GEMINI.md").write_text("x")

    steps = agents.plan_install(memory.repository.git, AgentSetup((agents.FOUND, "pi")))

    assert {Path(step.path).relative_to(repo).parts[0] for step in steps} == {
        ".cursor", ".gemini", ".pi", ".agents", "AGENTS.md"
    }  # fmt: skip


@pytest.mark.parametrize("name", ["claude-code", "gemini"])
def test_plugin_folder_is_removed_again(memory: Memory, repo: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "plugin"

    agents.install(None, AgentSetup((name,), plugin=str(folder)))

    assert json.loads((folder / "hooks/hooks.json").read_text())["hooks"]["SessionStart"]
    (folder / "mine.txt").write_text("")
    agents.uninstall(None, AgentSetup((name,), plugin=str(folder)))
    assert os.listdir(folder) == ["mine.txt"]
    assert git(repo, "status", "--porcelain") == ""


@pytest.mark.parametrize("name", ["claude-code", "gemini"])
def test_plugin_of_another_version_is_renewed_and_one_with_additions_is_left(tmp_path: Path, name: str) -> None:
    wanted = AgentSetup((name,), plugin=str(tmp_path))
    agents.install(None, wanted)
    (manifest,) = [path for path in tmp_path.rglob("*.json") if '"version"' in path.read_text()]
    current = manifest.read_text()
    manifest.write_text(current.replace(__version__, "0.0.1"))

    assert {step.what for step in agents.install(None, wanted)} == {"keep", "update"}
    assert manifest.read_text() == current
    manifest.write_text(current.replace("{", '{"mine": 1, ', 1))
    assert "leave" in {step.what for step in agents.install(None, wanted)}


def test_conflicting_options_are_refused(memory: Memory) -> None:
    for wanted in (
        AgentSetup(("codex",), plugin="x"),
        AgentSetup(("claude-code",), plugin="x", user=True),
        AgentSetup((agents.BMAD,), user=True),
    ):
        with pytest.raises(UsageError):
            agents.plan_install(memory.repository.git, wanted)


def test_install_in_a_bare_repository_is_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "bare.git")

    with Memory(tmp_path / "bare.git") as memory, pytest.raises(GitmemError, match="no work tree to install into"):
        agents.plan_install(memory.repository.git, AgentSetup(("codex",)))


def test_linked_work_tree_and_submodule_get_their_own_files(memory: Memory, repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))

    with Memory(tmp_path / "linked" / "src") as linked:
        agents.install(linked.repository.git, AgentSetup(("codex",)))

    assert (tmp_path / "linked/.codex/hooks.json").exists()
    assert not (repo / ".codex").exists()
    shutil.rmtree(tmp_path / "linked")


def test_server_that_two_agents_read_stays_until_both_are_uninstalled(memory: Memory) -> None:
    git = memory.repository.git
    shared = git.repository.work_tree / ".mcp.json"
    agents.install(git, AgentSetup(("claude-code", "copilot"), mcp=True))

    agents.uninstall(git, AgentSetup(("copilot",)))
    assert shared.exists()
    agents.uninstall(git, AgentSetup(("claude-code",)))
    assert not shared.exists()


def test_workflows_of_an_installed_bmad_use_the_skills(memory: Memory) -> None:
    git = memory.repository.git
    custom = git.repository.work_tree / "_bmad/custom"
    agents.install(git, AgentSetup(("bmad",)))
    assert not custom.exists()

    (custom.parent / "_config").mkdir(parents=True)
    agents.install(git, AgentSetup(("bmad",)))
    assert not custom.exists(), "the skills are not installed there yet"

    (custom.parent / "_config/skill-manifest.csv").write_text(
        "canonicalId,name\n" + "".join(f'"gitmem-{step}","gitmem-{step}"\n' for step in BMAD_STEPS)
    )
    custom.mkdir()
    (custom / "bmad-code-review.toml").write_text("[workflow]\npersistent_facts = []\n")
    steps = agents.install(git, AgentSetup(("bmad",)))
    workflow = tomllib.loads((custom / "bmad-build.toml").read_text())["workflow"]
    assert "gitmem-pre-work" in workflow["activation_steps_append"][0]
    assert "gitmem-post-work" in workflow["on_complete"]
    assert [Path(step.path).name for step in steps if step.what == "leave"] == ["bmad-code-review.toml"]

    (custom.parent / "_config/skill-manifest.csv").unlink()  # as after BMAD has removed the module
    agents.uninstall(git, AgentSetup(("bmad",)))
    assert [path.name for path in custom.iterdir()] == ["bmad-code-review.toml"]


@pytest.mark.parametrize("name", [name for name, one in CLIENTS.items() if one.settings[False].endswith(".json")])
@pytest.mark.parametrize("is_theirs", [False, True])
def test_settings_that_a_client_rewrote_are_removed_if_nothing_of_a_person_is_left(
    memory: Memory, repo: Path, name: str, is_theirs: bool
) -> None:
    git_of, wanted = memory.repository.git, AgentSetup((name,))
    path = repo / CLIENTS[name].settings[False]
    rows = (
        (2, {"mcpServers": {}, "list": []}, False),
        (None, {"model": "x"}, True),
        (None, {}, False),
        (4, {"$version": 4}, False),
    )
    # The keys that a client writes of itself are the same ones for all clients.
    for indent, more, is_left in rows if name == "claude-code" else rows[:2]:
        if is_theirs:
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_text(json.dumps({"version": 1, "hooks": {}}))
        agents.install(git_of, wanted)
        path.write_text(json.dumps(json.loads(path.read_text()) | more, indent=indent))

        agents.uninstall(git_of, wanted)

        assert path.exists() == (is_left or is_theirs), (indent, more)
        assert path.parent.exists() == path.exists()
        if path.exists():
            assert "gitmem" not in path.read_text()
            assert more.items() <= json.loads(path.read_text()).items()
            shutil.rmtree(path.parent)


def test_programs_of_cline_are_executable_and_answer_and_are_removed(
    memory: Memory, repo: Path, tmp_path: Path
) -> None:
    program = tmp_path / "bin/gitmem"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$*"\n')
    program.chmod(0o755)
    git_of, wanted = memory.repository.git, AgentSetup(("cline",))

    agents.install(git_of, wanted)
    hooks = sorted((repo / ".clinerules/hooks").iterdir())
    path = {"PATH": f"{program.parent}:/usr/bin:/bin"}
    said = [subprocess.check_output([str(hook)], env=path, text=True) for hook in hooks]
    agents.uninstall(git_of, wanted)

    assert said == [f"hook cline {hook.name}\n" for hook in hooks]
    assert {hook.name for hook in hooks} == set(cline.EVENTS)
    assert not (repo / ".clinerules").exists()
