"""Environment variables: which statements name them, and where code reads them."""

import pytest
from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.kinds.variables import variable_claims, variables_in
from gitmem.commands.adopt.statements import split

DOCUMENT = Document("AGENTS.md", "instructions", "")


@each(
    ("text", "names"),
    [
        ("- Set `APP_TOKEN`, `$APP_HOME` or `APP_LEVEL=3`", ["APP_TOKEN", "APP_HOME", "APP_LEVEL"]),
        ("| Name | Does |\n|---|---|\n| APP_TOKEN | signs |", ["APP_TOKEN"]),
        ("```sh\nexport APP_TOKEN=1\nAPP_LEVEL=2 run\n```", ["APP_TOKEN", "APP_LEVEL"]),
        ("- `GITHUB_TOKEN` and `AWS_REGION` are read by other programs; APP_TOKEN in prose, `TOKEN`", []),
    ],
)
def test_names_in_capitals_are_claims(text, names):
    found = [claim.name for statement in split(text) for claim in variable_claims(statement, DOCUMENT)]

    assert found == names


@pytest.mark.parametrize(
    "text",
    [
        'os.environ.get("APP_TOKEN")',
        "process.env.APP_TOKEN",
        "import.meta.env.APP_TOKEN",
        "ENV.fetch(:APP_TOKEN)",
        "run ${APP_TOKEN:-x}",
        "  APP_TOKEN: z.string(),",
        'NAMES = ["APP_TOKEN"]',
    ],
)
def test_variable_that_is_read_or_a_string_is_found(text):
    assert variables_in(f"\n{text}\n") == {"APP_TOKEN": 2}


def test_variable_that_is_a_comment_or_a_part_of_a_name_is_not_found():
    assert variables_in("# APP_TOKEN\nMY_APP_TOKEN_2 = APP_TOKEN\n") == {}
