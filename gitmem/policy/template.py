"""A new store's ``gitmem.toml``: every setting with its default, commented out. Pure."""

from __future__ import annotations

import json

from gitmem.model import FORMAT
from gitmem.policy.settings import ROWS, read_lifetime, read_time_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.config import Setting


def default_toml(profile: str = "") -> str:
    """Return the ``gitmem.toml`` for ``init``: the settings of a profile, and every default, commented out.

    Args:
        profile: The settings of a profile, as TOML (``profiles.profile_policy``); or empty.
    """
    lines = [
        "# The policy of this memory store. Settings that are commented out show their defaults.",
        "",
        f"format = {FORMAT}",
    ]
    lines += ["", profile.rstrip("\n"), "", "# Everything else, with its defaults:"] if profile else []
    for section, known in ROWS.items():
        rows = {key: row for key, row in known.items() if not row.instead}
        lines += ["", f"# [{section}]"] if rows else []
        for key, row in rows.items():
            lines.append(f"# {key} = {default_of(row)}  # {row.about}")
    return "\n".join([*lines, "", *_EXAMPLES, ""])


def default_of(row: Setting) -> str:
    """Return a row's default as spelled in the file."""
    return spell(row, row.default)


def spell(row: Setting, value: Any) -> str:
    """Return a value of a row as spelled in the file."""
    is_length = row.read in (read_lifetime, read_time_limit) and not isinstance(value, str)
    return _toml(_length(value) if is_length else value)


def _length(seconds: int | None) -> str:
    if seconds is None:
        return "never"
    return f"{seconds // 86_400}d" if seconds % 86_400 == 0 else f"{seconds}s"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):  # a JSON string is a TOML string, but for DEL (https://toml.io/en/v1.0.0#string)
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"{value:g}"


_EXAMPLES = (
    "# Words that add a tag to a memory; an empty list disables a built-in tag.",
    "# [tags.words]",
    '# payments = ["stripe", "invoice"]',
    "",
    "# The context that a role gets at a session's start, and the kinds that it reads.",
    "# [roles.developer]",
    "# budget_tokens = 1000",
    '# kinds = ["code_pattern"]',
    "",
    "# A kind of your own, or a change to a built-in one (folder, description, ttl, half_life, expires, required,",
    "# needs_refs, needs_verify, collection).",
    "# [kinds.runbook]",
    '# folder = "runbooks"',
    '# ttl = "never"',
    '# required = ["importance"]',
    "",
    "# The rules of a collection of kinds (readers, writers, ttl, scope, …): docs/collections.md.",
    "# [collections.code-patterns]",
    '# readers = ["work", "request"]',
)
