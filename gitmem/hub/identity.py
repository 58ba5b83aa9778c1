"""Who asks: an identity and its groups, from a file of hashed tokens or from OIDC bearer tokens.

A principal is what a repository's readers are named by: the identity's name, ``@GROUP`` for each of its groups, and
``everyone``. No name of an identity can pass for another principal.

Source: RFC 6750 (bearer tokens); OpenID Connect Core 1.0, sections 2 and 3.1.3.7, and Discovery 1.0, section 4.
"""

from __future__ import annotations

import tomllib
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request

import jwt

from gitmem.errors import ConfigError, GitmemError
from gitmem.frozen import frozen
from gitmem.hub.registry import EVERYONE, PRINCIPAL_LENGTH
from gitmem.system import read_regular
from gitmem.system.http import FAILURES, exchange, is_encrypted, opener_for
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

GROUP = "@"
TOKEN_LENGTH = 8_192
# Signatures with a key that only the issuer has; with HMAC, whoever can check a token could also make one.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
# Seconds by which two machines' clocks may differ.
LEEWAY_S = 30
# How long the issuer's keys are used before they are fetched again, and how long after an unknown key at least.
KEYS_S, AGAIN_S = 600.0, 10.0
ANSWER_LIMIT, ANSWER_S = 1_000_000, 5.0


@frozen
class Identity:
    """Who asks, with all principals that they are."""

    name: str
    principals: tuple[str, ...]


class UnknownIdentityError(GitmemError):
    """A token is missing, wrong or expired. The message says which without repeating it."""


def make_identity(name: str, groups: Sequence[str]) -> Identity:
    """Return an identity.

    Raises:
        UnknownIdentityError: A name cannot be a principal, or would be another's.
    """
    if not is_name(name) or name == EVERYONE or not all(map(is_name, groups)):
        raise UnknownIdentityError("the token names an identity or a group that the hub cannot use")
    return Identity(name, (name, *(f"{GROUP}{group}" for group in groups), EVERYONE))


def is_name(text: object) -> bool:
    """Return whether a text can be the name of an identity or a group."""
    return (
        isinstance(text, str)
        and 0 < len(text) < PRINCIPAL_LENGTH
        and text.isprintable()
        and text == text.strip()
        and not text.startswith(GROUP)
    )


class TokenFile:
    """Identities in a TOML file, read again whenever it changes: tables ``[[token]]`` with identity, groups, sha256."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            ConfigError: It cannot be read, or is wrong.
        """
        self._path = path
        self._mark: tuple[int, ...] = self._stamp()
        self._known = self._load()

    def __call__(self, token: str) -> Identity | None:
        """Return the identity of a token; None if the file does not have it.

        Raises:
            ConfigError: The file was changed and is now wrong: its earlier content admits no one.
        """
        mark = self._stamp()
        if mark != self._mark:
            # Other threads read it as well: until it is read, none may refuse a token that it has.
            try:
                self._known, self._mark = self._load(), mark
            except ConfigError:
                self._known, self._mark = {}, ()
                raise
        return self._known.get(sha256(token.encode()).hexdigest())

    def _stamp(self) -> tuple[int, int, int]:
        try:
            info = self._path.stat()
        except OSError as err:
            raise self._wrong(err.strerror or "it cannot be read") from err
        return info.st_mtime_ns, info.st_size, info.st_ino

    def _load(self) -> dict[str, Identity]:
        try:
            table = tomllib.loads(read_regular(self._path).decode("utf-8"))
        except (OSError, ValueError) as err:
            raise self._wrong(str(err)) from err
        known: dict[str, Identity] = {}
        for row in table.get("token", []):
            digest, groups = str(row.get("sha256", "")).lower(), row.get("groups", [])
            if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
                raise self._wrong("sha256 must be the 64 digits of: printf %s TOKEN | sha256sum")
            if not isinstance(groups, list) or not is_name(row.get("identity")) or not all(map(is_name, groups)):
                raise self._wrong("each token needs an identity, and may have a list of groups")
            known[digest] = make_identity(row["identity"], groups)
        return known

    def _wrong(self, why: str) -> ConfigError:
        return ConfigError(f"{self._path}: {why}", file=str(self._path), key="token")


class Oidc:
    """Bearer tokens of one issuer, checked with the keys that it publishes."""

    def __init__(
        self,
        issuer: str,
        audience: str,
        *,
        clock: Callable[[], float],
        groups_claim: str = "groups",
        fetch: Callable[[str], Any] | None = None,
    ) -> None:
        """Trust an issuer.

        Args:
            issuer: Its address, exactly as its tokens name it.
            audience: The name of this hub at the issuer.
            clock: Returns monotonic seconds.
            groups_claim: The claim with the list of groups.
            fetch: Returns the JSON of an address.

        Raises:
            ConfigError: The issuer's address is not encrypted.
        """
        if not is_encrypted(issuer):
            message = "the issuer must have an https address"
            raise ConfigError(message, file="the command line", key="--oidc-issuer")
        self._issuer, self._audience, self._groups = issuer, audience, groups_claim
        self._clock, self._fetch = clock, fetch or fetch_json
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched_at = float("-inf")

    def __call__(self, token: str) -> Identity | None:
        """Return the identity of a token; None if this issuer did not make it.

        Raises:
            UnknownIdentityError: It is not valid (any more), or the issuer's keys cannot be fetched.
        """
        try:
            header = jwt.get_unverified_header(token)
        except jwt.InvalidTokenError:
            return None
        if header.get("alg") not in ALGORITHMS:
            raise UnknownIdentityError("the token is not signed with a key of the issuer")
        try:
            claims = jwt.decode(
                token,
                self._key(str(header.get("kid", ""))),
                algorithms=list(ALGORITHMS),
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.ExpiredSignatureError as err:
            raise UnknownIdentityError("the token has expired") from err
        except jwt.InvalidTokenError as err:
            raise UnknownIdentityError("the token is not valid here") from err
        groups = claims.get(self._groups, [])
        return make_identity(claims["sub"], groups if isinstance(groups, list) else [])

    def _key(self, name: str) -> jwt.PyJWK:
        """Return the issuer's key of a name; an unknown one may be new, so the keys are fetched again."""
        age = self._clock() - self._fetched_at
        if age > KEYS_S or (name not in self._keys and age > AGAIN_S):
            self._fetched_at = self._clock()
            self._keys = self._published()
        if name not in self._keys:
            raise UnknownIdentityError("the token is not signed with a key of the issuer")
        return self._keys[name]

    def _published(self) -> dict[str, jwt.PyJWK]:
        about = self._fetch(f"{self._issuer.rstrip('/')}/.well-known/openid-configuration")
        address = about.get("jwks_uri") if isinstance(about, dict) and about.get("issuer") == self._issuer else None
        if not isinstance(address, str) or not is_encrypted(address):
            raise UnknownIdentityError("the issuer does not say where its keys are")
        try:
            keys = jwt.PyJWKSet.from_dict(self._fetch(address)).keys
        except (jwt.PyJWTError, AttributeError) as err:
            raise UnknownIdentityError("the issuer publishes no usable keys") from err
        return {str(key.key_id or ""): key for key in keys if key.key_type in ("RSA", "EC", "OKP")}


def fetch_json(address: str) -> Any:
    """Return the JSON of an address; no redirect is followed.

    Raises:
        UnknownIdentityError: It cannot be fetched.
    """
    try:
        opener = opener_for(urlsplit(address).hostname or "")
        answer = exchange(opener, Request(address), limit=ANSWER_LIMIT, limit_s=ANSWER_S)  # noqa: S310 - https
        return parse_json(answer.body.decode("utf-8"))
    except (*FAILURES, ValueError, TimeoutError) as err:
        raise UnknownIdentityError("the issuer's keys cannot be fetched") from err
