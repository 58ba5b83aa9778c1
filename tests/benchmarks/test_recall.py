"""The recall benchmark's adapter: documents are memories of a real branch, and questions find them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.recall import main, table

PROJECT = Path(__file__).parents[2]
AT = "2026-05-08T13:56:00"
DOCS = [
    {"id": "D1:9", "title": "Ana", "text": "Did you move the gateway?", "date": AT, "tags": ["session-1"]},
    {"id": "D1:10", "title": "Ben", "text": "Yes, to port 8443.", "date": AT, "tags": ["session-1"]},
    {"id": "code-1", "title": "load_user", "text": "def load_user(): ...", "date": None, "tags": ["python"]},
    {"id": "empty", "title": "", "text": "", "date": None, "tags": []},
]


def test_documents_become_memories_and_questions_find_their_ids() -> None:
    asked = [
        {"op": "index", "docs": DOCS},
        {"op": "search", "query": "which port does the gateway have?", "k": 2},
        {"op": "search", "query": "loadUser", "k": 10},
    ]

    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.retriever"], cwd=PROJECT, check=True, capture_output=True, text=True,
        input="".join(json.dumps(line) + "\n" for line in asked),
    )  # fmt: skip

    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert replies[0] == {"ok": True}
    assert set(replies[1]["ids"]) == {"D1:9", "D1:10"}
    assert replies[2]["ids"] == ["code-1"]


def test_the_table_has_ours_first_and_the_baselines_that_were_measured() -> None:
    row = {"task": "cosqa", "recall@5": 0.5, "ndcg@10": 0.25}
    others = [
        {"retriever": "Bm25s", "pooled": False, **row},
        {"retriever": "Bm25s", "pooled": True, **row, "ndcg@10": 0},
    ]

    lines = table([row], others).splitlines()

    assert lines[2] == "| gitmem | 0.500 / 0.250 |"
    assert "| Bm25s | 0.500 / 0.250 |" in lines
    assert len(lines) == 4


def test_where_there_is_no_benchmark_it_says_so(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 3


@pytest.mark.whole_system
def test_without_a_benchmark_the_task_that_is_here_is_measured_and_beats_the_engines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 0

    rows = {line.split(" | ")[0].strip("| "): line for line in capsys.readouterr().out.splitlines() if " / " in line}
    ours, *others = (float(rows[name].split(" / ")[-1].strip(" |")) for name in ("gitmem", "WhooshStem", "Fts5Porter"))
    assert ours > max(others)
