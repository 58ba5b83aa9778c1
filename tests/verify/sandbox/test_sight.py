"""The table "What a check sees" of docs/sandbox.md is true: a check looks, on each rung that works here."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import commit_files
from support.grounds import open_ways

from gitmem.verify.sandbox import sandbox

ROOT = Path(__file__).parents[3]
PATH = os.environ["PATH"]
# What a check does for each row, with @top for the work tree, @home for the home and @pid for another process; it
# prints something if it sees it.
LOOKS = {
    "the commit's files, which it may change": "cat README.md && echo x >> README.md && echo yes",
    "they are at the path of your work tree": 'test "$PWD" = @top && echo yes',
    "`node_modules`, `.venv`, `venv`, `vendor` that git ignores": "cat node_modules/one/index.js vendor/one.sh",
    "other folders that git ignores": "cat dist/out",
    "uncommitted changes, `.env` and other ignored files": "cat .env new @top/.env @top/new",
    "your home, with its keys and tokens": "cat ~/.ssh/id ~/.npmrc @home/.ssh/id @home/.npmrc",
    "the caches of Go, cargo, Maven, npm, pnpm, uv and `pip --user`": "cat ~/go/pkg/mod/x ~/.m2/repository/x",
    "environment variables that the fact does not declare": 'echo "$MY_TOKEN"',
    "a server that it starts on `localhost`": (
        "python3 -c \"import socket as s; a = s.create_server(('127.0.0.1', 0));"
        ' s.create_connection(a.getsockname()); print(1)"'
    ),
    "the network, other servers on `localhost`": (
        "python3 -c \"import socket; socket.create_connection(('127.0.0.1', @port)); print(1)\""
    ),
    "a UNIX socket that it makes": "python3 -c \"import socket as s; a = s.socket(s.AF_UNIX); a.bind('s'); print(1)\"",
    "other processes": "cat /proc/@pid/comm",
}
# Cells that say that a check sees it without more; all others, that it does not.
SEEN = ("yes", "read-only", "their names", "by their path", "by its path")
COLUMNS = ("bubblewrap", "landlock", "container", "none")
SCRIPT = """
import json, os, sys
root, rung, top, commands = sys.argv[1:4] + [json.loads(sys.argv[4])]
sys.path.append(root)
from pathlib import Path
from benchmarks.container import forbid_namespaces
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.verify.ground.open import open_grounds
from gitmem.verify.sandbox import sandbox
if rung == "container":
    rung = "landlock"
    forbid_namespaces()
path = os.environ["PATH"]
if rung != "none" and not sandbox.works(rung, path):
    print(json.dumps([]))
    sys.exit()
git = Git(discover(Path(top)))
looks = "".join(f"({command}) 2> /dev/null\\necho END\\n" for command in commands)
with open_grounds(git, rung, path, now=1) as grounds, grounds.take(git.resolve("HEAD")) as ground:
    ran = sandbox.run_check(["sh", "-c", looks], ground=ground, rung=rung, network=False, timeout_s=60, path=path)
assert not ran.problem, ran.problem
print(json.dumps([shown.strip() for shown in ran.output.split("END\\n")[:-1]]))
"""


def read_table() -> dict[str, dict[str, str]]:
    """Return the cells of the table by row and column."""
    text = (ROOT / "docs" / "sandbox.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\|.*\|$", text[text.index("## What a check sees") :], re.MULTILINE)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    end = next(number for number, row in enumerate(rows) if number and row[1:2] and len(row) != len(rows[0]))
    return {row[0]: dict(zip(rows[0][1:], row[1:], strict=True)) for row in rows[2:end]}


@pytest.mark.parametrize("column", COLUMNS)
def test_a_check_sees_what_the_table_says(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str
) -> None:
    table, home = read_table(), tmp_path / "me"
    commit_files(repo, {".gitignore": "node_modules/\nvendor/\ndist/\n.env\n"})
    ignored = ("node_modules/one/index.js", "vendor/one.sh", "dist/out", ".env", "new")
    kept = (".ssh/id", ".npmrc", "go/pkg/mod/x", ".m2/repository/x")
    for place in [*(repo / name for name in ignored), *(home / name for name in kept)]:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("seen\n")
    open_ways(home)
    open_ways(repo)
    for name, value in {"HOME": str(home), "MY_TOKEN": "seen", "XDG_STATE_HOME": str(tmp_path / "state")}.items():
        monkeypatch.setenv(name, value)
    server = socket.create_server(("127.0.0.1", 0))
    with subprocess.Popen(["sleep", "60"]) as other, server:
        port = server.getsockname()[1]
        words = {"top": repo.resolve(), "home": home.resolve(), "pid": other.pid, "port": port}
        commands = [re.sub("@(top|home|pid|port)", lambda found: str(words[found[1]]), one) for one in LOOKS.values()]
        argv = [sys.executable, "-c", SCRIPT, str(ROOT), column, str(repo), json.dumps(commands)]
        said = json.loads(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)
        other.kill()

    if not said:
        pytest.skip(f"{column} does not work here")
    if column == "landlock" and not sandbox.probe_place(PATH, repo / ".git", "landlock"):
        pytest.skip("namespaces do not work here")
    seen = {row: bool(text) for row, text in zip(LOOKS, said, strict=True)}
    assert seen == {row: table[row][column] in SEEN for row in LOOKS}


def test_every_row_of_the_table_is_tried() -> None:
    table = read_table()

    assert list(table) == list(LOOKS)
    assert {column for cells in table.values() for column in cells} == set(COLUMNS)
