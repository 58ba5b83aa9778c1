"""Hostile settings of the person's own: they change no answer, and nothing that they name runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import git

# EVIL stands for a program that leaves a mark, ATTRIBUTES for a file that names drivers for everything.
SETTINGS = {
    "color.ui": "always",
    "core.pager": "EVIL",
    "core.editor": "EVIL",
    "core.fsmonitor": "EVIL",
    "core.hooksPath": "HOOKS",
    "core.autocrlf": "true",
    "core.eol": "crlf",
    "core.abbrev": "4",
    "core.quotePath": "true",
    "core.logAllRefUpdates": "false",
    "core.attributesFile": "ATTRIBUTES",
    "core.sharedRepository": "0660",
    "commit.gpgSign": "true",
    "gpg.program": "EVIL",
    "format.pretty": "oneline",
    "log.showSignature": "true",
    "log.decorate": "full",
    "log.date": "relative",
    "log.follow": "true",
    "diff.external": "EVIL",
    "diff.renames": "copies",
    "diff.noprefix": "true",
    "diff.x.textconv": "EVIL",
    "diff.x.command": "EVIL",
    "merge.x.driver": "EVIL",
    "alias.fast-import": "!EVIL",
    "alias.cat-file": "!EVIL",
    "i18n.commitEncoding": "ISO-8859-1",
    "i18n.logOutputEncoding": "ISO-8859-1",
    "gc.auto": "1",
    "maintenance.auto": "true",
    "fastimport.unpackLimit": "0",
    "submodule.recurse": "true",
    "credential.helper": "!EVIL",
    "status.showUntrackedFiles": "all",
}
DRIVERS = "* text eol=crlf diff=x merge=x working-tree-encoding=UTF-16\n"
HOOKS = ("reference-transaction", "post-index-change", "pre-commit", "post-commit", "post-checkout", "post-merge")


@pytest.fixture
def marker(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the person's configuration as hostile as it can be; returns what appears when a program of it runs."""
    home = tmp_path / "hostile-home"
    (home / "hooks").mkdir(parents=True)
    ran, evil = home / "ran", home / "evil"
    evil.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{ran}'\nexit 1\n")
    evil.chmod(0o755)
    for name in HOOKS:
        (home / "hooks" / name).symlink_to(evil)
    (home / "attributes").write_text(DRIVERS)
    words = {"EVIL": evil, "HOOKS": home / "hooks", "ATTRIBUTES": home / "attributes"}
    lines = []
    for name, value in SETTINGS.items():
        section, _, key = name.rpartition(".")
        head, _, sub = section.partition(".")
        title = f'{head} "{sub}"' if sub else head
        message = next((value.replace(word, str(path)) for word, path in words.items() if word in value), value)
        lines.append(f'[{title}]\n\t{key} = "{message}"\n')
    monkeypatch.setenv("HOME", str(home))
    (home / ".gitconfig").write_text("".join(lines))
    assert git(repo, "config", "gc.auto") == "1"
    return ran


def test_hostile_settings_change_no_answer_and_run_nothing(repo: Path, marker: Path, run_cli) -> None:  # type: ignore[no-untyped-def]
    lines = [
        run_cli(*line)
        for line in (
            ["init", "--offline"],
            ["remember", "The gateway retries\n\nthree times", "--key", "retries", "--kind", "gotcha"],
            ["fact", "There is a readme", "--exists", "README.md", "--key", "readme"],
            ["remember", "Soon gone, über", "--key", "gone"],
            ["forget", "gone"],
            ["verify"],
            ["show", "readme"],
            ["recall", "gateway"],
            ["list"],
            ["context"],
            ["status"],
            ["log", "retries"],
            ["doctor"],
        )
    ]

    # doctor has one warning: with gc.auto = 1, git would collect garbage now.
    assert [one.status for one in lines] == [0] * (len(lines) - 1) + [1], lines
    assert not marker.exists(), marker.read_text()
    assert "\x1b" not in "".join(one.out for one in lines)
    assert lines[7].out.startswith("retries\t")
    assert {line.split("\t")[0] for line in lines[8].out.splitlines()} == {"retries", "readme"}
    assert "gc-due" in lines[-1].out
    assert "1 warning" in lines[-1].out
    content = subprocess.run(
        ["git", "cat-file", "blob", "memory:gotchas/retries.md"], cwd=repo, capture_output=True, check=True
    ).stdout
    assert b"\r" not in content
    assert content.endswith(b"\nthree times\n")
    assert git(repo, "fsck", "--full", "--strict") == ""
    assert "encoding" not in git(repo, "cat-file", "commit", "memory").split("\n\n")[0]
