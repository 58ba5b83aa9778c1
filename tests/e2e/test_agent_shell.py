"""In the shell of an agent, every command prints other people's words inside the fence: at a pipe and at a terminal.

The store and the code say a canary wherever people write something. A command that is added to the table of commands
needs a row here.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import git, put_files
from e2e.test_fence import files_of
from support.agent_signs import SIGNS
from support.console import GITMEM, environment
from support.facts import make_fact
from support.standing_folder import fill, stand

from gitmem import cli
from gitmem.cli.commands import HIDDEN, all_commands
from gitmem.cli.terminal import agent_sign
from gitmem.memory import Memory
from gitmem.verify.options import Options

# No word of it is a slug: a canary outside the fence is seen wherever it stands.
CANARY = "zqX"
TEXT = f"{CANARY}! Ignore/{CANARY} all:{CANARY} {CANARY}?"
BRANCH = f"{CANARY}/Topic"
FILE = f"src/{CANARY} File.py"
SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"[:36]
# Nothing listens there: what a hub prints of its repositories is data of the person who runs it.
NO_DATABASE = "postgresql://127.0.0.1:1/hub"
SHELL_FENCE = re.compile(r"^\[memory ([0-9a-f]{32}) begins\]\n(?:.*\n)*?\[memory \1 ends\]$", re.MULTILINE)

# What is run of each command. Every command is also run with words that it does not know, and with --help.
LINES: dict[str, tuple[tuple[str, ...], ...]] = {
    "adopt": (
        (),
        ("-v",),
        ("--format", "markdown"),
        ("--format", "github"),
        ("--suggest", "github"),
        ("--apply",),
        (FILE,),
    ),
    "init": ((), ("--branch", TEXT)),
    "remember": ((TEXT,), (TEXT, "--key", "idle"), (TEXT, "--tag", TEXT), (TEXT, "--kind", TEXT), (SECRET,)),
    "fact": (
        (TEXT, "--exists", FILE),
        (TEXT, "--contains", TEXT, "--in", FILE),
        (TEXT, "--verify", f"grep {CANARY}! x"),
    ),
    "edit": (("idle", "--title", TEXT), ("wrong", "--title", TEXT), ("bad-time",)),
    "supersede": (("idle", "choice"), ("idle", TEXT)),
    "promote": (("idle",), ("idle", "--to", "domain", "--domain", TEXT)),
    "forget": (("idle",), ("idle", "--why", TEXT), ("bad-place",)),
    "restore": (("gone",), ("idle",)),
    "import": (("hostile.jsonl",), ("notes",), (FILE,), ("absent/" + FILE,)),
    "decide": ((TEXT,), (TEXT, "--role", TEXT)),
    "post-work": ((TEXT,), (f"{TEXT} " * 30, "--story", TEXT, "--ref", f"{FILE}:1")),
    "inject": ((TEXT, "--all", "--category", "best-practice"), (TEXT, "--to", TEXT)),
    "task": ((),),
    "task add": ((TEXT,), (TEXT, "--parent", TEXT)),
    "task claim": (("job",), ("todo",)),
    "task close": (("job",), ("todo",)),
    "task release": (("job",), ("todo",)),
    "task list": ((), ("--all",)),
    "task show": (("job",), ("todo",)),
    "task ready": ((),),
    "task tree": ((), ("todo",)),
    "board": ((),),
    "board open": (("run-2", "--goal", TEXT), ("run-1", "--goal", TEXT)),
    "board post": (("run-1", TEXT), ("run-1", TEXT, "--type", TEXT)),
    "board link": (("run-1", "e1", "--supersedes", TEXT), ("run-1", "e1", "--supports", "e2")),
    "board signal": (("run-1", TEXT, "--severity", "critical"),),
    "board answer": (("run-1", "s1", TEXT), ("run-1", TEXT, TEXT)),
    "board waive": (("run-1", "s1", "--why", TEXT),),
    "board gate": (("run-1",),),
    "board survival": (("run-1", "--report", "AGENTS.md"), ("run-1", "--report", FILE)),
    "board show": (("run-1",), ("run-1", "e1")),
    "board list": ((), ("--all",)),
    "board export": (("run-1",),),
    "board close": (("run-1",), ("run-1", "--force", "--why", TEXT)),
    "session": ((),),
    "session status": ((), ("topic-1",)),
    "session use": (("topic-2", TEXT), (TEXT,)),
    "session note": ((TEXT,),),
    "session summarize": ((),),
    "session evidence": ((TEXT, "--ref", FILE),),
    "session wipe": ((),),
    "session archive": ((),),
    "session off": ((),),
    "session log": ((), ("--session", TEXT)),
    "recall": (
        ("gateway", "idle"),
        ("--recent", "9"),
        ("--stats",),
        ("gateway", "--explain"),
        (TEXT,),
        ("--syntax", TEXT),
    ),
    "similar": (("idle",),),
    "pre-work": (("gateway", "idle"), ("job",)),
    "decisions": ((), ("gateway",)),
    "context": ((), ("--path", FILE)),
    "browse": ((), ("--waiting",)),
    "show": tuple((key,) for key in ("idle", "choice", "wrong", "rests", "job", "bad-place", "bad-time", "held")),
    "list": ((), ("--all",), ("--status", "failed"), ("--tag", TEXT)),
    "export": (("--all",), ("--all", "--to", FILE), ("--to", "-", "--format", "markdown")),
    "log": (("idle",), ("held",)),
    "status": ((),),
    "report": ((), ("-",), (FILE,)),
    "badge": ((), ("--label", TEXT), (FILE,)),
    "stats": ((),),
    "metrics": ((), ("--repository", TEXT)),
    "verify": (
        (),
        ("--dry-run",),
        ("held", "--why"),
        ("--facts",),
        ("--format", "github"),
        ("--format", "junit"),
        ("wrong",),
    ),
    "check": ((), ("--base", "HEAD~1"), ("--base", "HEAD~1", "--format", "markdown"), ("--base", TEXT), ("--staged",)),
    "review": ((), ("memory~1",), ("memory~1", "--format", "markdown"), (TEXT,)),
    "why": (("held",), ("wrong",)),
    "settle": (
        ("held",),
        ("held", "--reword", TEXT),
        ("held", "--recheck"),
        ("wrong", "--retire", "--why", TEXT),
        ("--moved",),
    ),
    "trust": ((), ("--list",), ("--print",), ("shell",), ("--review",)),
    "untrust": (("shell",),),
    "sync": ((), ("--dry-run",), ("--remote", TEXT)),
    "propose": ((), ("notes-1",), ("--list",), ("--switch", TEXT)),
    "stores": ((),),
    "stores list": ((),),
    "stores add": ((".",), (TEXT,)),
    "stores remove": ((TEXT,),),
    "hub": (("--database", NO_DATABASE),),
    "hub init": ((), ("--database", NO_DATABASE)),
    "hub add": (("/srv/git/a.git",), (TEXT, "--database", NO_DATABASE)),
    "hub ask": (
        ("--save", TEXT, TEXT, "--hub", "http://127.0.0.1:1"),
        ("--list",),
        (),
        (TEXT,),
    ),
    "hub list": ((), ("--database", TEXT)),
    "hub remove": ((TEXT, "--database", NO_DATABASE),),
    "hub serve": ((), ("--tokens", TEXT, "--database", NO_DATABASE)),
    "hub rebuild": ((), ("--database", NO_DATABASE)),
    "hub status": ((), ("--database", NO_DATABASE)),
    "hub sync": ((TEXT, "--database", NO_DATABASE),),
    "hub work": (("--once", "--database", NO_DATABASE), ("--platform", TEXT, "--database", NO_DATABASE)),
    "hub verify": ((TEXT, "--database", NO_DATABASE),),
    "policy": ((),),
    "policy show": ((), ("kinds",), ("--all",), (TEXT,)),
    "policy set": (("kinds.gotcha.description", TEXT), ("kinds.gotcha.ttl", TEXT), (TEXT, TEXT)),
    "policy edit": ((),),
    "pull": ((), ("code",)),
    "sources": ((),),
    "sources add": (("code", "--path", TEXT), ("jira", f"https://{CANARY}.example.org", "--project", TEXT)),
    "sources list": ((),),
    "sources status": ((),),
    "sources remove": (("code",),),
    "forge": ((),),
    "forge branches": ((), ("--dry-run",)),
    "forge comment": (
        ("--kind", "check", "--pull", "1", "hostile.json"),
        ("--kind", "check", "--pull", "1", "--dry-run", "hostile.json"),
    ),
    "forge issue": (("--dry-run",), ()),
    "forge note": (("--kind", "check", "--dry-run", "hostile.json"),),
    "forge pull": (("--head", BRANCH), ("--head", BRANCH, "--dry-run")),
    "forge page": (("--dry-run",), ()),
    # A server of a protocol: `e2e/test_fence.py` tries what it answers.
    "mcp": (("--board", TEXT),),
    "merge": (("base.md", "ours.md", "theirs.md"), (FILE, "ours.md", "theirs.md")),
    "embed": ((),),
    "embed setup": ((),),
    "embed status": ((),),
    "embed rebuild": ((),),
    "curate": ((),),
    "curate dedupe": ((), ("--apply",)),
    "curate decay": ((), ("--apply",)),
    "curate contradictions": ((),),
    "curate expired": ((), ("--apply",)),
    "curate archive": ((), ("--apply",)),
    "curate refs": ((), ("--apply",)),
    "undo": ((),),
    "purge": (("idle", "--dry-run"), (TEXT,), ("--continue",)),
    "view": ((), (FILE,)),
    "save": ((),),
    "index": ((), ("--rebuild",)),
    "install": (("git-hooks", "--print"), ("claude-code", "--print"), ("git-diff",), ("github",), (TEXT,)),
    "uninstall": (("git-hooks",), ("everything",)),
    "doctor": ((), ("--fix",), ("--captured",), ("--delete", FILE)),
    "completion": (("bash",), ("zsh",)),
    "help": ((), ("-a",), ("facts",), ("verify",), (TEXT,)),
    # Hidden commands.
    "background": (("index",),),
    "complete": (("zsh", "show", ""), ("bash", "63", "show", ""), ("fish", "list", "--tag", "")),
    "hook": (("post-commit",), ("doctor",), ("check",), ("learned",), ("learned", "message.txt"), (TEXT,)),
    # What git calls for one file of a diff: a fence would be a difference.
    "textconv": (),
}
EVERY = [*all_commands(), *HIDDEN]


def test_every_command_has_a_row() -> None:
    assert sorted(LINES) == sorted(EVERY)


def make_hostile(folder: Path) -> None:
    """Have everything that people write in a repository contain the canary."""
    git(folder, "config", "user.name", TEXT)
    git(folder, "remote", "add", CANARY, str(folder.parent / f"{CANARY}.git"))
    git(folder, "switch", "-q", "-c", BRANCH)
    commit(folder, {FILE: f"RETRIES = 3  # {TEXT}\n", "AGENTS.md": f"# {TEXT}\n\n- `RETRIES` is 3 in `{FILE}`\n"}, TEXT)
    held = make_fact("held", {"contains": "RETRIES = 3", "in": FILE}, title=TEXT, tags=[TEXT], by={"who": TEXT})
    shell = make_fact("shell", f"grep {CANARY}! README.md", title=TEXT)
    put_files(folder, held)
    with Memory(folder) as memory:
        memory.init(offline=True)
        memory.verify(options=Options(record=True))
        memory.boards.open("run-1", goal=TEXT)
        for _ in range(2):
            memory.boards.post("run-1", TEXT, type="observation", worker="w", must_surface=True)
        memory.boards.signal("run-1", TEXT)
        memory.remember(f"Walrus tides matter {TEXT}", key="gone")
        memory.forget("gone", why=TEXT)
    broken = {
        FILE: f"RETRIES = 4  # {TEXT}\n",
        "README.md": f"# {TEXT}\n\n`RETRIES` is 3, see `{CANARY}/gone File.py`.\n",
    }
    commit(folder, broken, f"{TEXT} {SECRET}")
    with Memory(folder) as memory:
        memory.verify(options=Options(record=True))
    todo = make_fact("todo", {"contains": TEXT, "in": FILE}, title=TEXT, kind="task", parent="job")
    put_files(folder, {**files_of(TEXT), **shell, **todo})
    value = json.dumps(
        {"title": TEXT, "body": TEXT, "tags": [TEXT], "kind": TEXT, "newly_false": [{"key": "k", "title": TEXT}]}
    )
    (folder / "hostile.jsonl").write_text(f"{value}\n{TEXT}\n")
    (folder / "hostile.json").write_text(value)
    (folder / "message.txt").write_text(f"{TEXT}\n\nLearned: {TEXT} {SECRET}\n")
    (folder / "notes").mkdir()
    (folder / "notes" / f"{CANARY} Note.md").write_text(f"---\ntitle: [{TEXT}\n---\n{TEXT}\n")
    for name in ("base.md", "ours.md", "theirs.md"):
        (folder / name).write_text(f"---\ntitle: {json.dumps(TEXT + name)}\nkind: gotcha\n---\n{TEXT} {name}\n")
    with Memory(folder) as memory:
        memory.list()  # makes the index that every command would make


def commit(folder: Path, files: dict[str, str], subject: str) -> None:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", subject)


def at_pipe(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    cli.main(argv)
    done = capsys.readouterr()
    return f"{done.out}\n{done.err}"


def at_terminal(argv: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a command prints on a terminal that is its standard output and error."""
    ours, theirs = os.openpty()
    shown: list[bytes] = []
    reader = threading.Thread(target=_read_all, args=(ours, shown))
    reader.start()
    try:
        with monkeypatch.context() as context, open(theirs, "w", encoding="utf-8") as stream:
            context.setattr(sys, "stdout", stream)
            context.setattr(sys, "stderr", stream)
            cli.main(argv)
    finally:
        reader.join()
        os.close(ours)
    return b"".join(shown).decode().replace("\r\n", "\n")


def _read_all(terminal: int, found: list[bytes]) -> None:
    try:
        while part := os.read(terminal, 65536):
            found.append(part)
    except OSError:
        return  # Linux says EIO once nobody has the other end open any more (pty(7))


def leaks(text: str) -> list[str]:
    """Return the lines outside the fence that have the canary; lines of JSON are data."""
    lines = SHELL_FENCE.sub("", text).split("\n")
    return [line for line in lines if (CANARY in line or SECRET in line) and not is_json(line)]


def is_json(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


@pytest.fixture
def shell(template: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the hostile repository as the current folder, in the shell of an agent without a browser."""
    top = stand(tmp_path_factory, monkeypatch, "canary")
    folder = top / "service"

    def make() -> None:
        shutil.copytree(template, folder, symlinks=True)
        make_hostile(folder)

    fill(top, "hostile", make)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    return folder


@pytest.mark.parametrize("name", EVERY)
def test_no_command_prints_other_peoples_words_outside_the_fence(
    shell: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [[*name.split(), *words] for words in LINES[name]]
    if lines:
        assert leaks(at_terminal(lines[0], monkeypatch)) == []
        lines += [[*name.split(), f"--{CANARY}!", TEXT], [*name.split(), TEXT, TEXT, TEXT, TEXT]]

    for argv in lines:
        assert leaks(at_pipe(argv, capsys)) == [], argv


def test_person_sees_no_fence(shell: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("CLAUDECODE")

    for argv in (["list"], ["status"], ["show", TEXT]):
        shown = at_pipe(argv, capsys)
        assert leaks(shown)
        assert not SHELL_FENCE.search(shown)


def test_every_sign_of_an_agent_puts_what_others_wrote_inside_the_fence(
    shell: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CLAUDECODE")
    for sign in SIGNS:
        monkeypatch.setenv(sign, "1")

        shown = at_pipe(["show", TEXT], capsys)

        assert leaks(shown) == [], sign
        assert CANARY in shown
        monkeypatch.delenv(sign)


@pytest.mark.parametrize("setting", ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_SSE_PORT", "CODEX_HOME", "SSH_AGENT_PID"])
def test_settings_that_people_export_are_no_sign_of_an_agent(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(setting, "1")

    assert agent_sign() == ""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux shows the names of processes in /proc")
@pytest.mark.parametrize("program", ["claude", "codex"])
def test_program_of_an_agent_among_the_parents_is_a_sign(shell: Path, tmp_path: Path, program: str) -> None:
    script = tmp_path / program
    script.write_text(f'#!/bin/sh\n"{GITMEM}" show held; true\n')
    script.chmod(0o755)
    env = environment(CLAUDECODE=None, GITMEM_PARENTS=None)

    shown = subprocess.run(["sh", "-c", f"{script}; true"], env=env, capture_output=True, text=True, check=True).stdout

    assert CANARY in shown
    assert leaks(shown) == []


def test_data_for_a_program_goes_to_a_file_as_it_is(shell: Path) -> None:
    with open("approved", "w", encoding="utf-8") as file:
        subprocess.run([GITMEM, "trust", "--print"], stdout=file, check=True, env=environment())

    listed = Path("approved").read_text(encoding="utf-8")

    assert CANARY in listed
    assert not SHELL_FENCE.search(listed)


def test_slugs_and_own_words_stay_outside(shell: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert at_pipe(["remember", "Seals bark at noon", "--key", "seals-bark"], capsys).startswith("seals-bark\n")
    assert at_pipe(["--version"], capsys).startswith("gitmem ")
    assert not SHELL_FENCE.search(at_pipe(["help", "verify"], capsys))
