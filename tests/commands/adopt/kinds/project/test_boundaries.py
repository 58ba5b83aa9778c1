"""Import rules, and what breaks them."""

from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.kinds.project.boundaries import _leads_to, boundary_claims
from gitmem.commands.adopt.statements import split

ROOT = Document("AGENTS.md", "instructions", "")


def found(find, text):
    return [claim for statement in split(text) for claim in find(statement, ROOT)]


@each(
    ("text", "rules"),
    [
        (
            "- `core/` must not import from `api/`, `cli/`, or `web/`",
            [("core/", "api/"), ("core/", "cli/"), ("core/", "web/")],
        ),
        ("- Nothing in `a/` imports `b`", [("a/", "b")]),
        ("- `shared` -> no imports from `web`", [("shared", "web")]),
        ("- Never import `b` from `a/`", [("a/", "b")]),
        ("- `tui/` never depends on `server/`", [("tui/", "server/")]),
        ("- All HTTP requests go through `src/net.py`.", [("src/net.py",)]),
        ("- `core` must not import `api`, except for types", []),
        ("- `core` imports `api`; do not import from there", []),
    ],
)
def test_rule_is_found_with_both_sides(text, rules):
    assert [one.places for one in found(boundary_claims, text)] == rules


@each(
    ("imported", "target", "leads"),
    [
        ("app.api.routes", "src/app/api", True),
        ("api", "src/api", True),
        ("api", "src/app/api", False),
        ("apis.b", "src/api", False),
        ("src/server/x", "src/server", True),
        ("@/server/x", "src/server", True),
        ("server/x", "other/web/server", False),
        ("github.com/o/r/internal/api/v1", "internal/api", True),
        ("crate::api::x", "crates/a/src/api", True),
        ("app.api", "app/api.py", True),
    ],
)
def test_import_leads_to_a_folder_by_its_whole_path(imported, target, leads):
    assert _leads_to(imported, target) is leads
