"""Contradictions between two memories, as far as rules tell; benchmarks/contradictions.py has the figures."""

from __future__ import annotations

from support.each import each

from gitmem.model import BUILTIN, SHELL, Check
from gitmem.write.contradictions import find_opposition, parse_statement, why_opposed


@each(
    ("one", "other", "why"),
    [
        ("Use pnpm in this repository", "Do not use pnpm in this repository", "one denies"),
        ("Always squash commits before merging", "Never squash commits before merging", "one denies"),
        ("The parser can handle empty files", "The parser can't handle empty files", "one denies"),
        ("Deploys are allowed on Fridays", "Deploys are forbidden on Fridays", "opposites"),
        ("Run make seed before the tests", "Run make seed after the tests", "opposites"),
        ("Retries are capped at 3", "Retries are capped at 5", "other numbers: 3 and 5"),
        ("The timeout of the provider is 10s", "The timeout of the provider is 10ms", "other numbers"),
        ("Tokens of the API are signed with RS256", "Tokens of the API are signed with HS256", "” instead of “"),
        ("Sessions are stored in Redis", "Sessions are stored in Memcached", "” instead of “"),
        ("We use pnpm for the web app", "The web app uses npm", "“pnpm” instead of “npm”"),
        ("Deploys happen on Tuesdays", "Deploys happen on Thursdays", "” instead of “"),
        ("Flags are evaluated on the server", "Flags are evaluated in the client", "opposites"),
        ("Payments are idempotent", "Payments are not idempotent", "one denies"),
        ("We support Python 3.8", "We no longer support Python 3.8", "one denies"),
        ("Access tokens expire after one hour", "Access tokens expire after 15 minutes", "other numbers"),
        (
            "The lock of a deploy job expires after 5000 ms",
            "The lock of a deploy job expires after 2 s",
            "other numbers",
        ),
        ("The pool has 2 workers with 6 threads", "The pool has 3 workers with 4 threads", "other numbers"),
        ("It needs version 1.2.3 with node 4.5.6", "It needs version 1.2.4 with node 4.5.7", "other numbers"),
    ],
)
def test_opposed_titles_are_found_either_way_round(one: str, other: str, why: str) -> None:
    for a, b in ((one, other), (other, one)):
        found = why_opposed(parse_statement(a), parse_statement(b))
        assert found
    assert why in why_opposed(parse_statement(one), parse_statement(other))


def test_the_same_words_about_other_things_are_opposed() -> None:
    one, other = map(parse_statement, ("Prefer fetch over axios", "Prefer axios over fetch"))

    assert why_opposed(one, other) == "the same words have changed sides"


@each(
    ("one", "other"),
    [
        ("Retries are capped at 3", "Retries are capped at 3."),
        ("The v1 API returns dates as strings", "The v2 API returns dates as strings"),
        ("It was changed in PR 412 of the ledger", "It was changed in PR 421 of the ledger"),
        ("Min reduction op", "Max reduction op"),
        ("The client retries on errors", "The server retries on errors"),
        ("The exporter supports MySQL", "The exporter supports Postgres"),
        ("Access tokens expire after 1 hour", "Access tokens expire after 60 minutes"),
        ("We use pnpm in the web folder", "The api folder uses npm"),
        ("Deploys to staging need the VPN", "Deploys to production need the VPN"),
        ("Deploys need the VPN", "Deploys need the VPN, except from the office"),
        ("Use floats", "Never"),
        ("No tests are skipped without a reason", "No tests are ever skipped without a reason"),
    ],
)
def test_what_is_about_something_else_or_says_the_same_is_not(one: str, other: str) -> None:
    assert why_opposed(parse_statement(one), parse_statement(other)) == ""
    assert why_opposed(parse_statement(other), parse_statement(one)) == ""


@each(
    ("one", "other", "is_opposed"),
    [
        (("exists", "a"), ("absent", "a"), True),
        (("contains", "RS256", "src/a.py"), ("lacks", "RS256", "src/**"), True),
        (("contains", "RS256 is", "src/*.py"), ("lacks", "RS256", "src/*.py"), True),
        (("same", "1" * 64, "a"), ("same", "2" * 64, "a"), True),
        (("same", "1" * 64, "a"), ("absent", "a"), True),
        (("exists", "a"), ("absent", "b"), False),
        (("contains", "RS256", "src/**"), ("lacks", "RS256", "src/*.py"), False),
        (("contains", "RS256", "src/a.py"), ("lacks", "HS256", "src/a.py"), False),
        (("exists", "a"), ("contains", "a", "a"), False),
    ],
)
def test_builtin_checks_that_never_both_hold_are_found(one, other, is_opposed: bool) -> None:
    pair = Check(BUILTIN, one), Check(BUILTIN, other)

    assert bool(find_opposition(*pair)) is is_opposed
    assert bool(find_opposition(*reversed(pair))) is is_opposed


def test_commands_are_not_compared() -> None:
    assert find_opposition(Check(SHELL, ("test -f a",)), Check(BUILTIN, ("absent", "a"))) == ""
