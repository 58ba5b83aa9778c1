"""The quick filter lets no text pass that holds a credential."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.text import secrets
from gitmem.text.secret_disguises import INVISIBLE, PREFIXES, may_be_disguised
from gitmem.text.secret_prefilter import may_have_disguise, may_hold_secret
from gitmem.text.secret_rules import RULES
from gitmem.text.secrets import find_secrets, redact, redact_all
from tests.text.test_secrets import ORDINARY, SAMPLES

PARTS = [
    *(part for _, before, credential, after in SAMPLES for part in (before, credential, after, before + credential)),
    *(needle for rule in RULES for needle in rule.needles.split()),
    *(
        " = '",
        '": "',
        ":",
        "=",
        "curl -u ",
        " ",
        "\n",
        "\\n",
        "\u0130",
        "\u0131",
        "\u017f",
        "\u212a",
        "\u0663",
        "\ud800",
    ),
    *("\u2014", "\u00e4", "\x85", "\xa0", "\U0001f600", "\x00", "-", "_"),
]


@each("other", ["", "\u2014", "\u0130", "\u212a", "\ud800"])
def test_a_text_with_a_credential_does_not_pass(other):
    for rule, *parts in SAMPLES:
        assert may_hold_secret(f"{other} {''.join(parts)} {other}"), rule


@each("blank", ["\x85", "\u2003", "\u00a0"])
def test_a_credential_between_rare_blanks_does_not_pass(blank):
    assert may_hold_secret(blank.join(["machine", "h.acme.dev", "login", "bob", "password", "q7W-" + "k2L9"]))


@given(st.lists(st.sampled_from(PARTS) | st.text(max_size=20), max_size=12).map("".join))
def test_what_does_not_pass_the_filter_holds_nothing(text):
    assert may_hold_secret(text) or not secrets._all_spans(text)


@given(st.lists(st.lists(st.sampled_from(PARTS) | st.text(max_size=20), max_size=6).map("".join), max_size=6))
def test_texts_are_redacted_together_as_each_alone(texts):
    value = {"list": texts, "mapping": {str(number): text for number, text in enumerate(texts)}, "number": 3}
    alone = [redact(text) for text in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "_scanned", itertools.count(secrets.MANY))
        found = redact_all(value)
    assert found == {"list": alone, "mapping": {str(n): text for n, text in enumerate(alone)}, "number": 3}


@given(st.data())
def test_what_a_rule_matches_does_not_pass(data):
    rule = data.draw(st.sampled_from(RULES))
    text = data.draw(st.from_regex(rule.pattern))
    assert may_hold_secret(text) or not secrets._all_spans(text)


DISGUISES = [
    *INVISIBLE,
    *PREFIXES,
    "\\\n",
    "%41",
    "\\x41",
    "\u00e4",
    "\u4e00",
    "\u2028",
    "\ud800",
    *"Aa0+/:\"'`,;.()= _-",
    "A" * 20,
]


@given(st.lists(st.sampled_from(DISGUISES) | st.text(max_size=30), max_size=40).map("".join))
def test_a_text_with_a_sign_of_a_disguise_does_not_pass(text):
    assert may_have_disguise(text) or not may_be_disguised(text)


@each("text", ["", "Retries are capped at 3 — see `src/auth/jwt.py:12`.", "The token is kept."])
def test_ordinary_prose_passes(text):
    assert not may_hold_secret(text)
    assert not may_have_disguise(text)


def test_many_texts_have_the_same_secrets_as_few():
    texts = [f"{before}{credential}{after}" for _, before, credential, after in SAMPLES] + ORDINARY
    alone = [find_secrets(text) for text in texts]
    program = (
        "import json, sys\nfrom gitmem.text.secrets import MANY, find_secrets\n"
        "for _ in range(MANY):\n    find_secrets('')\n"
        "assert 're2' not in sys.modules\n"
        "found = [[[s.rule, s.line, s.column] for s in find_secrets(text)] for text in json.load(sys.stdin)]\n"
        "assert 're2' in sys.modules\nprint(json.dumps(found))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [[[s.rule, s.line, s.column] for s in found] for found in alone]


def test_prose_about_tokens_does_not_pass_and_their_options_do():
    assert not may_hold_secret("The audit token handler grows, and a secret writer waits until stale")
    assert may_hold_secret("deploy --token ak9Jq2mX7vR4tZ1b")
