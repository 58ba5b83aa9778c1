"""``gitmem textconv``: what git calls for each file of a diff."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.reviews import text

from gitmem.cli import textconv


def test_a_file_is_shown_readably_without_loading_what_a_diff_does_not_need(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text(text("Hidden", "a\u200bb\n"), encoding="utf-8")
    code = (
        "import sys; from gitmem.cli import main; status = main(['textconv', sys.argv[1]]); sys.stdout.flush();"
        "print(sorted({'argparse', 'yaml', 'sqlite3', 'pathlib', 'gitmem.memory'} & sys.modules.keys()), status)"
    )

    done = subprocess.run([sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}", str(file)],
                          capture_output=True, check=True)  # fmt: skip

    assert done.stdout.decode() == text("Hidden", "a\\u{200b}b\n") + "[] 0\n"


def test_unreadable_file_exits_with_1_and_prints_nothing(tmp_path: Path, capsys) -> None:
    large = tmp_path / "large.md"
    large.write_bytes(b"x" * (textconv.LIMIT + 1))

    assert [textconv.show(str(large)), textconv.show(str(tmp_path / "none"))] == [1, 1]
    assert capsys.readouterr().out == ""
