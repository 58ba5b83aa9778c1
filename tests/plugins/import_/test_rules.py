"""Rules of agents keep the paths that they are for, and an issue of Beans the id in its name."""

from __future__ import annotations

from typing import Any

from support.each import each

from gitmem.plugins.import_.rules import is_rule, rule_fields, with_bean_id


@each(
    ("fields", "paths"),
    [
        ({"globs": "**/*.ts"}, ["**/*.ts"]),
        ({"globs": "src/**/*.{ts,tsx}, *.css,"}, ["src/**/*.{ts,tsx}", "*.css"]),
        ({"globs": ["a/*.py", "b"]}, ["a/*.py", "b"]),
        ({"globs": '["*.md", "docs/**"]'}, ["*.md", "docs/**"]),
        ({"applyTo": "**/*.py"}, ["**/*.py"]),
        ({"applyTo": "**"}, None),
        ({"globs": None, "alwaysApply": True}, None),
    ],
)
def test_patterns_of_a_rule_become_paths(fields: dict[str, Any], paths: list[str] | None) -> None:
    found = rule_fields(fields, "# Heading\n")

    assert is_rule(fields, "x.md")
    assert (found.get("paths"), found["kind"]) == (paths, "convention")


def test_description_is_the_title_of_a_rule_without_a_heading() -> None:
    given = {"description": "Use tabs", "alwaysApply": False}

    assert rule_fields(given, "Tabs, not spaces")["title"] == "Use tabs"
    assert "title" not in rule_fields(given, "# Tabs\n\nnot spaces")
    assert is_rule({}, "rules/a.MDC")
    assert not is_rule({"description": "x"}, "a.md")


@each(
    ("path", "is_one"),
    [
        ("/p/.windsurf/rules/api.md", True),
        ("/p/.roo/rules-code/api.md", True),
        ("/p/.claude/rules/web/api.md", True),
        ("/p/.clinerules/api.md", True),
        ("/p/.kiro/steering/tech.md", True),
        ("/p/.github/instructions/py.instructions.md", True),
        ("/p/.clinerules/workflows/release.md", False),
        ("/p/.kilocode/rules/memory-bank/brief.md", False),
        ("/p/rules/api.md", False),
        ("/p/.notes/steering-group/may.md", False),
        ("/p/.dotfiles/rules/vault/deep/a.md", False),
    ],
)
def test_file_in_a_folder_of_rules_is_one_without_fields(path: str, is_one: bool) -> None:
    assert is_rule({}, path) is is_one


def test_bean_needs_a_state_and_no_type() -> None:
    for status, is_bean in (("scrapped", True), (["todo"], True), ("on fire", False)):
        assert ("id" in with_bean_id({"title": "X", "status": status}, "b3--x.md")) is is_bean


def test_id_of_a_bean_is_in_the_name_of_its_file() -> None:
    fields = {"title": "T", "status": "todo", "type": "bug"}

    assert with_bean_id(fields, "archive/beans-03uj--fix-it.md")["id"] == "beans-03uj"
    assert with_bean_id(fields, "fix-it.md") == fields
    assert with_bean_id({**fields, "id": "x"}, "a1--b.md")["id"] == "x"
