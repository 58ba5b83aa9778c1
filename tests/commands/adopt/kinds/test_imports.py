"""Imports in documents: which names of which modules they claim."""

import pytest

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.kinds.imports import import_claims
from gitmem.commands.adopt.statements import split


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("```python\nfrom a.b import Cat, Dog as D  # two\n```", ["a.b.Cat", "a.b.Dog"]),
        ("- `from a import Cat`", ["a.Cat"]),
        ("```ts\nimport React, { useIt, type Own as O } from '@x/pkg';\n```", ["@x/pkg#useIt", "@x/pkg#Own"]),
        ("```rust\nuse core::net::{Client, Server};\nuse core::Thing;\n```", [
            "core::net::Client", "core::net::Server", "core::Thing",
        ]),
        ("```sh\nfrom a import Cat\n```\n\nfrom here import it\n", []),
        ("```python\nimport a.b\nfrom . import x\n```", []),
    ],
)  # fmt: skip
def test_imported_names_are_claims(text, tokens):
    found = [one for statement in split(text) for one in import_claims(statement, Document("x.md", "guide", ""))]

    assert [one.token for one in found] == tokens
