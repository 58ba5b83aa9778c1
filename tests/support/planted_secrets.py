"""Secrets of every kind, made when they are needed, and texts that only resemble them."""

from __future__ import annotations

import base64
import random
import string
from urllib.parse import quote

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
# A scanner of repositories must not take this file for a leak: prefixes are joined when the tests run.
J = "".join


def make_secrets(seed: int = 7) -> list[tuple[str, str, str]]:
    """Return 60 secrets: the kind, a text that has it, and the secret that must not be shown."""
    rng = random.Random(seed)

    def rand(number: int, chars: str = ALNUM) -> str:
        return J(rng.choice(chars) for _ in range(number))

    def strong(number: int) -> str:
        return J((rand(number - 3), rng.choice(string.digits), rng.choice("ABCDEFGH"), rng.choice("xyz")))

    def jwt() -> str:
        head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
        body = base64.urlsafe_b64encode(f'{{"sub":"{rand(8)}","iat":1}}'.encode()).decode().rstrip("=")
        return f"{head}.{body}.{rand(43)}"

    found: list[tuple[str, str, str]] = []

    def add(kind: str, secret: str, text: str = "use {} here") -> None:
        found.append((kind, text.replace("{}", secret), secret))

    github = J(("gh", "p_", rand(36)))
    aws = J(("AK", "IA", rand(16, string.ascii_uppercase + "234567")))
    add("github token", github)
    add("github fine-grained", J(("github", "_pat_", rand(22), "_", rand(59))))
    add("github oauth", J(("gh", "o_", rand(36))))
    add("gitlab token", J(("gl", "pat-", rand(20))))
    add("aws key id", aws)
    add("aws secret key", strong(40), "aws_secret_access_key = {}")
    add("aws session token", J(("FwoGZXIvYXdzE", rand(200))), "aws_session_token={}")
    add("google api key", J(("AI", "za", rand(35))))
    add("google oauth secret", J(("GOC", "SPX-", rand(28))))
    add("slack bot token", J(("xo", "xb-", rand(12, string.digits), "-", rand(12, string.digits), "-", rand(24))))
    add(
        "slack app token",
        J(
            (
                "xa",
                "pp-1-",
                rand(11, string.ascii_uppercase + string.digits),
                "-",
                rand(13, string.digits),
                "-",
                rand(64, HEX),
            )
        ),
    )
    hook = J(("T", rand(8, string.ascii_uppercase), "/B", rand(8, string.ascii_uppercase), "/", rand(24)))
    add("slack webhook", hook, "curl https://hooks.slack.com/services/{} -d x")
    add("discord webhook", J((rand(18, string.digits), "/", rand(68))), "https://discord.com/api/webhooks/{}")
    add(
        "teams webhook",
        J((rand(32, HEX), "/", rand(8, HEX), "-1111-2222-3333-", rand(12, HEX))),
        "https://acme.webhook.office.com/webhookb2/aaaa@bbbb/IncomingWebhook/{}",
    )
    add("telegram bot token", J((rand(10, "123456789"), ":AA", rand(33))), "bot token {}")
    add("discord bot token", J(("M", rand(25), ".", rand(6), ".", rand(38))), "DISCORD_TOKEN={}")
    add("stripe key", J(("sk", "_live_", rand(24))))
    add("stripe webhook secret", J(("wh", "sec_", rand(32))))
    add("openai key", J(("sk", "-proj-", rand(48))))
    add("anthropic key", J(("sk", "-ant-api03-", rand(93), "AA")))
    add("npm token", J(("np", "m_", rand(36))))
    add("pypi token", J(("py", "pi-AgEIcHlwaS5vcmc", rand(80))))
    add("sendgrid key", J(("SG", ".", rand(22), ".", rand(43))))
    add("twilio key", J(("SK", rand(32, HEX))), "twilio api key {}")
    add("hugging face", J(("hf", "_", rand(34))))
    add("digitalocean", J(("do", "p_v1_", rand(64, HEX))))
    add("jwt", jwt())
    add("bearer header", strong(40), "Authorization: Bearer {}")
    add("basic header", base64.b64encode(f"ana:{strong(14)}".encode()).decode(), "Authorization: Basic {}")
    add(
        "private key",
        J((rand(64), "\n", rand(64))),
        J(("-----BEGIN ", "RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----")),
    )
    add(
        "openssh key",
        J((rand(70), "\n", rand(70))),
        J(("-----BEGIN ", "OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----")),
    )
    add("password in a URL", strong(14), "postgres://app:{}@db.internal:5432/app")
    add("redis URL", strong(18), "redis://:{}@cache.internal:6379/0")
    add("mysql -p", strong(12), "mysql -u root -p{} shop < dump.sql")
    add("mysqldump --password", strong(14), "mysqldump --user=root --password={} shop")
    add("pgpass", strong(13), "db.internal:5432:shop:app:{}")
    add("PGPASSWORD", strong(12), "PGPASSWORD={} psql -h db shop")
    add("netrc", strong(15), "machine api.internal login ana password {}")
    add("curl -u", strong(13), "curl -u ana:{} https://api.internal/v1")
    add("sshpass", strong(12), "sshpass -p '{}' ssh root@10.0.0.4")
    add("cookie header", strong(40), "Cookie: sessionid={}; theme=dark")
    add("set-cookie", strong(48), "Set-Cookie: connect.sid=s%3A{}; HttpOnly")
    add("session token field", strong(40), "session_token: {}")
    add(
        "kubeconfig key",
        base64.b64encode(J(("-----BEGIN ", "RSA PRIVATE KEY-----\n", rand(120))).encode()).decode(),
        "client-key-data: {}",
    )
    add("kubeconfig token", jwt(), "users:\n- user:\n    token: {}")
    add(
        "docker auth",
        base64.b64encode(f"ana:{strong(16)}".encode()).decode(),
        '{"auths": {"registry.internal": {"auth": "{}"}}}',
    )
    add("env file password", strong(16), "DB_PASSWORD={}")
    add("yaml password", strong(16), 'password: "{}"')
    add("json api key", strong(32), '{"api_key": "{}"}')
    add("client secret", strong(32), "client_secret={}&grant_type=client_credentials")
    add(
        "azure storage key",
        base64.b64encode(rng.randbytes(64)).decode(),
        "AccountName=acme;AccountKey={};EndpointSuffix=core.windows.net",
    )
    add(
        "sas signature",
        quote(base64.b64encode(rng.randbytes(32)).decode(), safe=""),
        "https://acme.blob.core.windows.net/c/f?sv=2023-01-03&sig={}",
    )
    add("vault token", J(("hv", "s.", rand(24))))
    add("age key", J(("AGE-SECRET", "-KEY-1", rand(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"))))
    add("split by a blank", github[:20] + " " + github[20:], "the token is {}")
    add("split over lines", github[:22] + "\\\n" + github[22:], "token={}")
    add("zero-width characters", github[:10] + "\u200b" + github[10:], "token {}")
    add("percent-encoded", J(f"%{ord(char):02x}" for char in github), "https://api.internal/?t={}")
    add("unicode escapes", J(f"\\u{ord(char):04x}" for char in github), '{"t": "{}"}')
    add("base64 of a token", base64.b64encode(github.encode()).decode(), "echo {} | base64 -d")
    return found


NEAR_MISSES = [
    "password: ${DB_PASSWORD}",
    "password = os.environ['DB_PASSWORD']",
    "DB_PASSWORD=<your password>",
    "token: {{ vault.token }}",
    "The password is stored in the vault under kv/shop.",
    "mysql -p shop < dump.sql",
    "mysql -u root -p",
    "psql -h db -p 5432 shop",
    "ssh -p 2222 root@host",
    "cp -p a b && mkdir -p build/out",
    "sshpass -e ssh host",
    'curl -u "$USER:$PASS" https://api.internal',
    "git commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "request id 550e8400-e29b-41d4-a716-446655440000",
    "Cookie: theme=dark; lang=en",
    "Set-Cookie: sessionid=<id>; HttpOnly; Secure",
    "Cookies named sessionid expire after a day.",
    "localhost:5432:shop:app:*",
    "host:port:database:user:password is the format of .pgpass",
    "the ratio 16:9:4:3:2 is printed",
    "client-key-data is base64 of the PEM file",
    "client-certificate-data: (redacted)",
    "https://hooks.slack.com/services/T000/B000/XXXX is the form of a webhook",
    "https://discord.com/developers/docs/resources/webhook",
    "Authorization: Bearer $TOKEN",
    "Authorization: Basic <base64>",
    "Bearer tokens expire after 15 minutes.",
    "api_key = get_key()",
    "api_key: str = Field(default=None)",
    "client_secret=...",
    "redis://localhost:6379/0",
    "postgres://app@db.internal:5432/app",
    "postgres://user:password@localhost/db",
    "The token bucket refills 100 per second.",
    "secretName: tls-internal",
    "tokens: 4096, max_tokens: 1024",
    "-----BEGIN CERTIFICATE-----",
    "machine api.internal login ana",
]
