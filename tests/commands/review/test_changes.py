"""The change of one memory, field by field."""

from __future__ import annotations

from pathlib import Path

from conftest import git
from support.each import each
from support.reviews import TOKEN, change_of, changed, commit, fact, of, reviewed, text

from gitmem.commands.review.changes import RAW_KEPT, field_change
from gitmem.commands.review.model import RESTORED


@each(
    ("before", "after", "expected"),
    [
        (["a", "b"], ["b", "c"], ("a", "c")),
        (["a", "b"], ["b", "a"], ("a, b", "b, a")),
        (None, "x", ("", "x")),
        (3, None, ("3", "")),
        ({"who": "ana"}, {"who": "bob"}, ('{"who": "ana"}', '{"who": "bob"}')),
        (True, False, ("true", "false")),
    ],
)
def test_a_field_is_reported_by_what_differs(before, after, expected) -> None:
    change = field_change("f", before, after)

    assert (change.before, change.after) == expected


def test_a_credential_that_only_its_field_tells_is_not_repeated() -> None:
    change = field_change("api_key", None, "hK3jd82hsKQ0xZp1mNv7")

    assert "hK3jd82hsKQ0xZp1mNv7" not in change.after


def test_a_changed_command_is_reported_with_what_it_was(repo: Path) -> None:
    before, after = fact("A fact", "grep -q a src/a.py"), fact("A fact", f"grep -q b src/a.py && echo {TOKEN}")

    command = change_of(changed(repo, {"facts/a.md": before}, {"facts/a.md": after}), "a").command

    assert command is not None
    assert (command.text, command.was) == ("grep -q b src/a.py && echo [secret: github-token]", "grep -q a src/a.py")


def test_a_command_that_stays_is_not_shown_again(repo: Path) -> None:
    before, after = fact("A fact", "grep -q a src/a.py", "One."), fact("A fact", "grep -q a src/a.py", "Two.")

    change = change_of(changed(repo, {"facts/a.md": before}, {"facts/a.md": after}), "a")

    assert change.command is None
    assert [(p.op, p.text.strip()) for p in change.body] == [("-", "One."), ("+", "Two.")]


def test_a_command_that_comes_back_from_the_archive_is_reported_as_a_new_one_is(repo: Path) -> None:
    was, now = fact("A fact", "make a", retired="{by: ana, why: gone}"), fact("A fact", "make a")
    bad = fact("Proves nothing", '"true"', by="{agent: dev}")

    review = changed(
        repo,
        {"archive/facts/a.md": was, "archive/facts/bad.md": bad},
        {"facts/a.md": now, "facts/bad.md": bad},
        gone=("archive/facts/a.md", "archive/facts/bad.md"),
    )

    expected = change_of(review, "a")
    assert expected.what == RESTORED and expected.command is not None and expected.command.text == "make a"
    (finding,) = [one for one in of(review, "command") if one.key == "a"]
    assert "a command that comes back, not approved here" in finding.message
    assert [one.key for one in of(review, "trivial-check") + of(review, "agent-written")] == ["bad", "bad"]


def test_a_file_that_cannot_be_read_is_shown_as_far_as_it_is_bounded(repo: Path) -> None:
    broken = "\x1b]0;title\x07" + "x" * 60_000

    change = change_of(changed(repo, {"gotchas/a.md": text("A")}, {"gotchas/b.md": broken}), "b")

    assert change.what == "unreadable"
    assert change.raw.startswith("\\x1b]0;title\\x07xxx")
    assert len(change.raw) == RAW_KEPT


def test_a_file_that_only_moves_is_reported_so(repo: Path) -> None:
    commit(repo, {"gotchas/a.md": text("A", kind="learned")})
    base = git(repo, "rev-parse", "memory")
    commit(repo, {"learned/a.md": text("A", kind="learned")}, gone=("gotchas/a.md",))

    change = change_of(reviewed(repo, f"{base}..memory"), "a")

    assert (change.what, change.because, change.path) == ("moved", "from gotchas/a.md", "learned/a.md")
