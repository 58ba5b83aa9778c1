"""Moments at which memories were shown, and what counts as their use."""

from __future__ import annotations

from support.each import each

from gitmem.commands.report import moments
from gitmem.commands.report.moments import MemoryUse, MomentUse

MARKS = moments.marks_of(
    "Rebuild after a change: `make  the-index ARGS=1` in `src`",
    ["src/index/**", "docs/a.md:3-9"],
    {"verify": {"run": "pytest -q tests/index", "in": "lib/*.py"}},
)


def test_marks_are_paths_references_and_commands() -> None:
    assert MARKS.paths == ("src/index/**", "docs/a.md", "lib/*.py")
    assert MARKS.commands == ("make the-index ARGS=1", "pytest -q tests/index")


@each(
    ("tool", "did", "expected"),
    [
        ("shell", "gitmem show learned-index", True),
        ("shell", "gitmem show learned-index-of-others", False),
        ("shell", "cat src/index/build.py", True),
        ("shell", "cat src/other.py", False),
        ("shell", "cd x && make the-index ARGS=1 -j", True),
        ("shell", "make all", False),
        ("edit", ["README.md", "lib/a.py"], True),
        ("edit", ["README.md"], False),
        ("other", "src/index/build.py", False),
    ],
)
def test_key_path_or_command_in_a_later_event_is_a_use(tool: str, did: object, expected: bool) -> None:
    events = moments.later_events([{"at": 100, "tool": tool, "did": did}, {"at": "x"}, {}])

    assert moments.is_used_in("learned-index", MARKS, events, 99) is expected
    assert not moments.is_used_in("learned-index", MARKS, events, 100), "what happened before is no use"


SHOWN = {"a": "", "b": ""}


@each(
    ("entry", "kind"),
    [
        ({"event": "start", "shown": SHOWN}, moments.START),
        ({"event": "prompt", "shown": SHOWN, "tokens": 9}, moments.PROMPT),
        ({"event": "tool", "shown": SHOWN, "tokens": 9, "files": ["a.py"]}, moments.FILE),
        ({"event": "tool", "shown": SHOWN, "tokens": 9}, moments.FAILURE),
        ({"event": "subagent-start", "shown": SHOWN, "tokens": 9}, moments.SUBAGENT),
        ({"event": "tool", "shown": SHOWN}, ""),  # written by the session itself
        ({"event": "start", "shown": {}}, ""),
        ({"event": "compact"}, ""),
    ],
)
def test_kind_of_a_moment(entry: dict, kind: str) -> None:
    assert moments.kind_of(entry) == kind


def test_use_is_counted_by_kind_and_by_memory_since_its_last_change() -> None:
    entries = [
        {"at": 5, "event": "prompt", "shown": {"a": ""}, "tokens": 7},
        {"at": 10, "event": "prompt", "shown": {"a": "", "b": "", "elsewhere": ""}, "tokens": 30},
        {"at": 20, "event": "tool", "shown": {"a": ""}, "tokens": 12},
    ]

    rows, memories = moments.moment_use(
        {"s1": entries}, {"a": 15, "b": 1}, lambda _, key, at: key == "b" and at == 10, since=8
    )

    assert [row for row in rows if row.moments] == [
        MomentUse(moments.PROMPT, 1, 2, 1, 30),
        MomentUse(moments.FAILURE, 1, 1, 0, 12),
    ]
    assert memories == (MemoryUse("a", 1, 0), MemoryUse("b", 1, 1))
