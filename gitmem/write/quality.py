"""The quality gate: texts without content are never stored."""

from __future__ import annotations

# Answers without content, in lower case.
_EMPTY = tuple(
    """
    ok okay k kk yes yeah yep yup y no nope nah n sure fine good great nice cool thanks thank you thx ty please done
    right correct agreed agree continue go ahead on proceed next perfect awesome lgtm hi hello hey bye got it will do
    sounds alright yea that works looks noted understood i see nothing none na nil null tbd todo wip fixup wow hm hmm ja
    nein danke si oui non merci da net to add report else more new all not any anything applicable for now learned
    learning learnings so far is was there here of note special
    """.split()
)
# The fewest letters of an informative text: "TTL=5" is one.
LETTERS = 3


def says_something(text: str) -> bool:
    """Return whether a text has any content besides stock answers."""
    words = "".join(char.lower() if char.isalnum() else " " for char in text).split()
    # A Chinese or Japanese character counts as a word.
    weight = sum(len(word) if word.isascii() else 2 * len(word) for word in words)
    return weight > LETTERS and any(word not in _EMPTY for word in words)
