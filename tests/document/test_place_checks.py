"""`agree` between a place of a file here and a fact of another repository; other checks of values are tested with
their answers on real commits.
"""

from __future__ import annotations

from hashlib import sha256

import pytest
from support.each import each

from gitmem.document.builtin_checks import (
    globs_of,
    map_places,
    parse_arguments,
    references_of,
    row_of,
    value_of,
    words_of,
)
from gitmem.document.elsewhere import Foundation
from gitmem.document.fields import check_fields
from gitmem.errors import FormatError
from gitmem.model import BLOCKED, BUILTIN, FAILS, HOLDS, Check
from gitmem.verify.builtin_answers import conclude

PORT = ("agree", "app.toml#port", "api:port")
APP = {"app.toml": b"port = 8080\n"}
SCHEMA = b'{"type": "object"}\n'
HASH = sha256(SCHEMA).hexdigest()


def answer(words: tuple[str, ...], files: dict[str, bytes], **known: Foundation) -> tuple[str, str]:
    """Return the outcome and the reason of a check on these files."""
    check = Check(BUILTIN, words)
    probe = row_of(check).probe
    assert probe is not None
    entries = [("100644", "", path) for path in files]
    found = {entry: probe(parse_arguments(words))(entry[2], files[entry[2]]) for entry in entries}
    given = conclude(check, entries, found, {f"api:{key}": one for key, one in known.items()})
    return given.outcome, given.because


def test_values_are_compared_and_both_sides_are_named() -> None:
    same = answer(PORT, APP, port=Foundation("verified", "8080"))
    other = answer(PORT, APP, port=Foundation("verified", "9090"))

    assert same == (HOLDS, "app.toml:1 and api:port state 8080")
    assert other == (FAILS, "app.toml:1 states 8080, and api:port of another repository 9090")


def test_order_of_the_places_does_not_matter() -> None:
    turned = ("agree", "api:port", "app.toml#port")

    assert answer(turned, APP, port=Foundation("verified", "8080"))[0] == HOLDS


@each(
    ("known", "why"),
    [
        ({}, "is not known here"),
        ({"port": Foundation("verified", "9090", problem="no answer")}, "cannot be read now: no answer"),
        ({"port": Foundation("failed", "9090")}, "gives no value: it is failed there"),
        ({"port": Foundation("suspect", "9090")}, "gives no value: it is suspect there"),
        ({"port": Foundation("unproven", "9090")}, "gives no value: it is unproven there"),
        ({"port": Foundation("verified", "")}, "gives no value: its check proves no value"),
        ({"port": Foundation("", "")}, "gives no value: its check proves no value"),
    ],
)
def test_value_that_is_unknown_or_unproven_makes_nothing_false(known: dict[str, Foundation], why: str) -> None:
    outcome, because = answer(PORT, APP, **known)

    assert (outcome, because) == (BLOCKED, f"api:port of another repository {why}")


def test_place_that_is_gone_is_false() -> None:
    known = Foundation("verified", "8080")

    assert answer(PORT, {}, port=known) == (FAILS, "app.toml does not exist")
    assert answer(PORT, {"app.toml": b"host = 1\n"}, port=known)[0] == FAILS


def test_file_is_compared_by_its_hash_and_a_pin_by_its_text() -> None:
    known = Foundation("verified", HASH)
    whole, pin = ("agree", "user.json", "api:schema"), ("agree", "pins.toml#user", "api:schema")

    assert answer(whole, {"user.json": SCHEMA}, schema=known)[0] == HOLDS
    assert answer(whole, {"user.json": b"{}\n"}, schema=known)[0] == FAILS
    assert answer(("agree", "user.pin", "api:schema"), {"user.pin": HASH.encode()}, schema=known)[0] == HOLDS
    assert answer(pin, {"pins.toml": f'user = "{HASH}"'.encode()}, schema=known)[0] == HOLDS
    assert answer(pin, {"pins.toml": b'user = "0"'}, schema=known)[0] == FAILS


def test_versions_are_compared_as_versions_and_secrets_are_not_repeated() -> None:
    version = ("agree", ".nvmrc", "api:node")
    secret = ("agree", "app.toml#password", "api:password")

    assert answer(version, {".nvmrc": b"v20\n"}, node=Foundation("verified", "20"))[0] == HOLDS
    because = answer(
        secret, {"app.toml": b'password = "hunter2hunter2"'}, password=Foundation("verified", "other-one-1")
    )
    assert because[0] == FAILS
    assert "hunter2" not in because[1]
    assert "other-one-1" not in because[1]


@each(
    ("verify", "value"),
    [
        ({"value": "a.toml#port", "is": "8080"}, "8080"),
        ({"value": "a.toml#port", "at-least": "8080"}, ""),
        ({"same": HASH, "in": "user.json"}, HASH),
        ({"depends": "requests", "at": ">=2"}, ">=2"),
        ({"depends": "requests"}, ""),
        ({"exists": "a"}, ""),
        ("grep -q 8080 a.toml", ""),
        (["test", "8080"], ""),
        (None, ""),
        ({"value": 1, "is": 2}, ""),
    ],
)
def test_value_of_a_fact_is_the_one_that_its_check_proves(verify: object, value: str) -> None:
    assert value_of(verify) == value


def test_reference_is_no_path() -> None:
    assert globs_of(PORT) == ("app.toml",)
    assert references_of(PORT) == ("api:port",)
    assert references_of(("value", "api:port", "8080")) == ()
    assert map_places(PORT, lambda path: f"sub/{path}") == ("agree", "sub/app.toml#port", "api:port")


def test_one_place_must_be_in_this_repository() -> None:
    check_fields({"title": "a", "kind": "fact", "verify": {"agree": ["app.toml#port", "api:port"]}})
    with pytest.raises(FormatError, match="must be in this repository"):
        check_fields({"title": "a", "kind": "fact", "verify": {"agree": ["web:port", "api:port"]}})
    assert words_of({"agree": ["app.toml#port", "api:port"]}) == PORT
