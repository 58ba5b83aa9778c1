"""How a memory is cut for a model: nothing too long, nothing lost, at the seams of the text; and what is code."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.index.embed.pieces import MOST_PIECES, is_code, is_talk, pieces_of


def test_a_short_memory_is_one_piece_with_its_title() -> None:
    assert pieces_of("Tokens expire", "After 15 minutes.\n\nSee jwt.py.", longest=100) == [
        "Tokens expire\nAfter 15 minutes.\n\nSee jwt.py."
    ]


@each(
    ("title", "body", "pieces"),
    [("T", "", ["T"]), ("", "b", ["b"]), ("", " \n", []), ("T", "```\n```", ["T"])],
    ids=["no body", "no title", "nothing", "an empty block"],
)
def test_blank_parts_leave_no_blank_piece(title: str, body: str, pieces: list[str]) -> None:
    assert pieces_of(title, body, longest=100) == pieces


@each(
    ("body", "parts"),
    [
        ("one one\n\ntwo two\n\nthree", ["one one\n\ntwo two", "three"]),
        ("one one one\ntwo two two\nthree", ["one one one", "two two two\nthree"]),
        ("One one. Two two two! Three.", ["One one.", "Two two two! Three."]),
        ("one two three four five six", ["one two three four", "five six"]),
        ("x" * 45, ["x" * 20, "x" * 20, "x" * 5]),
        ("```python\nreturn None\n```\n\nand the words", ["return None", "and the words"]),
    ],
    ids=["paragraphs", "lines", "sentences", "words", "one word", "a code block"],
)
def test_a_long_memory_is_cut_at_its_seams_with_the_title_in_front(body: str, parts: list[str]) -> None:
    assert pieces_of("Title", body, longest=26) == [f"Title\n{part}" for part in parts]


def test_each_line_of_talk_is_a_piece_with_the_line_before_it() -> None:
    body = "Ana: when does it expire?\n\nBo: after 15 minutes\nAna: thanks"

    assert pieces_of("Standup", body, longest=500) == [
        "Standup\nAna: when does it expire?",
        "Standup\nAna: when does it expire?\nBo: after 15 minutes",
        "Standup\nBo: after 15 minutes\nAna: thanks",
    ]


def test_more_lines_than_pieces_share_them_and_none_is_lost() -> None:
    lines = [f"Ana: line {number} of the log" for number in range(10 * MOST_PIECES)]

    found = pieces_of("Log", "\n".join(lines), longest=1000)

    assert len(found) <= MOST_PIECES
    assert [line for piece in found for line in piece.splitlines()[1:]] == lines


@each(
    ("body", "expected"),
    [
        ("Ana: yes\nBo: no\nAna: why?", True),
        ("Ana: yes\nBo: no", False),
        ("Mary-Jane O'Neil: yes\n\nBo: no\n[a picture]\nAna: why?", True),
        ("Three things\nto do: rest\nand then sleep\nfor long", False),
        ("10:30: deploy\n10:40: watch\n10:50: sleep", False),
    ],
    ids=["talk", "too short", "a line between", "prose", "times"],
)
def test_talk_is_distinguished_from_other_text(body: str, expected: bool) -> None:
    assert is_talk(body) is expected


@each("title", ["get_user_name", "getUserName", "get.UserName"])
def test_an_identifier_in_the_title_is_split_into_words(title: str) -> None:
    assert pieces_of(title, "", longest=100)[0].lower() == "get user name"


def test_a_long_title_leaves_room_for_the_text() -> None:
    found = pieces_of("t" * 500, "words " * 40, longest=90)

    assert all(piece.startswith("t" * 30 + "\nwords") for piece in found)


def test_a_pasted_log_is_cut_off() -> None:
    assert len(pieces_of("Log", "a line of it\n" * 100_000, longest=100)) == MOST_PIECES


TEXTS = st.text(alphabet="ab.!? :\n`~\u00e9", max_size=300)


@given(title=TEXTS, body=TEXTS, longest=st.integers(3, 60))
def test_no_piece_is_too_long_and_every_word_is_in_one(title: str, body: str, longest: int) -> None:
    found = pieces_of(title, body, longest=longest)

    assert len(found) <= MOST_PIECES
    assert all(0 < len(piece) <= longest and piece == piece.strip() for piece in found)
    if len(found) < MOST_PIECES:
        text = "".join(line for line in body.splitlines() if not line.lstrip().startswith(("```", "~~~")))
        joined = "".join(found)
        assert all(joined.count(char) >= text.count(char) for char in "ab\u00e9")


CODE = "```python\ndef sign(claims):\n    return jwt.encode(claims)\n```\n"


@each(
    ("kind", "body", "refs", "expected"),
    [
        ("learned", CODE, [], True),
        ("learned", "Sign with this:\n\n" + CODE, [], True),
        ("learned", CODE + "So are tokens signed here, and nobody may ever do it in another way than this.", [], False),
        ("learned", "````\n```\nnot the end, still code in here\n````\n", [], True),
        ("learned", "~~~\nnever closed\n", [], True),
        ("learned", "Where:\n- src/auth/jwt.py:3-9\n- `src/auth/keys.py:12`", [], True),
        ("learned", "At 10:30 we deploy", [], False),
        ("pattern", "Sign tokens in one place.", ["src/auth/jwt.py:3-9"], True),
        ("code_pattern", "Sign tokens in one place.", ["src/auth/jwt.py:3-9"], True),
        ("pattern", "Sign tokens in one place.", ["commit:0123abc"], False),
        ("decision", "Sign tokens in one place.", ["src/auth/jwt.py:3-9"], False),
        ("learned", "", [], False),
    ],
)  # fmt: skip
def test_code_is_distinguished_from_prose(kind: str, body: str, refs: list[str], expected: bool) -> None:
    assert is_code(kind, body, refs) is expected
