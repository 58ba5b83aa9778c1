"""Write the pictures of the documentation, from real runs.

- adopt.svg: `gitmem adopt` on a terminal, in a repository that no rule was made for: Peekaboo, at a fixed commit. It is
  drawn from what was printed there (example/adopt.ansi); with a clone as the argument, that is printed anew.
- report.png and report-dark.png: the first screen of `gitmem report` in Chromium, after a commit broke a fact in the
  example repository (example/weather.sh).
"""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

DOCS = Path(__file__).parent
PICTURE, PRINTED = DOCS / "adopt.svg", DOCS / "example" / "adopt.ansi"
# The repository of the picture, and what is run in it.
COMMIT = "43166110"
ADOPT = ["adopt", "README.md", "Examples/", "Core/PeekabooCore/Sources/PeekabooCore/"]
PAGES = {DOCS / "report.png": (), DOCS / "report-dark.png": ("--blink-settings=preferredColorScheme=0",)}
GITMEM = str(Path(sys.executable).with_name("gitmem"))
COLUMNS = 100
# What the report shows: as in the tutorial, a fact on which decisions rest fails.
STORY = """
git config --global user.name "Dana Example" && git config --global user.email dana@example.org
gitmem adopt --fix || true
git commit --quiet --all --message "Correct AGENTS.md"
gitmem init
gitmem adopt --apply
gitmem fact "Answers are kept for ten minutes" --key answers-are-kept --contains "TTL_S = 600" --in "src/**/*.py"
gitmem fact "One function asks the station" --symbol fetch --in src/weather/client.py
gitmem remember "Values may be ten minutes old" --kind decision --key old-values --requires answers-are-kept
gitmem remember "Warnings are late by ten minutes at most" --kind decision --requires old-values
gitmem remember "The station sends wrong values between 3 and 4 in the morning" --kind gotcha
gitmem remember "Deploys need the VPN"
gitmem verify
sed -i.old "s/TTL_S = 600/TTL_S = 5/" src/weather/cache.py && rm src/weather/cache.py.old
git commit --quiet --all --message "Show live values"
gitmem verify || true
gitmem report report.html
"""

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


def make_project(top: Path) -> Path:
    """Make the example repository in a folder and return its own folder."""
    project = top / "weather"
    subprocess.run(["bash", str(DOCS / "example" / "weather.sh"), str(project)], env=_environment(top), check=True)
    return project


def _environment(home: Path) -> dict[str, str]:
    """Return the environment of a person who knows nothing but git and gitmem, with a home of their own."""
    path = os.pathsep.join([str(Path(GITMEM).parent), os.environ.get("PATH", os.defpath)])
    alone = {"GIT_CONFIG_NOSYSTEM": "1", "HOME": str(home), "GITMEM_BACKGROUND": "off"}
    return {"PATH": path, "LC_ALL": "C.UTF-8", "TZ": "UTC", **alone}


def record(argv: list[str], cwd: Path, env: dict[str, str]) -> str:
    """Run a program on a terminal of its own and return what it printed, with its colours."""
    ours, theirs = pty.openpty()
    env = {**env, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
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


def print_adopt(clone: Path) -> None:
    """Write what `gitmem adopt` prints in a clone of the picture's repository."""
    with tempfile.TemporaryDirectory() as name:
        project = Path(name) / "project"
        subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", str(clone), str(project)], check=True)
        subprocess.run(["git", "reset", "--quiet", "--soft", COMMIT], cwd=project, check=True)
        PRINTED.write_text(record([GITMEM, *ADOPT], project, _environment(Path(name))), encoding="utf-8")


def make_picture() -> str:
    """Return the picture of the terminal."""
    printed = PRINTED.read_text(encoding="utf-8").rstrip("\n")
    console = Console(record=True, width=COLUMNS, file=StringIO(), color_system="truecolor", force_terminal=True)
    command = " ".join(["gitmem", *ADOPT])
    console.print(Text.from_ansi(f"\x1b[36m$ {command}\x1b[0m\n{printed}"))
    title = "gitmem adopt lists the statements of documents that are false, and the commits that made them false"
    return console.export_svg(theme=THEME, code_format=FORM.replace("{title}", title), unique_id="adopt")


def write_pages(folder: Path, chromium: str) -> None:
    """Write the pictures of the report's first screen."""
    project = make_project(folder)
    env = _environment(folder)
    subprocess.run(["bash", "-e", "-c", STORY], cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)
    for picture, options in PAGES.items():
        shot = [
            f"--screenshot={picture}",
            "--window-size=1200,760",
            "--hide-scrollbars",
            "--force-device-scale-factor=1",
        ]
        alone = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'chromium'}"]
        page = (project / "report.html").as_uri()
        subprocess.run([chromium, *alone, *shot, *options, page], env=env, check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    if sys.argv[1:]:
        print_adopt(Path(sys.argv[1]))
    PICTURE.write_text(make_picture(), encoding="utf-8")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            write_pages(Path(scratch), found)
    else:
        print("Chromium is not installed: the pictures of the report are as before", file=sys.stderr)
