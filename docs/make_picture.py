"""Write the pictures of the documentation, from real runs in the example repository (example/weather.sh).

- NAME.svg: commands on a terminal, for each row of ``TERMINALS``; what they printed is in example/NAME.ansi.
- report.png and report-dark.png, with ``--pages``: the first screen of `gitmem report` in Chromium, after a commit
  broke a fact; comment.png: the comment on a pull request (example/comment.txt), in letters like those of a forge.
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
from typing import NamedTuple

from cmarkgfm import github_flavored_markdown_to_html as markdown_to_html
from cmarkgfm.cmark import Options
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

DOCS = Path(__file__).parent
COMMENT = DOCS / "example" / "comment.txt"
PAGES = {DOCS / "report.png": (), DOCS / "report-dark.png": ("--blink-settings=preferredColorScheme=0",)}
GITMEM = str(Path(sys.executable).with_name("gitmem"))
COLUMNS = 100
# Commits of the story are made at one time, so that their names stay the same.
DATES = "export GIT_AUTHOR_DATE=2025-12-01T09:00:00Z GIT_COMMITTER_DATE=2025-12-01T09:00:00Z"
INTRODUCE = 'git config --global user.name "Dana Example" && git config --global user.email dana@example.org'
# What the report shows: as in the tutorial, a fact on which decisions rest fails.
STORY = f"""
{INTRODUCE}
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

REMEMBER = f"""
{INTRODUCE}
gitmem init
gitmem fact "Answers are kept for ten minutes" --key answers-are-kept --contains "TTL_S = 600" --in "src/**/*.py"
gitmem remember "The station blocks clients that ask twice in ten minutes. The limit is in its contract." \\
  --kind gotcha --key station-blocks --path src/weather/cache.py --requires answers-are-kept
gitmem verify
"""
BREAK = f"""
{REMEMBER}
git switch --quiet --create live
sed -i.old "s/TTL_S = 600/TTL_S = 5/" src/weather/cache.py && rm src/weather/cache.py.old
({DATES} && git commit --quiet --all --message "Show live values")
"""
POST = """
export GITHUB_REPOSITORY=example/weather
gitmem check --base main --json > check.json || true
gitmem forge comment --kind check --pull 12 --dry-run check.json
"""
# A page around a comment: a forge's own style is not ours to copy.
AROUND = """\
<!doctype html><meta charset="utf-8"><style>
body {{ font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; margin: 20px; color: #1f2328 }}
main {{ border: 1px solid #d1d9e0; border-radius: 6px; padding: 0 20px 8px }}
h3, h4 {{ margin: 16px 0 8px }} a {{ color: #0969da }} code {{ font: 13px "DejaVu Sans Mono", monospace }}
pre {{ background: #f6f8fa; padding: 12px; border-radius: 6px }}
</style><main>{}</main>
"""
# What Claude Code passes to its hook when the agent has read a file.
READ = """
cat > agent-reads-cache.json <<END
{"session_id": "s1", "cwd": "$PWD", "hook_event_name": "PostToolUse", "tool_name": "Read",
 "tool_input": {"file_path": "$PWD/src/weather/cache.py"}, "tool_response": {}}
END
"""


class Terminal(NamedTuple):
    """Commands on a terminal.

    Attributes:
        title: What the picture shows, for people who cannot see it.
        before: What is run before, without being shown.
        typed: The commands that are shown.
    """

    title: str
    before: str
    typed: tuple[str, ...]


TERMINALS = {
    "adopt": Terminal(
        "gitmem adopt lists the statements of documents that are false, and the commits that made them false",
        "",
        ("gitmem adopt",),
    ),
    "check": Terminal(
        "gitmem check, on the branch of a pull request, names the fact that becomes false, the line and its author",
        BREAK,
        ("git log --format='%h %an: %s' main..", "gitmem check --base main"),
    ),
    "hook": Terminal(
        "an agent has read a file; the hook of gitmem adds what people know about that file",
        REMEMBER + READ,
        ("gitmem hook claude-code < agent-reads-cache.json | jq -r .hookSpecificOutput.additionalContext",),
    ),
}

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
# rich's picture without its frame, whose bar took 16 pixels at the top, and with the reader's own monospaced font: it
# loads nothing from anywhere.
FORM = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 16 {width} {height}" role="img">
<title>{title}</title>
<style>.{unique_id}-matrix {{ font: {char_height}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; \
line-height: {line_height}px; }}
{styles}</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>\
</clipPath>{lines}</defs>
<rect y="16" width="{width}" height="{height}" rx="8" fill="#181a1f"/>
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def make_project(top: Path) -> Path:
    """Make the example repository in a folder and return its own folder."""
    top.mkdir(exist_ok=True)
    project = top / "weather"
    subprocess.run(["bash", str(DOCS / "example" / "weather.sh"), str(project)], env=_environment(top), check=True)
    return project


def _environment(home: Path) -> dict[str, str]:
    """Return the environment of a person who knows nothing but git and gitmem, with a home of their own."""
    path = os.pathsep.join([str(Path(GITMEM).parent), os.environ.get("PATH", os.defpath)])
    alone = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_PAGER": "cat", "HOME": str(home), "GITMEM_BACKGROUND": "off"}
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


def printed_path(name: str) -> Path:
    """Return the file with what the commands of a picture printed."""
    return DOCS / "example" / f"{name}.ansi"


def type_commands(terminal: Terminal, folder: Path) -> str:
    """Type a picture's commands in the example repository, below a folder, and return the whole screen."""
    project, env = make_project(folder), _environment(folder)
    subprocess.run(["bash", "-e", "-c", terminal.before], cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)
    screen = [
        f"\x1b[36m$ {command}\x1b[0m\n{record(['bash', '-c', command], project, env)}" for command in terminal.typed
    ]
    return "".join(screen)


def draw(name: str, screen: str) -> str:
    """Return the picture of a terminal."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), color_system="truecolor", force_terminal=True)
    console.print(Text.from_ansi(screen.rstrip("\n")))
    return console.export_svg(theme=THEME, code_format=FORM.replace("{title}", TERMINALS[name].title), unique_id=name)


def write_terminal(name: str, screen: str) -> None:
    """Write a picture and what it was drawn from."""
    printed_path(name).write_text(screen, encoding="utf-8")
    (DOCS / f"{name}.svg").write_text(draw(name, screen), encoding="utf-8")


def print_comment(folder: Path) -> str:
    """Return the comment on a pull request that breaks a fact, as Markdown."""
    project, env = make_project(folder), _environment(folder)
    subprocess.run(["bash", "-e", "-c", BREAK], cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["bash", "-e", "-c", POST], cwd=project, env=env, check=True, capture_output=True, text=True)
    return done.stdout


def write_pages(folder: Path, chromium: str) -> None:
    """Write the pictures of the report's first screen."""
    project = make_project(folder)
    env = _environment(folder)
    subprocess.run(["bash", "-e", "-c", STORY], cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)
    for picture, options in PAGES.items():
        _shoot(chromium, project / "report.html", picture, "1200,760", *options)
    COMMENT.write_text(print_comment(folder / "other"), encoding="utf-8")
    page = folder / "comment.html"
    body = markdown_to_html(COMMENT.read_text(encoding="utf-8"), Options.CMARK_OPT_UNSAFE)
    cross = '<span style="color: #cf222e">✗</span>'  # of a font without emoji
    page.write_text(AROUND.format(body.replace("❌", cross)), encoding="utf-8")
    _shoot(chromium, page, DOCS / "comment.png", "1000,500")


def _shoot(chromium: str, page: Path, picture: Path, size: str, *options: str) -> None:
    """Take a picture of a page."""
    shot = [f"--screenshot={picture}", f"--window-size={size}", "--hide-scrollbars", "--force-device-scale-factor=1"]
    alone = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={page.parent / 'chromium'}"]
    argv = [chromium, *alone, *shot, *options, page.as_uri()]
    subprocess.run(argv, env=_environment(page.parent), check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        if sys.argv[1:] == ["--pages"]:
            found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
            if found is None:
                sys.exit("Chromium is not installed")
            write_pages(Path(scratch), found)
        else:
            for name, terminal in TERMINALS.items():
                write_terminal(name, type_commands(terminal, Path(scratch, name)))
