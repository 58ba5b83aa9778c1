from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from gitmem.verify.sandbox import temporary
from gitmem.verify.sandbox.temporary import YOUNG_S, temporary_folder


def aged(folder: Path) -> None:
    at = folder.stat().st_mtime - 2 * YOUNG_S
    os.utime(folder, (at, at))


def test_what_a_killed_process_left_is_removed_by_the_next_one_and_what_is_held_stays(tmp_path: Path) -> None:
    code = (
        "import os, signal; from pathlib import Path; from gitmem.verify.sandbox.temporary import temporary_folder\n"
        f"with temporary_folder('x-', Path({str(tmp_path)!r})) as made:\n"
        "    (made / 'big').write_bytes(b'x'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    (left,) = tmp_path.iterdir()
    (tmp_path / "other").mkdir()
    aged(left)
    aged(tmp_path / "other")

    with temporary_folder("x-", tmp_path) as held:
        assert not left.exists()
        aged(held)
        with temporary_folder("x-", tmp_path):
            assert held.is_dir()

    assert [p.name for p in tmp_path.iterdir()] == ["other"]


def test_a_young_folder_and_a_link_are_left_alone(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    aged(outside)
    place = tmp_path / "place"
    place.mkdir()
    (place / "x-young").mkdir()
    (place / "x-link").symlink_to(outside)

    with temporary_folder("x-", place):
        pass

    assert sorted(p.name for p in place.iterdir()) == ["x-link", "x-young"]
    assert outside.is_dir()


def test_every_folder_of_a_verify_job_is_one_that_the_next_removes() -> None:
    package = Path(temporary.__file__).parents[1]

    makers = {path.name for path in package.rglob("*.py") if "import tempfile" in path.read_text(encoding="utf-8")}

    assert makers == {"temporary.py", "account.py"}
