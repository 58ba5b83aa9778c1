"""Names of a statement that may be packages."""

from support.each import each

from gitmem.commands.adopt.claims.dependencies import dependency_claims
from gitmem.commands.adopt.statements import split


@each(
    ("text", "names"),
    [
        ("- Tests run with `vitest` and `@scope/tool`", ["vitest", "@scope/tool"]),
        ("- **React** renders it", ["React"]),
        ("- Click the button of React", []),
        ("## Tech stack\n\n- Next.js with React and `zod`", ["zod", "Next.js", "React"]),
        ("- `vitest run` and `a b`", []),
        ("## Stack\n\nBuilt on Typer, Rich and Chalk; Hono: the server", ["Typer", "Rich", "Chalk"]),
        ("## Stack\n\nHono: the server", ["Hono"]),
        ("## Decision framework\n\nDoes this make React faster?", []),
    ],
)
def test_package_is_named_in_code_or_in_a_list_of_the_stack(text, names):
    found = [claim for statement in split(text) for claim in dependency_claims(statement)]

    assert [one.name for one in found if one.name not in ("Tech",)] == names
    assert not any(one.is_certain for one in found)
