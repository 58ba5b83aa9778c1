"""Disguised credentials are found and redacted as a whole; texts that only resemble them are not."""

from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st
from support.each import each
from support.injections import HELD_OUT, ORDINARY, TUNING
from support.planted_secrets import NEAR_MISSES, make_secrets

from gitmem.text.secret_disguises import disguised_spans, may_be_disguised
from gitmem.text.secrets import find_secrets, redact

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
DISGUISES = {
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64url": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "hex": lambda text: text.encode().hex(),
    "percent": lambda text: "".join(f"%{ord(char):02X}" for char in text),
    "unicode": lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
    "bytes": lambda text: "".join(f"\\x{ord(char):02x}" for char in text),
    "blank": lambda text: f"{text[:18]} {text[18:]}",
    "line": lambda text: f"{text[:18]}\n  {text[18:]}",
    "continued": lambda text: f"{text[:18]}\\\n{text[18:]}",
    "joiners": "\u200d".join,
    "soft hyphen": lambda text: f"{text[:9]}\u00ad{text[9:]}",
}


@each("disguise", DISGUISES.values())
def test_disguised_token_is_redacted_and_the_words_around_it_stay(disguise) -> None:
    hidden = disguise(TOKEN)

    assert redact(f"the token {hidden}, as sent") == "the token [secret: github-token], as sent"


@each("disguise", DISGUISES.values())
def test_disguised_prose_is_no_secret(disguise) -> None:
    assert find_secrets(disguise("a sentence about nothing in particular, with ghp as a prefix")) == []


@each("before", ["100%", "x" * 10, "a" * 70, "a." * 40, "a" * 70 + "%3A"])
def test_token_in_percent_is_found_after_any_other_text(before) -> None:
    assert redact(f"{before}{DISGUISES['percent'](TOKEN)}.").endswith("[secret: github-token]")


def test_url_in_percent_is_found_from_its_scheme() -> None:
    assert redact("postgres%3A%2F%2Fapp%3AXk9-mQ2vLp%40db.acme.dev%2Fapp") == "[secret: password-in-url]"


@each("seed", [1, 2, 3])
def test_nearly_all_kinds_of_secrets_are_found_and_none_is_shown(seed: int) -> None:
    secrets = make_secrets(seed)
    missed = [kind for kind, text, _ in secrets if not find_secrets(text)]
    shown = [kind for kind, text, secret in secrets if kind not in missed and secret[3:-3] in redact(text)]

    assert (len(secrets), len(NEAR_MISSES)) == (60, 40)
    assert len(missed) <= 4, missed
    assert shown == []


def test_near_misses_and_ordinary_sentences_are_no_secrets() -> None:
    texts = [*NEAR_MISSES, *ORDINARY, *(text for _, text in [*TUNING, *HELD_OUT])]

    assert [text for text in texts if find_secrets(text)] == []


@given(st.text(max_size=300))
def test_what_is_no_disguise_has_no_spans(text: str) -> None:
    assert disguised_spans(text, lambda plain: []) == []
    assert may_be_disguised(text) in (True, False)


@given(st.text(alphabet="ab1_-%\\u0041x \n\u200bghp_", max_size=200))
def test_spans_are_within_the_text(text: str) -> None:
    spans = disguised_spans(text, lambda plain: [(0, len(plain), "any")] if plain else [])

    assert all(0 <= start < end <= len(text) for start, end, _ in spans)
