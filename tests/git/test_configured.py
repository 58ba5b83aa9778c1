"""Settings are read by hand as git reads them, or left to git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import git
from support.each import each

from gitmem.config import SEPARATOR
from gitmem.git import Git
from gitmem.git.repository import Unsure, discover, effective_values, read_section

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


@each("text", PLAIN.values())
def test_plain_lines_are_read_as_git_reads_them(text: str, tmp_path: Path) -> None:
    assert read_section(text.encode()) == told_by_git(tmp_path, text)


@each("text", [*GITS.values(), "[include]\n\tpath = x\n[gitmem]\n\tbranch = notes\n"])
def test_whatever_else_git_allows_is_left_to_git(text: str) -> None:
    with pytest.raises(Unsure):
        read_section(text.encode())


ORIGIN = '[remote "other"]\n\turl = /b\n[remote "origin"]\n\turl = /a b/memory.git\n\tfetch = +refs/heads/*:refs/x/*\n'
PERSON = "[user]\n\tname = Zoë van der Ünal-3\n\temail = zoe+x@example.org\n"
FOUND = {
    "plain": (ORIGIN + PERSON, True),
    "several": (ORIGIN + PERSON + '[remote "origin"]\n\turl = /last\n[user]\n\tname = Last One\n', True),
    "cut": (ORIGIN + '[user]\n\tname = <Zoë>, Inc.\n\temail = zoe@example.org\n', False),
    "quotes": ('[remote "origin"]\n\turl = "/a;b"\n[user]\n\tname = "Z # e"\n\temail = z@e\n', False),
    "dotted": ("[remote.origin]\n\turl = /a\n" + PERSON + "[author]\n\tname = Ana\n", False),
    "same line": ('[remote "origin"] url = /a\n' + PERSON + "[User] name = Ana\n", False),
    "letters": ('[remote "Origin"]\n\turl = /a\n[Remote "origin"]\n\turl = /b\n[USER]\nName = Z\nemail = z@e\n', False),
    "included": (ORIGIN + PERSON + "[include]\n\tpath = more\n", False),
}  # fmt: skip


@pytest.mark.parametrize(("text", "is_plain"), FOUND.values(), ids=FOUND)
def test_settings_and_the_identity_are_those_of_git(
    repo: Path, monkeypatch: pytest.MonkeyPatch, text: str, is_plain: bool
) -> None:
    (repo / ".git/config").write_text("[core]\n\trepositoryformatversion = 0\n" + text, encoding="utf-8")
    (repo / ".git/more").write_text('[remote "origin"]\n\turl = /more\n[user]\n\tname = More\n', encoding="utf-8")
    ident = git(repo, "var", "GIT_AUTHOR_IDENT").rpartition("> ")[0].split(" <")
    url = git(repo, "config", "--get", "remote.origin.url", check=False)
    if is_plain:
        monkeypatch.setenv("PATH", "/nowhere")  # no process is needed

    door = Git(discover(str(repo)))

    assert door.identity() == tuple(ident)
    assert door.config_value("remote.origin.url") == url


def test_of_what_may_be_given_several_times_all_values_count_until_they_are_taken_back() -> None:
    pairs = [("branch", "a"), ("stores", "/a"), ("branch", "b"), ("stores", "/b")]

    assert effective_values(pairs) == {"branch": "b", "stores": f"/a{SEPARATOR}/b"}
    assert effective_values([*pairs, ("stores", ""), ("stores", "/c")]) == {"branch": "b", "stores": "/c"}
