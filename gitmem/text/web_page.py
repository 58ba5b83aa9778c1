"""Common parts of all web pages that gitmem writes: escaping templates, and a strict content security policy."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jinja2 import Environment


def templates(package: str) -> Environment:
    """Return the Jinja templates in a package: every value is escaped, and a missing one is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip


def policy(style: str, script: str = "", *, also: tuple[str, ...] = (), forms: str = "'none'") -> str:
    """Return a Content-Security-Policy that allows exactly this style and this script, and no addresses.

    Args:
        style: The text of the page's one style.
        script: The text of its one script; empty if none runs.
        also: Directives besides.
        forms: Where forms may be sent.

    Source: Content Security Policy Level 3, sections 2.3.1 (hashes) and 3.3 (the meta element).
    """
    rules = ["default-src 'none'", f"style-src 'sha256-{_hash(style)}'"]
    rules += [f"script-src 'sha256-{_hash(script)}'"] if script else []
    return "; ".join([*rules, *also, "base-uri 'none'", f"form-action {forms}"])


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode("ascii")
