"""Format untrusted text as Markdown that has no effect: no link, mention, reference, image, HTML or formula.

Characters that have a meaning in Markdown become character references. Patterns that forges detect in rendered text
(mentions, addresses, ``#1``, ``GH-1``; ``!1`` and ``%1`` on GitLab) are split by a zero-width space. Text that could be
a commit name becomes code, where forges detect nothing.

Source: GitHub Flavored Markdown 0.29, 6.3 (code spans) and 6.9 (autolinks); GitHub Docs, "Autolinked references and
URLs" and "Mentioning people and teams". The tests run cmark-gfm, which is GitHub's renderer.
"""

from __future__ import annotations

import re

from gitmem.text import display
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

# A zero-width space, as a character reference, so that the source has no hidden character.
ZERO_WIDTH_SPACE = "&#8203;"
# Where text is split: after an at sign, and inside patterns that a renderer takes for an address or a reference.
_LIVE = re.compile(r"@|#(?=\d)|[!%](?=\w)|:(?=//)|www(?=\.)|gh(?=-\d)", re.IGNORECASE)
_COMMIT = re.compile(r"(?<![0-9a-z])[0-9a-f]{7,64}(?![0-9a-z])", re.IGNORECASE)
SPELT = frozenset("&<>[]\\`$*_~|#")


def inert(text: str, cap: int) -> str:
    """Format untrusted text as one line without markup, cut to *cap* characters before escaping."""
    shown = " ".join(
        redact(display(text.replace("\r\n", "\n").replace(ZERO_WIDTH_SPACE, ""), lines=True, sequences=True)).split()
    )
    return spelt(shown if len(shown) <= cap else shown[: cap - 1] + "…")


def code_block(text: str, language: str = "") -> str:
    """Format untrusted text as a code block that it cannot close; hidden characters are made visible."""
    shown = display(text, lines=True)
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    return f"{fence}{language}\n{shown}\n{fence}"


def spelt(text: str, markup: Collection[int] = ()) -> str:
    """Escape plain text so that Markdown shows it literally, except for characters at the positions *markup*."""
    apart = {match.end() for match in _LIVE.finditer(text)}
    commits = [match.span() for match in _COMMIT.finditer(text)]
    begins, ends = {begin for begin, _ in commits}, {end for _, end in commits}
    out: list[str] = []
    for at, char in enumerate(text):
        out += ["</code>"] * (at in ends) + [ZERO_WIDTH_SPACE] * (at in apart) + ["<code>"] * (at in begins)
        out.append(f"&#{ord(char)};" if char in SPELT and at not in markup else char)
    end = len(text)
    return "".join(out) + "</code>" * (end in ends) + ZERO_WIDTH_SPACE * (end in apart)
