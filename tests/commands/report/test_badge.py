"""The state of the facts as a badge."""

from __future__ import annotations

from xml.etree import ElementTree

from support.each import each

from gitmem.commands.report.badge import DARK, as_table, make_badge, svg
from gitmem.model import STATUSES
from gitmem.statuses import SIGNS

DAY = 86_400
SVG = "{http://www.w3.org/2000/svg}"


def badge(silent: str = "", silent_s: int = 0, label: str = "facts", claims: dict[str, int] | None = None, **counts):
    statuses = dict.fromkeys(STATUSES, 0) | counts
    found = {"statuses": statuses, "claims": claims or {}, "jobs": {"silent": silent, "silent_s": silent_s}}
    return make_badge(found, label=label)


@each(
    ("counts", "message", "shown", "title"),
    [
        ({"verified": 41}, "41 verified", "verified", "facts: 41 verified"),
        ({"verified": 38, "failed": 2, "suspect": 3}, "2 failed", "failed", "facts: 2 failed, 3 suspect, 38 verified"),
        ({"verified": 1, "suspect": 3}, "3 suspect", "suspect", "facts: 3 suspect, 1 verified"),
        ({"verified": 38, "stale": 3}, "38 verified, 3 stale", "stale", "facts: 3 stale, 38 verified"),
        ({"stale": 3}, "3 stale", "stale", "facts: 3 stale"),
        ({"verified": 5, "unproven": 1}, "5 verified", "verified", "facts: 1 unproven, 5 verified"),
        ({"unproven": 2}, "2 unproven", "unproven", "facts: 2 unproven"),
        ({}, "none yet", "unproven", "facts: none yet"),
    ],
)
def test_badge_says_the_worst_that_is_true_and_its_title_all_of_it(counts, message, shown, title) -> None:
    made = badge(**counts)

    assert (made.message, made.color, made.title) == (message, SIGNS[shown].color, title)


@each(
    ("facts", "claims", "message", "title"),
    [
        (2, {"verified": 19}, "2 verified", "facts: 2 verified, 19 names and values of documents hold"),
        (0, {"verified": 19}, "19 claims hold", "facts: 19 names and values of documents hold"),
        (2, {"failed": 1}, "1 failed", "facts: 2 verified, names and values of documents: 1 failed"),
    ],
)
def test_claims_are_no_verified_facts_and_failures_all_the_same(facts, claims, message, title) -> None:
    made = badge(verified=facts, claims=claims)

    assert (made.message, made.title) == (message, title)


def test_silence_comes_before_what_verdicts_of_former_days_say_and_after_what_failed() -> None:
    assert badge("it is silent", 12 * DAY, verified=41).message == "silent for 12 days"
    assert badge("it is silent", 30 * 3600, verified=41).message == "silent for 30 hours"
    assert badge("the last job failed", 0, verified=41).message == "verify job failed"
    both = badge("it is silent", 12 * DAY, failed=2)
    assert (both.message, both.title) == ("2 failed", "facts: 2 failed, silent for 12 days")


def test_every_color_has_a_mark_of_its_own() -> None:
    made = [badge(verified=1), badge(failed=1), badge(suspect=1), badge("x", DAY), badge(stale=1), badge()]

    assert len({one.strokes for one in made}) == 6


@each("color", [*(sign.color for sign in SIGNS.values()), DARK])
def test_white_words_can_be_read_on_each_color(color: str) -> None:
    """Source: WCAG 2.2, relative luminance and contrast ratio; 4.5 is level AA for text."""
    channels = [int(color[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)

    assert 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) >= 4.5


def test_picture_has_a_title_a_role_and_the_words_within_it() -> None:
    text = svg(badge(failed=2, verified=38))
    root = ElementTree.fromstring(text)

    assert (root.get("role"), root.get("aria-label")) == ("img", "facts: 2 failed, 38 verified")
    assert root.findtext(f"{SVG}title") == root.get("aria-label")
    words = list(root.iter(f"{SVG}text"))
    assert [one.text for one in words] == ["facts", "2 failed"]
    ends = [float(one.get("x", "")) + float(one.get("textLength", "")) for one in words]
    assert ends[0] < float(words[1].get("x", "")) < ends[1] < float(root.get("width", "")) < ends[1] + 10
    assert "id=" not in text
    assert "href" not in text
    assert svg(badge(failed=2, verified=38)) == text


def test_label_is_text_whatever_it_says() -> None:
    made = badge(label='a <b> & "c"\x1b[31m\n\u202eeoc', verified=1)
    root = ElementTree.fromstring(svg(made))

    assert next(root.iter(f"{SVG}text")).text == made.label
    assert made.label.startswith('a <b> & "c"')
    assert made.label.isprintable()
    assert len(badge(label="x" * 500).label) == 40


def test_picture_without_a_label_is_the_message_alone() -> None:
    root = ElementTree.fromstring(svg(badge(label="", verified=1)))

    assert [one.text for one in root.iter(f"{SVG}text")] == ["1 verified"]
    assert root.findtext(f"{SVG}title") == "1 verified"


def test_table_is_an_endpoint_of_shields() -> None:
    found = as_table(badge(verified=41))

    assert found == {"schemaVersion": 1, "label": "facts", "message": "41 verified", "color": SIGNS["verified"].color}
