"""The head of every web page that gitmem writes."""

from __future__ import annotations

import base64
import hashlib

from gitmem.text.web_page import policy


def test_only_the_very_style_and_script_are_allowed_and_no_address() -> None:
    style = base64.b64encode(hashlib.sha256(b"a{}").digest()).decode()
    script = base64.b64encode(hashlib.sha256("ü()".encode()).digest()).decode()

    assert policy("a{}", "ü()", also=("img-src data:",)) == (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    assert policy("a{}") == f"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"
