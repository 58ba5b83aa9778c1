"""Files and texts that were made to keep a reader busy: every reader answers or refuses in time."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.each import each

SIZE = 200_000
READ = """
import sys
from gitmem.document.sources import dependencies, formats, scripts, symbols, versions, workspaces
from gitmem.errors import FormatError
path, content = sys.argv[1], eval(sys.argv[2]).encode()
for read in (
    lambda: formats.read_value(path, content, ("a", "b")),
    lambda: scripts.read_scripts(path, content),
    lambda: dependencies.read_dependencies(path, content),
    lambda: workspaces.read_links(path, content),
    lambda: symbols.find_symbol(content, "a.b", path),
    lambda: versions.is_within(content.decode()[:190], content.decode()[:190]),
):
    try:
        read()
    except FormatError:
        pass
"""


@pytest.mark.whole_system
@each(
    ("path", "content"),
    [
        ("Makefile", f"'a' + ' ' * {SIZE}"),
        ("justfile", f"'a' + ' ' * {SIZE}"),
        ("tox.ini", f"'[tox]\\nenvlist = ' + 'a,' * {SIZE}"),
        ("src/a.js", f"'a ' * {SIZE}"),
        ("src/a.js", f"'a.b' + '`${{' * {SIZE}"),
        ("src/a.js", f"'a.b`' + '=/[' * {SIZE}"),
        ("src/a.js", f"'class a {{ b ' + '(b ' * {SIZE}"),
        ("src/a.rs", f"'a.b' + 'r#' + chr(34) + 'r##' * {SIZE}"),
        ("src/a.sh", f"'a.b' + '<<A' * {SIZE} + chr(10)"),
        ("src/a.clj", f"'a.b' + '(def ^' * {SIZE}"),
        ("Makefile", f"'A = $(A) $(A)' + chr(10) + '$(A) ' * {SIZE} + ':'"),
        ("src/a.py", f"'a a' * {SIZE} + '!'"),
        ("src/a.py", f"'a.b' + chr(10) + (chr(92) + chr(34) * 3 + chr(10)) * {SIZE}"),
        ("src/a.py", f"'a.b' + (chr(34) * 3 + chr(10)) * 2 + (chr(92) + chr(34)) * {SIZE}"),
        ("requirements.txt", f"'a' * {SIZE} + '!'"),
        (".nvmrc", "'1' + 'a' * 180 + '!'"),
        ("Gemfile", f"'gem ' + chr(39) * {SIZE}"),
        ("build.gradle", f"chr(34) * {SIZE}"),
        ("Dockerfile", f"'FROM ' + '--a ' * {SIZE}"),
        ("a.toml", f"'[' + 'a.' * {SIZE}"),
        ("a.toml", f"chr(34) + 'a' + (chr(34) + '.' + chr(34)) * {SIZE} + chr(34) + ' = 1'"),
        (
            "Gemfile",
            "'gem ' + chr(39) + 'a' + chr(39) + chr(10) + ('gem ' + chr(39) + 'a' + chr(39) + chr(10)) * 50_000",
        ),
        ("package.json", f"'/*' * {SIZE}"),
        ("deps.edn", f"'{{:a ' * {SIZE}"),
        ("deps.edn", f"chr(34) + (chr(92) + chr(34)) * {SIZE}"),
        ("deps.edn", f"'#_' * {SIZE} + ' ' * {SIZE}"),
        ("noxfile.py", f"'@nox.session\\n' * {SIZE // 20}"),
    ],
)
def test_reader_ends(path: str, content: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", READ, path, content], timeout=60, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
