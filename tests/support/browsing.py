"""Drive ``gitmem browse`` by its keys, and read its screen; and a repository in which something of each kind waits."""

from __future__ import annotations

import asyncio
import html
import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, commit_files, memory_text, put_files

from gitmem.cli.columns import width_of
from gitmem.memory import Memory
from gitmem.store.state.spool import Spool

# What Rich's SVG has of a run of characters (rich/_export_format.py): where it begins, its line, and the characters.
_RUN = re.compile(r'<text class="[^"]*" x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>')
_CHAR_WIDTH = 12.2


def state_of(repo: Path) -> Path:
    """Return the folder of this machine's state that goes with a repository of ``make_waiting``."""
    return repo.parent / "state-home"


def make_waiting(repo: Path) -> Path:
    """Make a memory in which something of each kind waits for a decision, besides proposals."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(state_of(repo)))
        _make_waiting(repo)
    return repo


def _make_waiting(repo: Path) -> None:
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        memory.init(offline=True)
        memory.fact("Tokens are signed with RS256", contains="RS256", within="src/auth/jwt.py", key="tokens-rs256")
        memory.remember("The gateway trusts every token", key="gateway-trusts", requires=["tokens-rs256"])
        text = "Idle connections of the gateway are closed after sixty seconds, so clients must reconnect."
        memory.remember(text, key="idle-first", title="The gateway closes idle connections after sixty seconds")
        memory.remember(
            f"{text} [bold red]!",
            key="idle-again",
            title="The gateway closes idle connections after sixty seconds again",
            force=True,
        )
    commit_files(repo, {"src/auth/jwt.py": 'ALGORITHM = "EdDSA"\n'}, "sign with EdDSA")
    with Memory(repo, clock=lambda: float(NOW) + 60) as memory:
        memory.verify()
    waits = memory_text("The README is not empty", verify="test -s README.md").replace("kind: learned", "kind: fact")
    put_files(repo, {"facts/readme-not-empty.md": waits})
    refused = {"text": "The retry of the gateway waits", "kind": "learned"}
    Spool(repo / ".git" / "gitmem").note_refused("learnings of codex: only 5 per text are captured", refused)


def text_of(svg: str) -> str:
    """Return the characters of a screen that Textual exported, line by line."""
    lines: dict[float, str] = {}
    for x, y, text in sorted(_RUN.findall(svg), key=lambda run: (float(run[1]), float(run[0]))):
        line, column = lines.get(float(y), ""), round(float(x) / _CHAR_WIDTH)
        lines[float(y)] = line + " " * (column - width_of(line)) + html.unescape(text).replace("\xa0", " ")
    if not lines:
        return ""
    first, step = min(lines), 24.4
    whole = [""] * (round((max(lines) - first) / step) + 1)
    for y, line in lines.items():
        whole[round((y - first) / step)] = line.rstrip()
    return "\n".join(whole) + "\n"


class Browsing:
    """The running program."""

    def __init__(self, app: Any, pilot: Any) -> None:
        self.app = app
        self._pilot = pilot

    @property
    def text(self) -> str:
        """What is on the screen."""
        return text_of(self.app.export_screenshot())

    @property
    def line(self) -> str:
        """What is on the screen, as one line with single spaces: where lines are broken does not matter."""
        return " ".join(self.text.split())

    def _is_drawing(self) -> bool:
        """Return whether the item to decide about is not on the screen yet."""
        return getattr(self.app.screen, "is_drawing", False)

    async def still(self) -> str:
        """Return what is on the screen once nothing on it moves."""
        before = ""
        while before != (before := self.text):
            await self._pilot.pause(0.05)
        return before

    async def press(self, *keys: str) -> None:
        """Press keys."""
        await self._pilot.press(*keys)

    def _says(self, texts: tuple[str, ...], gone: str) -> bool:
        line = self.line  # reading the screen costs as much as drawing it
        return all(text in line for text in texts) and gone not in line and not self._is_drawing()

    async def until(self, *texts: str, gone: str = "\0") -> None:
        """Wait until the screen says all of this, and does not say *gone*."""
        deadline = time.monotonic() + 120
        while not self._says(texts, gone):
            if self.app.failure is not None:
                raise self.app.failure
            assert time.monotonic() < deadline, self.text
            await self._pilot.pause(0.02)


def browse(
    folder: Path, scenario: Callable[[Browsing], Awaitable[None]], *, size: tuple[int, int] = (80, 24), **how: Any
) -> None:
    """Run the program in a folder, on a screen of so many columns and rows, and do what a scenario says."""
    from gitmem.cli.browse.app import Browse
    from gitmem.cli.browse.search import SearchScreen

    async def run() -> None:
        app = Browse(str(folder), lambda: SearchScreen(**how), clock=lambda: float(NOW) + 120)
        async with app.run_test(size=size) as pilot:
            await scenario(Browsing(app, pilot))
        if app.failure is not None:
            raise app.failure

    asyncio.run(run())
