"""What one session says twice in other words is one thing; what differs in a name, a number or a side is two."""

from __future__ import annotations

from support.each import each

from gitmem.text.restated import is_restated
from gitmem.text.similarity import wording_of


def restates(a: str, b: str) -> bool:
    return is_restated(wording_of(a), wording_of(b))


@each(
    ("a", "b"),
    [
        (
            "The gateway closes idle connections after 60 seconds, so the client needs keep-alive.",
            "Idle connections are closed by the gateway after 60 seconds; clients need keep-alive.",
        ),
        ("The test suite needs Redis on port 6380.", "Tests require a Redis server listening on port 6380"),
        (
            "PDF rendering needs the Liberation fonts installed",
            "You have to install the Liberation fonts for PDF rendering to work",
        ),
        ("`parse_date` returns None for two-digit years", "Two-digit years make `parse_date` return None"),
        ("运行测试之前必须启动 Redis，端口是 6380", "测试之前必须先启动 Redis（端口 6380）"),
        ("The cache key must include the tenant", "The cache key must include the tenant, or invoices leak"),
    ],
)
def test_said_again_in_other_words(a: str, b: str) -> None:
    assert restates(a, b)
    assert restates(b, a)


@each(
    ("a", "b"),
    [
        ("The upload endpoint accepts files up to 20 MB", "The download endpoint streams files up to 20 MB"),
        ("`make seed` needs Postgres running", "`make e2e` needs Redis and Postgres running"),
        ("The retry limit of the mailer is 3", "The retry limit of the webhook sender is 3"),
        ("The mailer retries 3 times", "The mailer retries 5 times"),
        ("lesson of the day number one", "lesson of the day number two"),
        ("The importer accepts rows with an empty email", "The importer rejects rows with an empty email"),
        ("Use tabs and not spaces in Makefiles here", "Use spaces and not tabs in Makefiles here"),
        ("Run the linter before the formatter", "Run the linter after the formatter"),
        ("The importer is written in C", "The importer is written in C++"),
        ("Deploys on Fridays are allowed", "Deploys on Fridays are not allowed"),
    ],
)
def test_two_things(a: str, b: str) -> None:
    assert not restates(a, b)
    assert not restates(b, a)
