"""Profiles are policies that can be read, and differ from the defaults in what their systems say."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.errors import ConfigError, UsageError
from gitmem.policy import load
from gitmem.policy.profiles import PROFILES, profile_policy, with_profile
from gitmem.policy.template import default_toml


@each("name", PROFILES)
def test_policy_of_a_profile_is_valid_with_every_default_below_it(name: str) -> None:
    text = default_toml(profile_policy(name))
    alone = load(profile_policy(name), file="gitmem.toml")

    assert load(text, file="gitmem.toml") == alone
    assert "# Everything else, with its defaults:" in text
    assert not alone.session.prompt or name == "ai-kb"


def test_unknown_profile_is_refused_and_none_sets_nothing() -> None:
    assert profile_policy("") == ""
    with pytest.raises(UsageError, match="unknown profile: bead"):
        profile_policy("bead")


@each("name", PROFILES)
@each("before", ["", "format = 1\n[session]\nnewest = 9  # ours\n\n# a remark\n", default_toml()])
def test_profile_is_set_in_a_policy_that_keeps_everything_else(name: str, before: str) -> None:
    after = with_profile(before, name)

    assert with_profile(after, name) == after
    assert load(after, file="gitmem.toml").capture == load(profile_policy(name), file="gitmem.toml").capture
    assert set(before.splitlines()) - set(after.splitlines()) <= {"newest = 9  # ours"}


@each("name", PROFILES)
@each(
    "before",
    [
        '[recall]\nwork = "always"\n[session]\nnewest = 3\n[recall.points]\npath = 9\n# tail\n',
        "session.newest = 9\nrecall.points.path = 1\n",
        "session = {newest = 9}\n",
        '[kinds.note]\nttl = "3d"\n[stops]\ntask = true\n[kinds.session]\nttl = "1d"\n',
    ],
    ids=["tables apart", "dotted keys", "inline", "parts of a table apart"],
)
def test_policy_may_be_written_in_any_form_of_toml(name: str, before: str) -> None:
    after = with_profile(before, name)

    alone = load(profile_policy(name), file="gitmem.toml")
    assert load(after, file="gitmem.toml").capture == alone.capture
    assert load(after, file="gitmem.toml").session.prompt == alone.session.prompt
    assert with_profile(after, name) == after


def test_policy_that_cannot_be_read_is_named() -> None:
    with pytest.raises(ConfigError, match=r"gitmem\.toml is not valid TOML"):
        with_profile("[session\n", "beans")


def test_new_settings_of_a_table_follow_its_last_one() -> None:
    after = with_profile("[rotation]\nlimit = 0\n\n# What follows.\n[stops]\ntask = false\n", "beadboard")

    assert after.startswith('[rotation]\nlimit = 1000\nmove = 500\nkinds = ["learned"]\n\n# What follows.\n[stops]\n')


def test_remark_of_a_table_is_not_repeated_where_the_table_around_it_gets_a_line() -> None:
    after = with_profile("[recall.points]  # ours\npath = 3\n", "swarm")

    assert "\n[recall]\n" in f"\n{after}"
    assert after.count("# ours") == 1
