"""Markers of pytest: which statements name them."""

from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import HOLDS
from gitmem.commands.adopt.kinds.markers import marker_claims
from gitmem.commands.adopt.run import adopt
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import discover


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


@each(
    "registered",
    [
        'markers = ["fast", "slow"]',
        'markers = [\n  "fast",\n  "slow", # more than a second\n]',
        "markers = [\n  'slow(seconds): how long',\n]",
        'markers = ["slow: more than a second"]',
    ],
)
def test_registered_marker_needs_no_test_that_has_it(repo, registered):
    text = f"[tool.pytest.ini_options]\n{registered}\n"
    commit_files(repo, {"AGENTS.md": "- Tests are marked `slow`.\n", "pyproject.toml": text})
    git = Git(discover(repo))

    (finding,) = adopt(git, git.resolve("HEAD"), kinds={"marker"}).of(HOLDS)
    assert finding.source.path == "pyproject.toml"
