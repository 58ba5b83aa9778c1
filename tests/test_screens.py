"""What the commands of the tutorial and the how-tos print on a screen of 60 columns can be read and copied.

The commands of gitmem run in this process, whatever else a page types runs in a shell.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support.console import environment
from support.typed_pages import DOCS, introduce, place_of, read_page

from gitmem import cli
from gitmem.cli import columns, terminal
from gitmem.git import repository

PAGES = [DOCS / "tutorial.md", *sorted((DOCS / "howto").glob("*.md"))]
# A command in a sentence: up to a bracket, a dash or a sign that ends a clause.
COMMAND = re.compile(r"\bgitmem(?: (?![—(])[^\s();,—]*[^\s();,:.—])+")
# What is not wrapped: a command on a line of its own, and the lines of a file or of a difference.
EXACT = re.compile(r" *(?:hint: )?gitmem (?!.*: )|[-+@]|diff |index ")
# The columns by which a further line is indented, at most.
HANG = 6
SHELL = set("|&;<>$`*~#\n")


class Screen(io.StringIO):
    """A terminal without a process of its own."""

    def isatty(self) -> bool:
        return True


@dataclass
class Desk:
    """Where the commands of a page are typed, what they printed, and the lines that were wrapped."""

    home: Path
    folder: Path
    width: int
    printed: list[tuple[str, str]] = field(default_factory=list)
    wrapped: list[tuple[str, list[tuple[int, int]]]] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        off = {"GITMEM_BACKGROUND": "off", "GITMEM_TRACE": "off"}
        off |= {"GITMEM_CONFIRM_PAUSE": "0", "GITMEM_TRIAL_LIMIT": "0"}
        where = {"HOME": str(self.home), "XDG_CONFIG_HOME": None, "XDG_DATA_HOME": None, "COLUMNS": str(self.width)}
        return environment(**off, **where, TERM="dumb", NO_COLOR="1", PAGER="cat", GIT_CONFIG_NOSYSTEM="1")

    def type(self, command: str) -> None:
        """Type one command."""
        joined = command.replace("\\\n", " ")
        if joined.startswith("gitmem ") and not SHELL & set(re.sub(r'"[^"$`]*"', "", joined)):
            self.printed.append((command, self._run(shlex.split(joined)[1:])))
            return
        script = f'{command}\nprintf "\\n%s" "$PWD"'
        done = subprocess.run(
            ["bash", "-c", script], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        self.folder = Path(done.stdout.rpartition("\n")[2] or self.folder)

    def _run(self, argv: list[str]) -> str:
        kept, screen, typed = dict(os.environ), Screen(), sys.stdin
        os.environ.clear()
        os.environ.update(self.environment)
        sys.stdin = Screen()
        try:
            with contextlib.chdir(self.folder), contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
                cli.main(argv)
        finally:
            os.environ.clear()
            os.environ.update(kept)
            sys.stdin = typed
            repository._named = ""  # what -C named
        return screen.getvalue()


def type_page(page: Path, desk: Desk) -> None:
    text = page.read_text(encoding="utf-8")
    (desk.home / "gitmem").symlink_to(DOCS.parent)
    if place := place_of(text):
        introduce(desk.home)
        desk.folder = desk.home / place
        script = ["bash", str(DOCS / "example" / f"{place}.sh"), str(desk.folder)]
        subprocess.run(script, check=True, env=desk.environment, capture_output=True)
    for one in read_page(text):
        if not one.network:
            desk.type(one.command)


# The narrowest screen wraps most; test_pages.py types every page on one of 88 columns.
WIDTH = 60


@pytest.mark.whole_system
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_command_is_wrapped_or_cut_and_numbers_agree(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path, tmp_path, WIDTH)
    plain = columns.breaks

    def noted(text: str, width: int, hang: int | None = None) -> list[tuple[int, int]]:
        spans = plain(text, width, hang)
        desk.wrapped.append((text, spans))
        return spans

    monkeypatch.setattr(columns, "breaks", noted)
    monkeypatch.setattr(terminal, "open_terminal", Screen)  # a person, who approves what they type
    type_page(page, desk)

    assert desk.printed
    assert [broken for wrapped in desk.wrapped for broken in broken_commands(*wrapped)] == []
    assert [(command, cut) for command, shown in desk.printed for cut in cut_commands(shown)] == []
    assert [(command, word) for command, shown in desk.printed for word in split_words(shown, WIDTH)] == []
    assert [(command, wrong) for command, shown in desk.printed for wrong in disagreeing(shown)] == []


def broken_commands(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """Return the commands that were broken when a line was wrapped."""
    ends = [end for _, end in spans[:-1]]
    return [one[0] for one in COMMAND.finditer(text) if any(one.start() < end < one.end() for end in ends)]


def split_words(shown: str, width: int) -> list[str]:
    """Return the words that the terminal splits at its edge, because their line was not wrapped.

    Words of a command that is longer than a line, and of texts that are shown exactly, are left out.
    """
    lines = [line for line in shown.splitlines() if not EXACT.match(line)]
    found = [word for line in lines for word in re.finditer(r"\S+", line) if word.start() < width < word.end()]
    return [word[0] for word in found if len(word[0]) <= width - HANG]


def cut_commands(shown: str) -> list[str]:
    """Return the commands in a text of which a word was cut."""
    return [one[0] for one in COMMAND.finditer(shown) if re.search(r"\w…", one[0])]


def disagreeing(shown: str) -> list[str]:
    """Return the sums in a text that are not those of what they count."""
    text = " ".join(shown.split())
    wrong = []
    for due, parts in re.findall(r"\b(\d+) due: ((?:\d+ \w+(?: \(\d+ as before\))?(?:, )?)+)", text):
        counts = {word: int(number) for number, word in re.findall(r"(?<!\()\b(\d+) (\w+)", parts)}
        listed = len(re.findall(r"^✓ holds  ", shown, re.MULTILINE))
        if sum(counts.values()) != int(due):
            wrong.append(f"{due} due: {parts}")
        if listed and listed != counts.get("hold", 0) + counts.get("holds", 0):
            wrong.append(f"{listed} listed, {parts}")
    for number, kinds in re.findall(r"^(\d+) memor(?:y|ies) on .*\n  (\d+ .*)$", shown, re.MULTILINE):
        if int(number) != sum(map(int, re.findall(r"\b\d+\b", kinds))):
            wrong.append(f"{number} memories: {kinds}")
    return wrong


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 due: 2 hold, 1 failed", []),
        ("3 due: 1 holds, 1 failed", ["3 due: 1 holds, 1 failed"]),
        ("✓ holds  A  bcdf\n2 due: 2 hold", ["1 listed, 2 hold"]),
        ("2 memories on memory at abc\n  1 fact", ["2 memories: 1 fact"]),
    ],
)
def test_sums_that_disagree_are_found(text: str, expected: list[str]) -> None:
    assert disagreeing(text) == expected


def test_broken_and_cut_commands_are_found() -> None:
    text = "to see why: gitmem settle a-key (by Ana)"
    at = text.index("settle") - 1

    assert broken_commands(text, [(0, at), (at + 1, len(text))]) == ["gitmem settle a-key"]
    assert cut_commands("gitmem settle a-k… (by Ana)") == ["gitmem settle a-k…"]
    assert cut_commands("gitmem settle a-key (by A…)") == []
    assert split_words("to see why: gitmem settle a-key", 22) == ["settle"]
    assert split_words("to see why: gitmem settle a-key", 31) == []
    assert split_words("    gitmem settle a-key --reword 'Tokens live an hour'", 40) == []
