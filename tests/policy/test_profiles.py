"""Profiles are policies that can be read, and differ from the defaults in what their systems say."""

from __future__ import annotations

import pytest

from gitmem.errors import UsageError
from gitmem.policy import load
from gitmem.policy.profiles import PROFILES, profile_policy
from gitmem.policy.template import default_toml


@pytest.mark.parametrize("name", PROFILES)
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
