"""Find misleading links: an address as the text of a link to another, or a host that is only a user name.

Source: CommonMark 0.31.2, sections 6.3 (links) and 6.5 (autolinks); RFC 3986, sections 3.2.1 and 7.6.
"""

from __future__ import annotations

import re

# A link's text and its target, on one line; bounded, so that no text makes it slow.
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\(\s{0,3}<?([^\s<>()]{1,500})")
_URL = re.compile(r"https?://[^\s<>()\"'`]{1,500}", re.IGNORECASE)
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,8}[a-z]{2,18}")
# Endings that are top-level domains more often than file extensions: `[README.md]` and `[main.rs]` name files.
_ENDS = frozenset(
    ("ai", "app", "biz", "cloud", "co", "com", "de", "dev", "edu", "eu", "gov", "info", "io", "net", "org", "uk", "xyz")
)
# Sites whose pages are about an address, and are linked by it.
_ABOUT_OTHERS = frozenset(("pkg.go.dev", "web.archive.org"))


def find_misleading_links(text: str) -> list[tuple[int, str]]:
    """Return links whose text names another host than their target's, by line from 1, with a description."""
    if "://" not in text:
        return []
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        for match in _LINK.finditer(line):
            shown, real = _host_of(match[1].strip("`*_ <>")), _host_of(match[2], is_url=True)
            if shown and real and real not in _ABOUT_OTHERS and not _are_one(shown, real):
                found.append((number, f"a link that says {shown} leads to {real}"))
        for url in _URL.findall(line):
            user, at, _ = url.partition("://")[2].partition("/")[0].rpartition("@")
            if at and _HOST.fullmatch(user.lower().partition(":")[0]):
                found.append((number, f"a link that seems to lead to {user} leads to {_host_of(url, is_url=True)}"))
    return list(dict.fromkeys(found))


def _host_of(text: str, *, is_url: bool = False) -> str:
    """Return the host of an address, in lower case; empty if it is not one, or may be a file's name."""
    scheme, has_scheme, rest = text.lower().partition("://")
    if has_scheme and scheme not in ("http", "https"):
        return ""
    if not has_scheme:
        if is_url or " " in text or text != text.lower():
            return ""
        rest = text
    host = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2].partition(":")[0].removeprefix("www.")
    if has_scheme:
        return host
    return host if _HOST.fullmatch(host) and host.rpartition(".")[2] in _ENDS else ""


def _are_one(shown: str, real: str) -> bool:
    """Return whether one host equals the other, or is a subdomain of it."""
    return shown == real or real.endswith(f".{shown}") or shown.endswith(f".{real}")
