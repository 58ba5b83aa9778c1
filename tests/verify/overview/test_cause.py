"""Causes: what is one and what is not, how many are shown, and what rests on them."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.verify.overview import cause
from gitmem.verify.overview.cause import Case, common_reason, few, fit, group, title

MOVED = ("859f341e29aa" + "0" * 28, "")
PHRASES = {MOVED: "broken by 859f341e29aa (Ana: Move src)"}


def failed(key: str, because: str = "", culprit=("", ""), label: str = "failed") -> Case:
    return Case(key, "failed", label, because, culprit, many="still fail" if label == "still fails" else "")


def suspect(key: str, *chain: str) -> Case:
    return Case(key, "suspect", "suspect", f"rests on {' → '.join(chain)}", chain=chain)


def test_commit_that_broke_facts_is_one_cause_whatever_they_say():
    (cause,) = group([failed("b", "no file matches x.py", MOVED), failed("a", "exit 1: no", MOVED)])

    assert cause.keys == ("a", "b")
    assert title(cause, PHRASES) == "2 facts broken by 859f341e29aa (Ana: Move src)"
    (old,) = group([failed("b", "exit 2", MOVED, "still fails"), failed("a", "exit 1: no", MOVED, "still fails")])
    assert title(old, PHRASES) == "2 facts still fail — broken by 859f341e29aa (Ana: Move src)"


def test_numbers_in_keys_are_in_their_order():
    (cause,) = group([failed(f"t-{number}", "no", MOVED) for number in (10, 2, 1)])

    assert cause.keys == ("t-1", "t-2", "t-10")


def test_reason_is_a_cause_where_the_commit_is_not_known():
    causes = group(
        [
            *(failed(f"m{n}", f"no file matches src/python/file{n}.py") for n in range(3)),
            *(failed(f"t{n}", f"exit 1: FAILED tests/test_{n}.py::test_a - assert 3 == 4") for n in range(2)),
            *(failed(f"n{n}", "no file matches src/python/new.py", label="still fails") for n in range(4)),
        ]
    )

    assert [title(cause, {}) for cause in causes] == [
        "3 facts failed — no file matches …",
        "2 facts failed — exit 1: FAILED … - assert 3 == 4",
        "4 facts still fail — no file matches src/python/new.py",
    ]


def test_exit_status_alone_is_no_common_cause():
    causes = group([failed(key, "exit 1") for key in "abc"] + [failed(key, "exit 1: no config") for key in "de"])

    assert [(one.keys, one.reason) for one in causes] == [
        (("d", "e"), "exit 1: no config"),
        (("a",), "exit 1"),
        (("b",), "exit 1"),
        (("c",), "exit 1"),
    ]


def test_what_rests_on_facts_goes_with_their_cause():
    causes = group(
        [
            failed("a", "no", MOVED),
            failed("b", "no", MOVED),
            suspect("s", "m", "b"),
            suspect("r", "a"),
            suspect("o", "other"),
        ]
    )

    assert [(cause.keys, [case.key for case in cause.suspects]) for cause in causes] == [
        (("a", "b"), ["r", "s"]),
        (("o",), []),
    ]


def test_news_come_first_and_then_the_largest_cause():
    old = [failed(f"o{n}", "x", label="still fails") for n in range(9)]
    causes = group([failed("z", "no y"), failed("b", "no x"), failed("c", "no x"), *old])

    assert [len(cause.cases) for cause in causes] == [2, 1, 9]


@each(
    ("one", "other", "shared"),
    [
        ("no file matches src/a.py", "no file matches lib/b/*.py", "no file matches …"),
        ("a.py does not contain 'x'", "b.py does not contain 'y z'", "… does not contain …"),
        ("timed out after 300 s", "timed out after 300 s", "timed out after 300 s"),
        ("x; it fails at 859f341e29aa as well", "x; it fails at 0123456789ab as well", "x; it fails at … as well"),
        ("No module named 'a'", "No module named 'b'", ""),
        ("assert 3 == 4", "assert 3 == 5", ""),
    ],
)
def test_reasons_are_one_if_only_places_names_and_large_numbers_differ(one, other, shared):
    assert common_reason([one, other]) == shared


PIECES = (
    "no",
    "file of",
    " ",
    "  ",
    "src/a.py",
    "a.py",
    "a_b-c.toml",
    ".env",
    "-x.py",
    "x.y.py",
    "defaced",
    "12",
    "1200",
)
MARKS = ("'", "'x y'", "named 'x'", '"', "`", "…", ",", "; ", "/", ".", "s", "ms", ":3", "@", "é", "contains")


@given(st.lists(st.sampled_from((*PIECES, *MARKS)), max_size=9).map("".join))
def test_plain_reasons_are_shortened_as_the_pattern_shortens_them(text):
    by_pattern = re.sub(r"…(?:[ ,]+…)+", "…", re.sub(cause._VARIABLE, "…", text))

    assert cause._without_variables(text) == by_pattern


def test_what_built_in_checks_say_needs_no_pattern():
    assert cause._plain("no file of src/**/b_c.py contains 'def x('") == "no file of … contains …"
    assert cause._plain("package.json has no engines") == "… has no engines"


def test_keys_are_named_as_far_as_they_fit_and_counted():
    assert few(["a" * 70, "b"]) == f"{'a' * 70} and 1 more"
    assert few(["a", "b"]) == "a, b"
    assert few([f"key-{n:02}" for n in range(30)], columns=20) == "key-00, key-01 and 28 more"


def test_listing_shows_as_many_causes_as_its_lines_hold_and_at_least_one():
    causes = group([failed(f"k{n}{m}", f"no {'abcdefghij'[n]}") for n in range(9) for m in range(3)])

    assert (fit(causes, lines=18), fit(causes, lines=17), fit(causes, lines=0)) == (9, 8, 1)
