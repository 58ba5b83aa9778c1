"""Type the commands of a page on a terminal, in an empty home, and compare what they print with what the page shows.

A fence ``console`` holds lines that begin with ``$``, which a reader types (and ``>`` before their further lines), and
what they print. A line of ``…`` alone is any number of lines. Hashes, times and the home's folder differ from run to
run and are not compared. ``console network`` holds what needs the network and is not typed.
A comment in the page says where it begins: ``<!-- Typed in: weather -->`` is a repository that docs/example/weather.sh
makes, in which Dana Example types.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import sysconfig
import termios
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from support.console import SCRIPTS, TAKE_TERMINAL

PROJECT = Path(__file__).resolve().parents[2]
DOCS = PROJECT / "docs"
FENCE = re.compile(r"^```console( network)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PLACE = re.compile(r"^<!-- Typed in: ([\w-]+) -->$", re.MULTILINE)
COLUMNS = 88
TIMEOUT_S = 120.0
ANY = "…"
# What differs from run to run: hashes, points in time, durations.
UNSTEADY = (
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b"), "HASH"),
    (re.compile(r"\b20\d\d-\d\d-\d\d(?:T[\d:]+(?:Z|[+]00:00))?"), "DATE"),
    (re.compile(r" +(?:now|\d+[mhd])(?=  [b-df-hj-np-tv-xz]{4,6}\b)"), "  AGE"),  # before a short id
    (re.compile(r"\b\d+(?:\.\d)?(?:m?s| min|m)\b"), "TIME"),
)
# Memories of one second are in any order in these.
NEWEST_FIRST = ("gitmem list", "gitmem context")
# The question of `gitmem trust --review`, as it wraps on the terminal; it is answered with the digits that it shows.
QUESTION = re.compile(r"hash ([0-9a-f]+)…\s+First \d+ digits approve[^:]*: $")


@dataclass(frozen=True)
class Typed:
    """A command of a page.

    Attributes:
        command: What is typed; of several lines where it goes on.
        shown: What the page shows below it.
        network: Whether it needs the network and is not typed.
        start: Where *shown* begins in the page.
    """

    command: str
    shown: str
    network: bool
    start: int


def read_page(text: str) -> list[Typed]:
    """Return the commands of a page in their order."""
    found = []
    for fence in FENCE.finditer(text):
        at = fence.start(2)
        parts = re.split(r"(?m)^(?=\$ )", fence[2])
        at += len(parts[0])
        for part in parts[1:]:
            asked = re.match(r"\$ .*\n(?:> .*\n|>\n)*", part)
            assert asked, part
            lines = asked[0].splitlines()
            command = "\n".join([lines[0][2:], *(line[2:] for line in lines[1:])])
            found.append(Typed(command, part[asked.end() :], bool(fence[1]), at + asked.end()))
            at += len(part)
    return found


def place_of(text: str) -> str | None:
    """Return the name of the repository that a page begins in; None is the home."""
    found = PLACE.search(text)
    return found[1] if found else None


def introduce(home: Path) -> None:
    """Name the person who types, Dana Example, to git."""
    (home / ".gitconfig").write_text("[user]\n\tname = Dana Example\n\temail = dana@example.org\n", encoding="utf-8")


def type_page(
    page: list[Typed], home: Path, place: str | None, *, path: str = "", prefix: Sequence[str] = ()
) -> list[Typed]:
    """Type the commands of a page in one shell and return them with what they really printed.

    Args:
        page: The commands.
        home: An empty folder.
        place: The repository that the page begins in (``place_of``).
        path: Folders to search for programs before the others.
        prefix: A program that starts the shell.
    """
    typed = [one for one in page if not one.network]
    (home / "gitmem").symlink_to(PROJECT)  # the clone that a page begins with
    folder = home
    if place:
        introduce(home)
        folder = home / place
        subprocess.run(["bash", str(DOCS / "example" / f"{place}.sh"), str(folder)], check=True, env=_environment(home))
        if any(one.network and "-m venv .venv" in one.command for one in page):
            make_pytest(folder)
    script = "".join(f"eval {_quoted(one.command)}\nprintf '\\1'\n" for one in typed)
    env = _environment(home)
    env["PATH"] = f"{path}:{env['PATH']}" if path else env["PATH"]
    printed = _on_terminal(script, folder, env, prefix).replace(str(home), "/home/ana").split("\1")
    assert len(printed) == len(typed) + 1, printed[-1]
    return [replace(one, shown=_tidy(shown)) for one, shown in zip(typed, printed, strict=False)]


def is_shown(shown: str, printed: str, command: str = "") -> bool:
    """Return whether a page shows what was printed, apart from what differs from run to run."""
    if command.startswith(NEWEST_FIRST):
        shown, printed = ("".join(sorted(text.splitlines(keepends=True))) for text in (shown, printed))
    pattern = "".join(
        r"(?:.*\n)*" if line.strip() == ANY else re.escape(line) + r"\n" for line in _steady(shown).splitlines()
    )
    return re.fullmatch(pattern, _steady(printed)) is not None


def _steady(text: str) -> str:
    for pattern, name in UNSTEADY:
        text = pattern.sub(name, text)
    return text


def _tidy(printed: str) -> str:
    lines = [line.rstrip() for line in printed.replace("\r\n", "\n").splitlines()]
    return "".join(f"{line}\n" for line in lines)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _environment(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "PATH": f"{SCRIPTS}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",  # no colours, and no bars that are drawn over
        "NO_COLOR": "1",
        "TZ": "UTC",
        "PAGER": "cat",
        "GIT_CONFIG_NOSYSTEM": "1",
        # A failure is run again at once, a check that holds is not, and nothing runs on after the page.
        "GITMEM_CONFIRM_PAUSE": "0",
        "GITMEM_TRIAL_LIMIT": "0",
        "GITMEM_BACKGROUND": "off",
        # With strace, which few machines have, fewer facts depend on a change.
        "GITMEM_TRACE": "off",
    }


def make_pytest(folder: Path) -> None:
    """Make a virtual environment with pytest, as pip would with the network: with the packages that run this test."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / ".venv")], check=True)
    (site,) = (folder / ".venv" / "lib").glob("python3*/site-packages")
    (site / "packages.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    program = folder / ".venv" / "bin" / "pytest"
    program.write_text(
        f"#!{folder}/.venv/bin/python\nimport sys\nimport pytest\nsys.exit(pytest.main())\n", encoding="utf-8"
    )
    program.chmod(0o755)


def _on_terminal(script: str, folder: Path, env: dict[str, str], prefix: Sequence[str]) -> str:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 200, COLUMNS, 0, 0))
    ends = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    argv = [sys.executable, "-S", "-c", TAKE_TERMINAL, *prefix, "/bin/bash", "-c", script]
    with subprocess.Popen(argv, cwd=folder, env=env, start_new_session=True, **ends) as shell:
        os.close(theirs)
        printed, answered = b"", 0
        try:
            while select.select([ours], [], [], TIMEOUT_S)[0]:
                printed += os.read(ours, 65_536)
                question = QUESTION.search(printed.decode("utf-8", "replace"), answered)
                if question:
                    answered = question.end()
                    os.write(ours, f"{question[1]}\n".encode())
            shell.kill()
        except OSError:
            pass  # Linux says EIO once the other end is closed (pty(7))
        os.close(ours)
    return printed.decode("utf-8", "replace")
