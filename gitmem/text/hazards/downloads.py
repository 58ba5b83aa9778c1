"""Find recipes that run unread code: a script directly from the network, or an encoded text."""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
    (rf"base64\s+(?:-d|-D|--decode)[^\n|]*\|\s*{_AS}{_RUN}", "runs an encoded text"),
    (r"\b(?:exec|eval)\s*\(\s*[^\n]{0,60}(?:b64decode|atob|fromhex|unhexlify|decompress)\s*\(", "runs an encoded text"),
)


@cache
def _compiled() -> list[tuple[Any, str]]:
    import re2  # 8.5 ms (measured), only if a text is reviewed

    return [(re2.compile(f"(?i){pattern}"), message) for pattern, message in _PATTERNS]


def find_downloads(text: str) -> list[tuple[int, str]]:
    """Return the lines (from 1) of recipes that run unread code, each once, with a description to follow "it"."""
    found: dict[int, str] = {}
    for pattern, message in _compiled():
        for match in pattern.finditer(text):
            as_root = " as root" if "sudo " in match.group() else ""
            found.setdefault(text.count("\n", 0, match.start()) + 1, message + as_root)
    return sorted(found.items())
