"""What the tests of transcripts share: the lines that clients write, and a home in which their files lie."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

FILES = Path(__file__).parents[1] / "agents" / "transcripts" / "files"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
_calls = count(1)


def line(**fields: object) -> str:
    """Return a line of Claude Code's."""
    return json.dumps({"parentUuid": None, "isSidechain": False, "sessionId": "s1", **fields})


def prompt_line(text: str, **fields: object) -> str:
    """Return the line of a prompt."""
    return line(type="user", message={"role": "user", "content": text}, **fields)


def message_line(text: str) -> str:
    """Return the line of what the agent says."""
    return line(type="assistant", message={"role": "assistant", "content": [{"type": "text", "text": text}]})


def used(name: str, given: object, output: object = "ok", *, failed: bool = False, result: object = None) -> str:
    """Return the lines of a tool's use."""
    call = f"toolu_{next(_calls)}"
    asks = [{"type": "tool_use", "id": call, "name": name, "input": given}]
    lines = [{"type": "tool_result", "tool_use_id": call, "content": output, "is_error": failed}]
    return "\n".join(
        (
            line(type="assistant", message={"content": asks}),
            line(type="user", message={"content": lines}, toolUseResult=result or {}),
        )
    )


def ran(command: str, output: str = "", *, failed: bool = False) -> str:
    """Return the lines of a shell command."""
    return used("Bash", {"command": command}, output, failed=failed)


def edited(path: object) -> str:
    """Return the lines of an edit."""
    return used("Edit", {"file_path": str(path), "old_string": "a", "new_string": "b"})


def session(top: Path) -> str:
    """Return a session with something of everything, in the work tree *top*."""
    parts = [
        prompt_line("Make the gateway retry requests that time out. It fails in production."),
        ran(
            "cd x && pytest -q tests/test_retry.py 2>&1 | tail -5",
            "E   AssertionError: 3 != 5\n1 failed, 4 passed in 1s",
        ),
        edited(top / "src" / "gateway" / "retry.py"),
        message_line(
            "We decided to use backoff as of v1.2 because the gateway drops bursts.\nDECISION: keep RETRIES at 5"
        ),
        ran("pytest -q tests/test_retry.py", "5 passed in 0.10s"),
        ran("make deploy", "fatal: no such host staging.example.org", failed=True),
        prompt_line(f"also update the README; the key is {SECRET}"),
        edited(top / "README.md"),
        message_line(
            "LEARNED: the gateway drops bursts above 50 requests.\n\nIt retries now. Should I change the timeout, too?"
        ),
    ]
    return "\n".join(parts) + "\n"


def placed(text: str | bytes, name: str = "s1.jsonl", folder: str = ".claude/projects/x") -> Path:
    """Write a transcript into the home folder and return its path."""
    path = Path.home() / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
