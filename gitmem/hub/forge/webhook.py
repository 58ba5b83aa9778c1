"""Forges' webhooks: whether a request comes from who knows the secret, and which repository it is about. Pure.

Nothing else of what a request says is believed: it makes the next sync look at one repository now.

Source: GitHub Docs, "Validating webhook deliveries"; GitLab Docs, "Webhooks", secret token; Forgejo documentation,
"Webhooks".
"""

from __future__ import annotations

import hmac
from hashlib import sha256

from gitmem.hub.registry import URL_LENGTH
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# A push of some thousand commits; of a larger one, the next regular sync learns.
BODY_LIMIT = 1_000_000
# The header with the signature of the body, by what stands before its digits; and GitLab's, which is the secret.
SIGNATURES = {"x-hub-signature-256": "sha256=", "x-forgejo-signature": "", "x-gitea-signature": ""}
GITLAB_HEADER = "x-gitlab-token"
_FIELDS = ("clone_url", "git_http_url", "ssh_url", "git_ssh_url", "git_url")


def has_signature(headers: Mapping[str, str]) -> bool:
    """Return whether a request has a signature, which may be wrong: a body without one is not read."""
    return any(name in headers for name in (*SIGNATURES, GITLAB_HEADER))


def is_signed(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    """Return whether a request comes from who knows the secret; each signature that it has must be right."""
    digits = hmac.new(secret.encode(), body, sha256).hexdigest()
    right = {name: start + digits for name, start in SIGNATURES.items()} | {GITLAB_HEADER: secret}
    shown = [(headers[name], right[name]) for name in right if name in headers]
    return bool(shown) and all(hmac.compare_digest(one.encode(), other.encode()) for one, other in shown)


def urls_of(body: bytes) -> list[str]:
    """Return the addresses by which git may know the repository of a request, with and without ``.git``.

    Raises:
        ValueError: The body is not JSON.
    """
    try:
        payload = parse_json(body)
    except RecursionError as err:
        raise ValueError("nested too deeply") from err
    parts = [payload.get(name) for name in ("repository", "project")] if isinstance(payload, dict) else []
    found = [part.get(field) for part in parts if isinstance(part, dict) for field in _FIELDS]
    fits = [url for url in found if isinstance(url, str) and url.isprintable() and 0 < len(url) < URL_LENGTH - 4]
    urls = {url.removesuffix(".git") for url in fits}
    return sorted(f"{url}{end}" for url in urls for end in ("", ".git"))
