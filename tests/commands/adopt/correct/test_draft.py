"""A draft takes a correction only if the document is right with it."""

from support.each import each

from gitmem.commands.adopt.correct.draft import Draft, Wording
from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import FALSE, HOLDS, JudgedClaim, Mention, Source
from gitmem.commands.adopt.kinds import claims_of

THERE = {"src/new.py", "src/other.py", "src", "src/a"}
TEXT = "# Code\n\n- `src/old.py` and `src/other.py`\n- [old](src/old.py)\n\n```\nsrc/\n├── old.py\n└── other.py\n```\n"


def judge(document, statement):
    """Judge paths by a list of files, and nothing else."""
    found = []
    for claim in claims_of(statement, document):
        place = next((place for place in claim.places if place in THERE), "")
        verdict = JudgedClaim(Mention(document, statement, claim), HOLDS if place else FALSE, Source(place))
        found.append((claim, verdict if claim.kind == "path" else None))
    return found


def draft(text=TEXT):
    return Draft(Document("AGENTS.md", "instructions", ""), text, judge)


def is_right(judged):
    return judged.verdict == HOLDS and judged.source.path == "src/new.py"


@each(
    ("line", "after", "passes"),
    [
        (3, "- `src/new.py` and `src/other.py`", True),
        (3, "- `src/new.py` and `src/others.py`", False),  # another claim that held is gone
        (3, "- `src/newer.py` and `src/other.py`", False),  # it does not hold
        (3, "- src/new.py and `src/other.py`", False),  # it was code
        (3, "- `src/new.py`, `src/a` and `src/other.py`", False),  # one more
        (3, "1. `src/new.py` and `src/other.py`\n", False),
        (4, "- [old](src/new.py)", True),
        (4, "- [old] (src/new.py)", False),  # no link
        (4, "- [old](src/old.py)", False),  # nothing changed
        (8, "├── new.py", True),
        (8, "├── ../src/new.py", False),
        (8, "│   ├── new.py", False),
        (8, "├── other.py", False),  # it is there already
    ],
)
def test_replacement_passes_only_if_the_rest_is_as_before(line, after, passes):
    one = draft()

    assert one.replace(Wording({line: after}, "", "old.py" if line == 8 else "src/old.py", is_right)) == passes
    assert [(each.line, each.after) for each in one.corrections()] == ([(line, after)] if passes else [])


def test_tried_replacement_changes_nothing():
    one = draft()

    assert one.would_be_right(Wording({4: "- [old](src/new.py)"}, "", "src/old.py", is_right))
    assert one.corrections() == []


@each(
    ("edits", "token", "passes"),
    [
        ({3: None}, "", True),
        ({6: None}, "", False),  # the fence
        ({9: None, 8: "└── old.py"}, "", False),  # one entry is no tree
        ({3: "- `src/other.py`"}, "src/old.py", True),
        ({3: "- `src/other.py`"}, "src/other.py", False),
    ],
)
def test_deletion_passes_only_if_the_rest_is_as_before(edits, token, passes):
    one = draft()

    assert one.remove(edits, token) == passes
    assert bool(one.corrections()) == passes


def test_lines_keep_their_numbers_behind_a_deleted_one_and_their_context():
    one = draft()

    assert one.remove({3: None})
    assert one.replace(Wording({4: "- [old](src/new.py)"}, "", "src/old.py", is_right))

    assert [(each.line, each.after) for each in one.corrections()] == [(3, None), (4, "- [old](src/new.py)")]
    assert {number for each in one.corrections() for number in each.context} == {3, 4}
