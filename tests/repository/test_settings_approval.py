"""Settings that can run a program or send text: who may set them, and what acceptance holds for."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import git

from gitmem.errors import TrustError
from gitmem.memory import Memory
from gitmem.repository.approvals import accept_settings, deny_settings
from gitmem.repository.settings_approval import LENGTH_AT_MOST, format_settings, notice

# The value, and the attribute of ``Config`` that has it.
SETTINGS = {
    "gitmem.embed": ("http://127.0.0.1:9/v1#m", "embed"),
    "gitmem.embedCode": ("http://127.0.0.1:9/v1#c", "embed_code"),
    "gitmem.summary": ("http://127.0.0.1:9/v1#s", "summary"),
    "gitmem.summaryCommand": ("touch ran", "summary_command"),
    "gitmem.stopPush": ("true", "stop_push"),
}
Place = Callable[[Path, str, str], None]


def local(repo: Path, name: str, value: str) -> None:
    git(repo, "config", name, value)


def worktree(repo: Path, name: str, value: str) -> None:
    git(repo, "config", "extensions.worktreeConfig", "true")
    git(repo, "config", "--worktree", name, value)


def included(repo: Path, name: str, value: str) -> None:
    git(repo, "config", "-f", str(repo / "settings.ini"), name, value)
    git(repo, "config", "include.path", "../settings.ini")


def included_on_a_condition(repo: Path, name: str, value: str) -> None:
    git(repo, "config", "-f", str(repo / "settings.ini"), name, value)
    git(repo, "config", "includeIf.onbranch:main.path", "../settings.ini")


def quoted(value: str) -> str:
    return f'"{value}"' if "#" in value else value


def in_odd_letters(repo: Path, name: str, value: str) -> None:
    section, _, short = name.partition(".")
    write(repo / ".git" / "config", f"[{section.upper()}]\n\t{short[:3].upper()}-{short[3:]} = {quoted(value)}\n")


def in_a_subsection(repo: Path, name: str, value: str) -> None:
    short = name.partition(".")[2]
    write(repo / ".git" / "config", f'[gitmem "{short[:3]}"]\n\t{short[3:]} = "{value}"\n')


def everywhere(repo: Path, name: str, value: str) -> None:
    git(repo, "config", "--global", name, value)


def in_xdg(repo: Path, name: str, value: str) -> None:
    (repo.parent / "xdg" / "git").mkdir(parents=True)
    git(repo, "config", "-f", str(repo.parent / "xdg" / "git" / "config"), name, value)


def included_by_a_person(repo: Path, name: str, value: str) -> None:
    git(repo, "config", "-f", str(repo.parent / "more.ini"), name, value)
    git(repo, "config", "--global", f"includeIf.gitdir:{repo}/.path", str(repo.parent / "more.ini"))


def write(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


OF_THE_REPOSITORY = [
    local, worktree, included, included_on_a_condition, in_odd_letters, in_a_subsection,
]  # fmt: skip
OF_THE_PERSON = [everywhere, in_xdg, included_by_a_person]


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))


def read(repo: Path, name: str) -> str:
    """Return a setting as it counts, in the form of git config."""
    with Memory(repo) as memory:
        found = getattr(memory.repository.config, SETTINGS[name][1])
        return {True: "true", False: ""}.get(found, found)


def ignored(repo: Path) -> list[str]:
    with Memory(repo) as memory:
        return [*memory.repository.ignored_settings]


def accept(repo: Path) -> None:
    with Memory(repo) as memory:
        accept_settings(memory.repository)


@pytest.mark.parametrize("place", OF_THE_REPOSITORY)
@pytest.mark.parametrize("name", SETTINGS)
def test_repository_sets_it_only_once_a_person_accepted_it(repo: Path, name: str, place: Place) -> None:
    value = SETTINGS[name][0]
    place(repo, name, value)

    assert (read(repo, name), ignored(repo)) == ("", [name])
    accept(repo)
    assert (read(repo, name), ignored(repo)) == (value, [])


def test_other_spelling_of_a_setting_that_is_off_switches_nothing_on(repo: Path) -> None:
    off = "\tsummaryCommand = off\n"
    write(repo / ".git" / "config", f"[gitmem]\n{off}\tsummary-command = touch ran\n{off}")

    assert (read(repo, "gitmem.summaryCommand"), ignored(repo)) == ("off", [])


@pytest.mark.parametrize("place", OF_THE_PERSON)
@pytest.mark.parametrize("name", SETTINGS)
def test_person_sets_it_and_the_repository_may_switch_it_off_alone(repo: Path, name: str, place: Place) -> None:
    value = SETTINGS[name][0]
    place(repo, name, value)

    assert (read(repo, name), ignored(repo)) == (value, [])
    local(repo, name, "false" if name == "gitmem.stopPush" else "off")
    assert (read(repo, name) in ("", "off"), ignored(repo)) == (True, [])


@pytest.mark.parametrize("name", SETTINGS)
def test_environment_sets_it_over_what_is_ignored(repo: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value, attribute = SETTINGS[name]
    local(repo, name, f"{value}x")
    monkeypatch.setenv(f"GITMEM_{attribute.upper()}", value)

    assert (read(repo, name), ignored(repo)) == (value, [name])


def test_persons_value_counts_where_the_repository_says_another(repo: Path) -> None:
    everywhere(repo, "gitmem.summaryCommand", "mine")
    local(repo, "gitmem.summaryCommand", "theirs")

    assert read(repo, "gitmem.summaryCommand") == "mine"


def test_without_a_home_all_that_git_finds_is_judged_by_its_scope(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    local(repo, "gitmem.summaryCommand", "theirs")
    monkeypatch.delenv("HOME")

    assert read(repo, "gitmem.summaryCommand") == ""


def test_settings_of_a_submodule_are_its_repositorys(repo: Path, template: Path) -> None:
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(template), "sub")
    local(repo / "sub", "gitmem.summaryCommand", "theirs")

    assert (read(repo / "sub", "gitmem.summaryCommand"), ignored(repo)) == ("", [])
    assert ignored(repo / "sub") == ["gitmem.summaryCommand"]


@pytest.mark.parametrize(
    "change",
    [
        ("gitmem.embed", "http://127.0.0.1:9/v1#other"),
        ("gitmem.summary", "http://127.0.0.1:9/v1#more"),
        ("gitmem.embed", "HTTP://127.0.0.1:9/v1#m"),
    ],
    ids=["another value", "one more", "another letter"],
)
def test_acceptance_is_of_these_values_alone(repo: Path, change: tuple[str, str]) -> None:
    local(repo, "gitmem.embed", SETTINGS["gitmem.embed"][0])
    accept(repo)
    git(repo, "config", *change)

    assert read(repo, "gitmem.embed") == ""
    assert change[0] in ignored(repo)


def test_acceptance_is_of_this_clone_alone_and_a_copy_asks_again(repo: Path, tmp_path: Path) -> None:
    local(repo, "gitmem.embed", SETTINGS["gitmem.embed"][0])
    accept(repo)
    git(tmp_path, "clone", "-q", str(repo), "clone")
    local(tmp_path / "clone", "gitmem.embed", SETTINGS["gitmem.embed"][0])
    shutil.copytree(repo, tmp_path / "copy", symlinks=True)
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))

    assert ignored(tmp_path / "clone") == ignored(tmp_path / "copy") == ["gitmem.embed"]
    assert ignored(tmp_path / "tree") == []


def test_denied_settings_are_ignored_without_a_word_until_they_change(repo: Path) -> None:
    local(repo, "gitmem.embed", SETTINGS["gitmem.embed"][0])
    accept(repo)
    with Memory(repo) as memory:
        assert deny_settings(memory.repository)

    with Memory(repo) as memory:
        assert (memory.repository.config.embed, memory.repository.ignoring) == ("", "")
    local(repo, "gitmem.embed", "http://127.0.0.1:9/v1#" + "x" * LENGTH_AT_MOST)
    with Memory(repo) as memory:
        assert (memory.repository.config.embed, memory.repository.ignoring) == ("", notice({"gitmem.embed": ""}))
        assert deny_settings(memory.repository)
    with Memory(repo) as memory:
        assert memory.repository.ignoring == ""


def test_acceptance_that_others_could_have_written_counts_for_nothing(repo: Path, tmp_path: Path) -> None:
    local(repo, "gitmem.embed", SETTINGS["gitmem.embed"][0])
    accept(repo)
    (tmp_path / "state-home" / "gitmem" / "trust").chmod(0o777)

    assert ignored(repo) == ["gitmem.embed"]


def test_person_is_shown_every_hidden_character_and_no_value_that_fills_the_screen() -> None:
    assert format_settings({"gitmem.embed": "a\x1b[2J\u202eb\nc"}) == ["gitmem.embed = a\\x1b[2J\\u{202e}b\\x0ac"]
    with pytest.raises(TrustError, match=r"gitmem\.summaryCommand is too long"):
        format_settings({"gitmem.summaryCommand": "harmless" + " " * LENGTH_AT_MOST + "; evil"})
