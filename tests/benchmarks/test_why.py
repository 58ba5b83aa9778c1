"""Asking why at the end of a history: the culprits, and that no search took more runs than promised."""

from __future__ import annotations

import json

import pytest
from conftest import commit_files, git

from benchmarks import why


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    """Put back what the program sets."""
    for name in ("GITMEM_BACKGROUND", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, "off")


@pytest.mark.whole_system
def test_culprits_of_a_history_are_written_down_with_their_cost(repo, tmp_path, capsys):
    start = git(repo, "rev-parse", "HEAD")
    commits = [commit_files(repo, {"src/gateway/retry.py": f"RETRIES = {n}\n"}) for n in (2, 1, 4, 5)]
    facts = [
        {"key": "few", "title": "few", "verify": "! grep -q '[4-9]' src/gateway/retry.py", "paths": ["src/gateway/*"]},
        {"key": "readme", "title": "readme", "verify": {"exists": "README.md"}},
    ]
    (tmp_path / "facts.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in facts))
    words = [str(repo), str(tmp_path / "facts.jsonl"), "--from", start, "--no-sandbox"]

    status = why.main([*words, "--results", str(tmp_path / "why.jsonl")])

    (row,) = map(json.loads, (tmp_path / "why.jsonl").read_text().splitlines())
    assert (status, row["key"], row["culprit"], row["candidates"]) == (0, "few", commits[2], 4)
    assert "1 facts broke" in capsys.readouterr().out
    assert why.main([*words, "--together"]) == 0
    assert "1 failures, 1 culprits" in capsys.readouterr().out
    assert why.main([*words[:3], "no-such-revision"]) != 0


@pytest.mark.whole_system
def test_many_failures_have_the_culprits_that_each_has_alone(repo, tmp_path):
    """Three facts that one commit broke, one that another did: what is shared between them changes no answer."""
    start = commit_files(repo, {f"src/{name}.py": f"def {name}(): pass\n" for name in "abcd"})
    commit_files(repo, {"src/a.py": "def a(): return 1\n", "src/d.py": "def d(): return 1\n"})
    commit_files(repo, {f"src/{name}.py": "gone\n" for name in "abc"})
    commit_files(repo, {"src/d.py": "gone\n"})
    commit_files(repo, {"src/a.py": "still gone\n"})
    facts = [{"key": name, "title": name, "verify": f"grep -q 'def {name}' src/{name}.py"} for name in "abcd"]
    (tmp_path / "facts.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in facts))
    words = [str(repo), str(tmp_path / "facts.jsonl"), "--from", start]

    answers = {}
    for name, more in {"alone": [], "together": ["--together"]}.items():
        assert why.main([*words, *more, "--results", str(tmp_path / name)]) == 0
        rows = map(json.loads, (tmp_path / name).read_text().splitlines())
        answers[name] = {row["key"]: (row["outcome"], row["culprit"]) for row in rows}

    assert answers["alone"] == answers["together"]
    assert len(answers["alone"]) == 4
    assert len({culprit for _, culprit in answers["alone"].values()}) == 2
