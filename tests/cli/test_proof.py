"""The options of a check become what the frontmatter has."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.cli.commands import load_command
from gitmem.cli.parser import parser_of
from gitmem.cli.proof import verify_of
from gitmem.errors import UsageError


def check(*words: str) -> object:
    return verify_of(parser_of("fact", load_command("fact")).parse(["a title", *words]))


@each(
    ("words", "found"),
    [
        ((), None),
        (("--verify", "make unit"), "make unit"),
        (("--verify", ""), ""),
        (("--", "pytest", "-q"), ["pytest", "-q"]),
        (("--exists", "a"), {"exists": "a"}),
        (("--absent", "a"), {"absent": "a"}),
        (("--contains", "T", "--in", "a"), {"contains": "T", "in": "a"}),
        (("--in", "a", "--contains", ""), {"contains": "", "in": "a"}),
        (("--matches", "T.*", "--in", "a"), {"matches": "T.*", "in": "a"}),
        (("--lacks=--x", "--in", "a"), {"lacks": "--x", "in": "a"}),
        (("--same", "0" * 64, "--in", "a"), {"same": "0" * 64, "in": "a"}),
    ],
)
def test_check_is_read_as_the_frontmatter_has_it(words: tuple[str, ...], found: object) -> None:
    assert check(*words) == found


@each(
    ("words", "message"),
    [
        (("--exists", "a", "--absent", "b"), "a fact can have only one check"),
        (("--verify", "x", "--", "y"), "a fact can have only one check"),
        (("--contains", "x"), "--contains needs --in"),
        (("--lacks", "x"), "--lacks needs --in"),
        (("--in", "a"), "--in requires --contains, --matches, --lacks, --same, --symbol, --script or --depends"),
        (
            ("--exists", "a", "--in", "b"),
            "--in requires --contains, --matches, --lacks, --same, --symbol, --script or --depends",
        ),
        (
            ("--verify", "x", "--in", "b"),
            "--in requires --contains, --matches, --lacks, --same, --symbol, --script or --depends",
        ),
    ],
)
def test_contradictory_checks_are_refused(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check(*words)
