"""The replay of breaks: each is judged at its commit; a correction is confirmed if the document followed it."""

import json

import pytest
from conftest import commit_files, git

from benchmarks.breaks import replay, replay_check


@pytest.mark.whole_system
def test_breaks_are_judged_at_their_commit(repo, tmp_path):
    commit_files(repo, {"AGENTS.md": "- `src/old.py` runs\n- Tables: `src/b.py`\n- read `src/c.py`\n", "src/c.py": "",
                        "src/old.py": "A = 1\nB = 2\nC = 3\n", "src/b.py": "B = 1\n"})  # fmt: skip
    git(repo, "mv", "src/old.py", "src/new.py")
    git(repo, "rm", "-q", "src/b.py", "src/c.py")
    broke = commit_files(repo, {})
    head = commit_files(repo, {"AGENTS.md": "- `src/new.py` runs\n- Tables: `src/b.py`\n"})
    mirrors, benchmark = tmp_path / "mirrors", tmp_path / "benchmark"
    (mirrors / "ana+app").mkdir(parents=True)
    (mirrors / "ana+app" / "repo").symlink_to(repo / ".git")
    benchmark.mkdir()
    (benchmark / "repositories.tsv").write_text(f"repo\tcommit\tdate\nana/app\t{head}\t2026-01-01\n")
    breaks = [
        {"repo": "ana/app", "file": "AGENTS.md", "token": token, "broke_commit": broke}
        for token in ("src/old.py", "src/b.py", "src/c.py", "src/d.py")
    ]
    (benchmark / "breaks.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in breaks))

    found = [(one.is_caught, one.offers, one.is_confirmed) for one in replay(mirrors, benchmark)]

    assert found == [
        (True, ["should say: src/new.py"], True),
        (True, ["remove line 2"], False),
        (True, [], False),
        (False, [], False),
    ]

    checked = [(one.is_caught, one.offers, one.is_confirmed) for one in replay_check(mirrors, benchmark)]

    assert checked == [
        (True, ["- `src/new.py` runs"], True),
        (True, ["remove [2, 2]"], False),
        (True, [], False),
        (False, [], False),
    ]
