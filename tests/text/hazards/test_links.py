"""Misleading links."""

from __future__ import annotations

from support.each import each

from gitmem.text.hazards.hazard import find_misleading_links


@each(
    ("text", "message"),
    [
        ("See [https://docs.example.org/a](https://evil.example.net/a).", "says docs.example.org leads to evil"),
        ("See [docs.example.org](<https://evil.example.net>)", "says docs.example.org leads to evil.example.net"),
        ("https://github.com@evil.example.net/login", "seems to lead to github.com leads to evil.example.net"),
    ],
)
def test_link_that_says_another_host_is_found(text: str, message: str) -> None:
    found = find_misleading_links(f"first\n{text}")

    assert [line for line, _ in found] == [2]
    assert message in found[0][1]


@each(
    "text",
    [
        "[docs.example.org](https://docs.example.org/a)",
        "[example.org](https://www.example.org/a)",
        "[README.md](https://github.com/o/r/blob/main/README.md)",
        "[src/main.rs](https://github.com/o/r)",
        "[Socket.IO](https://github.com/socketio/socket.io)",
        "[the docs](https://docs.example.org)",
        "https://user@git.example.org/r.git",
        "ssh://git@github.com/o/r",
    ],
)
def test_link_that_says_where_it_leads_is_not_found(text: str) -> None:
    assert find_misleading_links(text) == []
