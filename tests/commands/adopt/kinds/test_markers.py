"""Markers of pytest: which statements name them."""

from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.kinds.markers import marker_claims
from gitmem.commands.adopt.statements import split


@each(
    ("text", "names"),
    [
        ("- run `pytest -q -m slow`, or `pytest -m 'not net and gpu'`", ["slow", "net", "gpu"]),
        ("```sh\nuv run pytest -m \"not slow\"\n```", ["slow"]),
        ("- `@pytest.mark.slow`, `@pytest.mark.skipif(x)`", ["slow"]),
        ("- Tests marked `slow` are left out, as is the `gpu` marker", ["slow", "gpu"]),
        ("- `git commit -m slow`, `python -m pytest`", []),
    ],
)  # fmt: skip
def test_named_markers_are_claims(text, names):
    found = [one for statement in split(text) for one in marker_claims(statement, Document("x.md", "guide", ""))]

    assert [one.name for one in found] == names
