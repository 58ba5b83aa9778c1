"""Find credentials in text, without ever repeating them.

Memories are pushed and check output is stored, so a credential in them is a leak. The rules are the published
formats of common tokens, each anchored on its prefix, and two general ones: a password inside a URL, and a random
value assigned to a name such as ``api_key``. Values that are plainly placeholders are let through.

The patterns are linear: every repetition is bounded or stops where the pattern could begin again, and none is nested.
They are compiled when a text first holds one of their needles (``re`` keeps them), which is why the rules are text.

Sources of the formats: the vendors' own pages on their tokens as collected in GitHub's "Supported secret scanning
patterns" and in gitleaks' default configuration (8.x, config/gitleaks.toml).
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from math import log2

from gitmem.frozen import frozen
from gitmem.hygiene import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Accept = Callable[[re.Match[str]], bool]

# Words that say "put your own value here", in lower case.
_PLACEHOLDERS = (
    *("example", "placeholder", "changeme", "change-me", "change_me", "change.me", "replace", "redacted", "insert"),
    *("your", "dummy", "sample", "xxxx", "****", "...", "abcdefgh", "${", "{{", "$(", "<", "%s", "enc["),
)
# Words that no random value holds: an assigned value with one of them is a name, a word, a digest or a toy.
_WORDS = (
    *("password", "passwd", "passw0rd", "secret", "token", "apikey", "api_key", "api-key", "credential", "changeit"),
    *("12345", "abc123", "qwerty", "foobar", "letmein", "test", "demo", "fake", "mock", "none", "null", "undefined"),
    *("required", "optional", "string", "default", "process.env", "environ", "config", "settings", "://"),
    *("sha1", "sha256", "sha512", "md5"),
)
# User names and passwords of documentation and of throw-away servers.
_TOY_PASSWORDS = (
    *("pass", "passwd", "password", "pw", "pwd", "secret", "token", "user", "username", "root", "admin", "guest"),
    *("test", "foo", "bar", "baz", "tiger", "hunter2", "postgres", "mysql", "redis", "mongo", "rabbitmq", "minio"),
    *("abc", "123", "1234", "key", "apikey", "none", "null", "xxx", "yyy", "zzz"),
)

_NAME = (
    r"(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|credential"
    r"|(?:access|account|auth|client|encryption|master|private|secret|shared|signing)[_-]?key)s?"
)
_ASSIGNS = r"[\"'`]?(?:[ \t]{0,4}:[ \t]{0,4}[A-Za-z]{2,12})?[ \t]{0,4}(?::=|=>|={1,3}|!=|:)[ \t]{0,4}"
_VALUE = (
    r"(?:\"([^\"\s]{8,256})\"|'([^'\s]{8,256})'|`([^`\s]{8,256})`"
    r"|([^\s\"'`,;:=&(){}\[\]<>$]{8,256}={0,2})(?=[\s\"'`,;&)}\]]|\Z))"
)
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# A Discord bot token begins with the base64 of a user id: decimal digits, hence these four letters in turn.
_DISCORD_ID = r"(?:[MNO][DTjz][AEIMQUYcgk][0-5w-z]){5,6}[A-Za-z0-9]{0,3}"


# Whole control strings, as a terminal takes them (ECMA-48, 5.4 and 5.6; xterm's ctlseqs ends OSC by BEL too): OSC, then
# DCS, SOS, PM and APC, then CSI, then the short ones. None matches across the next introducer, so it is linear.
_ESCAPES = (
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x90\x98\x9b-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x90\x98\x9b-\x9f]*(?:\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]+[0-~]|\x1b[0-OQ-WYZ\\`-~]"
)


@frozen
class Secret:
    """Where a credential stands; never what it is.

    Attributes:
        rule: The rule that found it, such as ``github-token``.
        line: Line, from 1.
        column: Character in the line, from 1.
    """

    rule: str
    line: int
    column: int


@frozen
class Rule:
    """One kind of credential.

    Attributes:
        name: What reports call it.
        needles: Texts, separated by spaces, of which one is in every match; where the pattern ignores case, it
            begins the match and is lower-case here.
        pattern: A regular expression. Its last group that took part is the credential; without a group it is the
            whole match, and must not continue a word.
        accept: Says whether a match is one, or None for a token that only must not look like a placeholder.
    """

    name: str
    needles: str
    pattern: str
    accept: Accept | None = None


def find_secrets(text: str) -> list[Secret]:
    """List the credentials in the text by place; empty when there are none.

    Takes time in proportion to the text (measured: 0.6 ms for 10 KB of prose).
    """
    return [
        Secret(rule, text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))
        for start, _, rule in _spans(text)
    ]


def redact(text: str) -> str:
    """Return the text with every credential replaced by ``[secret: RULE]``."""
    pieces, at = [], 0
    for start, end, rule in _spans(text):
        pieces += [text[at:start], f"[secret: {rule}]"]
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text


def safe_output(raw: bytes | str, cap: int) -> str:
    """Return the end of a program's output, fit to be stored and shown.

    Escape sequences go whole (colours, titles, OSC 52, which writes to the clipboard), what is left of them is spelt
    out, and secrets are replaced before the cut. A secret whose beginning *raw* no longer has is not found.

    Args:
        raw: The output; bytes that are not UTF-8 become U+FFFD.
        cap: Most characters to keep, >= 0.
    """
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    shown = redact(display(re.sub(_ESCAPES, "", text).replace("\r\n", "\n"), lines=True))
    return shown[max(0, len(shown) - cap) :]


def _spans(text: str) -> list[tuple[int, int, str]]:
    """Return where the credentials begin and end, and their rules; spans that overlap are one, named by the first."""
    lowered = text.lower()
    if len(lowered) != len(text):  # U+0130 becomes two characters, and places would no longer agree
        lowered = text.translate(_ASCII_LOWER)
    found: list[tuple[int, int, str]] = []
    for rule, needles in _needles():
        where = lowered if rule.pattern.startswith("(?i)") else text
        if _has_any(needles, where):
            found += _matches(rule, text, lowered)
    spans: list[tuple[int, int, str]] = []
    # sorted is stable: of two that begin together, the earlier rule, which knows more, gives the name.
    for start, end, name in sorted(found, key=lambda span: span[0]):
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]), spans[-1][2])
        else:
            spans.append((start, end, name))
    return spans


def _has_any(needles: list[str], text: str) -> bool:
    for needle in needles:  # a loop: `any` makes a generator for each of the 45 rules  # noqa: SIM110
        if needle in text:
            return True
    return False


@lru_cache(maxsize=1)
def _needles() -> tuple[tuple[Rule, list[str]], ...]:
    """Return the needles of every rule: cutting them anew for every text is half of what the scan costs (measured)."""
    return tuple((rule, rule.needles.split()) for rule in RULES)


def _matches(rule: Rule, text: str, lowered: str) -> Iterator[tuple[int, int, str]]:
    accept = rule.accept or _is_token
    for match in _candidates(rule, text, lowered):
        start, end = match.span(match.lastindex or 0)
        if (match.lastindex or _begins_word(text, start)) and accept(match):
            yield start, end, rule.name


def _candidates(rule: Rule, text: str, lowered: str) -> Iterator[re.Match[str]]:
    """Yield what the rule's pattern matches in a text with one of its needles.

    A pattern that ignores case is tried only where a needle begins: ``re`` cannot search for it by its first
    letters (measured: 20 times slower on prose).
    """
    if not rule.pattern.startswith("(?i)"):
        yield from re.finditer(rule.pattern, text)
        return
    for needle in rule.needles.split():
        at = lowered.find(needle)
        while at >= 0:
            if match := re.compile(rule.pattern).match(text, at):
                yield match
            at = lowered.find(needle, at + 1)


def _begins_word(text: str, start: int) -> bool:
    r"""Return whether no letter or digit stands before *start*; the one of a ``\n`` in JSON text counts as none."""
    before = text[max(0, start - 2) : start]
    return not before[-1:].isalnum() or before in ("\\n", "\\r", "\\t")


def _value(match: re.Match[str]) -> str:
    return match.group(match.lastindex or 0)


def _is_token(match: re.Match[str]) -> bool:
    return not _is_placeholder(_value(match)) and _entropy(_value(match)) >= 2.5


def _is_key_block(match: re.Match[str]) -> bool:
    """Tell a key from a mere mention: PEM's lines have 64 characters, the last one fewer (RFC 7468, section 2)."""
    return re.search(r"[A-Za-z0-9+/]{40}", match.group(1)) is not None


def _is_password_in_url(match: re.Match[str]) -> bool:
    user, password = match.groups()
    lowered = password.lower()
    if lowered in _TOY_PASSWORDS or lowered == user.lower() or any(char in password for char in "${}*%()"):
        return False
    return not _is_placeholder(password) and not any(word in lowered for word in ("password", "secret", "token"))


def _is_assigned(match: re.Match[str]) -> bool:
    """Return whether the assigned value is random enough for its name: less is asked of what is called a password."""
    name, value = match.group(1).lower(), _value(match)
    if _is_placeholder(value) or any(word in value.lower() for word in _WORDS) or value[0] in "/~.$%@#&":
        return False
    if name.startswith("p") and "key" not in name:
        return not value.isalpha() and _changes(value) >= max(3, 0.25 * len(value)) and _entropy(value) >= 2.75
    # A UUID called a token is a request's or a page's; as a key or a secret it is one.
    return _is_random(value) and not ("token" in name and re.fullmatch(_UUID, value))


def _is_borne(match: re.Match[str]) -> bool:
    return not _is_placeholder(match.group(1)) and _is_random(match.group(1))


def _is_random(value: str) -> bool:
    """Return whether digits and letters mix as random ones do and words do not.

    Neighbours of random base62 differ in kind (lower, upper, digit) 0.62 of the time and of random hex 0.47; those of
    ``Base64UrlEncoder2`` do 0.44, of a slug such as ``auth-uses-rs256`` 0.2 (computed). Hex of 64 bits is a hash or a
    short object name more often than a key, so hex counts from 24 digits.
    """
    bare = re.sub(r"[-_.:/+=~]", "", value)
    digits = sum(char.isdigit() for char in bare)
    shortest = 24 if re.fullmatch("[0-9a-f]*", bare) else 16
    if len(bare) < shortest or not bare.isalnum() or not 1 <= digits <= 0.8 * len(bare):
        return False
    return _changes(bare) >= (0.25 if digits >= 4 else 0.4) * len(bare) and _entropy(bare) >= 3.0


def _changes(value: str) -> int:
    """Count the neighbours that differ in kind: lower-case letter, upper-case letter, digit, anything else."""
    kinds = ["l" if c.islower() else "u" if c.isupper() else "d" if c.isdigit() else "s" for c in value]
    return sum(one != other for one, other in pairwise(kinds))


def _is_placeholder(value: str) -> bool:
    lowered = value.lower()
    return any(word in lowered for word in _PLACEHOLDERS)


def _entropy(value: str) -> float:
    """Return Shannon's entropy of the characters, in bits for each."""
    shares = [value.count(char) / len(value) for char in set(value)]
    return -sum(share * log2(share) for share in shares)


# The most telling rules first: of two that begin at the same place the first one names the secret.
RULES = (
    Rule(
        "private-key",
        "-----BEGIN",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----((?:[^-]|-(?!----))*)",
        _is_key_block,
    ),
    Rule("aws-access-key-id", "AKIA ASIA ABIA ACCA", r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    Rule(
        "aws-secret-key",
        "aws_secret aws-secret awssecret secretaccess secret_access secret-access",
        r"(?i)(?:aws[_-]?secret|secret[_-]?access)[_-]?(?:access[_-]?)?key"
        r"[\"']?[ \t]{0,4}(?:=>|=|:)[ \t]{0,4}[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    Rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[opsur]_[A-Za-z0-9]{36,}"),
    Rule("github-fine-grained-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{40,}"),
    Rule(
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt- gloas-",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{20,}",
    ),
    Rule("slack-token", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{20,}"),
    Rule("slack-app-token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,}"),
    Rule(
        "slack-webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/+]{40,})",
    ),
    Rule("stripe-key", "k_live_", r"[rs]k_live_[A-Za-z0-9]{16,}"),
    Rule("stripe-webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/]{32,}"),
    Rule("anthropic-key", "sk-ant-", r"sk-ant-[a-z]{2,8}\d\d-[A-Za-z0-9_-]{24,}"),
    Rule("openrouter-key", "sk-or-v1-", r"sk-or-v1-[0-9a-f]{64}"),
    Rule(
        "openai-key",
        "sk-",
        r"sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,}|[A-Za-z0-9]{32,64}(?![A-Za-z0-9]))",
    ),
    Rule("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{52}(?![A-Za-z0-9])"),
    Rule("xai-key", "xai-", r"xai-[A-Za-z0-9]{80}(?![A-Za-z0-9])"),
    Rule("google-api-key", "AIza", r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9])"),
    Rule("google-oauth-secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    Rule("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    Rule("pypi-token", "pypi-AgE", r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    Rule("rubygems-key", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    Rule("docker-hub-token", "dckr_", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}"),
    Rule("hugging-face-token", "hf_", r"hf_[A-Za-z0-9]{34,40}(?![A-Za-z0-9_])"),
    Rule("digitalocean-token", "_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    Rule("databricks-token", "dapi", r"dapi[0-9a-f]{32}(?![A-Za-z0-9])"),
    Rule("vault-token", "hvs. hvb.", r"hv[bs]\.[A-Za-z0-9_-]{24,}"),
    Rule("grafana-token", "glsa_", r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"),
    Rule("shopify-token", "shp", r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}"),
    Rule("atlassian-token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{60,}"),
    Rule("linear-key", "lin_api_", r"lin_api_[A-Za-z0-9]{40}"),
    Rule("tailscale-key", "tskey-", r"tskey-[a-z]{2,12}-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{16,}"),
    Rule("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}"),
    Rule("sendgrid-key", "SG.", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    Rule("twilio-key", "SK", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    Rule("telegram-token", ":AA", r"(?<!\d)(\d{8,10}:AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])"),
    Rule("discord-token", ".", rf"{_DISCORD_ID}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,}}"),
    Rule("discord-webhook", "/api/webhooks/", r"/api/webhooks/\d{17,20}/([A-Za-z0-9_-]{60,})"),
    Rule("azure-storage-key", "AccountKey=", r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    Rule("azure-client-secret", "Q~", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])"),
    Rule("heroku-key", "HRKU-AA", r"HRKU-AA[A-Za-z0-9_-]{58}"),
    Rule("heroku-api-key", "heroku", rf"(?i)heroku[\w .-]{{0,30}}[\"']?[ \t]{{0,4}}[:=]>?[ \t]{{0,4}}[\"']?({_UUID})"),
    Rule(
        "jwt",
        "eyJ",
        r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})",
    ),
    Rule(
        "password-in-url",
        "://",
        r"://([^\s/?#@:\"'`<>]*):([^\s/?#@\"'`<>]{3,})@(?!sha\d)(?=[A-Za-z0-9\[])(?![\w.-]{0,60}example)",
        _is_password_in_url,
    ),
    Rule("bearer-token", "bearer", r"(?i)bearer[ \t]{1,4}([A-Za-z0-9._~+/-]{20,}={0,2})", _is_borne),
    Rule(
        "assigned-secret",
        "passw pwd passphrase secret token api credential access account auth client encryption master private "
        "shared signing",
        rf"(?i)({_NAME}){_ASSIGNS}{_VALUE}",
        _is_assigned,
    ),
)
