"""A memory in the digest: one clean line, and a pointer to the rest if cut."""

from __future__ import annotations

import json

import pytest
from conftest import NOW, put_files
from support.digests import old, sections, texts
from support.facts import make_memory, put
from support.ids import id_of

from gitmem.memory import Memory
from gitmem.text.budget import count_tokens

# What the memories are about, and the digest is for.
HERE = "src/auth/jwt.py"


def test_long_memory_ends_where_a_sentence_does_with_the_way_to_the_whole(memory, repo):
    put(repo, old("long", "A title", body="Some words stand here. " * 200, paths=[HERE]))

    (text,) = texts(sections(memory, paths=[HERE])["RELEVANT FACTS"])

    assert text.startswith("A title: Some words stand here. Some")
    assert text.endswith(f" Some words stand here. (more: gitmem show {id_of('long')})")
    assert 400 < count_tokens(text) <= 520


def test_a_sentence_that_is_too_long_is_left_out_whole(memory, repo):
    put(repo, old("long", "A title", body="word " * 1000, paths=[HERE]))

    assert texts(sections(memory, paths=[HERE])["RELEVANT FACTS"]) == [f"A title (more: gitmem show {id_of('long')})"]


@pytest.mark.parametrize("body", ["猫は猫。" * 100, "Words are words. " * 100])
def test_no_more_of_one_memory_is_shown_than_the_policy_says(memory, repo, body):
    put(repo, old("long", "T", body=body, paths=[HERE]))
    put_files(repo, {"gitmem.toml": "[context]\nmax_memory_tokens = 30\n"})

    with Memory(repo, clock=lambda: float(NOW)) as opened:
        (text,) = texts(sections(opened, paths=[HERE])["RELEVANT FACTS"])

    shown = text.split(" (more: ")[0]
    assert 15 < count_tokens(shown) <= 30 + count_tokens("T: ")


def test_goal_that_is_also_the_title_is_shown_once(memory, repo):
    goal = "Retry what the gateway dropped, with a limit"
    put(repo, make_memory("s1", goal, f"Goal: {goal}\n\nDecided:\n- three times.", kind="session"))
    put(repo, make_memory("s2", "Retry what the…", f"Goal: {goal}.", kind="session"))
    put(repo, make_memory("s3", "Another title", f"Goal: {goal}.", kind="session"))

    values = {item["key"]: item["text"] for section in sections(memory).values() for item in section["items"]}

    assert values["s1"].startswith(f"{goal} Decided: - three times.")
    assert values["s2"].startswith(f"{goal}.")
    assert values["s3"].startswith(f"Another title: Goal: {goal}.")


def test_each_memory_is_one_line_with_nothing_hidden(memory, repo):
    title = json.dumps("One\ntwo\u202e")
    put_files(repo, {"gotchas/a.md": f"---\ntitle: {title}\nkind: gotcha\npaths: [{HERE}]\n---\nA\n\n\u200bB\x07\n"})

    (text,) = texts(sections(memory, paths=[HERE])["RELEVANT FACTS"])

    assert text.isprintable()
    assert text.startswith("One two")
