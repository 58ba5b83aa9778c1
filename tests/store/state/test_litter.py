"""Litter goes by name and age, and nothing else goes with it."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from conftest import git
from support.each import each

from gitmem.memory import Memory
from gitmem.store.state.litter import AGE_S, sweep

BROKEN = "commit {ref}\nmark :1\ncommitter A <a@b> 1 +0000\ndata 3\nabc\nM 100644 inline x\ndata 10\nab"


def aged(path: Path, age_s: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (time.time() - age_s,) * 2)
    return path


def report_of(repo: Path, stream: str, *, age_s: float = 600.0) -> Path:
    """Let a fast-import die, and return its report."""
    done = subprocess.run(
        ["git", "fast-import", "--quiet", "--date-format=raw"], cwd=repo, input=stream.encode(), capture_output=True,
        check=False,
    )  # fmt: skip
    name = done.stderr.decode().rpartition("dumping crash report to ")[2].strip()
    return aged(repo / name, age_s)


def test_half_written_files_go_when_they_are_old(memory: Memory, repo: Path) -> None:
    state = repo / ".git/gitmem"
    old = [aged(state / name, AGE_S + 5) for name in ("view.json.new", "spool/1.json.new", "capture/rules.json.7.new")]
    kept = [aged(state / "spool/2.json.new", AGE_S - 60), aged(state / "hooks/log.1", AGE_S + 5)]
    outside = aged(repo / "mine.new", AGE_S + 5)
    (state / "planted").symlink_to(repo)

    removed = sweep(memory.repository.git, memory.repository.ref)

    assert sorted(removed) == sorted(map(str, old))
    assert all(path.exists() for path in (*kept, outside))


@each(
    ("stream", "is_ours"),
    [
        ("feature done\n" + BROKEN.format(ref="refs/heads/memory"), True),
        ("feature done\n" + BROKEN.format(ref="refs/heads/gitmem/proposal"), True),
        ("feature done\n", True),
        ("feature done\n" + BROKEN.format(ref="refs/heads/main2"), False),
        (BROKEN.format(ref="refs/heads/memory-of-mine"), False),
        ("nonsense\n", False),
    ],
)
def test_of_reports_of_a_fast_import_those_of_a_memory_branch_go(
    memory: Memory, repo: Path, stream: str, is_ours: bool
) -> None:
    report = report_of(repo, stream)

    sweep(memory.repository.git, memory.repository.ref)

    assert report.exists() != is_ours


def test_young_report_stays_but_where_no_other_fast_import_can_run(memory: Memory, repo: Path) -> None:
    report = report_of(repo, "feature done\n", age_s=1)

    assert sweep(memory.repository.git, memory.repository.ref) == []
    assert sweep(memory.repository.git, memory.repository.ref, report_age_s=0) == [str(report)]


def test_the_next_write_after_a_killed_one_and_doctor_remove_it(memory: Memory, repo: Path) -> None:
    report = report_of(repo, "feature done\n", age_s=1)
    (repo / ".git/gitmem/lock").write_text(f"1 {time.time()} {time.time()} - remember")
    memory.remember("After the crash")
    assert not report.exists()

    second = report_of(repo, "feature done\n")
    assert str(second) in "".join(memory.doctor(fix=True).fixed)
    assert not second.exists()
    assert git(repo, "status", "--porcelain") == ""


def test_unfinished_packs_of_a_killed_git_go_but_not_one_that_is_being_written(memory: Memory, repo: Path) -> None:
    objects = repo / ".git/objects"
    left = [aged(objects / name, 5) for name in ("pack/tmp_pack_a1B2c3", "pack/tmp_idx_a1B2c3", "0c/tmp_obj_x9Y8z7")]
    kept = [aged(objects / "pack/tmp_mine", AGE_S + 5), aged(objects / "info/tmp_obj_x9Y8z7", AGE_S + 5)]
    (repo / ".git/gitmem/lock").write_text(f"1 {time.time()} {time.time()} - import")

    with aged(objects / "pack/tmp_pack_fetch", 5).open("wb") as file:
        memory.remember("After the crash")

        assert [path.exists() for path in (*left, *kept)] == [False] * 3 + [True] * 2
        assert Path(file.name).exists() or not Path("/proc/self/fd").exists()


def test_locks_of_refs_that_only_gitmem_moves_go_after_a_crash_but_not_those_of_others(
    memory: Memory, repo: Path
) -> None:
    locks = [repo / ".git" / name for name in ("refs/gitmem/sources/pages.lock", "refs/gitmem/runs/a.lock")]
    left = [aged(path, 0) for path in (*locks, repo / ".git/packed-refs.lock")]
    theirs = aged(repo / ".git/refs/heads/topic.lock", 0)

    memory.remember("Nobody crashed")
    assert all(path.exists() for path in left)

    (repo / ".git/gitmem/lock").write_text(f"1 {time.time()} {time.time()} - pull")
    memory.remember("After the crash")

    assert [path.exists() for path in (*left, theirs)] == [False, False, False, True]
