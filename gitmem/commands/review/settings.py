"""Changes to the policy, ``gitmem.toml``: setting by setting, with their effects."""

from __future__ import annotations

from gitmem.commands.review import model as f
from gitmem.commands.review import sanitize
from gitmem.commands.review.changes import VALUE_KEPT, field_change
from gitmem.errors import GitmemError
from gitmem.policy import Policy, builtin, load
from gitmem.store import POLICY_PATH
from gitmem.store.layout import POLICY_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gitmem.git import Git

# Settings that affect trust, commands or reviews.
TRUSTED = ("verify.", "secrets.", "duplicates.", "review.", "check.", "kinds.")
# The setting that is a command, shown in full like other commands.
SETUP = "verify.setup"


def policy_at(git: Git, commit: str) -> tuple[Policy, str]:
    """Return the policy of a commit of the store, and why it cannot be read; in that case the built-in policy."""
    if not commit:
        return builtin(), ""
    try:
        content = git.read_blob(f"{commit}:{POLICY_PATH}", limit=POLICY_LIMIT)
        return (load(content.decode("utf-8"), file=POLICY_PATH) if content else builtin()), ""
    except (GitmemError, UnicodeDecodeError) as err:
        return builtin(), sanitize.line(str(err))


def list_settings(before: Policy, after: Policy) -> tuple[f.FieldChange, ...]:
    """Return the differing settings of two policies, by name."""
    old, new = dict(_flat(before.changes)), dict(_flat(after.changes))
    return tuple(
        field_change(name, old.get(name), new.get(name), limit=POLICY_LIMIT if name == SETUP else VALUE_KEPT)
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    )


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def look_at_policy(settings: tuple[f.FieldChange, ...], problem: str) -> Iterator[f.ReviewFinding]:
    """Yield findings about changes of the policy."""
    if problem:
        message = f"{problem}: the built-in policy would be used"
        yield f.ReviewFinding(f.ERROR, "bad-policy", sanitize.line(message), "", POLICY_PATH)
    for one in settings:
        message = f"{one.name}: {one.before or 'default'} → {one.after or 'default'}"
        if one.name == SETUP:  # first: the rest may be long
            message = f"runs before every command, so that each must be approved again: {message}"
        is_trusted = one.name.startswith(TRUSTED)
        code = "policy-trust" if is_trusted else "policy"
        yield f.ReviewFinding(f.WARNING if is_trusted else f.NOTE, code, sanitize.line(message), "", POLICY_PATH)
