"""Find the names of code that an edit adds, and whether a memory forbids one: "never `date.today()`". Pure."""

from __future__ import annotations

from gitmem.commands.context.near import NO_CODE, SYMBOLS_AT_MOST, is_distinctive_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.agents.event import Edit

# The most characters of one edit, the fewest of a name, and how many words may be between a name and what forbids it.
CHARS, NAME_CHARS, WORDS_BETWEEN = 64 * 1024, 4, 4
# Objects whose names differ from one place to the next.
_SELVES = frozenset(("self", "this", "cls", "super", "it"))
_FORBIDS = frozenset(("never", "not", "don't", "dont", "avoid", "instead", "rather", "no", "nobody"))
# Words between what forbids and the name that it forbids: "do not ever call `x`". Others are forbidden themselves:
# "never merge without `run_checks`", "do not rename `x`".
_LINKS = frozenset(
    "use uses using used call calls calling called write writing import importing add adding rely on ever again a an"
    " the of than to directly raw plain bare in into go through touch reach for any every over one should must"
    " may".split()
)
# Phrases that say that nothing can be avoided: "it is not possible to avoid `x`".
_UNAVOIDABLE = frozenset("cannot can't couldn't not isn't impossible unable hard no never don't doesn't".split())
# Verbs before "`a` over `b`", and before "`b` with `a`", which forbid `b`.
_PREFERS = frozenset("prefer favor favour choose pick use".split())
_REPLACES, _BY = ("replace", "swap"), ("with", "for", "by")
# The ends of a clause before a name that forbid it, besides links in between.
_AWAY = (
    *("away from", "steer clear of", "stay clear of", "keep clear of", "get rid of", "refrain from", "stop"),
    *("move off", "migrate off"),
)
# Phrases that forbid the name before them: "`x` blocks, so don't use it".
_IT = (
    *(f"{no} {verb} it" for no in ("don't", "do not", "never") for verb in ("use", "call", "import", "add")),
    *("avoid it", "stay away from it"),
)
# What "not" follows where it forbids, besides nothing: "the worker does not use `send_mail`" says what is so.
_ORDERS = frozenset("do must should shall may can ought or and but please".split())
# Words behind a name that forbid it.
_AFTER = frozenset(("banned", "forbidden", "deprecated", "prohibited", "discouraged", "obsolete", "off-limits"))
_NEGATED = (
    *(
        f"{verb} not be {done}"
        for verb in ("must", "may", "should")
        for done in ("used", "called", "imported", "added")
    ),
    "is not allowed",
    "are not allowed",
)
# After a name that "not" only distinguishes from another one: "`a`, not `b`, is slow".
_SUBJECT = tuple(f", {verb} " for verb in ("is", "are", "was", "were", "has", "does"))
_NO = frozenset("not never no isn't wasn't".split())
_NOT_NAMES = [char if char.isalnum() or char in "_.(" else " " for char in map(chr, range(128))]


def added_names(edits: Iterable[Edit]) -> list[str]:
    """Return the names that edits of code add, in order: dotted ones, those of several words, and what is called.

    Of a longer dotted name, its last two parts count as well: ``datetime.datetime.utcnow`` is a ``datetime.utcnow``.
    """
    names: dict[str, None] = {}
    for edit in edits:
        if edit.path.endswith(NO_CODE) or not edit.after:
            continue
        before = set(_names(edit.before[:CHARS]))
        names |= dict.fromkeys(name for name in _names(edit.after[:CHARS]) if name not in before)
    return list(names)[:SYMBOLS_AT_MOST]


def _names(text: str) -> list[str]:
    names: list[str] = []
    for word in text.translate(_NOT_NAMES).replace("(", "( ").split():
        parts = [part for part in word.rstrip("(").strip(".").split(".") if part]
        if not parts or not all(part.isidentifier() for part in parts):
            continue
        names += [part for part in parts if is_distinctive_name(part)]
        if len(parts) > 1 and parts[0] not in _SELVES:
            names += [".".join(parts), ".".join(parts[-2:])]
        elif word.endswith("(") and len(parts[-1]) >= NAME_CHARS:
            names.append(parts[-1])
    return names


def forbids(text: str, name: str) -> bool:
    """Return whether a memory forbids a name; one that may be a word of prose must be written as code in it."""
    is_plain = "." not in name and not is_distinctive_name(name)
    at = text.find(name)
    while at >= 0:
        before, rest = text[:at], text[at + len(name) :]
        is_whole = not (before[-1:].isalnum() or before[-1:] in ("_", ".")) and not (
            rest[:1].isalnum() or rest[:1] == "_"
        )
        is_whole = is_whole and not (rest[:1] == "." and rest[1:2].isalnum())
        is_code = before[-1:] == "`" or rest[:1] == "("
        if is_whole and (is_code or not is_plain) and _is_forbidden_at(before, rest):
            return True
        at = text.find(name, at + 1)
    return False


def _is_forbidden_at(before: str, rest: str) -> bool:
    clause = _clause(before[-120:][::-1])[::-1].lower().replace("\u2019", "'")
    plain = [word.strip("`'\"*_") for word in clause.split()]
    if plain[-1:] == [""]:
        del plain[-1]
    if rest.lstrip("`()").startswith(_SUBJECT) and plain[-1:] == ["not"]:
        return False
    return _forbidden_by(plain) or _is_replaced(plain, rest) or _is_forbidden(rest) or _is_forbidden_below(rest)


def _is_replaced(plain: list[str], rest: str) -> bool:
    """Return whether the words around a name ask for another one: "prefer `a` over `b`", "replace `b` with `a`"."""
    if plain[-1:] == ["over"]:
        return not _PREFERS.isdisjoint(plain)
    while plain and plain[-1] in _LINKS:
        if " ".join(plain[-3:]).endswith(_AWAY):
            return True
        plain = plain[:-1]
    if " ".join(plain[-3:]).endswith(_AWAY):
        return True
    below = rest.lstrip("`()").split(maxsplit=1)
    return len(plain) < 3 and plain[-1:] != [] and plain[-1] in _REPLACES and below[:1] != [] and below[0] in _BY


def _is_forbidden_below(rest: str) -> bool:
    """Return whether the rest of a sentence forbids its only name as "it"."""
    sentence = rest[:160].lstrip("`()").split("\n")[0].lower().replace("\u2019", "'")
    ends = [at for sign in _IT if (at := sentence.find(sign)) >= 0]
    between = sentence[: min(ends)] if ends else ""
    return bool(ends) and not any(sign in between for sign in ("`", "_", "()", ". "))


def _forbidden_by(words: list[str]) -> bool:
    """Return whether the words before a name, in its clause, forbid it."""
    plain = words[-WORDS_BETWEEN - 2 :]
    while len(plain) > 1 and plain[-1] in ("or", "and", "nor"):  # "never `print` or `input`"
        plain = plain[:-2]
    for at in range(len(plain) - 1, max(len(plain) - WORDS_BETWEEN - 2, -1), -1):
        if plain[at] == "avoid" and not _UNAVOIDABLE.isdisjoint(words[: words.index("avoid")]):
            return False
        if plain[at] in _FORBIDS:
            previous = plain[at - 1] if at else ""
            return plain[at] != "not" or not previous.isalpha() or previous in _ORDERS
        if plain[at] not in _LINKS and plain[at]:
            return False
    return False


def _is_forbidden(rest: str) -> bool:
    """Return whether the words behind a name, in its clause, forbid it."""
    words = _clause(rest[:120]).lower().replace("`", " ").replace("()", " ").split()[:WORDS_BETWEEN]
    sentence = " ".join(word.rstrip(".!") for word in words)
    return sentence.startswith(_NEGATED) or (not _AFTER.isdisjoint(sentence.split()) and _NO.isdisjoint(words))


def _clause(text: str) -> str:
    """Return a text up to the sign that ends its clause, read forwards or backwards."""
    for at, char in enumerate(text):
        beside = text[at + 1 : at + 2], text[at - 1 : at] if at else " "
        if char in ";\n" or (char in ".:!?," and any(one.isspace() for one in beside if one)):
            return text[:at]
    return text
