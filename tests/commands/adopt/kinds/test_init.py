"""All claims of a statement, of every kind."""

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.kinds import claims_of
from gitmem.commands.adopt.statements import split


def test_statement_makes_claims_of_several_kinds():
    (statement,) = split("- `load_config` in `src/config.py` needs Python 3.11 and `pydantic`; run `make test`")

    found = {(claim.kind, claim.name) for claim in claims_of(statement, Document("AGENTS.md", "instructions", ""))}

    assert found >= {
        ("symbol", "load_config"),
        ("path", "src/config.py"),
        ("version", "Python"),
        ("dependency", "pydantic"),
        ("command", "test"),
    }


def test_line_of_thousands_of_names_makes_no_claims():
    few, many = (split("`src/a.py` " * number) for number in (3, 10_000))

    assert any(claims_of(few[0], Document("AGENTS.md", "instructions", "")))
    assert not any(claims_of(many[0], Document("AGENTS.md", "instructions", "")))
