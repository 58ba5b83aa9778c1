"""Names of the code that a sentence gives."""

import pytest

from gitmem.commands.adopt.claims.symbols import symbol_claims
from gitmem.commands.adopt.statements import split


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("`load_config()` reads it", [("load_config", True)]),
        ("`Store.openFile` and `x`", [("openFile", True)]),
        ("`--dry-run`", [("dry-run", False)]),
        ("`install`", [("install", False)]),
        ("`config.toml`", []),
        ("```sh\nexport API_URL=x\n```", [("API_URL", False)]),
    ],
)
def test_name_is_certain_where_it_looks_like_code(text, names):
    found = [claim for statement in split(text) for claim in symbol_claims(statement)]

    assert [(one.name, one.is_certain) for one in found] == names
