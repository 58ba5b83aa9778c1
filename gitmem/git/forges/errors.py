"""Explain a forge's refusals and how to fix them. The forge's own message is shown as one clean, short line."""

from __future__ import annotations

import json

from gitmem.errors import ForgeError
from gitmem.text import display
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.system.http import Response

# The most characters shown of the other side's text, and errors of one response.
REPLY_LIMIT, SHOWN = 200, 5


def format_reply(text: object, token: str) -> str:
    """Return the other side's text on one line, without secrets and without the token."""
    shown = text.replace(token, "***") if isinstance(text, str) else ""
    return " ".join(redact(display(shown[: REPLY_LIMIT * 20], lines=True)).split())[:REPLY_LIMIT]


def error_of(answer: Response, method: str, path: str, *, needs: str, token: str) -> ForgeError:
    """Return the error for an unsuccessful response.

    Args:
        answer: The response.
        method: The request's method.
        path: The request's path, without host and query.
        needs: The required permission, or empty.
        token: The token to leave out of the message; not empty.
    """
    body = _body(answer.body)
    message = format_reply(body.get("message"), token)
    text = f"the forge refused {method} {format_reply(path, token)} ({answer.status})"
    details = _details(body.get("errors"), token) if answer.status == 422 else []
    text += "".join(f": {part}" for part in (message, "; ".join(details)) if part)
    return ForgeError(text, status=answer.status, hint=_hint(answer.status, message, needs))


def _hint(status: int, message: str, needs: str) -> str:
    permission = f"the job needs permissions: {needs}" if needs else "check the job's permissions"
    if status == 401:
        return "check that GITHUB_TOKEN contains a complete token that is still valid"
    if status == 403 and "not permitted to create" in message:
        return "Settings, Actions, General: allow GitHub Actions to create and approve pull requests"
    if status == 403:
        return f"{permission}; runs for pull requests from forks have a read-only token"
    if status == 404:
        return (
            "check that it exists and that GITHUB_REPOSITORY is right; a token without access gets the same "
            f"answer: {permission}"
        )
    if 300 <= status < 400:
        return "check whether the repository was renamed"
    return "check the forge's status page" if status >= 500 else ""


def _details(errors: Any, token: str) -> list[str]:
    """Return the errors in a response as text: strings, or tables with ``message``, or ``field`` and ``code``."""
    details = []
    for error in errors[:SHOWN] if isinstance(errors, list) else ():
        if isinstance(error, dict):
            parts = [format_reply(error.get(name), token) for name in ("resource", "field", "code", "message")]
            details.append(" ".join(filter(None, parts)))
        else:
            details.append(format_reply(error, token))
    return [detail for detail in details if detail]


def _body(body: bytes) -> Mapping[str, Any]:
    try:
        table = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}
