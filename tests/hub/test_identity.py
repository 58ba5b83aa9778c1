"""Identities: from a file of hashed tokens, and from an issuer's signed tokens; and every token that must not pass."""

from __future__ import annotations

import base64
import json
import time
from hashlib import sha256
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from support.hubs import token_file

from gitmem.errors import ConfigError
from gitmem.hub.identity import Identity, Oidc, TokenFile, UnknownIdentityError, make_identity

ISSUER, AUDIENCE = "https://id.example.org", "gitmem-hub"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def test_tokens_of_a_file_are_known_by_their_hash_and_read_again(tmp_path: Path) -> None:
    tokens = TokenFile(token_file(tmp_path, alice=("payments", "ops")))

    assert tokens("alice-token") == Identity("alice", ("alice", "@payments", "@ops", "everyone"))
    assert tokens("Alice-token") is None
    assert tokens(sha256(b"alice-token").hexdigest()) is None

    token_file(tmp_path, bob=())
    assert tokens("alice-token") is None
    assert tokens("bob-token") == Identity("bob", ("bob", "everyone"))

    (tmp_path / "tokens.toml").write_text("[[token]\n")
    for _ in range(2):
        with pytest.raises(ConfigError):
            tokens("bob-token")


@pytest.mark.parametrize(
    "text",
    [
        "[[token]\n",
        '[[token]]\nidentity = "a"\n',
        f'[[token]]\nidentity = "@payments"\nsha256 = "{"0" * 64}"\n',
        f'[[token]]\nidentity = ""\nsha256 = "{"0" * 64}"\n',
        f'[[token]]\nidentity = "a\\nb"\nsha256 = "{"0" * 64}"\n',
        f'[[token]]\nidentity = "a"\ngroups = ["b\\nc"]\nsha256 = "{"0" * 64}"\n',
        f'[[token]]\nidentity = "a"\ngroups = "b"\nsha256 = "{"0" * 64}"\n',
        f'[[token]]\nidentity = "a"\nsha256 = "{"g" * 64}"\n',
    ],
)
def test_wrong_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tokens.toml"
    path.write_text(text)

    with pytest.raises(ConfigError):
        TokenFile(path)


@pytest.mark.parametrize(
    ("name", "groups"),
    [("@ops", []), ("everyone", []), ("", []), ("a\nb", []), (" a", []), ("a" * 300, []), ("a", ["@b"]), ("a", [1])],
)
def test_name_that_would_be_another_principal_is_refused(name: str, groups: list) -> None:
    with pytest.raises(UnknownIdentityError):
        make_identity(name, groups)


class Issuer:
    """An issuer whose answers a test can change."""

    def __init__(self) -> None:
        self.keys = {"one": KEY}
        self.about = {"issuer": ISSUER, "jwks_uri": f"{ISSUER}/keys"}
        self.asked: list[str] = []
        self.now = 0.0

    def fetch(self, address: str):  # type: ignore[no-untyped-def]
        self.asked.append(address)
        if address.endswith("/.well-known/openid-configuration"):
            return self.about
        public = jwt.algorithms.RSAAlgorithm.to_jwk
        return {"keys": [public(key.public_key(), as_dict=True) | {"kid": name} for name, key in self.keys.items()]}

    def source(self) -> Oidc:
        return Oidc(ISSUER, AUDIENCE, clock=lambda: self.now, fetch=self.fetch)


def signed(key=KEY, kid: str = "one", algorithm: str = "RS256", **changes: object) -> str:
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": time.time() + 300, "groups": ["payments"]}
    claims = {name: value for name, value in (claims | changes).items() if value is not None}
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid})


def test_signed_token_is_an_identity_and_keys_are_fetched_once() -> None:
    issuer = Issuer()
    source = issuer.source()

    assert source(signed()) == Identity("alice", ("alice", "@payments", "everyone"))
    assert source(signed(groups=None)) == Identity("alice", ("alice", "everyone"))
    assert source("not-a-jwt") is None
    assert len(issuer.asked) == 2


def unsigned() -> str:
    parts = ({"alg": "none", "kid": "one"}, {"iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": time.time() + 300})
    head, body = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return f"{head}.{body}."


WRONG = {
    "another key": lambda: signed(OTHER_KEY),
    "an unknown key": lambda: signed(kid="two"),
    "no signature": unsigned,
    "a shared secret": lambda: signed("x" * 64, algorithm="HS256"),
    "expired": lambda: signed(exp=time.time() - 300),
    "no expiry": lambda: signed(exp=None),
    "not yet": lambda: signed(nbf=time.time() + 300),
    "another issuer": lambda: signed(iss="https://evil.example.org"),
    "no issuer": lambda: signed(iss=None),
    "another audience": lambda: signed(aud="another"),
    "no audience": lambda: signed(aud=None),
    "nobody": lambda: signed(sub=None),
    "a group as a person": lambda: signed(sub="@payments"),
    "everyone as a person": lambda: signed(sub="everyone"),
    "a line break in a group": lambda: signed(groups=["a\nb"]),
    "a changed claim": lambda: ".".join(
        [signed().split(".")[0], signed(sub="bob").split(".")[1], signed().split(".")[2]]
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_token_does_not_pass(name: str) -> None:
    with pytest.raises(UnknownIdentityError):
        Issuer().source()(WRONG[name]())


def test_new_key_is_fetched_but_not_at_every_unknown_name() -> None:
    issuer = Issuer()
    source = issuer.source()
    source(signed())
    issuer.keys["two"] = OTHER_KEY

    with pytest.raises(UnknownIdentityError):
        source(signed(OTHER_KEY, kid="two"))
    asked = len(issuer.asked)
    issuer.now += 11

    assert asked == 2
    assert source(signed(OTHER_KEY, kid="two")) is not None
    del issuer.keys["one"]
    issuer.now += 601
    with pytest.raises(UnknownIdentityError):
        source(signed())


@pytest.mark.parametrize(
    "about",
    [
        {},
        [],
        {"issuer": "https://evil.example.org", "jwks_uri": f"{ISSUER}/keys"},
        {"issuer": ISSUER, "jwks_uri": "http://id.example.org/keys"},
        {"issuer": ISSUER, "jwks_uri": 1},
        {"issuer": ISSUER, "jwks_uri": "https://[::1"},
    ],
)
def test_issuer_that_names_no_safe_address_of_keys_is_refused(about: object) -> None:
    issuer = Issuer()
    issuer.about = about

    with pytest.raises(UnknownIdentityError):
        issuer.source()(signed())


def test_issuer_without_encryption_is_refused() -> None:
    with pytest.raises(ConfigError):
        Oidc("http://id.example.org", AUDIENCE, clock=time.monotonic)
