"""Credentials are found by their form, placeholders are not, and nothing ever repeats one.

Every sample is put together while the test runs, so that no file here looks like a leak to a scanner.
"""

from __future__ import annotations

import random
import secrets as standard_secrets
import string
import subprocess
import sys
import time
import unicodedata
import zlib
from base64 import b64encode
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

import gitmem.text.secret_rules
import gitmem.text.secrets
from gitmem.text.secret_rules import RULES
from gitmem.text.secrets import find_secrets, redact, safe_output

BASE62 = string.ascii_letters + string.digits
BASE64URL = BASE62 + "-_"
BASE64 = BASE62 + "+/"
BASE32 = string.ascii_uppercase + "234567"
HEX = "0123456789abcdef"


def draw(alphabet: str, length: int) -> str:
    """Return characters that look random and are the same in every run."""
    return "".join(random.Random(zlib.crc32(alphabet.encode()) + length).choices(alphabet, k=length))


def uuid() -> str:
    return "-".join(draw(HEX, length) for length in (8, 4, 4, 4, 12))


def basic(user: str, password: str) -> str:
    return b64encode(f"{user}:{password}".encode()).decode()


def key_block(name: str) -> str:
    return "\n".join(
        ["-----BEGIN " + name + "-----", draw(BASE64, 64), draw(BASE64, 40) + "==", "-----END " + name + "-----"]
    )


# Rule, what stands before the credential, the credential, what stands behind it.
SAMPLES = [
    ("private-key", "-----BEGIN RSA " + "PRIVATE KEY-----", "\n" + draw(BASE64, 64) + "\n", "-----END"),
    ("private-key", "-----BEGIN " + "PRIVATE KEY-----", "\\n" + draw(BASE64, 64) + "\\n", "-----END"),
    (
        "private-key",
        "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----",
        "\nVersion: 1-2\n\n" + draw(BASE64, 64) + "\n",
        "-----END",
    ),
    ("aws-access-key-id", "", "AK" + "IA" + draw(BASE32, 16), ""),
    ("aws-access-key-id", "", "AS" + "IA" + draw(BASE32, 16), ""),
    ("aws-secret-key", "aws_secret_access_key = ", draw(BASE64, 40), ""),
    ("aws-secret-key", '"SecretAccessKey": "', draw(BASE64, 40), '"'),
    *(("github-token", "", f"gh{kind}_" + draw(BASE62, 36), "") for kind in "posur"),
    ("github-fine-grained-token", "", "github_" + "pat_" + draw(BASE62, 22) + "_" + draw(BASE62, 59), ""),
    ("gitlab-token", "", "gl" + "pat-" + draw(BASE64URL, 20), ""),
    ("slack-token", "", "xo" + "xb-" + draw(string.digits, 12) + "-" + draw(BASE62, 24), ""),
    ("slack-app-token", "", "xa" + "pp-1-" + draw(BASE62, 40), ""),
    ("slack-webhook", "https://hooks." + "slack.com/services/", "T" + draw(BASE62, 44), ""),
    ("stripe-key", "", "sk_" + "live_" + draw(BASE62, 24), ""),
    ("stripe-key", "", "rk_" + "live_" + draw(BASE62, 99), ""),
    ("stripe-webhook-secret", "", "wh" + "sec_" + draw(BASE62, 32), ""),
    ("stripe-key", "", "sk_" + "test_" + draw(BASE62, 24), ""),
    ("stripe-key", "", "rk_" + "test_" + draw(BASE62, 99), ""),
    ("anthropic-key", "", "sk-" + "ant-api03-" + draw(BASE64URL, 93) + "AA", ""),
    ("anthropic-key", "", "sk-" + "ant-oat01-" + draw(BASE64URL, 93) + "AA", ""),
    ("openrouter-key", "", "sk-" + "or-v1-" + draw(HEX, 64), ""),
    ("openai-key", "", "sk-" + "proj-" + draw(BASE64URL, 74), ""),
    ("openai-key", "", "sk-" + draw(BASE62, 20) + "T3Blbk" + "FJ" + draw(BASE62, 20), ""),
    ("groq-key", "", "gs" + "k_" + draw(BASE62, 52), ""),
    ("xai-key", "", "xa" + "i-" + draw(BASE62, 80), ""),
    ("google-api-key", "", "AI" + "za" + draw(BASE64URL, 34) + "x", ""),
    ("google-api-key", "", "AQ" + ".Ab8" + draw(BASE64URL, 47), ""),
    ("google-access-token", "", "ya" + "29." + draw(BASE64URL, 120), ""),
    ("google-refresh-token", "", "1/" + "/0" + draw(BASE64URL, 60), ""),
    ("perplexity-key", "", "pp" + "lx-" + draw(BASE62, 48), ""),
    ("replicate-token", "", "r" + "8_" + draw(BASE62, 37), ""),
    ("cerebras-key", "", "cs" + "k-" + draw(string.ascii_lowercase + string.digits, 48), ""),
    ("nvidia-key", "", "nv" + "api-" + draw(BASE64URL, 64), ""),
    ("together-key", "", "tgp" + "_v1_" + draw(BASE64URL, 43), ""),
    ("langsmith-key", "", "ls" + "v2_pt_" + draw(HEX, 32) + "_" + draw(HEX, 10), ""),
    ("tavily-key", "", "tv" + "ly-dev-" + draw(BASE62, 32), ""),
    ("cloudflare-token", "", "cf" + "ut_" + draw(BASE62, 48), ""),
    ("vercel-token", "", "vc" + "p_" + draw(BASE62, 56), ""),
    ("netlify-token", "", "nf" + "p_" + draw(BASE62, 36), ""),
    ("fly-token", "FlyV1 ", "fm" + "2_" + draw(BASE64, 140) + "==", ""),
    ("fly-token", "", "fo" + "1_" + draw(BASE64URL, 43), ""),
    ("supabase-key", "", "sb" + "p_" + draw(HEX, 40), ""),
    ("supabase-key", "", "sb_" + "secret_" + draw(BASE64URL, 31), ""),
    ("planetscale-token", "", "pscale_" + "tkn_" + draw(BASE64URL, 43), ""),
    ("doppler-token", "", "dp" + ".pt." + draw(BASE62, 43), ""),
    ("pulumi-token", "", "pu" + "l-" + draw(HEX, 40), ""),
    ("sentry-token", "", "sn" + "tryu_" + draw(HEX, 64), ""),
    ("new-relic-key", "", "NR" + "AK-" + draw(string.ascii_uppercase + string.digits, 27), ""),
    ("postman-key", "", "PM" + "AK-" + draw(HEX, 24) + "-" + draw(HEX, 34), ""),
    ("1password-token", "", "op" + "s_eyJ" + draw(BASE62, 300), ""),
    ("bitbucket-token", "", "AT" + "BB" + draw(BASE62, 32), ""),
    ("bitbucket-token", "", "ATC" + "TT3" + draw(BASE64URL, 186), ""),
    ("notion-token", "", "nt" + "n_" + draw(string.digits, 11) + draw(BASE62, 35), ""),
    ("airtable-token", "", "pa" + "t" + draw(BASE62, 14) + "." + draw(HEX, 64), ""),
    ("figma-token", "", "fi" + "gd_" + draw(BASE64URL, 40), ""),
    ("resend-key", "", "re" + "_" + draw(BASE62, 8) + "_" + draw(BASE62, 24), ""),
    ("azure-sas", "?sv=2024-11-04&ss=b&se=2027-01-01T00:00:00Z&sig=", draw(BASE62, 40) + "%2Ba%2F%3D", "&spr=https"),
    ("azure-sas", "SharedAccessSignature sr=hub&sig=", draw(BASE64, 43) + "=", "&se=1"),
    ("azure-devops-token", "", draw(BASE62, 76) + "AZ" + "DO" + draw(BASE62, 4), ""),
    ("basic-auth", "Authorization: Basic ", basic("deploy", draw(BASE62, 9)), ""),
    ("basic-auth", "'authorization': 'basic ", basic("", draw(BASE62, 52)), "'"),
    ("basic-auth", "//npm.internal/:_auth=", basic("ci", draw(BASE62, 12)), "\n"),
    ("basic-auth", '{"auth": "', basic("ci", draw(BASE62, 12)), '"}'),
    ("password-of-curl", "curl -sSf -u deploy:", draw(BASE62, 9), " https://ci.internal/job"),
    ("password-of-curl", "curl https://ci.internal \\\n  --us" + "er 'ana:", "k7 mZ" + "9pQ", "'"),
    ("password-of-curl", "curl -su:", draw(BASE62, 52), " https://dev.internal"),
    ("password-of-curl", 'curl --proxy-user="ana:', draw(BASE62, 9), '"'),
    ("google-oauth-secret", "", "GOC" + "SPX-" + draw(BASE64URL, 28), ""),
    ("npm-token", "", "np" + "m_" + draw(BASE62, 36), ""),
    ("pypi-token", "", "py" + "pi-AgEIcHlwaS5vcmc" + draw(BASE64URL, 150), ""),
    ("rubygems-key", "", "ruby" + "gems_" + draw(HEX, 48), ""),
    ("docker-hub-token", "", "dckr_" + "pat_" + draw(BASE64URL, 27), ""),
    ("hugging-face-token", "", "h" + "f_" + draw(string.ascii_letters, 34), ""),
    ("digitalocean-token", "", "dop_" + "v1_" + draw(HEX, 64), ""),
    ("databricks-token", "", "da" + "pi" + draw(HEX, 32), ""),
    ("vault-token", "", "hv" + "s." + draw(BASE64URL, 95), ""),
    ("grafana-token", "", "gl" + "sa_" + draw(BASE62, 32) + "_" + draw(HEX, 8), ""),
    ("shopify-token", "", "shp" + "at_" + draw(HEX, 32), ""),
    ("atlassian-token", "", "ATA" + "TT3" + draw(BASE64URL, 186), ""),
    ("linear-key", "", "lin_" + "api_" + draw(BASE62, 40), ""),
    ("tailscale-key", "", "ts" + "key-auth-" + draw(BASE62, 17) + "-" + draw(BASE62, 32), ""),
    ("age-key", "", "AGE-SECRET-" + "KEY-1" + draw("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58), ""),
    ("sendgrid-key", "", "S" + "G." + draw(BASE64URL, 22) + "." + draw(BASE64URL, 43), ""),
    ("twilio-key", "", "S" + "K" + draw(HEX, 32), ""),
    (
        "telegram-token",
        "https://api.telegram.org/bot",
        draw(string.digits, 10) + ":A" + "A" + draw(BASE64URL, 33),
        "/getMe",
    ),
    (
        "discord-token",
        "",
        b64encode(b"123456789012345678").decode() + ".Gx" + draw(BASE62, 4) + "." + draw(BASE64URL, 38),
        "",
    ),
    ("discord-webhook", "https://discord.com/api/" + "webhooks/123456789012345678/", draw(BASE64URL, 68), ""),
    ("azure-storage-key", "AccountName=a;Account" + "Key=", draw(BASE64, 86) + "==", ";EndpointSuffix=x"),
    ("azure-client-secret", "", draw(BASE62, 3) + "8" + "Q~" + draw(BASE64URL, 34), ""),
    ("heroku-key", "", "HR" + "KU-AA" + draw(BASE64URL, 58), ""),
    ("heroku-api-key", "HEROKU_API_KEY=", uuid(), ""),
    (
        "jwt",
        "",
        "ey" + "JhbGciOi" + draw(BASE64URL, 20) + ".ey" + "JzdWIi" + draw(BASE64URL, 40) + "." + draw(BASE64URL, 43),
        "",
    ),
    ("teams-webhook", "https://a.webhook.office.com/webhookb2/x@y/Incoming" + "Webhook/", draw(HEX, 32), "/z"),
    ("password-of-mysql", "mysql -u root -p", "q7W" + draw(BASE62, 9), " shop"),
    ("password-of-mysql", "mysqldump --single-transaction -p'", "q 7W" + draw(BASE62, 9), "' shop"),
    ("password-of-sshpass", "sshpass -p ", "q7W" + draw(BASE62, 9), " ssh host"),
    ("pgpass", "db.internal:5432:shop:app:", "q7W" + draw(BASE62, 9), "\n"),
    ("netrc", "machine api.internal\n  login ana\n  password ", "q7W" + draw(BASE62, 9), "\n"),
    ("session-cookie", "Cookie: theme=dark; sessionid=", "a1B" + draw(BASE62, 37), "; x=1"),
    ("session-cookie", "Set-Cookie: connect.sid=", "s%3Aa1B" + draw(BASE62, 40), "; HttpOnly"),
    ("kubeconfig-key", "client-key-data: ", "LS0t" + draw(BASE64, 120) + "==", "\n"),
    ("password-in-url", "postgres://app:", draw(BASE62, 12), "@db.internal:5432/app"),
    ("password-in-url", "https://deploy:", "k7#".replace("#", "!") + draw(BASE62, 6), "@git.internal/x.git"),
    ("bearer-token", "Authorization: Bearer ", draw(BASE62, 40), ""),
    ("terraform-token", "", draw(BASE62, 14) + ".atlas" + "v1." + draw(BASE62, 67), ""),
    ("grafana-cloud-token", "", "gl" + "c_" + draw(BASE64, 80) + "=", ""),
    ("square-token", "", "sq" + "0atp-" + draw(BASE64URL, 22), ""),
    ("circleci-token", "", "CC" + "IPAT_" + draw(BASE62, 22) + "_" + draw(HEX, 40), ""),
    ("buildkite-token", "", "bk" + "ua_" + draw(HEX, 40), ""),
    ("sonar-token", "", "sq" + "p_" + draw(HEX, 40), ""),
    ("posthog-key", "", "ph" + "x_" + draw(BASE62, 43), ""),
    ("hubspot-token", "", "pa" + "t-na1-" + uuid(), ""),
    ("mapbox-token", "", "sk" + ".eyJ1Ijoi" + draw(BASE62, 40) + "." + draw(BASE64URL, 22), ""),
    ("mailgun-key", "", "ke" + "y-" + draw(HEX, 32), " sends it"),
    ("mailchimp-key", "", draw(HEX, 32) + "-u" + "s14", ""),
    ("gitlab-runner-token", "", "GR1348" + "941" + draw(BASE64URL, 20), ""),
    ("bitwarden-token", "", "0." + uuid() + "." + draw(BASE62, 30) + ":" + draw(BASE64, 22) + "==", ""),
    ("brevo-key", "", "xkey" + "sib-" + draw(HEX, 64) + "-" + draw(BASE62, 16), ""),
    ("openshift-token", "", "sha" + "256~" + draw(BASE64URL, 43), ""),
    ("clickhouse-key", "", "4b" + "1d" + draw(BASE62, 38), ""),
    ("nuget-key", "", "oy" + "2" + draw(string.ascii_lowercase + string.digits, 43), ""),
    ("alibaba-key-id", "", "LT" + "AI" + draw(BASE62, 20), ""),
    ("inngest-key", "", "sign" + "key-prod-" + draw(HEX, 64), ""),
    ("zapier-webhook", "https://hooks." + "zapier.com/hooks/catch/1234567/", "b" + draw(BASE62, 6).lower(), "/"),
    (
        "google-chat-webhook",
        "https://chat." + "googleapis.com/v1/spaces/AA/messages?key=x&token=",
        draw(BASE64URL, 43) + "%3D",
        "",
    ),
    ("mattermost-webhook", "https://chat.internal/hooks/", draw(string.ascii_lowercase + string.digits, 26), ""),
    ("token", "login with ", "acme_" + "live_" + draw(BASE62, 40), ""),
    ("password-of-command", "ldapsearch -D cn=admin -w ", "q7W" + draw(BASE62, 9), " -b dc=a"),
    ("password-of-command", "redis-cli -h cache -a ", "q7W" + draw(BASE62, 9), ""),
    ("password-of-command", "lftp -u deploy,", "q7W" + draw(BASE62, 9), " sftp://a.internal"),
    ("password-of-command", "smbclient //nas/a -U backup%", "q7W" + draw(BASE62, 9), ""),
    ("password-of-login", "docker login -u ci -p ", "q7W" + draw(BASE62, 9), " registry.internal"),
    ("password-option", "gpg --batch --passphrase '", "q 7W" + draw(BASE62, 9), "' -d a"),
    ("token-option", "register --registration-token ", draw(BASE62, 24), " --url a"),
    ("secret-element", "<server><password>", "q7W" + draw(BASE62, 11), "</password></server>"),
    ("password-in-prose", "The admin password for staging is ", "q7W-" + draw(BASE62, 7), ", ask Ana"),
    ("password-in-prose", "Das Passwort des Testservers lautet ", "q7W#" + draw(BASE62, 7), " (alt)"),
    ("token-in-prose", "Jenkins API token ", "11" + draw(HEX, 32), ", of Ana"),
    ("token-in-prose", "the global API key is ", draw(HEX, 37), ""),
    ("password-in-prose", "Mot de passe du compte de recette : ", "Harvest" + "maple47", "!"),
    ("password-in-prose", "Mot de passe du compte\u00a0: ", "q7W-" + draw(BASE62, 8), "."),
    ("password-in-prose", "Le mot de\u00a0passe est «\u202f", "q7W-" + draw(BASE62, 9), "\u202f»"),
    ("password-in-prose", "Mot de passe\u202f:\u00a0", "q7W-" + draw(BASE62, 10), ""),
    ("password-in-prose", "密码：\u3000", "q7W#" + draw(BASE62, 11), "。"),
    ("assigned-secret", "password\u00a0:\u202f", "q7W-" + draw(BASE62, 12), ""),
    ("password-in-prose", "Пароль от админки: ", "q7W#" + draw(BASE62, 7), ""),
    ("password-in-prose", "数据库密码是 ", "q7W#" + draw(BASE62, 7), "。"),
    ("password-in-prose", "A senha do Grafana é ", "q7W#" + draw(BASE62, 7), "."),
    ("password-in-prose", "管理者パスワード：", "q7W#" + draw(BASE62, 7), "。"),
    ("token-in-prose", "The API key for the billing service is ", draw(BASE62, 32), "."),
    ("token-in-prose", "The TOTP seed of the shared account is ", "J5" + draw(BASE32, 30), ""),
    ("named-secret", "- name: JWT_SECRET\n  value: ", draw(BASE62, 40), "\n"),
    ("named-secret", '<add key="SmtpPassword" value="', "q7W" + draw(BASE62, 11), '" />'),
    ("named-secret", '{"name": "API_KEY", "value": "', draw(BASE62, 40), '"}'),
    ("secret-element", '<property name="connection.password">', "q7W" + draw(BASE62, 11), "</property>"),
    ("password-option", "keytool -list -srcstorepass ", "q7W" + draw(BASE62, 9), " -v"),
    ("password-option", 'ConvertTo-SecureString "', "q7W" + draw(BASE62, 9), '" -AsPlainText -Force'),
    ("password-in-url", "app:", "q7W" + draw(BASE62, 9), "@tcp(10.0.0.4:3306)/shop"),
    ("password-in-url", "amqp://svc:", "q7*W%2f" + draw(BASE62, 9), "@mq.internal:5672/"),
    ("assigned-secret", "SECRET_KEY_BASE=", draw(HEX, 128), ""),
    ("assigned-secret", 'app_key = "', draw(HEX, 40), '"'),
    (
        "seed-phrase",
        "seed phrase: ",
        "gravity machine north sort system female " + "filter attitude volume fold club stay",
        ".",
    ),
    ("assigned-secret", "SMTP_PASS=", "s9!kQ2" + "mZ7p", "\n"),
    ("assigned-secret", "ansible_become_pass: ", "s9kQ2%" + "mZ7p", "\n"),
    ("assigned-secret", "ADMIN_KEY: ", draw(HEX, 32), "\n"),
    ("assigned-secret", 'api_key = "', draw(BASE62, 32), '"'),
    ("assigned-secret", "API-KEY: '", draw(HEX, 40), "'"),
    ("assigned-secret", '"client_secret": "', draw(BASE64URL, 43), '",'),
    ("assigned-secret", "export MY_TOKEN=", draw(BASE62, 24), "\n"),
    ("assigned-secret", "?token=", draw(BASE62, 24), "&page=2"),
    ("assigned-secret", "token: str = '", draw(BASE62, 24), "'"),
    ("assigned-secret", "secret_key => `", draw(BASE64, 40) + "==", "`"),
    ("assigned-secret", 'password: "', "Tr0ub4" + "dor&3x", '"'),
    ("assigned-secret", "DB_PASSWORD=", "s9!kQ2" + "mZ7p", "\n"),
    ("assigned-secret", "secret: ", uuid(), "\n"),
]


def test_every_rule_has_a_sample():
    assert {rule for rule, *_ in SAMPLES} == {rule.name for rule in RULES}


def test_a_token_that_is_searched_in_long_words_has_no_white_space():
    spaced = [
        rule.name
        for rule in RULES
        if not rule.accept and not rule.pattern.startswith("(?i)")
        if rule.is_short or any(sign in rule.pattern.replace(r"[^\s]", "") for sign in (r"\s", " ", "[^"))
    ]

    assert spaced == []


@each("lead", ["", "Deploy with \u0130 (", "a: 1\n\tx = '", '{"log": "done\\n'])
def test_a_credential_is_found_at_its_place(lead):
    for rule, before, credential, after in SAMPLES:
        text = f"{lead}{before}{credential}{after}"

        (found,) = find_secrets(text)

        start = len(lead + before)
        assert found.rule == rule
        assert found.line == text.count("\n", 0, start) + 1
        assert found.column == start - text.rfind("\n", 0, start)


def test_a_redacted_text_has_the_rule_for_the_credential():
    for rule, before, credential, after in SAMPLES:
        redacted = redact(f"one {before}{credential}{after} two")

        assert redacted == f"one {before}[secret: {rule}]{after} two"
        assert find_secrets(redacted) == []


def test_a_finding_does_not_hold_the_credential():
    for rule, before, credential, after in SAMPLES:
        found = find_secrets(before + credential + after)

        words = f"{found!r} {found!s} {[vars(secret) for secret in found]}"
        assert not any(credential[at : at + 10] in words for at in range(len(credential) - 8)), rule


def test_several_credentials_are_found_in_the_order_of_the_text():
    token, other = "gh" + "p_" + draw(BASE62, 36), "np" + "m_" + draw(BASE62, 36)

    found = find_secrets(f"x {other}\ny\n  {token} {other}")

    assert [(s.rule, s.line, s.column) for s in found] == [
        ("npm-token", 1, 3),
        ("github-token", 3, 3),
        ("npm-token", 3, 44),
    ]


def test_a_token_inside_an_assignment_is_found_once_and_goes_whole():
    token = "gh" + "p_" + draw(BASE62, 36)

    assert redact(f'password = "{token}+tail9"') == 'password = "[secret: github-token]"'


def test_a_token_of_any_length_goes_whole():
    assert redact("key gh" + "s_" + draw(BASE62, 3000) + " end") == "key [secret: github-token] end"


PLACEHOLDERS = [
    *('password = "changeme"', "password: <your password>", 'api_key = "your-api-key-here-1234"', "API_KEY=${API_KEY}"),
    *(
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "password=$DB_PASSWORD1",
        'token = "xxxxxxxxxxxxxxxxxxxx"',
        "secret: '****'",
    ),
    *('api_key: "{{ vault.api_key_1 }}"', "password: example-P4ssw0rd", 'secret="%(SECRET_2)s"', "API_KEY=<token>"),
    *(
        "api_key = os.environ['API_KEY_2']",
        "token = get_token(user1, 'a1')",
        "password=getpass.getpass()",
        "secret: null",
    ),
    *(
        'token = "abcdefghijklmnop1234567890"',
        "password: str",
        "password: Optional[str] = None",
        "password=required|min:8",
    ),
    *(
        "secretName: db-credentials-2",
        "token: /run/secrets/app-token-1",
        "api_key = settings.API_KEY_2",
        "token_count: 8192",
    ),
    *(
        "gh" + "p_" + "x" * 36,
        "AKIA" + "IOSFODNN7EXAMPLE",
        "gl" + "pat-" + "your-token-goes-here-1",
        "sk-" + "ant-api03-...",
    ),
    *("aws_secret_access_key = wJalrXUtnF" + "EMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "np" + "m_" + "0" * 36),
    *(
        "https://user:password@host.internal/x",
        "https://user:$TOKEN@host/x",
        "postgres://postgres:postgres@localhost/db",
    ),
    *(
        "https://{user}:{password}@{host}/",
        "https://x:<token>@host",
        "https://alice:s3cr3t9@example.com/",
        "a://b:***@c",
    ),
    *(
        "redis://:pass@cache:6379",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "Bearer your-token-1a2b3c4d",
    ),
    *(
        "Authorization: Basic " + basic("user", "password"),
        "Authorization: Basic " + basic("Aladdin", "open sesame"),
        "Authorization: Basic <credentials>",
        "Authorization: Basic $CREDENTIALS1",
        '"auth": "' + basic("ci", "${TOKEN_1}") + '"',
    ),
    *(
        "curl -u user:password https://a.internal",
        "curl -u $USER:$PASSWORD https://a.internal",
        'curl -u "ana:${TOKEN_2}" https://a.internal',
        "curl --user ana https://a.internal",
        "curl -u <user>:<api-key-1> https://a.internal",
    ),
    *("sk_" + "test_" + "x" * 24, "sk_" + "test_...", "?sig=<signature>&se=1", "sig=" + "x" * 43 + "%3D"),
    *("ya" + "29.xxxxxxxxxxxxxxxxxxxxxxxx", "pp" + "lx-your-key-here", "re" + "_xxxxxxxx_" + "x" * 24),
    *(
        "-----BEGIN " + "PRIVATE KEY-----",
        "The file starts with -----BEGIN RSA " + "PRIVATE KEY-----, then follows base64 text.",
    ),
]
ORDINARY = [
    "The password is 12 characters long; the admin password is argon2id-hashed, and the passphrase is PBKDF2-SHA256.",
    "All checks pass: 10,140 of 10,140 tests. Bypass: 2026-11-30T10:00 was the last one.",
    "The cache key is " + draw(HEX, 40) + ", the object key " + draw(BASE62, 30) + "; cache-key-" + draw(HEX, 32),
    "docker login -p $PASS; mysql --password prompts; use --token <token> or --api-key KEY; login --password-stdin",
    "redis-cli -a $REDIS; mongosh -p asks; sqlcmd -P prompts; unzip -P; lftp -u ana,$PASS; ldapsearch -w <secret>",
    "<password>${env.PASSWORD_1}</password> <token>your-token-here-1</token> <passwords>ask in the team</passwords>",
    "chatcmpl-" + draw(BASE62, 32) + " and pk_live_" + draw(BASE62, 40) + ", sha384-" + draw(BASE62, 64),
    "Seed: the data that the tests load before they run; recovery words are shown once to each user that has paid.",
    "chunk src/Http2ServerWithKeepAlive_testConnectionIsReusedAfterTimeout and utf8-decodeStreamsOfBytes2AndMoreOfThem",
    "Auth tokens are signed with RS256, because the gateway only holds public keys. Password reset: see the runbook.",
    "Le mot de passe est dans Vault : voir docs/Vault2.md. Пароль хранится в Vault. 密码至少 12 位，必须包含数字。",
    "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: {name: db, key: password}\n- name: TREE\n  value: "
    + draw(HEX, 40),
    "mysql://app:%DbPass1%@db/x and mysql://%User%:%dbPass1%@db; redis-cli -p 6380; mongodump -p 27018",
    "mysql://%USER%:%PASS_1%@db; user:***@tcp(db); keytool -storepass $PASS; ConvertTo-SecureString $plain -Force",
    "La contraseña debe tener doce caracteres. Das Passwort ist Pflicht. Wachtwoord: minimaal 12 tekens.",
    "The token: it is rotated every 30 days. Secret: there is none. api key: none needed.",
    "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ntree da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "sha256:" + draw(HEX, 64) + "  dist/gitmem-0.1.0.tar.gz\nid: " + uuid(),
    "request_token: " + uuid() + "\nkey: " + draw(HEX, 40) + "\netag: " + draw(BASE62, 24),
    "![logo](data:image/png;base64," + draw(BASE64, 1200) + ")",
    "integrity sha512-" + draw(BASE64, 86) + "==",
    "image: docker://alpine:3.19@sha256:" + draw(HEX, 64),
    "ssh://git@host:22/x.git and http://localhost:8080/@user and https://a.example/x?at=12:30@home",
    "def token(self) -> str:\n    return self.tokens[index + 1].access_token2",
    "if password == expected_password1: secret = Secret(rule='github-token', line=1, column=2)",
    "public_key_token=31bf3856ad364e35 client_key_id=1234567890123456",
    "TASK-12, MASK, SK, sk-learn, npm_config_registry, hf_hub_download, xoxo, eyJ, AIza, glpat-, Q~, SG.1, :AA",
    "module.submodule.function_with_long_name.another_attribute_of_it.and_one_more_for_the_road",
    "disk-0123456789abcdef0123456789abcdef01 task-" + draw(HEX, 32),
    "cursor=eyJpZCI6MTIzNDU2fQ next",
    "token = 'utf-8-sig'; tokens: ['hello', 'world2']; access_key: F12; auth-key=rsa-4096-v2",
    "created: 2026-11-21T09:30:00Z\nby: {who: ana, agent: dev}\nrequires: [token-signed-with-rs256]",
    "Basic authentication, basic Kubernetes, Basic understanding2: visual-basic AbstractBase64 is no header.",
    "docker run -u 1000:1000 alpine; chown -R ana:staff .; sudo -u ana:dev1 x\ncurl https://a.internal/x -o y:z9a8b7c6",
    "sk_test_mode, rk_test, sig=verified, ?sig=1, pat, re_match_objects_of_the_tokenizer, r8_unorm, dp.test.case, fm2_",
    "google.com/1//0 and a//0/b; ya29, AQ.A, vcp_, nfp_, pul-1, csk-a, AZDO;",
    "out/v1//0abcdefghijklmnopqrstuvwxyz0123456789abcdef/x",
    "password: correct horse battery staple (never reuse it), pwd=/home/user2/projects",
]


@each("text", PLACEHOLDERS)
def test_a_placeholder_is_no_secret(text):
    assert find_secrets(f"Set {text}\n") == []
    assert find_secrets(text) == []


@each("text", ORDINARY)
def test_ordinary_text_holds_no_secret(text):
    assert find_secrets(text) == []
    assert redact(text) is text


@each("path", [gitmem.text.secrets.__file__, gitmem.text.secret_rules.__file__, gitmem.text.__file__, __file__])
def test_these_files_hold_no_secret(path):
    assert find_secrets(Path(path).read_text(encoding="utf-8")) == []


pieces = st.one_of(
    st.sampled_from([before + credential + after for _, before, credential, after in SAMPLES]),
    st.sampled_from([needle for rule in RULES for needle in rule.needles.split()]),
    st.sampled_from(
        ["=", ": ", "'", '"', "\n", "://", "@", " ", ".", "\x1b[31m", "\x1b]52;c;", "\x07", "\r\n", "\x9b"]
    ),
    st.text(max_size=8),
)


@given(st.lists(pieces, max_size=8), st.sampled_from([" ", "\n", ", ", "; ", "' '"]))
def test_nothing_is_found_in_a_redacted_text(words, separator):
    text = separator.join(words)

    assert find_secrets(redact(text)) == []


@given(st.lists(pieces, max_size=8).map("".join), st.integers(0, 300))
def test_safe_output_is_short_and_holds_nothing_hidden(text, cap):
    shown = safe_output(text.encode("utf-8", "surrogateescape"), cap)

    assert len(shown) <= cap
    assert not [c for c in shown if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")]
    assert safe_output(text, 10**9).endswith(shown)


@each(
    ("raw", "shown"),
    [
        (b"plain\n\tok\r\n", "plain\n\tok\n"),
        (b"\x1b[1;31mred\x1b[0m", "red"),
        (b"a\x1b]52;c;ZXZpbA==\x07b", "ab"),
        (b"a\x1b]0;title\x1b\\b", "ab"),
        (b"\x1b]8;;https://a.example\x07link\x1b]8;;\x07", "link"),
        (b"a\x1bP1$r0m\x1b\\b\x1b_apc\x1b\\c\x1b^pm\x1b\\", "abc"),
        (b"a\x1b(Bb\x1b7c\x1bMd\x1bce", "abcde"),
        ("a\x9b31mb\x9d0;t\x9cc\x90x\x9cd".encode(), "abcd"),
        (b"open \x1b]0;title", "open \\x1b]0;title"),
        (b"\x1b[\x1b[0m31mx", "\\x1b[31mx"),
        (b"10%\r20%\x08", "10%\\x0d20%\\x08"),
        (b"bad \xff\xfe utf-8", "bad \ufffd\ufffd utf-8"),
        ("rlo \u202e".encode(), "rlo \\u{202e}"),
        ("a str \x1b[2K too", "a str  too"),
    ],
    ids=[
        "plain",
        "colour",
        "osc52",
        "title",
        "link",
        "dcs",
        "short",
        "c1",
        "open",
        "nested",
        "cr",
        "bytes",
        "rlo",
        "str",
    ],
)
def test_safe_output_of(raw, shown):
    assert safe_output(raw, 1000) == shown


@each(("cap", "shown"), [(0, ""), (3, "def"), (6, "abcdef"), (7, "abcdef")])
def test_safe_output_keeps_the_end(cap, shown):
    assert safe_output("abcdef", cap) == shown


def test_safe_output_redacts_before_it_cuts_and_behind_colours():
    token = "gh" + "p_" + draw(BASE62, 36)
    raw = f"\x1b[1mtoken\x1b[0m {token[:9]}\x1b[32m{token[9:]}\n"

    assert safe_output(raw, 1000) == "token [secret: github-token]\n"
    assert token[-6:] not in safe_output(raw, 10)


@each("rule", RULES)
def test_a_hostile_text_is_searched_in_linear_time(rule):
    samples = [before + credential + after for name, before, credential, after in SAMPLES if name == rule.name]
    cores = [
        *rule.needles.split(),
        *(sample[:-1] for sample in samples),
        *(sample[:12] + " " * 30 for sample in samples),
    ]
    texts = [core * (8_192 // len(core)) for core in cores]
    texts += [sample[: len(sample) // 2] + filler * 8_192 for sample in samples for filler in "a0- ="]
    took = []

    for text in texts:
        start = time.process_time()
        find_secrets(text)
        took.append(time.process_time() - start)

    assert max(took) < 0.25


@each("piece", ["\x1b]", "\x1bP", "\x9d", "\x90", "\x1b[", "\x9b0", "\x1b ", "\x1b]a\x07", "auth_key=a1B"])
def test_hostile_output_is_made_safe_in_linear_time(piece):
    start = time.process_time()

    safe_output(piece * (262_144 // len(piece)), 4096)

    assert time.process_time() - start < 20


def test_the_module_does_not_stand_in_for_the_standard_one():
    code = "import gitmem.text.secrets as ours, secrets, sys; print(secrets.token_hex(2), ours.__file__ in sys.path)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert len(done.stdout.split()[0]) == 4
    assert Path(standard_secrets.__file__) != Path(gitmem.text.secrets.__file__)
    assert str(Path(gitmem.text.secrets.__file__).parent) not in sys.path


def test_words_that_assign_nothing_load_no_patterns():
    code = "import sys, gitmem.text.secrets as ours; ours.redact('No send_token here'); print('re' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout == "False\n"
