"""Find credentials in text, without ever repeating them.

Memories are pushed and check output is stored, so a credential in them is a leak. Its forms are in the table
``gitmem.text.secret_rules``.
"""

from __future__ import annotations

from itertools import count

from gitmem.frozen import frozen
from gitmem.text import display
from gitmem.text.secret_disguises import disguised_spans, may_be_disguised
from gitmem.text.secret_rules import LONG, RULES, Rule
from gitmem.text.secret_values import is_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence
    from typing import Any, TypeVar

    Value = TypeVar("Value")

# Complete control strings, as terminals read them (ECMA-48, 5.4 and 5.6; xterm also ends OSC by BEL): OSC, then DCS,
# SOS, PM and APC, then CSI, then the short ones. None matches across the next introducer, so it is linear.
_ESCAPES = (
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x90\x98\x9b-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x90\x98\x9b-\x9f]*(?:\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]+[0-~]|\x1b[0-OQ-WYZ\\`-~]"
)

# What each of them begins with.
_INTRODUCERS = "\x1b\x90\x98\x9b\x9d\x9e\x9f"

# The number of texts after which a process loads the quick filter: with that many, more are likely to come.
MANY = 400
_scanned = count()
_SIGNS = {sign for rule in RULES for sign in rule.signs}
# What ``_needles`` has returned, by whether the text has a long word.
_known: dict[bool, Sequence[tuple[Rule, list[str], bool, bool]]] = {}


@frozen
class Secret:
    """The place of a credential, never its value.

    Attributes:
        rule: The rule that found it, such as ``github-token``.
        line: Line, from 1.
        column: Character in the line, from 1.
    """

    rule: str
    line: int
    column: int


def find_secrets(text: str) -> list[Secret]:
    """Return the credentials in the text by position; empty if there are none.

    Takes time in proportion to the text (measured: 0.6 ms for 10 KB of prose).
    """
    return [
        Secret(rule, text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))
        for start, _, rule in _spans(text)
    ]


def redact(text: str) -> str:
    """Return the text with every credential replaced by ``[secret: RULE]``."""
    pieces, at = [], 0
    for start, end, rule in _spans(text):
        pieces += [text[at:start], f"[secret: {rule}]"]
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text


def redact_all(value: Value) -> Value:
    """Return a JSON value with every text in it redacted, except for the names in mappings."""
    if next(_scanned) >= MANY and not isinstance(value, str):
        from gitmem.text.secret_prefilter import may_have_disguise, may_hold_secret

        # One search in all texts takes a quarter of the time of one in each (measured).
        joined = "\n".join(texts_in(value))
        if not may_hold_secret(joined) and not may_have_disguise(joined):
            return value
    return _redacted(value)


def _redacted(value: Value) -> Value:
    redacted: Any = value
    if isinstance(redacted, str):
        redacted = redact(redacted)
    elif isinstance(redacted, list):
        redacted = [_redacted(entry) for entry in redacted]
    elif isinstance(redacted, dict):
        redacted = {name: _redacted(entry) for name, entry in redacted.items()}
    return redacted  # type: ignore[no-any-return]


def texts_in(value: Any) -> Iterator[str]:
    """Yield the texts in a JSON value, without the names in mappings."""
    if isinstance(value, str):
        yield value
    for entry in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_in(entry)


def safe_output(raw: bytes | str, cap: int) -> str:
    """Return the end of a program's output, safe to store and show.

    Complete escape sequences are removed (colours, titles, OSC 52, which writes to the clipboard), incomplete ones are
    spelled out, and secrets are replaced before the cut. A secret whose beginning is missing in *raw* is not found.

    Args:
        raw: The output; bytes that are not UTF-8 become U+FFFD.
        cap: The most characters to keep, >= 0.
    """
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    if any(sign in text for sign in _INTRODUCERS):
        import re  # 3 ms (measured), and most output has no escape sequence

        text = re.sub(_ESCAPES, "", text)
    shown = redact(display(text.replace("\r\n", "\n"), lines=True))
    return shown[max(0, len(shown) - cap) :]


def _spans(text: str) -> list[tuple[int, int, str]]:
    """Return the positions of the credentials, with their rules; overlapping spans become one, named by the first."""
    if next(_scanned) >= MANY:
        from gitmem.text.secret_prefilter import may_have_disguise, may_hold_secret  # 20 ms with re2 (measured)

        spans = _all_spans(text) if may_hold_secret(text) else []
        if not may_have_disguise(text):
            return spans
    else:
        spans = _all_spans(text)
    return _united([*spans, *disguised_spans(text, _all_spans)]) if may_be_disguised(text) else spans


def _all_spans(text: str) -> list[tuple[int, int, str]]:
    """Return the same, using all rules in turn."""
    lowered = text.lower()
    if len(lowered) != len(text):  # U+0130 becomes two characters, and positions would no longer match
        lowered = text.replace("\u0130", "i").lower()
    # A long number is not a token.
    long_words = [word for word in text.split() if len(word) >= LONG and word.upper() != word.lower()]
    longest, in_words = max(map(len, long_words), default=0), "\n".join(long_words)
    signs = {sign for sign in _SIGNS if sign in text}
    spans: list[tuple[int, int, str]] = []
    for rule, needles, ignores_case, is_word in _needles(is_long=longest > 0):
        if rule.longest_word > longest or (rule.signs and signs.isdisjoint(rule.signs)):
            continue
        if rule.is_code and not any(map(_is_code, long_words)):
            continue
        where = in_words if is_word else lowered if ignores_case else text
        if rule.longest_word:
            words = [word for word in long_words if len(word) >= rule.longest_word]
            where = "\n".join([word for word in words if _is_mixed(word)] if rule.is_mixed else words)
        for needle in needles:  # a loop: `any` would create a generator for each rule
            if needle in where:
                spans += _matches(rule, text, lowered)
                break
    return _united(spans)


def _is_code(word: str) -> bool:
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _is_mixed(word: str) -> bool:
    return word != word.lower() and word != word.upper() and any(char.isdigit() for char in word)


def _united(found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return spans by position; overlapping ones become one."""
    spans: list[tuple[int, int, str]] = []
    # sorted is stable: of two that begin together, the earlier, more specific rule gives the name.
    for start, end, name in sorted(found, key=lambda span: span[0]):
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]), spans[-1][2])
        else:
            spans.append((start, end, name))
    return spans


def _needles(*, is_long: bool) -> Sequence[tuple[Rule, list[str], bool, bool]]:
    """Return the rules for a text with or without a long word, their needles, and where these are searched.

    Either case is searched if the pattern ignores case, and only the long words if a whole match is in one of them.

    Splitting the needles again for every text takes half of the time of a scan (measured).
    """
    if is_long not in _known:  # not by ``functools``: 3 ms, and most hooks need it for nothing else
        rules = [rule for rule in RULES if is_long or rule.is_short]
        _known[is_long] = [
            (rule, rule.needles.split(), (any_case := rule.pattern.startswith("(?i)")), not (any_case or rule.accept))
            for rule in rules
        ]
    return _known[is_long]


def _matches(rule: Rule, text: str, lowered: str) -> Iterator[tuple[int, int, str]]:
    accept = rule.accept or is_token
    for match in _candidates(rule, text, lowered):
        start, end = match.span(match.lastindex or 0)
        if (match.lastindex or _begins_word(text, start)) and accept(match):
            yield start, end, rule.name


def _candidates(rule: Rule, text: str, lowered: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a rule's pattern in a text that contains one of its needles.

    A pattern that ignores case is tried only where a needle begins: ``re`` cannot search for it by its first
    letters (measured: 20 times slower on prose).
    """
    is_anywhere = not rule.pattern.startswith("(?i)")
    places = [] if is_anywhere else [at for needle in rule.needles.split() for at in _places(rule, needle, lowered)]
    if not is_anywhere and not places:
        return
    import re  # 5 ms (measured), and most texts have no needle

    if is_anywhere:
        yield from re.finditer(rule.pattern, text)
    pattern = re.compile(rule.pattern)
    for at in places:
        if match := pattern.match(text, at):
            yield match


def _places(rule: Rule, needle: str, lowered: str) -> Iterator[int]:
    """Yield where a needle begins, if one of the rule's signs is as near as in a match."""
    at = lowered.find(needle)
    while at >= 0:
        near = lowered[at : at + rule.signs_within]
        if not near or any(sign in near for sign in rule.signs):
            yield at
        at = lowered.find(needle, at + 1)


def _begins_word(text: str, start: int) -> bool:
    r"""Return whether no letter or digit precedes *start*; the ``n`` of a ``\n`` in JSON text does not count."""
    before = text[max(0, start - 2) : start]
    return not before[-1:].isalnum() or before in ("\\n", "\\r", "\\t")
