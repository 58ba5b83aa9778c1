"""A client that is added by one file is known everywhere: nothing else lists the clients."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import git
from support.console import environment

import gitmem

PACKAGE = Path(gitmem.__file__).parent
# A client with hooks like those of Claude Code, and files and transcripts of its own.
NANO = '''"""Nano: a client that does not exist."""

from __future__ import annotations

from gitmem.agents.client import Client, ClientEvent
from gitmem.agents.clients import claude_code
from gitmem.agents.transcripts import turns

SILENT = ""
CLIENT = Client(
    "Nano",
    (".nano/settings.json", ".nano/settings.json"),
    (ClientEvent("SessionStart"), ClientEvent("UserPromptSubmit")),
    instructions="NANO.md",
    documents=("NANO.md",),
    documents_on_demand=(".nano/rules/*.md",),
    skills=(".nano/skills", ".nano/skills"),
    found=((".nano",), (".nano",)),
    variables=("NANO_RUN",),
    session_variable="NANO_SESSION",
    programs=("nano-agent",),
    memories=(((".nano/notes", "notes of Nano"),), ()),
    shells=("Shell",),
    sessions=(".nano",),
)


def parse(payload, named):
    return claude_code.parse_as("nano", CLIENT, payload, named)


answer = claude_code.answer


def read_turns(records):
    for record in records:
        yield turns.Turn(turns.PROMPT, record["nano"])


def is_record(record):
    return "nano" in record
'''


class Installed:
    """The package with one more file, and a repository in which it is used."""

    def __init__(self, folder: Path, repo: Path) -> None:
        self.repo, self.home = repo, folder / "home"
        self.home.mkdir()
        # Links to all else.
        for source in (PACKAGE, PACKAGE / "agents", PACKAGE / "agents" / "clients"):
            copy = folder / source.relative_to(PACKAGE.parent)
            copy.unlink(missing_ok=True)
            copy.mkdir()
            for path in source.iterdir():
                (copy / path.name).symlink_to(path)
        (folder / "gitmem" / "agents" / "clients" / "nano.py").write_text(NANO)
        self.env = environment(HOME=str(self.home), PYTHONPATH=str(folder))

    def run(self, *arguments: str, given: str = "", **variables: str) -> str:
        """Return what a command of the installed program prints."""
        return self.python("-m", "gitmem", *arguments, given=given, **variables)

    def python(self, *arguments: str, given: str = "", **variables: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.repo,
            env=self.env | variables,
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 1), done.stderr
        return done.stdout + done.stderr


@pytest.fixture
def installed(tmp_path: Path, repo: Path) -> Installed:
    folder = tmp_path / "installed"
    folder.mkdir()
    return Installed(folder, repo)


@pytest.mark.whole_system
def test_client_of_one_file_is_known_to_every_command(installed: Installed, repo: Path) -> None:
    (repo / ".nano" / "rules").mkdir(parents=True)
    (repo / ".nano" / "rules" / "style.md").write_text("Run `make lint` before a commit.\n")
    (repo / ".nano" / "notes").mkdir()
    (repo / ".nano" / "notes" / "one.md").write_text("Deploys need the VPN.\n")
    (repo / "NANO.md").write_text("The gateway is in `src/gateway.py`.\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "Nano")
    installed.run("init")
    installed.run("remember", "Deploys need the VPN", NANO_RUN="1", NANO_SESSION="abc")

    assert "hook nano" in installed.run("install", "found") + (repo / ".nano" / "settings.json").read_text()
    assert "agent: nano" in git(repo, "show", "memory:learned/deploys-need-the-vpn.md")
    start = {"hook_event_name": "SessionStart", "session_id": "abc", "cwd": str(repo), "source": "startup"}
    assert "VPN" in installed.run("hook", "nano", given=json.dumps(start))
    shown = installed.run("adopt", "-v")
    assert "NANO.md" in shown
    assert "Nano" in shown
    assert ".nano/rules/style.md" in installed.run("adopt", "--json")
    assert "notes of Nano" in installed.run("import")

    settings = repo / ".nano" / "settings.json"
    settings.write_text(settings.read_text().replace("2>/dev/null", "2>>/dev/null"))
    assert "the hooks of Nano differ from those of this version" in installed.run("doctor")
    installed.run("uninstall", "nano", "--force")
    assert not (repo / ".nano" / "skills").exists()


def test_transcripts_of_a_client_of_one_file_are_read(installed: Installed) -> None:
    path = installed.home / ".nano" / "one.jsonl"
    path.parent.mkdir()
    path.write_text('{"nano": "Fix the gateway."}\n')

    read = "import sys; from gitmem.agents.transcripts.read import read_transcript; print(read_transcript(sys.argv[1]))"
    assert "Fix the gateway." in installed.python("-c", read, os.fspath(path))
