"""The quality gate (C15): what says nothing is never kept."""

from __future__ import annotations

# What people answer without saying anything, in lower case.
_EMPTY = (
    *("ok", "okay", "k", "kk", "yes", "yeah", "yep", "yup", "y", "no", "nope", "nah", "n", "sure", "fine"),
    *("good", "great", "nice", "cool", "thanks", "thank", "you", "thx", "ty", "please", "done", "right"),
    *("correct", "agreed", "agree", "continue", "go", "ahead", "on", "proceed", "next", "perfect", "awesome"),
    *("lgtm", "hi", "hello", "hey", "bye", "got", "it", "will", "do", "sounds", "alright", "yea", "that"),
    *("works", "looks", "noted", "understood", "i", "see", "nothing", "none", "na", "nil", "null", "tbd"),
    *("todo", "wip", "fixup", "wow", "hm", "hmm", "ja", "nein", "danke", "si", "oui", "non", "merci", "da"),
    *("net"),
)
# Letters that a text has at least which says something: "TTL=5" does.
LETTERS = 3


def says_something(text: str) -> bool:
    """Return whether a text has anything in it besides the words people answer with."""
    words = "".join(char.lower() if char.isalnum() else " " for char in text).split()
    # A letter of Chinese or Japanese is a word's worth.
    weight = sum(len(word) if word.isascii() else 2 * len(word) for word in words)
    return weight > LETTERS and any(word not in _EMPTY for word in words)
