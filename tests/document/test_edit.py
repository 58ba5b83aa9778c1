from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from support.each import each

from gitmem.document.edit import REMOVE, edit
from gitmem.document.parse import parse
from gitmem.document.yaml.extent import extents_of
from gitmem.errors import FormatError
from gitmem.model import Document

HAND_MADE = """---
# Written by hand.
title:   'Tokens'   # short

mood: "calm"        # an unknown field
tags: [auth,  jwt ]
verify: |
  # is it there?
  grep -q RS256 \\
    src/jwt.py

paths:   # where
  - src/auth/**   # all of it
  # and the old ones
  - lib/auth
created: 2026-11-21T09:30:00Z
# the end
---
Body.
"""


def made(text: str) -> Document:
    return parse(text, path="facts/x.md")


def edited(text: str, body: str | None = None, **changes: object) -> str:
    return edit(made(text), changes, body)


def test_nothing_to_change_gives_the_same_text() -> None:
    assert edited(HAND_MADE) == HAND_MADE
    assert edited(HAND_MADE, title="Tokens", tags=["auth", "jwt"], ttl=REMOVE, body="Body.\n") == HAND_MADE


@each(
    ("name", "value", "old", "new"),
    [
        ("title", "Keys: old", "title:   'Tokens'   # short\n", 'title: "Keys: old"   # short\n'),
        ("mood", REMOVE, 'mood: "calm"        # an unknown field\n', ""),
        ("tags", ["auth"], "tags: [auth,  jwt ]\n", "tags: [auth]\n"),
        (
            "verify",
            "test -f a",
            "verify: |\n  # is it there?\n  grep -q RS256 \\\n    src/jwt.py\n",
            "verify: test -f a\n",
        ),
        (
            "paths",
            ["lib"],
            "paths:   # where\n  - src/auth/**   # all of it\n  # and the old ones\n  - lib/auth\n",
            "# where\n# all of it\n# and the old ones\npaths: [lib]\n",
        ),
        (
            "mood",
            "up\ndown",
            'mood: "calm"        # an unknown field\n',
            "# an unknown field\nmood: |-\n  up\n  down\n",
        ),
        ("created", None, "created: 2026-11-21T09:30:00Z\n", "created: null\n"),
    ],
    ids=["text", "removed", "list", "block", "lines", "to a block", "no value"],
)
def test_only_the_lines_of_the_named_field_change(name: str, value: object, old: str, new: str) -> None:
    assert old in HAND_MADE
    assert edited(HAND_MADE, **{name: value}) == HAND_MADE.replace(old, new)


@each(
    ("name", "line", "behind"),
    [
        ("kind", "kind: fact\n", "title:   'Tokens'   # short\n"),
        ("refs", "refs: fact\n", "  - lib/auth\n"),
        ("task", "task: fact\n", "created: 2026-11-21T09:30:00Z\n"),
        ("zeal", "zeal: fact\n", "created: 2026-11-21T09:30:00Z\n"),
        ("schema", "schema: 1\n", "---\n"),
    ],
)
def test_new_field_goes_to_its_place(name: str, line: str, behind: str) -> None:
    value = 1 if name == "schema" else "fact"

    assert edited(HAND_MADE, **{name: value}) == HAND_MADE.replace(behind, behind + line, 1)


def test_new_fields_keep_their_order_at_one_place() -> None:
    text = edited("---\ntitle: x\n---\n", task="t", zeal="z", ardour="a", kind="fact", ttl="3d")

    assert text == "---\ntitle: x\nkind: fact\nttl: 3d\ntask: t\nzeal: z\nardour: a\n---\n"


def test_windows_line_breaks_and_byte_order_mark_stay() -> None:
    text = "\ufeff" + HAND_MADE.replace("\n", "\r\n")

    changed = edited(text, title="New", kind="fact", verify="one\ntwo", body="One.\nTwo.")

    assert changed.startswith("\ufeff---\r\n# Written by hand.\r\ntitle: New   # short\r\nkind: fact\r\n")
    assert changed.endswith("# the end\r\n---\r\nOne.\r\nTwo.\r\n")
    assert changed.count("\n") == changed.count("\r\n")
    assert made(changed).fields["verify"] == "one\ntwo"


def test_body_alone_changes_nothing_else() -> None:
    assert edited(HAND_MADE, body="New.\n") == HAND_MADE.replace("Body.", "New.")


def test_body_of_a_file_that_ends_at_its_fence_begins_a_line() -> None:
    assert edited("---\ntitle: x\n---", body="New.") == "---\ntitle: x\n---\nNew.\n"


def test_frontmatter_in_brackets_is_rewritten() -> None:
    assert edited("---\n{title: x, mood: calm}\n---\nb\n", kind="fact") == (
        "---\ntitle: x\nkind: fact\nmood: calm\n---\nb\n"
    )


def test_frontmatter_in_brackets_with_a_comment_is_left_to_a_person() -> None:
    text = "---\n{title: x, # why\n mood: calm}\n---\nb\n"

    with pytest.raises(FormatError) as caught:
        edited(text, kind="fact")

    assert (caught.value.code, caught.value.path, caught.value.hint) == (
        "cannot-edit",
        "facts/x.md",
        "edit the file by hand",
    )


def test_last_field_can_be_removed_and_comments_stay() -> None:
    assert edited("---\n# c\ntitle: x\n---\nb\n", title=REMOVE) == "---\n# c\n{}\n---\nb\n"


def test_line_of_spaces_below_does_not_become_part_of_a_block() -> None:
    text = "---\ntitle: x\n    \nmood: calm\n---\n"

    assert edited(text, title="a\nb") == '---\ntitle: "a\\nb"\n    \nmood: calm\n---\n'


def test_value_of_another_type_is_a_change() -> None:
    assert edited("---\ntitle: x\nn: 1\n---\n", n=True) == "---\ntitle: x\nn: true\n---\n"


@each(
    ("changes", "code"),
    [
        ({"ttl": "soon"}, "bad-ttl"),
        ({"verify": "a\rb"}, "unapprovable-command"),
        ({"x": "a" * 9000}, "frontmatter-too-large"),
    ],
)
def test_change_that_would_break_the_memory_is_refused(changes: dict[str, object], code: str) -> None:
    with pytest.raises(FormatError) as caught:
        edited(HAND_MADE, **changes)

    assert caught.value.code == code


def test_file_of_a_newer_version_is_read_only() -> None:
    text = "---\nschema: 2\ntitle: x\n---\n"

    assert edited(text, title="x") == text
    with pytest.raises(FormatError) as caught:
        edited(text, title="y")
    assert caught.value.code == "newer-schema"


LINES = (
    *(
        "title: a\n",
        "title: 'a'  # c\n",
        "kind: fact\n",
        "tags: [a, b] # c\n",
        "tags:\n- a\n# c\n- b\n",
        "mood: |\n  a\n  b\n",
    ),
    *(
        "mood: >\n  a\n\n  b\n\n",
        "refs:\n  - a:1\n  - b:2\n",
        "x: {a: [1, 2], b: c}\n",
        "x: 'a\n  b'\n",
        "y:\n",
        "y: # c\n",
    ),
    *('z: "a\\nb"\n', "z: a\n  b\n", "\n", "# comment\n", "  # indented\n", "\n\n"),
)
frontmatters = st.lists(st.sampled_from(LINES), min_size=1, max_size=6).map("".join)
changes = st.dictionaries(
    st.sampled_from(["title", "mood", "z", "y", "refs", "task", "new"]),
    st.sampled_from(["x", "a: b", "one\ntwo", "", "x #y", REMOVE]),
    min_size=1,
    max_size=2,
)


@settings(max_examples=100)
@example("mood: |\n  a\n  b\ntitle: a\n  # indented\n", {"title": REMOVE}, "\n", "")
@given(frontmatters, changes, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\ufeff"]))
def test_edit_changes_what_it_was_asked_to_and_no_other_line(
    frontmatter: str, changed: dict[str, object], line_break: str, mark: str
) -> None:
    text = mark + f"---\n{frontmatter}---\nBody.\n".replace("\n", line_break)
    try:
        document = made(text)
    except FormatError:
        assume(False)
    assert edit(document, {}) == text

    try:
        result = edit(document, changed)
    except FormatError as err:
        # Without the field between them, the comment would become part of the block.
        assert (err.code, REMOVE in changed.values()) == ("cannot-edit", True)
        assert re.search(r"(?s): [|>]\n.*\n  # indented\n", frontmatter)
        return

    wanted = {name: value for name, value in {**document.fields, **changed}.items() if value is not REMOVE}
    assert made(result).fields == wanted
    lines = frontmatter.split("\n")
    for extent in extents_of(frontmatter) or []:
        if extent.name in changed and document.fields[extent.name] != changed[extent.name]:
            lines[extent.start : extent.stop] = [""] * (extent.stop - extent.start)
    left = iter(result.split(line_break))
    assert all(any(line == kept for line in left) for kept in lines if kept), "a line that nobody named is gone"
