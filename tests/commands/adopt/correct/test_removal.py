"""Deletions when a named thing is gone: entries with everything nested below, and names in a list."""

from support.each import each

from gitmem.commands.adopt.correct.removal import block_of, is_entry_of, without
from gitmem.commands.adopt.statements import split


@each(
    ("line", "is_entry"),
    [
        ("- `src/a.py` - has the limits", True),
        ("- **`src/a.py`**: has the limits", True),
        ("- Limits: `src/a.py`", True),
        ("- Limits: `src/a.py`, `src/b.py`", False),  # the other one is there
        ("2. **Limits** (`src/a.py`)", True),
        ("- [limits](src/a.py)", True),
        ("| `src/a.py` | has the limits |", True),
        ("| [a.py](src/a.py) | has the limits |", True),
        ("| [Limits](src/a.py) | yes |", False),  # the row is about limits, which may still be so
        ("- Never edit `src/a.py` by hand", False),
        ("- `src/a.py` must not import `src/b.py`", False),
        ("Limits: `src/a.py`", False),
    ],
)
def test_entry_only_says_where_something_is(line, is_entry):
    (statement,) = split(line)

    assert is_entry_of(statement, {"src/a.py"}) == is_entry


@each(
    ("text", "lines"),
    [
        ("- `a`\n  - below\n\n    more\n- next", range(1, 5)),
        ("- `a`\n\nnext", range(1, 2)),
        ("```\nsrc/\n├── a/\n│   └── b.py\n└── c.py\n```", range(3, 5)),
    ],
)
def test_what_is_nested_below_an_entry_goes_with_it(text, lines):
    statement = next(one for one in split(text) if one.text.rstrip("/").endswith(("`a`", "a")))

    assert block_of(text.split("\n"), statement) == lines


@each(
    ("line", "left"),
    [
        ("see `a`, `b` and `c`", "see `b` and `c`"),
        ("see `b`, `a` and `c`", "see `b` and `c`"),
        ("see `b`, `a`, `c`", "see `b`, `c`"),
        ("see `b`, `c`, `a`.", "see `b`, `c`."),
        ("in `a` and `b`, always", "in `b`, always"),
        ("in `b` or `a`, always", "in `b`, always"),
        ("see `b`, `c` and `a`", "see `b`, `c` and `a`"),  # what is left would be wrong: `b`, `c`
        ("see `a`", "see `a`"),
        ("`a`, `b`, and `a` again", "`a`, `b`, and `a` again"),
    ],
)
def test_name_goes_from_a_list_of_names(line, left):
    assert without(line, "a") == left
