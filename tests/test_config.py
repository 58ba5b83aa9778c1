"""Settings: where each comes from, what wins, and that nothing of git's environment reaches a child."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem import config
from gitmem.config import (
    SETTINGS,
    Config,
    Setting,
    git_config_files,
    git_environment,
    load,
    machine_identity,
)
from gitmem.errors import ConfigError
from gitmem.frozen import fields_of


def test_nothing_set_gives_the_defaults() -> None:
    assert load({}, environment={}) == Config()


def test_the_environment_wins_over_git_config() -> None:
    found = load({"branch": "store", "jobs": "2"}, environment={"GITMEM_BRANCH": "mem"})

    assert (found.branch, found.jobs) == ("mem", 2)


@pytest.mark.parametrize("row", [row for row in SETTINGS.values() if row.alias], ids=lambda row: row.alias)
def test_variables_of_other_programs_count_below_our_own(row: Setting) -> None:
    by_alias = load({row.name.replace("_", ""): "2"}, environment={row.alias: "3"})
    by_own = load({}, environment={row.alias: "3", row.variable: "4"})

    assert (fields_of(by_alias)[row.name], fields_of(by_own)[row.name]) == (3.0, 4.0)


@pytest.mark.parametrize("key", ["locktimeout", "lockTimeout", "lock-timeout", "LOCKTIMEOUT", "lock.timeout"])
def test_a_key_of_git_config_may_be_written_in_any_of_its_spellings(key: str) -> None:
    assert load({key: "3.5"}, environment={}).lock_timeout_s == 3.5


def test_notice_of_a_misspelt_variable_names_the_nearest_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for row in SETTINGS.values():
        with monkeypatch.context() as misspelt:
            misspelt.setenv(f"GITMEM_{row.name.upper()}_S_X", "3")

            assert config.unknown_variables()[0].rpartition(" ")[2] == row.variable


@pytest.mark.parametrize(("text", "value"), [("no", False), ("Off", False), ("on", True), ("1", True)])
def test_a_switch_takes_what_git_takes_and_nothing_else(text: str, value: bool) -> None:
    assert load({"view": text}, environment={}).view is value
    with pytest.raises(ConfigError, match=r"gitmem\.view must be true or false, not 'maybe'"):
        load({"view": "maybe"}, environment={})


def test_unknown_key_of_git_config_names_the_nearest_one() -> None:
    with pytest.raises(ConfigError) as caught:
        load({"brnch": "x"}, environment={})

    assert (caught.value.key, caught.value.hint) == ("gitmem.brnch", "the closest one is gitmem.branch")


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [("GITMEM_BRNCH", "GITMEM_BRANCH"), ("GITMEM_LOCK_TIMEOUT_S", "GITMEM_LOCK_TIMEOUT"), ("GITMEM_LOCKTIMEOUT", "")],
)
def test_unknown_variable_counts_for_nothing_and_is_named(
    variable: str, nearest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "3")
    lines = [f"unknown variable {variable}; the closest one is {nearest}"]

    assert config.unknown_variables() == (lines if nearest else [])
    assert load({}, environment={variable: "3"}) == (Config() if nearest else Config(lock_timeout_s=3.0))


@pytest.mark.parametrize("value", ["many", "", "-1", "1.5", "1e3"])
def test_a_count_must_be_a_whole_number(value: str) -> None:
    with pytest.raises(ConfigError, match="whole number"):
        load({"jobs": value}, environment={})


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-1", "soon", "1e999"])
def test_a_time_to_wait_must_be_a_number_that_ends(value: str) -> None:
    with pytest.raises(ConfigError, match="a number"):
        load({"locktimeout": value}, environment={})


def test_an_empty_variable_is_as_good_as_none() -> None:
    assert load({"branch": "store"}, environment={"GITMEM_BRANCH": "", "GITMEM_JOBS": ""}).branch == "store"


def test_variables_for_our_own_children_are_no_settings() -> None:
    assert load({}, environment=dict.fromkeys(config.INTERNAL, "1")) == Config()


def test_a_git_child_gets_no_variable_of_git(monkeypatch: pytest.MonkeyPatch) -> None:
    canary = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS")
    for name in (*canary, "GIT_AUTHOR_DATE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_SSH_COMMAND", "LANGUAGE"):
        monkeypatch.setenv(name, "/canary")

    env = git_environment()

    assert "/canary" not in env.values()
    assert {name for name in env if name.startswith("GIT_")} == {
        *("GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_NO_REPLACE_OBJECTS")
    }
    assert env["LC_ALL"] == "C"


def test_a_child_that_reaches_a_remote_keeps_how_the_user_reaches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", "ssh -i key")
    monkeypatch.setenv("GIT_DIR", "/canary")

    env = git_environment(transport=True)

    assert env["GIT_SSH_COMMAND"] == "ssh -i key"
    assert "GIT_DIR" not in env


@pytest.mark.parametrize(
    ("value", "expected"),
    [("/state", "/state/gitmem"), ("relative", "HOME/.local/state/gitmem"), ("", "HOME/.local/state/gitmem")],
    ids=["set", "relative", "empty"],
)
def test_approvals_lie_where_xdg_says(
    value: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", value)

    assert str(config.state_home()).replace(str(tmp_path), "HOME") == expected


@pytest.mark.parametrize("has_account", [True, False])
def test_there_is_a_home_where_home_is_unset(monkeypatch: pytest.MonkeyPatch, has_account: bool) -> None:
    monkeypatch.delenv("HOME")
    if not has_account:
        monkeypatch.setattr(os, "getuid", lambda: 54_321)

    assert Path(config.home()).is_absolute()


def test_git_settings_may_stand_in_every_file_of_git_config_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ana")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/xdg")

    files = {str(path) for path in git_config_files(tmp_path)}

    assert files >= {
        *(f"{tmp_path}/config", f"{tmp_path}/config.worktree"),
        *("/home/ana/.gitconfig", "/xdg/git/config", "/etc/gitconfig"),
    }


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ((), "gitmem"),
        (("GITHUB_ACTIONS",), "github-actions[bot]"),
        (("GITHUB_ACTIONS", "FORGEJO_ACTIONS"), "forgejo-actions"),
    ],
)
def test_commits_of_a_forge_s_jobs_are_by_its_robot(
    variables: tuple[str, ...], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for one in variables:
        monkeypatch.setenv(one, "true")

    assert machine_identity()[0] == name
