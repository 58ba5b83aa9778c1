"""The quality gate (C15)."""

from __future__ import annotations

from support.each import each

from gitmem.write.quality import says_something


@each(
    "text",
    [
        "ok",
        "Yes!",
        "  OK, thanks. ",
        "👍",
        "",
        "...",
        "go ahead",
        "LGTM",
        "nothing",
        "n/a",
        "nothing to add",
        "No new learnings so far.",
        "all good",
        "not applicable",
    ],
)
def test_empty_contents_are_found(text: str) -> None:
    assert not says_something(text)


@each(
    "text",
    [
        "TTL=5",
        "Yes, because the gateway drops it",
        "use re2",
        "重试三次",
        "no retries",
        "OK means 200 here",
        "add retries",
    ],
)
def test_what_says_something_is_kept(text: str) -> None:
    assert says_something(text)
