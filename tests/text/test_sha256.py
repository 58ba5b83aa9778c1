"""The hash is that of the standard library."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from gitmem.text.sha256 import sha256


@given(st.lists(st.binary(max_size=100), max_size=4))
def test_hash_is_that_of_hashlib(parts: list[bytes]) -> None:
    found = sha256()
    for part in parts:
        found.update(part)

    assert found.hexdigest() == hashlib.sha256(b"".join(parts)).hexdigest() == sha256(b"".join(parts)).hexdigest()
