"""Keep secrets on the branch out of the catalog, and so out of recall, show, the digest and everything else it feeds.

The files on the branch are not changed. The table ``secret`` records what doctor and a push report.
"""

from __future__ import annotations

from gitmem.frozen import replace
from gitmem.text.secrets import find_secrets, redact, redact_all, texts_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.model import Document, Verdict
    from gitmem.text.secrets import Secret

# These fields run exactly as approved; code that shows a command redacts it.
EXACT = ("verify", "refute")


def may_be_respelled(text: str) -> bool:
    """Return whether a value may be written in another way: by YAML's escapes, doubled quotes or folded lines."""
    return "\\" in text or "\n " in text or "''" in text


def secrets_of(document: Document) -> list[Secret]:
    """List the secrets of a memory by place; those found only in parsed field values are reported in line 1."""
    secrets = find_secrets(document.text)
    if not secrets and may_be_respelled(document.text.removesuffix(document.body)):
        values = find_secrets("\n".join(texts_in(document.fields)))
        secrets = [replace(secret, line=1, column=1) for secret in values]
    return secrets


def without_secrets(document: Document) -> Document:
    """Return a memory with its secrets redacted, except in its commands."""
    fields = {name: value if name in EXACT else redact_all(value) for name, value in document.fields.items()}
    return replace(document, fields=fields, body=redact(document.body))


def redact_verdict(verdict: Verdict) -> Verdict:
    """Return a verdict with its secrets redacted."""
    return replace(verdict, because=redact(verdict.because), attempt=redact(verdict.attempt))
