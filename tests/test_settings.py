"""The table of settings: a row is enough for a setting to be read, checked, guarded and documented."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from gitmem import config
from gitmem.config import (
    BY_PLAIN,
    GUARDED,
    SEPARATOR,
    SETTINGS,
    Config,
    Setting,
    WrongValue,
    branch_name,
    count,
    known_name,
    number,
    one_of,
    parts_of,
    plain,
    rows_of,
    setting,
    settings,
    several,
    switch,
    text,
)
from gitmem.errors import ConfigError
from gitmem.frozen import fields_of
from gitmem.git.repository import effective_values
from gitmem.policy import load as load_policy
from gitmem.policy.settings import OWN, ROWS, SECTIONS
from gitmem.policy.template import default_toml

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """Return docs/make_settings.py as a module."""
    spec = importlib.util.spec_from_file_location("make_settings", DOCS / "make_settings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def value_of(row: Setting) -> tuple[str, object]:
    """Return a value that is not a setting's default: as somebody writes it, and as the program has it."""
    if row.requirement.startswith("some of "):
        words = row.requirement.removeprefix("some of ").removesuffix(", separated by commas").split(", ")
        return ",".join(words), tuple(words)
    if row.requirement.startswith("one of "):
        word = row.requirement.removeprefix("one of ").removesuffix(", or empty").split(", ")[-1]
        return word, word
    written = {switch: "no" if row.default else "yes", count: "7", number: "7.5", several: "a"}
    typed = written.get(row.read, "notes")
    return typed, row.read(typed)


def test_every_setting_is_read_from_git_config_and_from_its_variable() -> None:
    for row in SETTINGS.values():
        typed, value = value_of(row)

        by_git = config.load({row.git_name.removeprefix("gitmem.").lower(): typed}, environment={})
        by_variable = config.load({}, environment={row.variable: typed})

        assert value != row.default, row.name
        assert getattr(by_git, row.name) == getattr(by_variable, row.name) == value
        assert by_git == by_variable == Config(**{**fields_of(Config()), row.name: value})


BOUNDED = [row for row in SETTINGS.values() if row.read not in (text, several)]


def test_every_setting_with_bounds_refuses_another_value_in_the_words_of_the_reference() -> None:
    for row in BOUNDED:
        key = plain(row.key)
        with pytest.raises(ConfigError) as caught:
            config.load({key: "what? no.."}, environment={})

        assert caught.value.message == f"git config: gitmem.{key} must be {row.requirement}, not 'what? no..'"


def test_every_setting_that_holds_several_values_takes_them_all() -> None:
    rows = [row for row in SETTINGS.values() if isinstance(row.default, tuple) and row not in BOUNDED]

    assert [row.name for row in rows] == [row.name for row in SETTINGS.values() if row.read is several]
    for row in rows:
        name = row.git_name.removeprefix("gitmem.")
        found = effective_values([(name, "a"), (name.lower(), "b")])
        assert getattr(config.load(found, environment={}), row.name) == ("a", "b")


def test_settings_reference_is_up_to_date(maker: ModuleType) -> None:
    assert maker.reference() == (DOCS / "settings.md").read_text(encoding="utf-8"), "run: python docs/make_settings.py"


def test_every_setting_is_in_the_reference_with_its_guard(maker: ModuleType) -> None:
    lines = maker.reference().splitlines()
    for row in SETTINGS.values():
        (line,) = [line for line in lines if line.startswith(f"| `{row.git_name}` | `{row.variable}` |")]

        assert line.endswith(f"; once accepted: {row.guarded} |") if row.guarded else "once accepted" not in line


def test_every_other_variable_is_in_the_reference(maker: ModuleType) -> None:
    page = maker.reference()

    assert [name for name, about in config.INTERNAL.items() if f"| `{name}` | {about} |" not in page] == []


def test_only_settings_that_run_something_or_send_text_are_guarded() -> None:
    assert set(GUARDED) == {"embed", "embedcode", "hub", "verdictcache", "summary", "summarycommand", "stoppush"}


def test_new_row_is_all_that_a_setting_needs(maker: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    @settings
    class More:
        volume_s: float = setting(0.5, number, "How loud", guarded="wakes the neighbours")

    row = rows_of(More)["volume_s"]
    monkeypatch.setitem(SETTINGS, "volume_s", row)  # type: ignore[arg-type] - a dict
    monkeypatch.setitem(BY_PLAIN, "volume", row)

    assert More().volume_s == 0.5
    assert (row.git_name, row.variable, known_name("Vol-ume")) == ("gitmem.volume", "GITMEM_VOLUME", "volume")
    line = "| `gitmem.volume` | `GITMEM_VOLUME` | a number from 0 | `0.5` | How loud"
    assert f"{line}; once accepted: wakes the neighbours |" in maker.reference()
    with pytest.raises(ConfigError, match=r"gitmem\.volume must be a number from 0, not 'x'"):
        config.load({"volume": "x"}, environment={})


def test_every_setting_of_a_store_is_in_the_reference_and_in_the_file_of_a_new_store(maker: ModuleType) -> None:
    page, listed = maker.reference(), default_toml()

    for section, rows in ROWS.items():
        shown = page.partition(f"### `[{section}]`\n")[2].partition("\n### ")[0]
        for key, row in rows.items():
            rule = f"Each is {row.requirement}.\n"
            assert f"| `{key}` | {row.requirement} |" in shown or (rule in shown and f"| `{key}` | `" in shown)
            assert (f"# {key} = " in listed) or f"{section}.{key}" in OWN
            assert getattr(SECTIONS[section], row.name) == row.default


def test_every_setting_of_a_store_refuses_another_value_in_the_words_of_the_reference() -> None:
    for section, key, row in [(section, key, row) for section, rows in ROWS.items() for key, row in rows.items()]:
        with pytest.raises(ConfigError) as caught:
            load_policy(f"[{section}]\n{key} = {{ odd = 1 }}\n", file="x")

        assert caught.value.message == f"x: {section}.{key} must be {row.requirement}"


def test_settings_that_stand_in_for_the_policy_name_a_setting_of_it() -> None:
    known = {f"{section}.{key}" for section, rows in ROWS.items() for key in rows}

    assert [row.policy for row in SETTINGS.values() if row.policy and row.policy not in known] == []


def test_command_for_a_setting_that_the_policy_cannot_make_sets_one_that_exists() -> None:
    commands = [row.instead for rows in ROWS.values() for row in rows.values() if row.instead]
    names = {row.git_name for row in SETTINGS.values()}

    assert [command for command in commands if not names.intersection(command.split())] == []


@pytest.mark.parametrize(
    ("reader", "value", "read"),
    [
        *((text, value, value) for value in ("", "a b")),
        (several, f"a{SEPARATOR}{SEPARATOR}b", ("a", "b")),
        (several, "", ()),
        (parts_of("a", "b"), "a, b", ("a", "b")),
        (parts_of("a", "b"), "", ()),
        (switch, "On", True),
        (switch, "0", False),
        (count, "3", 3),
        (number, "3", 3.0),
        (one_of("", "a"), "", ""),
        (branch_name, "a/b", "a/b"),
    ],
)
def test_value_is_read(reader: object, value: str, read: object) -> None:
    assert callable(reader)
    found = reader(value)

    assert (type(found), found) == (type(read), read)


@pytest.mark.parametrize(
    ("reader", "value"),
    [
        *((switch, value) for value in ("", "maybe", None)),
        *((count, value) for value in ("", "-1", "1.5", "many", None)),
        *((number, value) for value in ("", "nan", "inf", "-1", None)),
        *((one_of("a", "b"), value) for value in ("", "c", None)),
        *((branch_name, value) for value in ("", "a..b", "-a", "a b", None)),
        (several, None),
        *((parts_of("a", "b"), value) for value in ("c", "a b", None)),
    ],
)
def test_value_that_cannot_be_read_is_refused(reader: object, value: object) -> None:
    assert callable(reader)
    with pytest.raises(WrongValue, match=r".{8}"):
        reader(value)
