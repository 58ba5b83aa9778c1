"""Rule files of agents, which apply to some paths, and issues of Beans, whose id is in the file's name. Pure.

Sources: Cursor's documentation, "Rules" (``.cursor/rules/*.mdc`` with ``description``, ``globs`` and ``alwaysApply``);
GitHub's, "Custom instructions" (``*.instructions.md`` with ``applyTo``); Claude Code's, "Memory"
(``.claude/rules/*.md`` with ``paths``); Windsurf's, "Rules" (``trigger`` and ``globs``); github.com/hmans/beans
(``.beans/ID--slug.md`` with ``title``, ``status`` and ``type``).
"""

from __future__ import annotations

import re

from gitmem.plugins.import_.fields import as_list
from gitmem.plugins.import_.trackers import status_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

RULE_ENDING = ".mdc"
# The one file of rules that a program read before it had a folder of them: plain text.
RULE_FILES = (".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".goosehints", ".rules")
# Folders of rules of programs for which gitmem has no hooks. Those of the others are in their tables.
RULES = (
    (".roo/rules", "rules of Roo Code"),
    (".kilocode/rules", "rules of Kilo Code"),
    (".kiro/steering", "steering files of Kiro"),
    (".amazonq/rules", "rules of Amazon Q"),
    (".augment/rules", "rules of Augment"),
    (".continue/rules", "rules of Continue"),
    (".trae/rules", "rules of Trae"),
    (".agent/rules", "rules of Antigravity"),
    (".junie", "guidelines of Junie"),
    (".openhands/microagents", "microagents of OpenHands"),
)
# A file in a folder of rules, or in one of its folders: `.roo/rules/api.md`, `.roo/rules-code/api.md`. Other folders of
# `.clinerules` have workflows and scripts.
_IN_RULES = re.compile(r"/(?:\.[^/]+/(?:rules(?:-[^/]+)?|steering)/(?:(?!memory-bank/)[^/]+/)?|\.clinerules/)[^/]+\Z")
RULE = "convention"
_GLOBS = ("globs", "applyTo")
_SIGNS = (*_GLOBS, "alwaysApply")
_BEAN = re.compile(r"([a-z0-9]+(?:[-.][a-z0-9]+)*)--[^/]*")


# The states of an issue of Beans, which need not say its type.
_STATES = ("draft", "todo", "in-progress", "completed", "scrapped")


def is_rule(fields: Mapping[str, Any], path: str) -> bool:
    """Return whether a Markdown file is a rule for agents, by its ending, its folder or its fields.

    Args:
        fields: Its frontmatter.
        path: Its absolute path.
    """
    is_named = path.lower().endswith((RULE_ENDING, ".instructions.md", *RULE_FILES))
    return is_named or any(name in fields for name in _SIGNS) or _IN_RULES.search(path) is not None


def rule_fields(fields: Mapping[str, Any], body: str) -> dict[str, Any]:
    """Return the frontmatter of a rule with its kind, its paths, and a title if its text has no heading."""
    found = dict(fields)
    patterns = [pattern for name in _GLOBS for pattern in _patterns(fields.get(name))]
    paths = [pattern for pattern in patterns if pattern not in ("*", "**", "**/*")]
    found |= {"kind": RULE} | ({"paths": [*as_list(fields.get("paths")), *paths]} if paths else {})
    about = fields.get("description")
    if isinstance(about, str) and about and "title" not in fields and not re.search(r"(?m)^#+ ", body):
        found["title"] = about
    return found


def _patterns(value: object) -> list[str]:
    """Return the patterns in a field: a list, or a text in which commas outside of braces separate them."""
    if not isinstance(value, str):
        return as_list(value)
    parts = re.findall(r"(?:\{[^{}]*\}|[^,{])+", value.strip().strip("[]"))
    return [part for one in parts if (part := one.strip().strip("\"'"))]


def with_bean_id(fields: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return the frontmatter of a Markdown issue of Beans with the id that its file's name has; others unchanged."""
    named = _BEAN.fullmatch(path.rpartition("/")[2].rpartition(".")[0])
    is_bean = {"title", "status"} <= fields.keys() and ("type" in fields or status_of(fields) in _STATES)
    if named is None or "id" in fields or not is_bean:
        return dict(fields)
    return {**fields, "id": named[1], "issue_type": fields.get("type", "task")}
