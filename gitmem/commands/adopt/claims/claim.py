"""A statement's claim about the code, as data. Pure."""

from __future__ import annotations

import re

from gitmem.frozen import frozen

PATH, COMMAND, SYMBOL, VERSION, VALUE, DEPENDENCY = "path", "command", "symbol", "version", "value", "dependency"
SUBCOMMAND = "subcommand"


@frozen
class Claim:
    """One thing that a document says about the code.

    Attributes:
        kind: The name of its row in the table of kinds, such as ``path``.
        line: Its line, from 1.
        token: Its text, as written.
        name: Its subject: a path, a target, a symbol, the name of a value.
        stated: The stated version or value.
        relation: The meaning of a version: ``is``, ``at-least``, ``below``; ``installed`` for a package that a command
            installs.
        is_certain: Whether it is clearly a claim, as opposed to text that only counts if it turns out to be true.
        places: The paths that it may mean, most likely first.
        tool: The program of a command, such as ``make``; for a path, ``link`` or ``tree`` if it is written as one.
    """

    kind: str
    line: int
    token: str
    name: str
    stated: str = ""
    relation: str = "is"
    is_certain: bool = True
    places: tuple[str, ...] = ()
    tool: str = ""


# Words that say something does not exist: it was removed, is forbidden, or will be made. DELETE is a method of HTTP.
_DENIAL = re.compile(
    r"\b(removed?|(?-i:(?!DELETE))deleted?|deprecated|obsolete|legacy|formerly|renamed|replaced|replaces|superseded|"
    r"no longer|used to be|"
    r"previously|was in|were in|moved (?:from|to|out)|migrated|does(?:n't| not) exist|do(?:n't| not) exist|not exist|"
    r"(?:there|this) is no|never an?|has no|have no|without an?|gone|instead of|rather than|old)\b"
    r"|\bno `(?= `)|取代|删除|移除|已删|原 |旧|改为|改名|替代|不再|废弃",
    re.I,
)
# Words of a remark that the lines below it are wrong: commands not to run, or that no longer exist.
_REFUSAL = re.compile(
    r"^(?:#+|//+|--)\s*(?:wrong|incorrect|bad|avoid|never|don'?t|do not)\b|[❌🚫]|"
    r"\b(?:no longer|deprecated|(?:was|were|been|files?|is|are) (?:deleted|removed))\b",
    re.I,
)
_EXAMPLE = re.compile(
    r"\be\.g\.|\bexamples?:|\bcreate `|\b(for example|for instance|such as|like this|create an?|creates|created|"
    r"generate[sd]?|generates|"
    r"will be (?:created|written|generated)|add an? new|new file|write to|writes|written|output|outputs|gitignored|"
    r"git-ignored|ignored|placeholder|hypothetical|optional|optionally|if (?:it )?exists|"
    r"if present|named|template)\b|例如|比如|生成|新增|可拆",
    re.I,
)
_LOG_SECTION = re.compile(
    r"change ?log|history|release notes|what's new|recent changes|变更|更新记录|历史|migration", re.I
)


# Words that forbid a new file: "Do not add a `config.js` that nothing loads".
_FORBIDDEN = re.compile(
    r"\b(?:do not|don'?t|never|must not|should not|avoid|no need to) (?:re-?)?"
    r"(?:add(?:ing)?|creat(?:e|ing)|commit(?:ting)?|introduc(?:e|ing)|check(?:ing)? in|bring(?:ing)? back)\b"
    r"(?:(?!\b(?:to|in|into|under|from|until|before|after|without|unless|directly)\b)(?:[^.;:]|\.(?=\w))){0,60}$",
    re.I,
)


# What comes before and after the name of something that must not be used at all.
_UNUSED = re.compile(
    r"(?:\b(?:never|do not|don['’]?t|must not|should not|shall not)(?: \w+ly)? (?:use|call|import|(?:depend|rely) on)|"
    r"\b(?:avoid|instead of|rather than))\b(?:(?!\b(?:but|use)\b)[^.;:]){0,40}$",
    re.I,
)
_NO_MORE = re.compile(r"(?:\(\))?[`*]{0,3}(?:$|[.,;:!)—–/]|\s+(?:[—–(-]|or\b|and\b))")


def is_unwanted(text: str, token: str) -> bool:
    """Return whether a text says, without a condition, not to use something: that it exists does not prove this."""
    at = text.find(token)
    before = text[max(0, at - 80) : at] if at >= 0 else ""
    return _UNUSED.search(before) is not None and _NO_MORE.match(text, at + len(token)) is not None


def is_denied(text: str, token: str = "") -> bool:
    """Return whether a text says that something does not, or no longer, exist; if a token is given, near that token."""
    at = text.find(token) if token else -1
    # Such words in the name itself (`legacy/`, `gone.py`) do not count.
    around = text if at < 0 else f"{text[max(0, at - 90) : at]} {text[at + len(token) : at + len(token) + 50]}"
    is_forbidden = at >= 0 and _FORBIDDEN.search(text[max(0, at - 90) : at]) is not None
    return is_forbidden or _DENIAL.search(around) is not None


def is_refused(remark: str) -> bool:
    """Return whether a remark says that what is below it is wrong or gone."""
    return _REFUSAL.search(remark) is not None


def is_example(text: str) -> bool:
    """Return whether a text is about something to be created, or an example."""
    return _EXAMPLE.search(text) is not None


def is_log(section: str, text: str) -> bool:
    """Return whether a statement is an entry of a log or a ticked box, which was true on its day."""
    return (
        _LOG_SECTION.search(section) is not None
        or re.match(r"\s*(?:[-*+]|\d+[.)])\s+\[[xX]\]\s", text) is not None
        or re.match(r"\W*(20\d\d-\d\d(-\d\d)?|v?\d+\.\d+\.\d+ )", text) is not None
    )
