"""Every example of docs/python.md runs, in its order, on a real repository."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import git

DOCS = Path(__file__).parent.parent / "docs/python.md"


def examples() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", DOCS.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_every_example_runs(repo: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(repo)
    opening, *rest = examples()
    git(repo, "branch", "-M", "main")
    names: dict[str, object] = {}
    exec(f"from gitmem import Memory\nmemory = Memory('.')\n{rest[0]}", names)
    exec(opening, {})
    for example in rest[1:]:
        exec(example, names)
    names["memory"].close()  # type: ignore[attr-defined]

    printed = capsys.readouterr().out
    assert "tokens-rs256 holds" in printed
    assert "no-such-memory" in printed
    assert printed.splitlines()[0].endswith("memories")
