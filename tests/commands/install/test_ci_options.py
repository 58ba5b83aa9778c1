"""The options of a forge's jobs are read strictly from their file, and pins are never lowered."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.commands.install.ci_options import ACTIONS, CiOptions, read_options, with_bumped, without_pins
from gitmem.errors import ConfigError
from gitmem.frozen import replace

OLD, NEW = "1" * 40, "2" * 40


def test_options_are_read_by_their_names() -> None:
    text = 'schedule = "6h"\nshards = 2\nrunner = "macos-15"\nadopt = true\n'
    text += f'[pins]\ncheckout = "acme/checkout@{NEW} # v3"\n'

    wanted = CiOptions(**read_options(text))

    assert (wanted.every, wanted.shards, wanted.runs_on("github"), wanted.adopt) == ("6h", 2, "macos-15", True)
    assert wanted.actions("github") == ACTIONS | {"checkout": f"acme/checkout@{NEW} # v3"}


@each(
    ("text", "message"),
    [
        ("= 1", "invalid TOML"),
        ("shard = 1", "unknown option: shard"),
        ('shards = "2"', "shards must be a number"),
        ('runner = "x: ${{ secrets.A }}"', "runner must be a label"),
        ("runner = []", "runner must be a label"),
        ('python = "3.9"', "python must be a version"),
        ('adopt = "yes"', "adopt must be true or false"),
        ('[pins]\ncheckout = "actions/checkout@v7"', "pins.checkout must name a full commit"),
        (f'[pins]\ncheckou = "actions/checkout@{NEW}"', "unknown option: pins.checkou"),
    ],
)
def test_invalid_option_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace(".", r"\.")):
        read_options(text)


@each(
    ("there", "kept"),
    [
        (f"actions/checkout@{NEW} # v7.1.0", True),
        (f"actions/checkout@{NEW} # v10", True),
        (f"actions/checkout@{NEW} # v7.0.0", False),
        (f"actions/checkout@{NEW}", False),
        (f"evil/checkout@{NEW} # v99", False),
    ],
)
def test_newer_pins_of_the_same_action_stay(there: str, kept: bool) -> None:
    wanted = replace(CiOptions(), pins=(("checkout", f"actions/checkout@{OLD} # v7.0.1"),))

    bumped = dict(with_bumped(wanted, "github", [f"    steps:\n      - uses: {there}\n"]).pins)

    assert (bumped["checkout"] == there) is kept


def test_checksum_ignores_only_the_commits_of_actions() -> None:
    text = "- uses: {0}/checkout@{1} # {2}\n  run: echo {1}\n"

    assert without_pins(text.format("actions", OLD, "v1")) != without_pins(text.format("evil", OLD, "v1"))
    assert without_pins(f"- uses: a/b@{OLD} # v1\n") == without_pins(f"- uses: a/b@{NEW} # v2\n") == "- uses: a/b\n"
