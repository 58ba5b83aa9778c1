"""Settings are read by hand as git reads them, or left to git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gitmem.config import SEPARATOR
from gitmem.git.repository import Unsure, collected, read_section

PLAIN = {
    "nothing": "[core]\n\tbare = false\n",
    "one": "[gitmem]\n\tbranch = notes\n",
    "spaces": "  [GitMem]  \n\n  # a comment\n; another\n  lockTimeout   =   3.5  \n[core]\n\tbranch = no\n",
    "windows": "[gitmem]\r\n\tbranch = notes\r\n\tview =\r\n",
    "several": "[gitmem]\n\tstores = /a b/c\n\tstores = x=/d@e\n[gitmem]\n\tstores = /f\n",
    "taken back": "[gitmem]\n\tstores = /a\n\tstores =\n\tstores = /b\n",
    "elsewhere": '[remote "origin"]\n\turl = https://example.org/gitmem.git\n[gitmem]\n\tagent = ana\n',
    "letters": "[gitmem]\n\tagent = Zoë Ünal\n",
}
GITS = {
    "quotes": '[gitmem]\n\tagent = "a;b" c\n',
    "escapes": "[gitmem]\n\tagent = a\\tb\n",
    "comment behind": "[gitmem]\n\tbranch = notes # not this\n",
    "goes on": "[gitmem]\n\tagent = a\\\nb\n",
    "goes on elsewhere": "[user]\n\tname = x \\\n[gitmem]\n[gitmem]\n\tbranch = notes\n",
    "true": "[gitmem]\n\tview\n",
    "same line": "[gitmem] branch = notes\n",
    "named": '[gitmem "x"]\n\tbranch = no\n[gitmem]\n\tbranch = notes\n',
    "dotted": "[gitmem.x]\n\tbranch = no\n",
    "mark": "\ufeff[gitmem]\n\tbranch = notes\n",
    "tab": "[gitmem]\n\tagent = a\tb\n",
}


def told_by_git(folder: Path, text: str) -> list[tuple[str, str]]:
    (folder / "config").write_bytes(text.encode())
    argv = ["git", "config", "-z", "-f", str(folder / "config"), "--get-regexp", r"^gitmem\."]
    done = subprocess.run(argv, capture_output=True, check=False)
    items = (item.partition("\n") for item in done.stdout.decode().split("\0") if item)
    return [(name.removeprefix("gitmem."), value) for name, _, value in items]


@pytest.mark.parametrize("text", PLAIN.values(), ids=PLAIN)
def test_plain_lines_are_read_as_git_reads_them(text: str, tmp_path: Path) -> None:
    assert read_section(text.encode()) == told_by_git(tmp_path, text)


@pytest.mark.parametrize("text", [*GITS.values(), "[include]\n\tpath = x\n[gitmem]\n\tbranch = notes\n"])
def test_whatever_else_git_allows_is_left_to_git(text: str) -> None:
    with pytest.raises(Unsure):
        read_section(text.encode())


def test_of_what_may_be_given_several_times_all_values_count_until_they_are_taken_back() -> None:
    pairs = [("branch", "a"), ("stores", "/a"), ("branch", "b"), ("stores", "/b")]

    assert collected(pairs) == {"branch": "b", "stores": f"/a{SEPARATOR}/b"}
    assert collected([*pairs, ("stores", ""), ("stores", "/c")]) == {"branch": "b", "stores": "/c"}
