"""Everything in a text that a reviewer must see before an agent or a person acts on it, by line.

Besides instructions (``instructions``): recipes that run unread code, misleading links, and markup that agents obey.
"""

from __future__ import annotations

import re
from functools import cache

from gitmem.frozen import frozen
from gitmem.text.fence import TAG
from gitmem.text.hazards.instructions import WARNING, find_instructions, searchable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@frozen
class Hazard:
    """A hazard in a text.

    Attributes:
        line: Its first line, from 1.
        severity: ``error`` or ``warning``.
        code: A stable word: ``instruction``, ``spoken-markup``, ``piped-script`` or ``misleading-link``.
        message: A description, one line; it repeats no instruction.
    """

    line: int
    severity: str
    code: str
    message: str


def find_hazards(text: str) -> list[Hazard]:
    """Return the hazards in a text, by line; hidden characters and secrets are found elsewhere."""
    hazards = [
        Hazard(
            instruction.line, instruction.severity, "instruction", f"it {instruction.message}, which no memory should"
        )
        for instruction in find_instructions(text)
    ]
    for line, message in find_spoken(text):
        hazards.append(Hazard(line, WARNING, "spoken-markup", f"{message}: an agent may treat it as an instruction"))
    for line, message in find_downloads(text):
        hazards.append(Hazard(line, WARNING, "piped-script", f"it {message}: the script is not part of the change"))
    for line, message in find_misleading_links(text):
        hazards.append(Hazard(line, WARNING, "misleading-link", message))
    return sorted(hazards, key=lambda hazard: (hazard.line, hazard.code))


_FETCH = r"(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod)\b"
_RUN = r"(?:(?:ba|da|z|k)?sh|python[\d.]*|perl|ruby|node|php|iex|invoke-expression)\b"
_AS = r"(?:(?:sudo|doas|env|nohup|exec|-\S+|\w+=\S+)\s+)*(?:\S*/)?"
# Patterns with their descriptions; without (?s) a pattern stays on its line, except after a backslash.
_PATTERNS = (
    (rf"{_FETCH}(?:[^|\n]|\\\n)*\|\s*(?:\\\n\s*)?(?:tee\s+\S+\s*\|\s*)?{_AS}{_RUN}", "downloads a script and runs it"),
    (rf"(?:\b{_RUN}|\bsource|\B\.)\s+(?:-\S+\s+)*<\(\s*{_FETCH}", "downloads a script and runs it"),
    (rf"\b(?:eval|{_RUN})\s*(?:-\S+\s*)*[\"']?(?:\$\(|`)\s*{_FETCH}", "downloads a script and runs it"),
    (
        rf"{_FETCH}[^\n]*(?:-o|-O|--output)\s*\S+[^\n]*(?:&&|;)\s*(?:chmod\s+\S+\s+\S+\s*(?:&&|;)\s*)?"
        rf"(?:{_AS}{_RUN}\s+\S+|(?:sudo\s+)?\./\S+)",
        "downloads a script and runs it",
    ),
    (
        r"\b(?:fetch|download|get|curl|wget)\b[^\n]{0,20}https?://\S+[^\n]{0,40}\b(?:pipe|feed|pass|hand)\w*\s"
        rf"[^\n]{{0,20}}\bto\s+(?:a\s+|the\s+)?{_RUN}\b",
        "downloads a script and runs it",
    ),
    (rf"base64\s+(?:-d|-D|--decode)[^\n|]*\|\s*{_AS}{_RUN}", "runs an encoded text"),
    (r"\b(?:exec|eval)\s*\(\s*[^\n]{0,60}(?:b64decode|atob|fromhex|unhexlify|decompress)\s*\(", "runs an encoded text"),
)


@cache
def _compiled() -> list[tuple[Any, str]]:
    import re2  # 8.5 ms (measured), only if a text is reviewed

    return [(re2.compile(f"(?i){pattern}"), message) for pattern, message in _PATTERNS]


def find_downloads(text: str) -> list[tuple[int, str]]:
    """Return the lines (from 1) of recipes that run unread code, each once, with a description to follow "it"."""
    downloads: dict[int, str] = {}
    plain = searchable(text)
    for pattern, message in _compiled():
        for match in pattern.finditer(plain):
            as_root = " as root" if "sudo " in match.group() else ""
            downloads.setdefault(text.count("\n", 0, match.start()) + 1, message + as_root)
    return sorted(downloads.items())


# A link's text and its target, on one line; bounded, so that no text makes it slow.
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\(\s{0,3}<?([^\s<>()]{1,500})")
_URL = re.compile(r"https?://[^\s<>()\"'`]{1,500}", re.IGNORECASE)
# An image in the repository or the vault, which sends no request: `![[x.png]]`, `![x](a/x.png)`. A target with a colon,
# an ampersand (`&colon;`) or a backslash may be an address, and `![[x]](…)` has a target.
_LOCAL_IMAGE = re.compile(
    r"!\[\[[^\[\]\n]{1,300}\]\](?![(\[])|!\[[^\[\]\n]{0,300}\]\([ <]{0,2}/?[\w.#~-][^()<>:&\\\n]{0,500}>?\)"
)
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,8}[a-z]{2,18}")
# Endings that are top-level domains more often than file extensions: `[README.md]` and `[main.rs]` name files.
_ENDS = frozenset(
    ("ai", "app", "biz", "cloud", "co", "com", "de", "dev", "edu", "eu", "gov", "info", "io", "net", "org", "uk", "xyz")
)
# Sites whose pages are about an address, and are linked by it.
_ABOUT_OTHERS = frozenset(("pkg.go.dev", "web.archive.org"))


def find_misleading_links(text: str) -> list[tuple[int, str]]:
    """Return links whose text names another host than their target's, by line from 1, with a description.

    Source: CommonMark 0.31.2, sections 6.3 (links) and 6.5 (autolinks); RFC 3986, sections 3.2.1 and 7.6.
    """
    if "://" not in text:
        return []
    misleading_links = []
    for number, line in enumerate(text.split("\n"), 1):
        for match in _LINK.finditer(line):
            shown, real = _host_of(match[1].strip("`*_ <>")), _host_of(match[2], is_url=True)
            if shown and real and real not in _ABOUT_OTHERS and not _are_one(shown, real):
                misleading_links.append((number, f"a link that says {shown} leads to {real}"))
        for url in _URL.findall(line):
            user, at, _ = url.partition("://")[2].partition("/")[0].rpartition("@")
            if at and _HOST.fullmatch(user.lower().partition(":")[0]):
                misleading_links.append(
                    (number, f"a link that seems to lead to {user} leads to {_host_of(url, is_url=True)}")
                )
    return list(dict.fromkeys(misleading_links))


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


# How many such lines are reported of one text.
SPOKEN_AT_MOST = 5
# Parts of the names of tags that agents obey and that never occur in placeholders of prose.
_OBEYED = (
    "system",
    "assistant",
    "instruct",
    "antml",
    "invoke",
    "remind",
    "start_of",
    "end_of",
    "im_start",
    "im_end",
    "function_",
    "tool_result",
    "tool_output",
    "tool_response",
    "gitmem-",
    "untrusted",
)


def find_spoken(text: str) -> list[tuple[int, str]]:
    """Return text that agents may not treat as plain text: chat markers, tags that they obey, comments, images.

    Fewer things than ``inject`` neutralizes: people write ``git <command>``, which must not stop a change.

    Returns:
        The line, from 1, and a description for people; one per line, at most ``SPOKEN_AT_MOST``.
    """
    if not any(sign in text for sign in ("<", "![", "INST]", "[//]")):
        return []
    lines = enumerate(text.split("\n"), 1)
    return [(number, message) for number, line in lines if (message := _spoken_in(line))][:SPOKEN_AT_MOST]


def _spoken_in(line: str) -> str:
    if "<!--" in line or line.lstrip().startswith("[//]: #"):
        return f"{'an HTML' if '<!--' in line else 'a Markdown'} comment, which is invisible on a page"
    if re.search(r"<(?=[|\uff5c])|\[/?INST\]", line):
        return "a marker of a chat format"
    names = (match.group(1) for match in re.finditer(TAG, line))
    tag = next((name for name in names if any(part in name.lower() for part in _OBEYED)), "")
    if tag:
        return f"the tag <{tag}>"
    return "an image, which sends a request when it is displayed" if "![" in _LOCAL_IMAGE.sub("", line) else ""
