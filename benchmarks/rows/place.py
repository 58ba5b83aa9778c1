"""Where a row is walked: a repository, an empty home, and a shell in which commands are typed."""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gitmem.agents.clients import AGENT_VARIABLES, all_tables
from gitmem.index.catalog import SHORT_ID
from gitmem.index.catalog.inserts import letters_of

CODE = {
    "README.md": "# A shop\n",
    "pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.11"\n',
    "src/auth/jwt.py": 'ALGORITHM = "RS256"\n\n\ndef sign(claims):\n    return claims\n',
    "src/gateway/retry.py": "RETRIES = 3\n",
}
# A command that hangs ends its row, not the walk.
TIMEOUT_S = 120


class Place:
    """A scratch repository with an empty home.

    Attributes:
        top: The folder of everything.
        repo: The work tree in which commands run.
        transcript: Where Claude Code writes what is said.
        lines: What was run.
        missing: What was expected and not seen.
        untried: What could not be tried on this machine.
        env: The environment of the commands.
    """

    def __init__(self, top: Path) -> None:
        self.top = top
        self.lines: list[str] = []
        self.missing: list[str] = []
        self.untried: list[str] = []
        home = top / "home"
        home.mkdir()
        ours = ("GIT_", "GITMEM_", "MEMORY_", "XDG_", "PYTHON", "CLAUDE", *AGENT_VARIABLES)
        agents = tuple(name for one in all_tables().values() for name in (*one.variables, one.session_variable) if name)
        kept = {name: value for name, value in os.environ.items() if not name.startswith((*ours, *agents))}
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        self.env = kept | {"HOME": str(home), "PATH": programs, "TZ": "UTC", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
        # An agent may run the walk; and what runs in the background would outlive the folder.
        self.env |= {"GIT_CONFIG_NOSYSTEM": "1", "GITMEM_PARENTS": "off", "GITMEM_BACKGROUND": "off"}
        (home / ".gitconfig").write_text(
            '[user]\n\tname = Ana\n\temail = ana@example.org\n[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n'
        )
        self.transcript = home / ".claude/projects/shop/s1.jsonl"
        self.repo = top / "shop"
        self.project("shop")

    def project(self, name: str) -> Path:
        """Make a repository with a few files and one commit, beside the first."""
        folder = self.top / name
        folder.mkdir()
        self._run(["git", "init", "-q"], folder)
        for path, text in CODE.items():
            self.write(folder / path, text)
        self._run(["git", "add", "-A"], folder)
        self._run(["git", "commit", "-q", "-m", "A shop"], folder)
        return folder

    def type(
        self, line: str, *sees: str, hides: Sequence[str] = (), status: int = 0, stdin: str = "", at: Path | None = None
    ) -> str:
        """Type a line into a shell, and return what was printed.

        Args:
            line: The line; ``gitmem`` is the installed one.
            *sees: What must be printed, on either stream.
            hides: What must not be printed.
            status: The exit status that it must have.
            stdin: What it reads; nothing by default.
            at: The folder, if it is another one than the repository.
        """
        return self._typed(line, ["bash", "-c", line], sees, hides, status, stdin, at or self.repo)

    def terminal(self, line: str, *sees: str, hides: Sequence[str] = (), status: int = 0, keys: str = "") -> str:
        """Type a line at a terminal, as a person does, who then types *keys*."""
        argv = ["script", "-qec", line, "/dev/null"]
        return self._typed(f"{line}  (at a terminal)", argv, sees, hides, status, keys, self.repo)

    def hook(self, event: str, *sees: str, hides: Sequence[str] = (), at: Path | None = None, **fields: Any) -> str:
        """Call the hook of Claude Code, and return the context that it gives the agent."""
        folder = at or self.repo
        session = {"session_id": "s1", "transcript_path": str(self.transcript), "permission_mode": "acceptEdits"}
        payload = {**session, "cwd": str(folder), "hook_event_name": event, **fields}
        named = ", ".join(f"{name} {value!r}" for name, value in fields.items() if isinstance(value, str))
        line = f"gitmem hook claude-code  ({event}{': ' if named else ''}{named[:160]})"
        done = self._run(["gitmem", "hook", "claude-code"], folder, json.dumps(payload))
        text = done.stdout
        if text.startswith("{"):
            output = json.loads(text).get("hookSpecificOutput", {})
            text = output.get("additionalContext", text)
        self._judge(line, done.returncode, 0, text + done.stderr, sees, hides)
        return text

    def shell_event(self, command: str, *sees: str, hides: Sequence[str] = (), **fields: Any) -> str:
        """Tell the hook that an agent has run a command."""
        answer = {"stdout": "done", "stderr": "", "interrupted": False, "isImage": False}
        call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": answer}
        call["tool_use_id"] = f"call-{len(self.lines)}"
        return self.hook("PostToolUse", *sees, hides=hides, **(call | fields))

    def edit_event(self, path: str, text: str, *sees: str, hides: Sequence[str] = (), **fields: Any) -> str:
        """Write a file as an agent does, and tell the hook."""
        self.write(self.repo / path, text)
        where = str(self.repo / path)
        call = {"tool_name": "Write", "tool_input": {"file_path": where, "content": text}}
        call["tool_response"] = {"filePath": where}
        call["tool_use_id"] = f"call-{len(self.lines)}"
        return self.hook("PostToolUse", *sees, hides=hides, **(call | fields))

    def mcp(self, tool: str, *sees: str, hides: Sequence[str] = (), **arguments: Any) -> str:
        """Call a tool of the MCP server, and return the text of its answer."""
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "walk", "version": "1"}}
        calls = [
            {"id": 1, "method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
        ]
        argv = ["gitmem", "mcp"]
        with subprocess.Popen(
            argv, cwd=self.repo, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(b"".join(json.dumps({"jsonrpc": "2.0", **call}).encode() + b"\n" for call in calls))
            server.stdin.flush()
            answers = (json.loads(line) for line in server.stdout)
            content = next((answer for answer in answers if answer.get("id") == 2), {})
            server.stdin.close()
        text = "\n".join(part.get("text", "") for part in content.get("result", {}).get("content", []))
        text = text or json.dumps(content)
        self._judge(f"gitmem mcp  ({tool} {json.dumps(arguments)})", 0, 0, text, sees, hides)
        return text

    def browse(self, typed: str, *sees: str) -> str:
        """Open the browser in a terminal, type a search, go down, enter and leave; return what the screen showed."""
        ours, theirs = os.openpty()
        env = self.env | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
        self.lines.append(f"gitmem browse  (typed: {typed}, down, enter, escape, q)")
        shown = b""
        with subprocess.Popen(
            ["gitmem", "browse"], cwd=self.repo, env=env, stdin=theirs, stdout=theirs, stderr=theirs
        ) as program:
            os.close(theirs)
            for key in (typed.encode(), b"\x1b[B", b"\r", b"\x1b", b"\x1b", b"q", b"\x03"):
                end = time.monotonic() + 3
                while time.monotonic() < end and program.poll() is None:
                    if select.select([ours], [], [], 0.2)[0]:
                        with suppress(OSError):  # the other end is closed
                            shown += os.read(ours, 65536)
                with suppress(OSError):
                    os.write(ours, key)
            with suppress(subprocess.TimeoutExpired):
                program.wait(10)
            self.need(program.poll() is not None, "the browser does not end")
            program.kill()
        os.close(ours)
        text = shown.decode("utf-8", "replace")
        self.missing += [f"the browser does not show {one!r}" for one in sees if one not in text]
        return text

    def at_once(self, *argvs: tuple[Path, Sequence[str], dict[str, str], str]) -> list[tuple[int, str]]:
        """Run programs in processes that all run at once: folder, words, further environment, standard input.

        Returns the status and the output of each, in order.
        """
        found: list[tuple[int, str]] = [(-1, "")] * len(argvs)

        def run(number: int) -> None:
            folder, argv, more, stdin = argvs[number]
            done = self._run(argv, folder, stdin, more)
            found[number] = (done.returncode, done.stdout + done.stderr)

        threads = [threading.Thread(target=run, args=(number,)) for number in range(len(argvs))]
        self.lines += [shlex.join(argv) for _, argv, _, _ in argvs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found

    def has_model(self) -> bool:
        """Set up a tiny model of a few words that mean the same; note that meaning is untried without model2vec."""
        if find_spec("model2vec") is None:
            self.untried.append("search by meaning: model2vec is not installed")
            return False
        from support.models import make_static

        model = make_static(self.top / "model")
        self.type(f"git config --global gitmem.embed model2vec:{model} && gitmem embed rebuild")
        return True

    def write(self, path: Path | str, text: str) -> None:
        """Write a file, of the repository unless its path is absolute."""
        there = self.repo / path
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_text(text, encoding="utf-8")

    def commit(self, message: str, **files: str) -> None:
        """Commit the work tree; the hooks of git run."""
        self.type(f"git add -A && git commit -q -m {shlex.quote(message)}")

    def need(self, is_so: object, what: str) -> None:
        """Note what is missing unless it is so."""
        if not is_so:
            self.missing.append(what)

    def _typed(
        self,
        line: str,
        argv: Sequence[str],
        sees: Sequence[str],
        hides: Sequence[str],
        status: int,
        stdin: str,
        folder: Path,
    ) -> str:
        done = self._run(argv, folder, stdin)
        text = done.stdout + done.stderr
        self._judge(line, done.returncode, status, text, sees, hides)
        return text

    def _judge(
        self, line: str, status: int, expected: int, text: str, sees: Sequence[str], hides: Sequence[str]
    ) -> None:
        self.lines.append(line)
        if status != expected:
            self.missing.append(f"`{line}` ended with {status}, not {expected}: {text[-300:].strip()}")
        self.missing += [f"`{line}` does not print {one!r}" for one in sees if not is_in(text, one)]
        self.missing += [f"`{line}` prints {one!r}" for one in hides if is_in(text, one)]

    def _run(
        self, argv: Sequence[str], folder: Path, stdin: str = "", more: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            argv,
            cwd=folder,
            env=self.env | (more or {}),
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )


def is_in(text: str, words: str) -> bool:
    """Return whether words are in a text, ``[key]`` also as ``[id]``: agents are shown short ids."""
    named = re.sub(r"\[([a-z][a-z0-9-]*)\]", lambda found: f"[{letters_of(found[1])[:SHORT_ID]}]", words)
    return words in text or named in text
