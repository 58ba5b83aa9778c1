"""Which files are code, and in what language."""

from __future__ import annotations

from support.each import each

from gitmem.text.code.languages import is_code, is_prose, language_of


@each(
    ("path", "expected"),
    [
        ("src/a.tsx", True),
        ("src/analysis.ipynb", True),
        ("src/a.min.js", False),
        ("web/node_modules/x/index.js", False),
        ("docs/guide.md", False),
        ("Makefile", False),
    ],
)
def test_code_is_reported_by_suffix_and_folder(path: str, *, expected: bool) -> None:
    assert is_code(path) is expected


@each(
    ("path", "expected"),
    [
        ("adopt-baseline.jsonl", True),
        ("config/detekt-Baseline.xml", True),
        (".secrets.baseline", True),
        ("src/baseline.py", False),
        ("baseline/limits.json", False),
        (".idea/workspace.xml", True),
        ("app/.vs/x/config.json", True),
        ("src/app.idea/a.xml", False),
        ("lib/CMakeLists.txt", False),
        ("meson_options.txt", False),
        ("notes.txt", True),
    ],
)
def test_documents_lists_of_known_problems_and_state_of_an_editor_are_not_code(path: str, *, expected: bool) -> None:
    assert is_prose(path) is expected


def test_language_is_named_as_its_grammar_is() -> None:
    assert [language_of(path) for path in ("a.pyi", "b.mjs", "c.go", "d.unheard")] == [
        "python",
        "javascript",
        "go",
        "unheard",
    ]
