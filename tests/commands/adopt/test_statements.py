"""Splitting a document: bullets, sentences, table rows, commands and trees, each with its line."""

from gitmem.commands.adopt.statements import BULLET, CODE, DRAWING, HEADING, ROW, SENTENCE, TREE, split

DOCUMENT = """---
globs: "**"
---
# Guide

Read `docs/a.md` first.
It is short.

- Run `make test`
  before a push
- [x] `src/`: code

| Name | Default |
|------|---------|
| `size` | `a|b` |

```bash
npm run build \\
  --all
```

```
app/
├── src/
│   └── main.py   # start
└── README.md
```
"""


def test_gap_and_remark_of_a_drawn_tree_are_no_entries():
    tree = "```\napp/\n│\n├── src/        # Code\n│               # of all\n│   └── a.py\n│\n└── b.py\n```\n"

    assert [one.path for one in split(tree)] == ["app", "app/src", "app/src/a.py", "app/b.py"]


def test_each_statement_has_its_kind_and_lines():
    found = [(one.kind, one.line, one.last) for one in split(DOCUMENT)]

    assert found == [
        (HEADING, 4, 4),
        (SENTENCE, 6, 6),
        (SENTENCE, 7, 7),
        (BULLET, 9, 10),
        (BULLET, 11, 11),
        (ROW, 15, 15),
        (CODE, 18, 19),
        (TREE, 23, 23),
        (TREE, 24, 24),
        (TREE, 25, 25),
        (TREE, 26, 26),
    ]


def test_row_knows_its_header_and_keeps_a_bar_in_code():
    row = next(one for one in split(DOCUMENT) if one.kind == ROW)

    assert (row.header, row.cells) == (("Name", "Default"), ("`size`", "`a|b`"))


def test_entry_of_a_tree_has_its_whole_path():
    paths = [one.path for one in split(DOCUMENT) if one.kind == TREE]

    assert paths == ["app", "app/src", "app/src/main.py", "app/README.md"]


def test_drawing_of_boxes_is_not_a_tree():
    found = split("```\n┌────────┐\n│ Server │\n└───┬────┘\n    └─ Store\n```\n")

    assert {(one.kind, one.language) for one in found} == {(CODE, DRAWING)}


def test_command_has_the_remark_above_it_in_its_paragraph():
    text = "```sh\n# WRONG - deleted\npython a.py\npython b.py\n\npython c.py\n# one test\npython d.py\n```\n"
    found = {one.text: one.remark for one in split(text) if not one.text.startswith("#")}

    assert found == {
        "python a.py": "# WRONG - deleted",
        "python b.py": "# WRONG - deleted",
        "python c.py": "",
        "python d.py": "# one test",
    }


def test_text_in_a_comment_is_not_a_statement():
    assert [one.line for one in split("<!--\n`gone.py`\n-->\nText.\n")] == [4]


def test_code_and_links_may_go_on_in_the_next_line():
    (bullet,) = split("- Run one: `go test\n  ./pkg -run X`, see [the\n  guide](docs/a.md)\n")

    assert [(one.kind, one.text, one.line) for one in bullet.spans] == [
        ("code", "go test ./pkg -run X", 1),
        ("link", "docs/a.md", 3),
    ]


def test_what_a_command_printed_is_no_command():
    text = "```\n[old]$ ctags -o - \\\n  --fields=+l\nWarning: no ./.ctags\n# a remark\n$ make test\nok src/a.c\n```\n"

    assert [one.line for one in split(text)] == [2, 5, 6]
    assert [len(split(f"```{name}\n$ make a\nmake b\n```\n")) for name in ("sh", "console")] == [2, 1]
