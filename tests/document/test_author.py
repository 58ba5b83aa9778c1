"""Who wrote a memory is read by one function."""

from __future__ import annotations

import re
from pathlib import Path

from support.each import each

import gitmem
from gitmem.document.author import read_author

PACKAGE = Path(gitmem.__file__).parent


@each(
    ("by", "who", "agent", "label", "names"),
    [
        ("Ana", "Ana", "", "Ana", ("Ana",)),
        ({"who": "Ana", "agent": "dev"}, "Ana", "dev", "Ana / dev", ("Ana", "dev")),
        ({"agent": "dev", "role": "pm"}, "", "dev", "dev", ("dev", "pm")),
        ({"who": 7, "agent": None}, "7", "", "7", ("7",)),
        (None, "", "", "", ()),
    ],
)
def test_author_is_read_from_a_name_or_a_mapping(by: object, who: str, agent: str, label: str, names: tuple) -> None:
    author = read_author({"by": by})

    assert (author.who, author.agent, author.label, author.names) == (who, agent, label, names)


def test_no_other_module_takes_an_author_apart() -> None:
    taken_apart = re.compile(r"isinstance\((?:by|author), dict\)|author_name\(")
    found = [
        str(path.relative_to(PACKAGE))
        for path in sorted(PACKAGE.rglob("*.py"))
        if taken_apart.search(path.read_text(encoding="utf-8"))
    ]

    assert found == ["commands/sync/inbox.py", "document/author.py"], "inbox checks the shape of a foreign one"
