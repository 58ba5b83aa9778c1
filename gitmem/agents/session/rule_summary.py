"""Summarize a session by rules: decisions, changes, fixes and open items, and on request the person's prompts. Pure.

The rules prefer missing a decision to inventing one, since the next session believes what it reads. Source of the
parts: agent-swarm's session summaries and the AI Memory Module's.
"""

from __future__ import annotations

import os
import re

from gitmem.agents.session.outcomes import follow
from gitmem.agents.transcripts.turns import EDIT, PROMPT, SAID, TODOS
from gitmem.frozen import fields_of, frozen, replace
from gitmem.text.budget import count_tokens
from gitmem.text.secrets import safe_output
from gitmem.write.quality import says_something

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.agents.session.outcomes import CommandResult
    from gitmem.agents.transcripts.turns import Turn

# The share of a session's context for one memory (`settings.ContextSettings.max_memory_tokens`).
TOKENS = 500
# Characters of a sentence or line and of a command, and the most of each: about 400 tokens in all.
LINE = 240
COMMAND = 120
TITLE, TITLE_FILES = 90, 3
ASKED, DECISIONS, FILES, FIXED, TESTS, OPEN = 3, 6, 12, 4, 3, 5
# Of more, the state stored between a compaction and the end has the newest.
KEPT_AT_MOST = 50

_FENCED = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)", re.DOTALL | re.MULTILINE)
_DECISION = re.compile(
    r"^[ \t>*+•-]{0,6}(?:\*\*|__)?(?:DECISION|Decision|DECIDED)(?:\*\*|__)?[ \t]*:(.{3,})$", re.MULTILINE
)
# A whole sentence that states a decision; a full stop inside a word (`v1.2`) does not end it.
_REST = r"(?:[^.!?\n]|[.!?](?=\S)){4,300}(?:[.!](?=\s|\Z)|(?=\n|\Z))"
_DECIDED = re.compile(
    r"(?:\A|(?<=[.!?\n] )|(?<=\n))[ \t*+•-]{0,4}"
    rf"((?:We|I)(?:'ve| have)? (?:decided|agreed|settled on|chose)\b(?!n't){_REST}"
    rf"|(?:Decided|Agreed) (?:to|on|that|against)\b{_REST})"
)
# A quick test: most texts have no such word.
_HINTS = re.compile(r"DECI|Decision|ecided|greed|settled on|chose\b")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=[\"'(\[A-Z0-9`*])")


@frozen
class Summary:
    """A summary of a session.

    Attributes:
        goal: The first request; empty unless requests are included.
        asked: Later requests, latest last; empty unless requests are included.
        is_asked: Whether there was any request.
        decisions: Decisions, one sentence each.
        files: The changed files in the work tree, latest last.
        elsewhere: The number of changed files outside the work tree.
        fixed: Commands that failed and then passed, each with the line shown for it.
        tests: Test commands, each with its last result.
        open: Open work.
        failing: Commands whose last run failed, each with the line shown for it.
        question: The last question, if it was not answered; or empty.
        ended: The agent's last message.
    """

    goal: str = ""
    asked: tuple[str, ...] = ()
    is_asked: bool = False
    decisions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    elsewhere: int = 0
    fixed: tuple[tuple[str, str], ...] = ()
    tests: tuple[tuple[str, str], ...] = ()
    open: tuple[str, ...] = ()
    failing: tuple[tuple[str, str], ...] = ()
    question: str = ""
    ended: str = ""

    @property
    def has_content(self) -> bool:
        """Return whether anything was done that a later session may want to know."""
        done = self.decisions or self.files or self.fixed or self.tests or self.open or self.failing
        return self.is_asked and bool(done or self.asked)


def distil(turns: Sequence[Turn], *, place_of: Callable[[str], str], with_prompts: bool = False) -> Summary:
    """Summarize a session.

    Args:
        turns: The session.
        place_of: Returns the path of a file in the work tree; empty for one outside of it.
        with_prompts: Whether to include the person's prompts, besides what was done and decided.
    """
    prompts = [said for turn in turns if turn.what == PROMPT and (said := _request(turn.text)) and says_something(said)]
    named = [name for turn in turns if turn.what == EDIT and not turn.failed for name in turn.files]
    places = {name: place_of(name) for name in dict.fromkeys(named)}
    todos = next((turn.todos for turn in reversed(turns) if turn.what == TODOS), ())
    ended = follow(turns)
    inside = dict.fromkeys(reversed([places[name] for name in named if places[name]]))
    shown = turns if with_prompts else [turn for turn in turns if turn.what != PROMPT]
    return Summary(
        goal=prompts[0] if prompts and with_prompts else "",
        asked=tuple(_distinct(prompts[1:])[-KEPT_AT_MOST:]) if with_prompts else (),
        is_asked=bool(prompts),
        decisions=tuple(_distinct(_decisions(shown))[-KEPT_AT_MOST:]),
        files=tuple(clean(name, LINE) for name in reversed(list(inside)[:KEPT_AT_MOST])),
        elsewhere=sum(not place for place in places.values()),
        fixed=_fixed(ended, place_of),
        tests=tuple((clean(result.command, COMMAND), _test_line(result)) for result in ended if result.is_test)[
            -KEPT_AT_MOST:
        ],
        open=tuple(clean(text, LINE) for text, is_done in todos if not is_done)[:KEPT_AT_MOST],
        failing=tuple((clean(result.command, COMMAND), _failing(result)) for result in ended if result.failed)[
            -KEPT_AT_MOST:
        ],
        question=_question(turns, with_prompts=with_prompts),
        ended=next((brief(turn.text, 2 * LINE) for turn in reversed(turns) if turn.what == SAID), ""),
    )


def merge(old: Summary, new: Summary) -> Summary:
    """Merge two summaries of one session, with the later state of each item; merging the same twice changes nothing."""
    if not new.is_asked and not new.has_content:
        return old
    goal = old.goal or new.goal
    requests = (text for text in (*old.asked, new.goal, *new.asked) if text and text != goal)
    return replace(
        new,
        goal=goal,
        is_asked=old.is_asked or new.is_asked,
        asked=tuple(_distinct(requests))[-KEPT_AT_MOST:],
        decisions=tuple(_distinct([*old.decisions, *new.decisions]))[-KEPT_AT_MOST:],
        files=(*(name for name in old.files if name not in new.files), *new.files)[-KEPT_AT_MOST:],
        elsewhere=max(old.elsewhere, new.elsewhere),
        fixed=tuple({**dict(old.fixed), **dict(new.fixed)}.items())[-KEPT_AT_MOST:],
        tests=tuple({**dict(old.tests), **dict(new.tests)}.items())[-KEPT_AT_MOST:],
        ended=new.ended or old.ended,
    )


def from_dict(found: Mapping[str, Any]) -> Summary:
    """Return a summary that was stored as its fields; damaged parts are left out."""
    values: dict[str, Any] = {}
    for name, default in fields_of(Summary()).items():
        value = found.get(name)
        if name in ("fixed", "tests", "failing") and isinstance(value, list):
            pairs = [tuple(pair) for pair in value if isinstance(pair, list) and len(pair) == 2]
            values[name] = tuple(pair for pair in pairs if all(isinstance(text, str) for text in pair))
        elif isinstance(default, tuple) and isinstance(value, list):
            values[name] = tuple(text for text in value if isinstance(text, str))
        elif type(value) is type(default):
            values[name] = value
    return Summary(**values)


def title_of(summary: Summary) -> str:
    """Return a title: the first sentence of the request, else what was decided, changed, repaired or left."""
    if summary.goal:
        return brief(summary.goal, TITLE).rstrip(".")
    if summary.decisions:
        return brief(summary.decisions[-1], TITLE).rstrip(".")
    if summary.files:
        names = [os.path.basename(name) for name in reversed(summary.files)]
        more = f" and {len(names) - TITLE_FILES} more" if len(names) > TITLE_FILES else ""
        return clean(f"Changed {', '.join(names[:TITLE_FILES])}{more}", TITLE)
    texts = [text for pairs in (summary.fixed, summary.failing, summary.tests) for _, text in pairs[-1:]]
    return brief([*texts, *(f"To do: {text}" for text in summary.open)][0], TITLE)


def format_summary(summary: Summary, about: str) -> str:
    """Format a summary as whole lines within ``TOKENS``; every part gets some before any part gets more.

    Args:
        summary: The summary.
        about: One line on where and when the session was.
    """
    tests = dict(summary.tests)
    more = [f"{len(summary.open) - OPEN} more things to do"] if len(summary.open) > OPEN else []
    left = [*summary.open[:OPEN], *more, *(text for name, text in summary.failing[-2:] if name not in tests)]
    left += [f"Not answered: {summary.question}"] if summary.question else []
    last = summary.ended if summary.ended != summary.question else ""
    parts = [
        ("", [f"Goal: {summary.goal}"] if summary.goal else []),
        ("Left open:", left[::-1]),
        ("Asked later:", [text for text in summary.asked if text != summary.goal][-ASKED:]),
        ("Decided:", summary.decisions[-DECISIONS:]),
        ("", [_changed(summary)] if summary.files or summary.elsewhere else []),
        ("Failed first, then passed:", [text for _, text in summary.fixed[-FIXED:]]),
        ("Tests:", [text for _, text in summary.tests[-TESTS:]]),
        ("", [f"Last message: {last}"] if last else []),
    ]
    fitted = _fit_lines([lines for _, lines in parts], TOKENS - count_tokens(about) - 1)
    lines = []
    for (heading, _), chosen in zip(parts, fitted, strict=True):
        shown = reversed(chosen) if heading == "Left open:" else chosen
        lines += [heading, *(f"- {line}" for line in shown)] if heading and chosen else [*shown]
    return "\n".join([*lines, about])


def _fit_lines(parts: Sequence[Sequence[str]], room: int) -> list[list[str]]:
    """Return the lines of each part that fit, in order; the last lines of each part have precedence."""
    fitted: list[list[str]] = [[] for _ in parts]
    for back in range(1, max(map(len, parts)) + 1):
        for lines, chosen in zip(parts, fitted, strict=True):
            # Three more for the dash and the line's share of a heading.
            cost = count_tokens(lines[-back]) + 3 if back <= len(lines) else room + 1
            if cost <= room:
                room -= cost
                chosen.insert(0, lines[-back])
    return fitted


def clean(text: str, limit: int) -> str:
    """Return a text as one line, without secrets and control characters; cut after a word if too long."""
    line = " ".join(safe_output(text[: 20 * limit], 20 * limit).split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut) + "…"


def brief(text: str, limit: int) -> str:
    """Return the leading whole sentences that fit; if the first one is too long, it is cut."""
    first = _FENCED.sub(" ", text[: 20 * limit]).strip().split("\n\n", 1)[0]
    line = clean(first, 20 * limit)
    if len(line) <= limit:
        return line
    result = ""
    for sentence in _SENTENCE.split(line):
        longer = f"{result} {sentence}".strip()
        if len(longer) > limit:
            break
        result = longer
    return result or clean(line, limit)


def _request(text: str) -> str:
    """Return the request in a prompt; empty for a command of the client."""
    return "" if re.match(r"/[\w:-]+(?:\s|\Z)", text) else brief(text, 2 * LINE)


def _decisions(turns: Iterable[Turn]) -> Iterable[str]:
    for turn in turns:
        if turn.what not in (PROMPT, SAID) or not _HINTS.search(turn.text):
            continue
        text = _FENCED.sub(" ", turn.text)
        for sentence in _DECISION.findall(text):
            yield clean(sentence.strip(" *_"), LINE)
        if turn.what == SAID or not text.rstrip().endswith("?"):
            for sentence in _DECIDED.findall(text):
                yield clean(sentence, LINE)


def _fixed(ended: Sequence[CommandResult], place_of: Callable[[str], str]) -> tuple[tuple[str, str], ...]:
    fixes = []
    for result in ended:
        if not result.was_fixed or result.failed:
            continue
        command = clean(result.command, COMMAND)
        why = f" ({clean(result.why, COMMAND)})" if result.why else ""
        names = [clean(os.path.basename(place), COMMAND) for name in result.between if (place := place_of(name))]
        after = f", after changing {', '.join(names)}" if names else ""
        fixes.append((command, f"`{command}` failed{_times(result.failures)}{why} and passes now{after}."))
    return tuple(fixes[-KEPT_AT_MOST:])


def _test_line(result: CommandResult) -> str:
    counts = f": {clean(result.counts, COMMAND)}" if result.counts else ""
    return f"`{clean(result.command, COMMAND)}` last {'failed' if result.failed else 'passed'}{counts}."


def _failing(result: CommandResult) -> str:
    why = f": {clean(result.why, COMMAND)}" if result.why else ""
    return f"`{clean(result.command, COMMAND)}` last failed{why}."


def _times(count: int) -> str:
    return f" {count} times" if count > 1 else ""


def _question(turns: Sequence[Turn], *, with_prompts: bool) -> str:
    """Return the unanswered question at the end, by the agent or by the person."""
    last = next((turn for turn in reversed(turns) if turn.what in (PROMPT, SAID)), None)
    if last is None:
        return ""
    if last.what == PROMPT:
        return _request(last.text) if last is turns[-1] and with_prompts else ""
    paragraph = _FENCED.sub(" ", last.text).strip().split("\n\n")[-1]
    sentences = _SENTENCE.split(clean(paragraph, 20 * LINE))
    return clean(sentences[-1], LINE) if sentences[-1].rstrip("*_`\"')").endswith("?") else ""


def _changed(summary: Summary) -> str:
    names = list(reversed(summary.files))
    more = [f"{len(names) - FILES} more"] if len(names) > FILES else []
    away = [f"{summary.elsewhere} outside the work tree"] if summary.elsewhere else []
    return f"Changed: {', '.join([*names[:FILES], *more, *away])}."


def _distinct(texts: Iterable[str]) -> list[str]:
    """Return each text once, at its last position."""
    return list(reversed(dict.fromkeys(reversed(list(texts)))))
