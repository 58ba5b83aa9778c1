"""Find personal data in prose: passwords, e-mail addresses, telephone and account numbers, private networks. Pure.

Keys and tokens are secrets (``text.secrets``) and never stored. What is found here may be needed on this machine, but
a memory branch is pushed.
"""

from __future__ import annotations

import re

_NAME = (
    r"(?:passwords?|passphrase|passwort|kennwort|contraseña|mot de passe|senha|пароль"
    r"|密码|口令|暗号|パスワード|비밀번호)"
)
_IS = r"(?:is|are|was|=|:|：|ist|lautet|heißt|es|est|é|это|是|为|は|が|:)"
# A value has a digit or a sign inside; a word after "password is" is prose ("is read from the environment").
_VALUE = r"[\"'`“«]?(?P<value>(?=[^\s\"'`”»]*[\d!@#$%&*?])[^\s\"'`”»，。、,;]{5,})"
_SAID = re.compile(rf"(?i){_NAME}(?:[^.;\n。；]{{0,40}}?\s*{_IS}\s*|\s+){_VALUE}")
# How passwords are stored is no password.
_ALGORITHMS = re.compile(r"(?i)(?:argon2|bcrypt|scrypt|pbkdf2|sha-?\d|md5|base64|aes-?\d|utf-?8|rfc-?\d)")
_EMAIL = re.compile(r"(?<![\w.+/-])(?P<name>[\w.+-]{2,64})@(?P<domain>(?:[\w-]+\.)+[A-Za-z]{2,})(?![\w-])")
_NOBODY = re.compile(
    r"(?i)(?:^|\.)(?:example|test|invalid|localhost|local)(?:\.\w+)?$|(?:^|\.)example\.(?:com|org|net)$"
    r"|^users\.noreply\.github\.com$"
)
_ROLES = frozenset(("git", "noreply", "no-reply", "user", "foo", "test", "root", "postmaster", "you", "me", "nobody"))
_CALL = (
    r"(?:phone|call|reach|tel|telephone|mobile|number|on-call|telefon\w*|handy\w*|durchwahl|tel[eé]fono|m[oó]vil"
    r"|电话|手机|電話|携帯)"
)
_PHONE = re.compile(
    rf"(?<![\w.])\+\d{{1,3}}[ (./-]*\d(?:[ ()./-]*\d){{6,11}}(?!\w)|\(\d{{3}}\)\s*\d{{3}}-\d{{4}}(?!\w)"
    rf"|(?i:\b{_CALL})\b\.?[^.\n\d]{{0,20}}\d(?:[ ()/-]?\d){{6,13}}(?!\w)"
)
# ISO 13616: a country, two check digits, and 11 to 30 characters of an account. ISO/IEC 7812: a card in groups of four.
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_SHORTEST_IBAN = 15  # Norway's
_CARD = re.compile(r"(?<![\d.-])[3-6]\d{3}(?:([ -])\d{4}\1\d{4}\1\d{4}|([ -])\d{6}\2\d{5})(?![\d-])")
_NETWORK = re.compile(
    r"(?<![\w.])(?:10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2})"
    r"(?![\w./]*/\d|\.?\d)"
)


def find_personal(text: str) -> list[str]:
    """Return what personal data a text seems to contain, in words; empty if none."""
    kinds = []
    if any(not _ALGORITHMS.search(match["value"]) for match in _SAID.finditer(text)):
        kinds.append("a password")
    if any(_is_someone(match) for match in _EMAIL.finditer(text)):
        kinds.append("an e-mail address")
    if _PHONE.search(text):
        kinds.append("a telephone number")
    if any(_has_account(match[0]) for match in _IBAN.finditer(text)):
        kinds.append("a bank account")
    if any(_is_card(re.sub(r"\D", "", match[0])) for match in _CARD.finditer(text)):
        kinds.append("a card number")
    if any(not match[0].endswith(".0") for match in _NETWORK.finditer(text)):
        kinds.append("an address of a private network")
    return kinds


def _is_someone(match: re.Match[str]) -> bool:
    return match["name"].lower() not in _ROLES and not _NOBODY.search(match["domain"])


def _has_account(text: str) -> bool:
    """Return whether groups of characters are an IBAN, but for words in capitals after it, such as BIC."""
    groups = text.split(" ")
    while not (found := _is_account("".join(groups))) and groups[-1][0].isalpha() and len(groups) > 1:
        groups.pop()
    return found


def _is_account(iban: str) -> bool:
    """Return whether the check digits of an IBAN are right (ISO 13616: the remainder by 97 is 1)."""
    return len(iban) >= _SHORTEST_IBAN and int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1


def _is_card(digits: str) -> bool:
    """Return whether a card's check digit is right (Luhn); numbers for tests, made of few different digits, are not."""
    doubled = (int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(digits)))
    return sum(digit // 10 + digit % 10 for digit in doubled) % 10 == 0 and len(set(digits)) > 4
