"""Texts within a token budget: estimate the tokens of a language model, and cut at the end of a sentence. Pure."""

from __future__ import annotations

from gitmem.text import run_end


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text for a language model; 0 for an empty one.

    The larger of 4/3 per word and 1/4 per ASCII character, the rule of thumb for English BPE vocabularies, plus one
    token for every other character. Good for English prose; too high for accented Latin and Cyrillic, too low for dense
    code, long hex strings and emoji.

    Source: help.openai.com, "What are tokens and how to count them?" (1 token ~ 4 characters ~ 3/4 of a word).
    """
    plain = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    by_words = -(-4 * len(text.split()) // 3)
    return max(by_words, -(-plain // 4) + len(text) - plain)


# Characters allowed between a full stop and the following space.
_CLOSING = frozenset(")\"'`*_")


def _ends(text: str) -> list[int]:
    """Return where a text may end without a cut: after a sentence or a line."""
    ends = []
    for at, char in enumerate(text, 1):
        if char in "\n。！？":
            ends.append(at)
        elif char in ".!?":
            end = run_end(text, at, _CLOSING.__contains__)
            if end == len(text) or text[end].isspace():
                ends.append(end)
    return ends


def first_sentence(text: str) -> str:
    """Return the first sentence or line of a text; the whole text if it has no end."""
    return text[: next(iter(_ends(text)), len(text))].rstrip()


def opening_of(text: str, *, limit_tokens: int) -> str:
    """Return the beginning of a text within a token budget, ending with a sentence or line; may be empty."""
    text = text.strip()
    if count_tokens(text) <= limit_tokens:
        return text
    # On average, tokens are not longer than eight characters, not even in code.
    ends = _ends(text[: 8 * limit_tokens])
    while ends and count_tokens(text[: ends[-1]]) > limit_tokens:
        ends.pop()
    return text[: ends[-1]].rstrip() if ends else ""
