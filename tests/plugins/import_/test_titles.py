"""A note has the title that a person would choose."""

from __future__ import annotations

import time
from pathlib import PurePath

from support.each import each

from gitmem.plugins.import_.titles import find_title


@each(
    ("body", "title"),
    [
        ("# Plain\n\ntext", "Plain"),
        ("# Closed ##\n\ntext", "Closed"),
        ("# About C#\n", "About C#"),
        ("Setext title\n============\n\ntext", "Setext title"),
        ("Second level\n---\ntext", "Second level"),
        ("## Only a second level\ntext", "Only a second level"),
        ('<h1 align="center">In <b>HTML</b></h1>\n\ntext', "In HTML"),
        ('<p align="center"><img src="x.png"></p>\n<h1>\n  Over lines\n</h1>', "Over lines"),
        ("#+TITLE: Of Org\n* Headline", "Of Org"),
        ("[![Build](https://x/a.svg)](https://x) ![b](c)\n\n# Below badges\n", "Below badges"),
        ("# [![Build](https://x/a.svg)](https://x) Beside a badge\n", "Beside a badge"),
        ("# ![logo](logo.png)\n\n## Below a picture\n", "Below a picture"),
        ("<!-- # not\nme -->\n# Below a comment", "Below a comment"),
        ("```sh\n# not me\n```\n\n# Below code", "Below code"),
        ("~~~\n```\n# not me\n~~~\n# Below other code", "Below other code"),
        ("# A [link](b.md), [[page|shown]] and **bold**", "A link, shown and bold"),
        ("# Anchored {#top}", "Anchored"),
        ("Prose first.\n\n# The only one of the first level\n", "The only one of the first level"),
        ("Prose first.\n\n# One\n\n# Two\n", "name"),
        ("Prose first.\n\n## Deep\n", "name"),
        ("- a list\n---\n", "name"),
        ("#hashtag only\n", "name"),
        ("    # code\n", "name"),
        ("", "name"),
    ],
)  # fmt: skip
def test_title_is_the_first_heading_and_never_a_badge_a_comment_or_code(body: str, title: str) -> None:
    assert find_title(body, "notes/name.md", "name") == title


@each(
    ("body", "name", "title"),
    [
        ("no heading", "notes/pool/README.md", "pool"),
        ("# README\n\ntext", "notes/pool/readme.md", "pool"),
        ("no heading", "notes/index.md", "notes"),
        ("Prose.\n\n## How it works", "notes/pool/README.md", "How it works"),
        ("no heading", "README.md", "README"),
    ],
)
def test_file_without_a_name_of_its_own_gets_that_of_its_folder(body: str, name: str, title: str) -> None:
    assert find_title(body, name, PurePath(name).stem) == title


@each(
    ("body", "name", "titles"),
    [
        ("Prose.\n\n# References\n", "notes/Load balancing.md", ("Load balancing", "Load balancing")),
        ("## Definition\n", "notes/Load balancing.md", ("Load balancing", "Load balancing")),
        ("# How to balance\n", "notes/Load balancing.md", ("How to balance", "Load balancing")),
        ("# How to balance\n", "notes/load-balancing.md", ("How to balance", "How to balance")),
        ("# Def\n", "notes/Invertible.md", ("Def", "Invertible")),
        ("# 定义\n", "notes/数据库.md", ("定义", "数据库")),
        ("# Welcome\n", "notes/README.md", ("Welcome", "Welcome")),
        ("## Log\n", "notes/2024-01-27.md", ("Log", "2024-01-27")),
        ("---\ntag:Web\n---\n\n# 5. Unit tests\n", "adr/0005-unit-tests.md", ("5. Unit tests", "5. Unit tests")),
    ],
)
def test_name_that_is_a_title_is_that_of_a_page_of_a_wiki(body: str, name: str, titles: tuple[str, str]) -> None:
    assert tuple(find_title(body, name, PurePath(name).stem, is_wiki=is_wiki) for is_wiki in (False, True)) == titles


@each("part", ["<h1>", "<!--", "[", "![", "[[", "# ", "```\n", "a\n=\n", "<h1 ", "%%", "- \n"])
def test_title_of_a_hostile_text_takes_no_long_time(part: str) -> None:
    before = time.process_time()

    find_title(part * (60_000 // len(part)), "notes/name.md", "name")

    assert time.process_time() - before < 2
