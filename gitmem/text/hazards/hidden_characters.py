"""Find hidden characters, and text that is not in Unicode normalization form C, before a text is written.

``gitmem.text`` says which characters are hidden, and shows them.
"""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.text import completes, hidden_characters


@frozen
class Flaw:
    """A reason why a text is refused when it is written.

    Attributes:
        line: Line, from 1.
        column: Character in the line, from 1.
        codepoint: The character as ``U+202E``.
        name: Its name for people: ``RIGHT-TO-LEFT OVERRIDE``, ``control character``.
    """

    line: int
    column: int
    codepoint: str
    name: str


def find_hidden(text: str) -> list[Flaw]:
    """Return the reasons not to write a text: hidden characters, and the first place that is not NFC.

    Line feeds and tabs are allowed; carriage returns (normalise line ends first) and byte order marks are not. Three
    joiners are allowed, each only where it is the normal spelling, and one at a time:

    * VARIATION SELECTOR-16 directly after a symbol that has an emoji form, or inside a keycap;
    * ZERO WIDTH JOINER between two such symbols;
    * ZERO WIDTH JOINER and NON-JOINER between two letters or marks of a script that needs them.

    Returns:
        The flaws by line and column; empty for clean text.
    """
    from unicodedata import is_normalized  # an extension module: 0.2 ms

    hidden = hidden_characters(text, lines=True)
    is_nfc = is_normalized("NFC", text)
    if not hidden and is_nfc:
        return []
    flaws = []
    for number, line in enumerate(text.split("\n"), 1):
        for at, char in enumerate(line) if not hidden.isdisjoint(line) else ():
            if char in hidden and not completes(line, at):
                flaws.append(Flaw(number, at + 1, _codepoint(char), _name(char)))
        if not is_nfc and not is_normalized("NFC", line):
            at = _first_not_nfc(line)
            flaws.append(
                Flaw(number, at + 1, _codepoint(line[at]), "text that is not in Unicode normalization form C (NFC)")
            )
            is_nfc = True
    return sorted(flaws, key=lambda flaw: (flaw.line, flaw.column))


def _codepoint(char: str) -> str:
    return f"U+{ord(char):04X}"


def _name(char: str) -> str:
    from unicodedata import category, name

    nameless = {"Cc": "control character", "Cs": "lone surrogate", "Co": "private use character"}
    return name(char, "") or nameless.get(category(char), "unassigned code point")


def _first_not_nfc(line: str) -> int:
    """Return where the shortest prefix that is not NFC ends, by bisection: every part of NFC text is NFC (UAX #15).

    Comparison with the normalised text would take quadratic time on long runs of marks (measured: 0.5 s for 64 KiB).
    """
    from unicodedata import is_normalized

    low, high = 0, len(line) - 1
    while low < high:
        middle = (low + high) // 2
        if is_normalized("NFC", line[: middle + 1]):
            low = middle + 1
        else:
            high = middle
    return low
