"""Decide whether what a rule of ``secret_rules`` matched is a credential: a random value or a password, no placeholder.

A function takes the match of the rule's pattern, whose last participating group is the value.
"""

from __future__ import annotations

from binascii import Error, a2b_base64
from itertools import pairwise
from math import log2

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

# Words that mean "put your own value here", in lower case.
_PLACEHOLDERS = tuple(
    """
    example placeholder changeme change-me change_me change.me replace redacted insert your dummy sample xxxx **** ...
    abcdefgh ${ {{ $( < %s enc[
    """.split()
)
# Words that do not occur in random values: an assigned value with one of them is a name, a word, a digest or a toy.
_WORDS = tuple(
    """
    password passwd passw0rd secret token apikey api_key api-key credential changeit 12345 abc123 qwerty foobar letmein
    test demo fake mock none null undefined required optional string default process.env environ config settings ://
    sha1 sha256 sha512 md5
    """.split()
)
# What a sentence says of a password instead of the password itself.
_ALGORITHMS = (
    "argon", "bcrypt", "scrypt", "pbkdf", "hmac", "aes", "rsa", "utf", "base64", "rfc", "sha-", "sha2", "sha3",
)  # fmt: skip
# The beginnings of prefixes of digests, of public keys and of names of requests, sessions and objects.
_PUBLIC = (
    "sha", "md5", "blake", "pk_", "pk-", "pub", "phc_", "cs_", "chatcmpl", "req", "msg", "evt", "trace", "span", "id_",
    "id-", "file", "img", "image", "build", "chunk", "main-", "index-", "vendor", "cache", "etag", "rev", "xpub",
)  # fmt: skip
# User names and passwords of documentation and of throw-away servers.
_TOY_PASSWORDS = tuple(
    """
    pass passwd password pw pwd secret token user username root admin guest test foo bar baz tiger hunter2 postgres
    mysql redis mongo rabbitmq minio abc 123 1234 key apikey none null xxx yyy zzz
    """.split()
)

# The names of credentials.
NAME = (
    r"(?:passw(?:or)?[dt]|passphrase|pwd|(?<![a-z])pass(?=[\"'`]?[ \t]{0,4}[:=])|secret|token|credential|(?:access"
    r"|account|admin|api|app|auth|client|encryption|master|private|secret|shared|signing)[ _-]?key(?:_base)?)s?"
)
# What makes a key or a token in prose one that grants something: "the admin key", and not "the primary key".
_GRANTING = (
    r"(?:access|account|admin|api|auth|authentication|authorization|bearer|bot|client|deploy(?:ment)?|encryption|global"
    r"|licen[cs]e|login|master|personal|private|registration|runner|secret|security|service|session|shared|signing"
    r"|otp|totp|user|webhook)[ _-]$"
)
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# The example of RFC 7617, section 2, which documentation repeats.
_RFC_7617 = "Aladdin:open sesame"
# How far before its option the name of a command is searched.
_COMMAND_CHARS = 400


def _value(match: re.Match[str]) -> str:
    return match.group(match.lastindex or 0)


def is_token(match: re.Match[str]) -> bool:
    """Return whether a match is random enough for a token, and not a placeholder."""
    return not _is_placeholder(_value(match)) and _entropy(_value(match)) >= 2.5


def is_key_block(match: re.Match[str]) -> bool:
    """Return whether this is a key, not a mention: PEM's lines have 64 characters, or fewer (RFC 7468, 2)."""
    import re  # loaded by the pattern that matched

    return re.search(r"[A-Za-z0-9+/]{40}", match.group(1)) is not None


def is_password_in_url(match: re.Match[str]) -> bool:
    """Return whether the second of two groups is a password, and not a placeholder, of the user in the first."""
    return _is_password(*match.groups())


def is_basic(match: re.Match[str]) -> bool:
    """Return whether a value decodes to ``user:password`` (RFC 7617, section 2)."""
    value = match.group(1)
    try:
        decoded = a2b_base64(value + "=" * (-len(value) % 4)).decode("utf-8")
    except (Error, ValueError):
        return False
    user, colon, password = decoded.partition(":")
    return bool(colon) and decoded.isprintable() and decoded != _RFC_7617 and _is_password(user, password)


def is_password_of_curl(match: re.Match[str]) -> bool:
    """Return whether this ``-u user:password`` belongs to curl: other programs use ``-u`` for something else."""
    import re  # loaded by the pattern that matched

    start = match.start()
    command = match.string[max(0, start - _COMMAND_CHARS) : start].replace("\\\n", " ").rpartition("\n")[2]
    user, password = (group for group in match.groups() if group is not None)
    return re.search(r"curl(?![\w-])", command) is not None and _is_password(user, password)


def _is_password(user: str, password: str) -> bool:
    if len(password) < 3:
        return False
    lowered = password.lower()
    if lowered in _TOY_PASSWORDS or lowered == user.lower() or any(char in password for char in "${}()"):
        return False
    if any(char in password for char in "*%") and not _has_all(password):  # a mask
        return False
    if password[0] == password[-1] == "%" and password.strip("%").isidentifier():  # a variable of cmd.exe
        return False
    return not _is_placeholder(password) and not any(word in lowered for word in ("password", "secret", "token"))


def is_assigned(match: re.Match[str]) -> bool:
    """Return whether the assigned value is random enough for its name; less is required for passwords."""
    return _suits(match.group(1).lower(), _value(match))


def _suits(name: str, value: str) -> bool:
    import re  # loaded by the pattern that matched

    if _is_placeholder(value) or any(word in value.lower() for word in _WORDS) or value[0] in "/~.$%@#&":
        return False
    if name.startswith("p") and "key" not in name:
        return not value.isalpha() and _changes(value) >= max(3, 0.25 * len(value)) and _entropy(value) >= 2.75
    # A UUID called a token identifies a request or a page; called a key or a secret, it is one.
    return _is_random(value) and not ("token" in name and re.fullmatch(UUID, value))


def is_borne(match: re.Match[str]) -> bool:
    """Return whether the value of a header or cookie is random."""
    return not _is_placeholder(_value(match)) and _is_random(_value(match).replace("%", ""))


def is_password_option(match: re.Match[str]) -> bool:
    """Return whether an option's value is a password, not a port or a word."""
    value = _value(match)
    return _is_password("", value) and not value.isdigit() and not value.isalpha() and _entropy(value) >= 2.0


def is_argument(match: re.Match[str]) -> bool:
    """Return whether an option's value is a random token, not a word or a file."""
    return _value(match)[0] not in "/~.$%@#&" and is_borne(match)


def is_said_password(match: re.Match[str]) -> bool:
    """Return whether a sentence says a password, not how long it is or how it is hashed."""
    value = match.group(1)
    lowered = value.lower()
    if value.isalpha() or any(word in lowered for word in (*_WORDS, *_ALGORITHMS)):
        return False
    has_letter, has_digit = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    is_mixed = value != lowered or not value.replace("-", "").replace("_", "").replace("/", "").isalnum()
    return (
        has_letter and has_digit and is_mixed and value[0] not in "/~.$%@#&" and "://" not in value
        and not _is_placeholder(value) and _entropy(value) >= 2.5
        and _changes(value) >= (2 if _has_all(value) and len(value) >= 10 else 3)
    )  # fmt: skip


def is_granting(match: re.Match[str]) -> bool:
    """Return whether a sentence gives the value of a key or token that grants something."""
    import re  # loaded by the pattern that matched

    start, value = match.start(), match.group(1)
    if re.search(_GRANTING, match.string[max(0, start - 20) : start], re.I) is None:
        return False
    return not _is_placeholder(value) and not any(word in value.lower() for word in _WORDS) and _is_random(value)


def is_prefixed(match: re.Match[str]) -> bool:
    """Return whether what follows a prefix is a token: letters of both cases and digits, in the order of chance."""
    whole, prefix, value = match.groups()
    if prefix.lower().startswith(_PUBLIC) or _is_placeholder(whole):
        return False
    return _has_all(value) and _changes(value) >= 0.45 * len(value) and _entropy(value) >= 4.0


def _has_all(value: str) -> bool:
    """Return whether a value has letters of both cases and a digit."""
    return value != value.lower() and value != value.upper() and any(map(str.isdigit, value))


def is_named_value(match: re.Match[str]) -> bool:
    """Return whether the value beside a name, as in ``name: API_KEY, value: …``, is that of a secret."""
    import re  # loaded by the pattern that matched

    start = match.start()
    name = re.search(rf"(?i)({NAME})[\"'`]?,?\s{{1,40}}[\"']?$", match.string[max(0, start - 90) : start])
    return name is not None and _suits(name.group(1).lower(), _value(match))


def is_phrase(match: re.Match[str]) -> bool:
    """Return whether a row of words is a phrase of chance, in which few words repeat."""
    words = match.group(1).split()
    return 3 * len(set(words)) > 2 * len(words)


def _is_random(value: str) -> bool:
    """Return whether digits and letters mix like random ones, and not like words.

    Neighbours in random base62 differ in kind (lower, upper, digit) 62 % of the time, in random hex 47 %; in
    ``Base64UrlEncoder2`` 44 %, in a slug such as ``auth-uses-rs256`` 20 % (computed). 64 bits in hex are more often a
    hash or a short object name than a key, so hex counts from 24 digits.
    """
    import re  # loaded by the pattern that matched

    bare = re.sub(r"[-_.:/+=~]", "", value)
    digits = sum(char.isdigit() for char in bare)
    shortest = 24 if re.fullmatch("[0-9a-f]*", bare) else 16
    if len(bare) < shortest or not bare.isalnum() or not 1 <= digits <= 0.8 * len(bare):
        return False
    return _changes(bare) >= (0.25 if digits >= 4 else 0.4) * len(bare) and _entropy(bare) >= 3.0


def _changes(value: str) -> int:
    """Return how many neighbours differ in kind: lower-case letter, upper-case letter, digit, anything else."""
    kinds = ["l" if c.islower() else "u" if c.isupper() else "d" if c.isdigit() else "s" for c in value]
    return sum(one != other for one, other in pairwise(kinds))


def _is_placeholder(value: str) -> bool:
    lowered = value.lower()
    return any(word in lowered for word in _PLACEHOLDERS)


def _entropy(value: str) -> float:
    """Return Shannon's entropy of the characters, in bits per character."""
    shares = [value.count(char) / len(value) for char in set(value)]
    return -sum(share * log2(share) for share in shares)
