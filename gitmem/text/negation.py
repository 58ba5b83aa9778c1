"""The words that negate, and what they negate. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Every negation in a text in lower case, to count them: also what implies one ("unless", "lacks").
NEGATION = (
    r"\b(?:not|no|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|avoid(?:s|ed|ing)?|unless|except"
    r"|lack(?:s|ed|ing)?|nicht|kein\w*|nie|niemals|ohne|ne|pas|jamais|sans|sin|nunca|instead|rather"
    r"|(?:an)?statt)\b|n['’]t\b|不|没有|无法|勿|禁止|代替|ない|ません|なく"
)
# The words that deny those that follow.
_DENYING = frozenset(
    """
    not no never without cannot instead avoid nor don doesn isn aren won nicht kein keine keinen nie niemals ohne statt
    anstatt pas jamais sans sin nunca 不 别 ❌ ✗ ✘ ✖ 🚫 ⛔ 👎
    """.split()
)
# The tokens that end a part of a sentence, and a clause.
COMMA, STOP = ",", ";"
# The most words that a negation is taken to apply to.
DENIED_AT_MOST = 4


def denied_words(tokens: Sequence[str]) -> set[str]:
    """Return the words that a negation before them denies: those up to the end of its clause."""
    denied: set[str] = set()
    for at, word in enumerate(tokens):
        if word not in _DENYING:
            continue
        for following in tokens[at + 1 : at + 1 + DENIED_AT_MOST]:
            if following in (COMMA, STOP) or following in _DENYING:
                break
            denied.add(following)
    return denied
