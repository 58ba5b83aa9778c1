"""Correct lines of documents: replace a stated value, command or path by another. Pure."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Separators of words in a line of code: blanks, quotes, and signs between a name and its value.
_PARTS = re.compile(r"[^\s\"'`,;=:<>()\[\]{}]+")
_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)(.+?)(?<!`)\1(?!`)")
_TARGET = r"(?P<before>\[(?P<text>[^\]]*)\]\(\s*<?){target}(?P<after>[#)>\s])"
_NAMES = ("true", "false", "on", "off", "yes", "no")
_NUMBER = re.compile(r"-?\d[\d_,]*(\.\d+)*")


def as_exact(stated: str, actual: str) -> str:
    """Return a version with as many parts as the stated one has: 1.25 for 1.25.12 if 1.24 is stated."""
    return ".".join(actual.split(".")[: stated.count(".") + 1])


def like_case(stated: str, actual: str) -> str:
    """Return a Boolean capitalized like the stated one; any other value as it is."""
    if stated.lower() not in _NAMES or actual.lower() not in _NAMES:
        return actual
    return actual.lower() if stated.islower() else actual.upper() if stated.isupper() else actual.capitalize()


def is_same_type(stated: str, actual: str) -> bool:
    """Return whether one value may replace another: a number a number, a Boolean a Boolean."""
    return bool(actual) and _type_of(stated) == _type_of(actual)


def _type_of(value: str) -> str:
    return "number" if _NUMBER.fullmatch(value) else "boolean" if value.lower() in _NAMES else "text"


def word_places(line: str, word: str) -> list[tuple[int, int]]:
    """Return where a line has a whole word: no part of a longer name, number or path."""
    pattern = rf"(?<![\w/:@.-]){re.escape(word)}(?![\w/:@-]|\.\w)"
    return [match.span() for match in re.finditer(pattern, line)] if word else []


def code_spans(line: str) -> list[tuple[int, int]]:
    """Return where a line has code between backticks."""
    return [match.span(2) for match in _CODE.finditer(line)]


def replace_word(line: str, places: Iterable[tuple[int, int]], new: str, *, is_aligned: bool = False) -> str:
    """Replace the text at some places; if *is_aligned*, what stands behind wide space stays in its column."""
    for start, end in sorted(places, reverse=True):
        rest = line[end:]
        line = line[:start] + new + (_shifted(rest, len(new) - (end - start)) if is_aligned else rest)
    return line


def _shifted(rest: str, growth: int) -> str:
    """Return the rest of a line with its first wide space narrower, or wider, by the growth of the text before it."""
    wide = re.search(r" {2,}(?=\S)", rest)
    if wide is None:
        return rest
    width = max(1, wide.end() - wide.start() - growth)
    return rest[: wide.start()] + " " * width + rest[wide.end() :]


def replace_path(line: str, old: str, new: str, *, is_aligned: bool = False) -> str:
    """Replace each mention of a whole path outside the targets of links, with or without a slash at its end.

    A single word is a path only with its slash or as code: `fetching/` is a folder, fetching is not.
    """
    was, now = old.removesuffix("/"), new.rstrip("/")
    start = "" if was.startswith("./") else r"(?:\./)?"
    pattern = rf"(?<![\w/.-]){start}(?P<path>{re.escape(was)})(?P<end>/(?![\w@\[.-])|(?![\w/-]|\.\w))"
    links = [match.span("target") for match in re.finditer(_TARGET.format(target=r"(?P<target>[^)\s>#]+)"), line)]
    codes = [match.span() for match in _CODE.finditer(line)]
    is_word = re.fullmatch(r"\w[\w-]*", was) is not None
    places = []
    for match in re.finditer(pattern, line):
        at = match.start("path")
        is_code = any(first < at < last for first, last in codes)
        if not _is_within(at, links) and (match["end"] or not is_word or is_code):
            places.append(match.span("path"))
    return replace_word(line, places, now, is_aligned=is_aligned)


def _is_within(at: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(first <= at < last for first, last in spans)


def replace_target(line: str, old: str, new: str) -> str:
    """Replace the target of a link up to its anchor, and its text if that is the name of the old file."""
    was, now = (text.rpartition("/")[2] for text in (old, new))

    def corrected(match: re.Match[str]) -> str:
        before, text = match["before"], match["text"]
        if was and text.strip("`") == was:
            before = f"[{text.replace(was, now)}{before[1 + len(text) :]}"
        return f"{before}{new}{match['after']}"

    return re.sub(_TARGET.format(target=re.escape(old)), corrected, line)


def only_difference(before: str, after: str) -> tuple[str, str]:
    """Return the single word in which two lines of code differ, in both versions; empty unless it is one word."""
    was, now = _PARTS.findall(before), _PARTS.findall(after)
    pairs = [(old, new) for old, new in zip(was, now, strict=False) if old != new]
    return pairs[0] if len(was) == len(now) and len(pairs) == 1 else ("", "")
