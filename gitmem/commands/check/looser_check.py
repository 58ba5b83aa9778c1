"""Suggest a looser check if only the form of a text changed (spaces, quotes, `5.0`), or the file that has it."""

from __future__ import annotations

import json
import re
import shlex
from itertools import takewhile

from gitmem.document.builtin_checks import CHECKS, parse_arguments
from gitmem.document.check_values import OR_IN
from gitmem.model import BUILTIN, HOLDS, Check
from gitmem.text.globs import escape, is_plain, path_of
from gitmem.verify import builtin_answers
from gitmem.verify.overview.cause import IF_ELSEWHERE, OTHER_FORM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.commands.check.change import Trees
    from gitmem.commands.check.judge import AnswerPair

# The most facts of one change for which a looser check is tried: each reads its files once more.
FACTS_AT_MOST = 20
EVERYWHERE = "**"
# The shortest text: a shorter one is too vague when loosened.
LEAST, LONGEST = 5, 200
_TOKEN = re.compile(r"\d+(?:\.\d+)?(?!\w)|\w+|[^\w\s]")
_QUOTES = "\"'`"


def find_looser(pairs: Sequence[AnswerPair], trees: Trees) -> dict[str, str]:
    """Return for facts that became false a sentence with a command that sets a looser check that holds, by key."""
    return _find_elsewhere(pairs, trees) | _find_other_form(pairs, trees)


def _find_elsewhere(pairs: Sequence[AnswerPair], trees: Trees) -> dict[str, str]:
    """Return the sentences for names and texts that left their file, which may only pass them on from another one."""
    questions: dict[str, tuple[Check, str]] = {}
    for pair in pairs:
        row = pair.touched.fact.row
        words = tuple(json.loads(row.words)) if row.form == BUILTIN else ()
        if (
            len(words) == 3
            and OR_IN in CHECKS[words[0]].fields
            and is_plain(words[2])
            and len(questions) < FACTS_AT_MOST
        ):
            questions[row.key] = Check(BUILTIN, (*words[:2], EVERYWHERE, EVERYWHERE)), words[2]
    if not questions:
        return {}
    answers = builtin_answers.answer_all(trees.git, trees.head, [check for check, _ in questions.values()])
    places = {key: answers[check].where.rpartition(":")[0] for key, (check, _) in questions.items()}
    # What another file had before as well did not move there: an example's version, say, has nothing to do with it.
    before = {
        key: Check(BUILTIN, (*check.words[:2], escape(places[key])))
        for key, (check, _) in questions.items()
        if answers[check].outcome == HOLDS
    }
    had = builtin_answers.answer_all(trees.git, trees.base, before.values()) if before else {}
    hints = {}
    for key, (check, glob) in questions.items():
        answer, there = answers[check], places[key]
        if key in before and had[before[key]].outcome != HOLDS and there != path_of(glob):
            name, text = check.words[:2]
            command = shlex.join(
                ["gitmem", "edit", key, f"--{name}", text, "--in", glob, "--or-in", _scope(glob, there)]
            )
            hints[key] = f"{IF_ELSEWHERE}, {answer.because}: {command}"
    return hints


def _scope(glob: str, there: str) -> str:
    """Return the glob of the folder that contains both files."""
    folders = takewhile(lambda pair: pair[0] == pair[1], zip(glob.split("/")[:-1], there.split("/")[:-1], strict=False))
    return "/".join([*(escape(folder) for folder, _ in folders), EVERYWHERE])


def _find_other_form(pairs: Iterable[AnswerPair], trees: Trees) -> dict[str, str]:
    questions: dict[str, Check] = {}
    for pair in pairs:
        row = pair.touched.fact.row
        pattern = _loosen(tuple(json.loads(row.words))) if row.form == BUILTIN else ""
        if pattern and len(questions) < FACTS_AT_MOST:
            questions[row.key] = Check(BUILTIN, ("matches", pattern, parse_arguments(json.loads(row.words)).where))
    if not questions:
        return {}
    answers = builtin_answers.answer_all(trees.git, trees.head, questions.values())
    return {
        key: f"{OTHER_FORM}, and a looser check holds: "
        f"gitmem edit {key} --matches {shlex.quote(check.words[1])} --in {shlex.quote(check.words[2])}"
        for key, check in questions.items()
        if answers[check].outcome == HOLDS
    }


def _loosen(words: tuple[str, ...]) -> str:
    """Return the looser pattern for a check of a text in files; empty if there is none."""
    if words[0] == "contains":
        return looser_pattern(words[1])
    # A pattern that is a literal text except for word boundaries.
    text = words[1].replace(r"\b", "").replace(r"\.", ".") if words[0] == "matches" else ""
    return looser_pattern(text) if text and not re.search(r"[\\^$*+?(){}|\[\]]", text) else ""


def looser_pattern(text: str) -> str:
    r"""Return a pattern for a text in any form: ``name=x`` gives ``\bname\s*=\s*x\b``; or an empty string."""
    if not LEAST <= len(text) <= LONGEST or not text.isascii() or "\n" in text:
        return ""
    parts: list[str] = []
    was_word = False
    for match in _TOKEN.finditer(text):
        token, is_word = match[0], match[0][0].isalnum() or match[0][0] == "_"
        gap = text[match.start() - 1 : match.start()].isspace()
        parts.append("" if not parts else r"\s+" if was_word and is_word and gap else r"\s*")
        parts.append(_form(token))
        was_word = is_word
    if len(parts) < 4:  # a single word has no other form
        return ""
    begin, end = (r"\b" if char.isalnum() else "" for char in (text.strip()[:1], text.strip()[-1:]))
    # `5.5` is not another form of `5`; re2 has no look-ahead.
    return "".join((begin, *parts, r"(?:[^\w.]|$)" if text.strip()[-1:].isdecimal() else end))


def _form(token: str) -> str:
    if token in _QUOTES:
        return "[\"'`]"
    number = re.fullmatch(r"(\d+)(?:\.0+)?", token)
    return rf"{number[1]}(?:\.0+)?" if number else re.escape(token)
