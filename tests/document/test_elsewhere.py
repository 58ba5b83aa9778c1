"""References to memories of other repositories, and what follows from what is known of these."""

from __future__ import annotations

from support.each import each

from gitmem.document.elsewhere import Foundation, parse_elsewhere, wrong_chains


@each(
    ("text", "found"),
    [
        ("api:port", ("api", "port")),
        ("payments/api:port", ("payments/api", "port")),
        ("config.toml#server.port", None),
        ("a:b#c", None),
        ("https://example.org", None),
        ("api:", None),
        (":port", None),
        ("../api:port", None),
        ("api:port:x", None),
        ("api:\x1b", None),
        ("x" * 201 + ":port", None),
    ],
)
def test_only_a_name_and_a_key_are_a_reference(text: str, found: tuple[str, str] | None) -> None:
    assert parse_elsewhere(text) == found


def test_chain_leads_from_a_wrong_memory_to_the_one_that_failed() -> None:
    known = {
        "web:client": Foundation("suspect", why=("design", "api:port")),
        "api:port": Foundation("failed"),
        "api:host": Foundation("verified", "x"),
    }

    assert wrong_chains(known) == [("api:port",), ("web:client", "web:design", "api:port")]


@each(
    ("status", "proven"), [("verified", "8080"), ("stale", "8080"), ("failed", ""), ("suspect", ""), ("unproven", "")]
)
def test_value_is_proven_while_its_fact_holds(status: str, proven: str) -> None:
    assert Foundation(status, "8080").proven == proven
