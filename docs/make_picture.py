"""Write docs/adopt.svg, the picture in the README: `gitmem adopt` on a terminal, in a small project made here.

The commits have fixed authors and times, so the picture changes only when the output does (tests/test_picture.py).
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

PICTURE = Path(__file__).with_name("adopt.svg")
COLUMNS = 90

# Each commit: who, when, why, and the files as they are then; None is a file that is gone.
HISTORY = (
    (
        *("Ana Example", "2025-03-03T09:00:00Z", "Start the weather service"),
        {
            "AGENTS.md": (
                "# Working on the weather service\n\n- Python 3.10+; run the tests with `make test`.\n"
                "- Handlers are in `src/routes.py`; they call the client in `src/client.py`.\n"
                "- `retries` (default: `3`): how often a request is repeated.\n"
                "- Write the changelog for people.\n- Ask before you add a dependency.\n"
            ),
            "Makefile": "test:\n\tpython -m pytest\n",
            "pyproject.toml": '[project]\nname = "weather"\nversion = "1.0"\nrequires-python = ">=3.10"\n',
            "src/client.py": "def fetch(url, retries=3):\n    return url, retries\n",
            "src/routes.py": "def show(city):\n    return city\n\n\ndef search(text):\n    return text\n",
        },
    ),
    (
        *("Ben Example", "2025-06-12T10:00:00Z", "Split the handlers from the server"),
        {
            "src/routes.py": None,
            "src/web/routes.py": "def show(city):\n    return city\n\n\ndef search(text):\n    return text\n",
        },
    ),
    (
        *("Ana Example", "2025-09-01T08:00:00Z", "Retry more often"),
        {"src/client.py": "def fetch(url, retries=5):\n    return url, retries\n"},
    ),
    (
        *("Cleo Example", "2025-11-20T15:00:00Z", "Drop Python 3.10"),
        {"pyproject.toml": '[project]\nname = "weather"\nversion = "1.1"\nrequires-python = ">=3.11"\n'},
    ),
)

# A dark terminal: background, foreground, the eight colours and their bright forms.
THEME = TerminalTheme(
    (24, 26, 31),
    (220, 223, 228),
    [
        *((40, 44, 52), (229, 105, 105), (130, 190, 120), (222, 180, 100)),
        *((110, 165, 235), (190, 140, 225), (95, 185, 190), (220, 223, 228)),
    ],
    [
        *((125, 130, 140), (240, 120, 120), (150, 210, 140), (240, 200, 120)),
        *((130, 185, 250), (210, 160, 245), (115, 205, 210), (250, 250, 250)),
    ],
)
# rich's picture without its frame, and with the reader's own monospaced font: it loads nothing from anywhere.
FORM = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>{title}</title>
<style>.{unique_id}-matrix {{ font: {char_height}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; \
line-height: {line_height}px; }}
{styles}</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>\
</clipPath>{lines}</defs>
<rect width="{width}" height="{height}" rx="8" fill="#181a1f"/>
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def make_project(top: Path) -> None:
    """Make the repository in an empty folder."""
    _git(top, "init", "-q", "-b", "main")
    for who, when, why, files in HISTORY:
        for name, text in files.items():
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            if text is not None:
                path.write_text(text, encoding="utf-8")
        _git(top, "add", "-A")
        _git(top, "commit", "-q", "-m", why, who=who, when=when)


def _git(top: Path, *args: str, who: str = "Ana Example", when: str = "") -> None:
    mail = f"{who.split(maxsplit=1)[0].lower()}@example.org"
    person = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", who), ("EMAIL", mail), ("DATE", when))
    }
    alone = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", *args], cwd=top, env={**os.environ, **person, **alone}, check=True)


def record(argv: list[str], cwd: Path) -> str:
    """Run a program on a terminal of its own and return what it printed, with its colours."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LC_ALL": "C.UTF-8", "NO_COLOR": ""}
    with subprocess.Popen(argv, cwd=cwd, env=env, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL):
        os.close(theirs)
        said = b""
        try:
            while more := os.read(ours, 65_536):
                said += more
        except OSError:
            pass  # Linux says EIO once the other end is closed (pty(7))
    os.close(ours)
    return said.decode("utf-8").replace("\r\n", "\n")


def make_picture() -> str:
    """Return the picture."""
    with tempfile.TemporaryDirectory() as name:
        make_project(Path(name))
        shown = record([str(Path(sys.executable).with_name("gitmem")), "adopt"], Path(name))
    console = Console(record=True, width=COLUMNS, file=StringIO(), color_system="truecolor", force_terminal=True)
    console.print(Text.from_ansi("\x1b[36m$ gitmem adopt\x1b[0m\n" + shown.rstrip("\n")))
    title = "gitmem adopt lists the statements of AGENTS.md that are false, and the commits that made them false"
    return console.export_svg(theme=THEME, code_format=FORM.replace("{title}", title), unique_id="adopt")


if __name__ == "__main__":
    PICTURE.write_text(make_picture(), encoding="utf-8")
