"""The query language finds exactly what it says, says where it cannot be read, and ends in time whatever is typed."""

from __future__ import annotations

import contextlib
import time

import pytest
from conftest import memory_text
from hypothesis import given
from hypothesis import strategies as st
from support.catalogs import catalog_of
from support.each import each

from gitmem.errors import UsageError
from gitmem.index.catalog import Catalog
from gitmem.index.whoosh import syntax
from gitmem.index.whoosh.engine import WhooshEngine
from gitmem.index.whoosh.index import refresh_whoosh

FILES = {
    "gotchas/gateway-drops.md": memory_text(
        "The gateway drops idle connections", kind="gotcha", tags="[net]", body="Connection pool of ten.",
        created="2026-01-05T10:00:00Z", by="{who: Ana Lopez}",
    ),
    "decisions/jwt-signing.md": memory_text(
        "Tokens are signed with RS256", kind="decision", tags="[auth, jwt]", body="The gateway holds the trace-id.",
        created="2026-02-28T23:59:59Z", by="{who: bob, agent: dev}",
    ),
    "anti_patterns/no-hs256.md": memory_text(
        "Never sign with HS256", kind="anti_pattern", tags="[auth]", body="Pool of connection strings.",
        created="2026-03-01T00:00:00Z",
    ),
    "learned/no-date.md": memory_text("Call getUserById", body="See src/auth/jwt.py:12 and `snake_case`."),
}  # fmt: skip
EVERY = {"gateway-drops", "jwt-signing", "no-hs256", "no-date"}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return catalog_of(FILES)


@pytest.fixture(scope="module")
def engine(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> WhooshEngine:
    return WhooshEngine(refresh_whoosh(tmp_path_factory.mktemp("state"), catalog), catalog)


@pytest.fixture(scope="module")
def ask(catalog: Catalog, engine: WhooshEngine):
    """Return a function that says which memories a question matches; of statuses and paths it knows one each."""

    def among(field: str, value: str) -> frozenset[bytes]:
        known = {("status", "failed"): "no-hs256", ("path", "src/**/x y/*.py"): "no-date", ("path", "src*"): "no-date"}
        return engine.names(
            row[0] for row in catalog.rows("SELECT id FROM memory WHERE key = ?", [known[field, value]])
        )

    def run(text: str) -> set[str]:
        question = syntax.read(text, engine.reader, among=among)
        found = engine.match(question.query, limit=50, is_scored=bool(question.terms))
        return {catalog.row("SELECT key FROM memory WHERE id = ?", [c.number])[0] for c in found.candidates}

    return run


@each(
    ("text", "expected"),
    [
        ("gateway", {"gateway-drops", "jwt-signing"}),
        ("gateways DROPPING", {"gateway-drops"}),
        ("kind:gotcha", {"gateway-drops"}),
        ("type:anti-pattern", {"no-hs256"}),
        ("kind:Decision gateway", {"jwt-signing"}),
        ("tag:auth", {"jwt-signing", "no-hs256"}),
        ("tags:jwt OR tag:net", {"gateway-drops", "jwt-signing"}),
        ("key:no-*", {"no-hs256", "no-date"}),
        ("title:gateway", {"gateway-drops"}),
        ("body:gateway", {"jwt-signing"}),
        ("by:ana", {"gateway-drops"}),
        ('by:"Ana Lopez" OR by:dev', {"gateway-drops", "jwt-signing"}),
        ("status:failed", {"no-hs256"}),
        ('path:"src/**/x y/*.py"', {"no-date"}),
        ("path:src*", {"no-date"}),
        ("created:2026", {"gateway-drops", "jwt-signing", "no-hs256"}),
        ("created:2026-02", {"jwt-signing"}),
        ("created:2026-01-05T10:00", {"gateway-drops"}),
        ('created:"2026-01-05 10:00"', {"gateway-drops"}),
        ("created:[2026-02 to]", {"jwt-signing", "no-hs256"}),
        ("created:[to 2026-02]", {"gateway-drops", "jwt-signing"}),
        ("created:[2026-01 TO 2026-02-28]", {"gateway-drops", "jwt-signing"}),
        ("created:>2026-01", {"jwt-signing", "no-hs256"}),
        ("created:<2026-03-01", {"gateway-drops", "jwt-signing"}),
        ("created:<=2026-03-01", {"gateway-drops", "jwt-signing", "no-hs256"}),
        ("(created:>2026-01 OR (type:gotcha)) -tag:jwt", {"gateway-drops", "no-hs256"}),
        ('"connection pool"', {"gateway-drops"}),
        ('"pool of connections"', {"no-hs256"}),
        ("gateway -drops", {"jwt-signing"}),
        ("gateway NOT kind:gotcha", {"jwt-signing"}),
        ("-kind:gotcha", EVERY - {"gateway-drops"}),
        ("* -tag:auth", {"gateway-drops", "no-date"}),
        ("gateway AND (drops OR signed) -tag:net", {"jwt-signing"}),
        ("gatewya~", {"gateway-drops", "jwt-signing"}),
        ("conections~ gateway", {"gateway-drops"}),
        ("gatwy~", set()),
        ("gatwy~2", {"gateway-drops", "jwt-signing"}),
        ("conn*", {"gateway-drops", "no-hs256"}),
        ("signing*", {"jwt-signing", "no-hs256"}),
        ("?s256", {"jwt-signing", "no-hs256"}),
        ("*256 -rs*", {"no-hs256"}),
        ("trace-id", {"jwt-signing"}),
        ("getUserById", {"no-date"}),
        ("jwt.py", {"no-date"}),
        ("jwt2", set()),
        ("src/auth", {"no-date"}),
        ("case.snake", {"no-date"}),
        ("jwt.py:12", {"no-date"}),
        ("gateway^2", {"gateway-drops", "jwt-signing"}),
        ("tag:\ud800auth", {"jwt-signing", "no-hs256"}),
        ("the", set()),
        ("absent", set()),
        ("()", set()),
    ],
)
def test_question_matches_exactly_what_it_says(ask, text: str, expected: set[str]) -> None:
    assert ask(text) == expected


@each(
    ("text", "at", "why"),
    [
        ("knid:gotcha", 1, "unknown field: knid"),
        ("gateway http://x", 9, "unknown field: http"),
        ("kind: gotcha", 1, "has no value"),
        ("auth (jwt", 6, "not closed"),
        ("auth) jwt", 5, "closing parenthesis without an opening one"),
        ('auth "jwt key', 6, "quotation mark is not closed"),
        ("created:[2026-01", 9, "range is not closed"),
        ("created:[2026-01 2026-02]", 9, "range is not closed"),
        ("created:yesterday", 9, "'yesterday' is not a date"),
        ("created:[2026-02-30 to]", 9, "'2026-02-30' is not a date"),
        ("AND auth", 1, "an operand is missing"),
        ("auth OR", 6, "an operand is missing"),
        ("auth AND OR jwt", 6, "an operand is missing"),
        ("(OR auth)", 2, "an operand is missing"),
        ("NOT -auth", 5, "double negation"),
        ("auth~3", 5, "two letters"),
        ("auth*~", 6, "~ must follow a single word of at most"),
        ("x status:open", 10, "unknown status: open"),
        ("a < b", 3, "it must be between a field name and a value"),
        ("created:>", 9, "it must be between a field name and a value"),
        ("status:[a to b]", 8, ": does not support ranges"),
        ("*a*b*c*d*e*", 1, "more than 4 wildcards"),
        ("(" * 21 + "a" + ")" * 21, 21, "more than 20 nested parentheses"),
        (" ".join(["a*"] * 9), 26, "more than 8 patterns"),
    ],
)
def test_wrong_syntax_is_refused_with_where_and_why(ask, text: str, at: int, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        ask(text)

    assert f"at character {at}, " in caught.value.message
    assert why in caught.value.message
    assert caught.value.hint


def test_a_field_that_is_nearly_right_is_named(ask) -> None:
    with pytest.raises(UsageError) as caught:
        ask("knid:gotcha")

    assert caught.value.hint == 'did you mean kind? To search for the text, quote it: "knid:…"'


def test_terms_are_those_a_memory_may_have(engine: WhooshEngine) -> None:
    question = syntax.read('kind:gotcha gatewya~ "signed token" -pool NOT (a OR minute)', engine.reader, among=None)

    assert question.terms == ("gateway", "sign", "token")


@each(
    "text",
    [
        "x" * 3000,
        "a " * 900,
        " OR ".join(f"w{n}" for n in range(300)),
        "NOT " * 400 + "a",
        "(" * 900 + ")" * 900,
        '"' * 1999,
        "[" * 1999,
        "-" * 1999,
        ":" * 1999,
        "*" * 1999,
        " OR ".join(f"*{letter}*" for letter in "abcdefgh"),
        "abcdefghijklmnopqrstuvwxyzabcdef~2",
        "*a*a*a*a" + "a" * 60,
        "created:[" * 200,
        "path:" + "src*" * 200,
    ],
)
def test_hostile_question_is_answered_or_refused_at_once(ask, text: str) -> None:
    began = time.process_time()

    with contextlib.suppress(UsageError, KeyError):  # a KeyError is this test's own: a path that it does not know
        ask(text)

    assert time.process_time() - began < 5


@given(
    text=st.text("ab ()\"'[]{}:-~*?^<>=/\\.AND OR NOT kind:created:", max_size=30)
    | st.lists(
        st.sampled_from(
            [
                "gateway",
                "kind:gotcha",
                "AND",
                "OR",
                "NOT",
                "(",
                ")",
                "-auth",
                "a~",
                "b*",
                '"a b"',
                "[a to]",
                "type:",
                ">",
                "x",
            ]
        ),
        max_size=8,
    ).map(" ".join)
    | st.text(max_size=30)
)
def test_whatever_is_typed_is_answered_or_refused(ask, text: str) -> None:
    try:
        assert ask(text) <= EVERY
    except UsageError as err:
        assert err.message
    except KeyError:
        assert "path" in text or "status" in text
