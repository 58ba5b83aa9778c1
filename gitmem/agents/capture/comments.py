"""Find learnings in commands that comment on a task or an issue, for beads and GitHub.

The command line is parsed, never run, and those tools are not affected. Variables and substitutions stay in the text as
typed (agents write `make test` in double quotes); a comment that consists only of them is skipped, with the reason.
Pure.

Source: the commands of beads 0.x (``cmd/bd/*.go``) and of GitHub's ``gh`` (its manual).
"""

from __future__ import annotations

import re

from gitmem.agents.capture.shell import ShellCommand, Word, list_commands, program_of
from gitmem.frozen import frozen, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# The most comments read from one command line.
AT_MOST = 20

_SHELLS = ("sh", "bash", "zsh", "dash", "ksh")

# Options that take a value. `bd update` and `bd close` list all of theirs, so that no value is mistaken for the task.
_OF_BD = (
    *("-C", "--directory", "--db", "--actor", "--format", "-f", "--file", "-a", "--author", "--append-notes"),
    *("-r", "--reason", "--notes", "-s", "--status", "-p", "--priority", "-t", "--type", "--title", "--assignee"),
    *("-d", "--description", "--design", "--acceptance", "--parent", "--add-label", "--remove-label", "--set-labels"),
    *("--session", "--external-ref", "-e", "--estimate", "--body-file", "--due", "--defer", "--metadata"),
)
_OF_GH = ("-R", "--repo", "-b", "--body", "-F", "--body-file")
_CLOSE_OF_GH = ("-c", "--comment", "-r", "--reason")
_TASK = re.compile(r"[A-Za-z][\w.-]{0,79}")
_NUMBER = re.compile(r"(?:https://[^/]+/([\w.-]+/[\w.-]+)/(?:issues|pull)/|#)?(\d{1,9})(?:[/#?].*)?")
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
# What a shell would expand, as typed.
_TYPED = re.compile(r"\$\([^()]*\)|`[^`]*`|\$\{[^{}]*\}|\$\w+")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "r": "\r"}


@frozen
class Comment:
    """A comment that a command line writes.

    Attributes:
        text: Its text; empty if it is in a file or cannot be known.
        task: The task that it is about, or empty.
        refs: The issues that it refers to: ``#5``, ``owner/name#5``.
        file: The file with the text, as the command names it, or empty.
        skipped: Why the text cannot be known, or empty.
        is_end: Whether it closes its task and gives the reason.
    """

    text: str = ""
    task: str = ""
    refs: tuple[str, ...] = ()
    file: str = ""
    skipped: str = ""
    is_end: bool = False


def find_comments(line: str) -> list[Comment]:
    """Return the comments that a command line writes, in order, at most 20. Never raises, and runs nothing."""
    return _comments(line, depth=0)[:AT_MOST]


def _comments(line: str, *, depth: int) -> list[Comment]:
    comments: list[Comment] = []
    before: ShellCommand | None = None
    for command in list_commands(line):
        name, words = program_of(command.words)
        source = before if command.joined == "|" else None
        if name in _SHELLS and depth < 2:
            comments += _comments(_script(words), depth=depth + 1)
        elif name in ("bd", "beads"):
            comments += _bd_comments(words, command, source)
        elif name == "gh":
            comments += _gh_comments(words, command, source)
        before = command
    return comments


def _script(words: Sequence[Word]) -> str:
    """Return the script of ``sh -c SCRIPT``; empty if there is none."""
    for number, word in enumerate(words[:-1]):
        if re.fullmatch(r"-[a-z]*c", word.text):
            return words[number + 1].text if words[number + 1].is_known else ""
    return ""


def _split_options(words: Iterable[Word], valued: Sequence[str]) -> tuple[list[Word], dict[str, Word]]:
    """Split the arguments of a command into plain words and options.

    Args:
        words: Its arguments.
        valued: The options that take a value.
    """
    plain: list[Word] = []
    options: dict[str, Word] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, sign, value = word.text.partition("=")
        if word.text == "--":
            return plain + rest, options
        if not word.text.startswith("-") or word.text == "-":
            plain.append(word)
        elif name.startswith("--") and sign:
            options[name] = Word(value, word.is_known)
        elif word.text in valued:
            options[word.text] = rest.pop(0) if rest else Word("", is_known=False)
        elif not name.startswith("--") and word.text[:2] in valued:
            options[word.text[:2]] = Word(word.text[2:].removeprefix("="), word.is_known)
        else:
            options[word.text] = Word("")
    return plain, options


def _bd_comments(words: Sequence[Word], command: ShellCommand, source: ShellCommand | None) -> list[Comment]:
    plain, options = _split_options(words, _OF_BD)
    verbs = [word.text for word in plain[:2]]
    if verbs[:2] == ["comments", "add"]:
        plain = plain[1:]
    elif verbs[:1] in (["update"], ["close"]):
        names = ("--append-notes",) if verbs[0] == "update" else ("--reason", "-r")
        value = next((options[name] for name in names if name in options), None)
        lines = [_comment(value, _task(plain[1:2]))] if value is not None else []
        return [replace(line, is_end=verbs[0] == "close" and bool(line.task and line.text)) for line in lines]
    elif verbs[:1] not in (["comment"], ["note"]):
        return []
    task = _task(plain[1:2])
    file = options.get("--file") or options.get("-f")
    if "--stdin" in options or (file is not None and file.text == "-"):
        return [_input(command, source, Comment(task=task))]
    if file is not None:
        return [_in_file(file, Comment(task=task))]
    text = Word(" ".join(word.text for word in plain[2:]), all(word.is_known for word in plain[2:]))
    return [_comment(text, task)] if plain[2:] else []


def _task(words: Sequence[Word]) -> str:
    known = [word.text for word in words if word.is_known]
    return known[0] if known and _TASK.fullmatch(known[0]) else ""


def _gh_comments(words: Sequence[Word], command: ShellCommand, source: ShellCommand | None) -> list[Comment]:
    plain, options = _split_options(words, _OF_GH)
    what, verb = ([word.text for word in plain[:2]] + ["", ""])[:2]
    if what not in ("issue", "pr") or verb not in ("comment", "review", "close"):
        return []
    if verb == "close":  # takes no value elsewhere
        plain, options = _split_options(words, (*_OF_GH, *_CLOSE_OF_GH))
    refs = _refs(plain[2:3], options.get("--repo") or options.get("-R"))
    names = ("--comment", "-c") if verb == "close" else ("--body", "-b")
    value = next((options[name] for name in names if name in options), None)
    if value is not None:
        return [_comment(value, "", refs)]
    file = options.get("--body-file") or options.get("-F")
    if file is None:
        return []
    if file.text == "-":
        return [_input(command, source, Comment(refs=refs))]
    return [_in_file(file, Comment(refs=refs))]


def _refs(words: Sequence[Word], named: Word | None) -> tuple[str, ...]:
    """Return the references to an issue or pull request."""
    match = _NUMBER.fullmatch(words[0].text) if words and words[0].is_known else None
    if match is None:
        return ()
    where = match[1] or (named.text if named is not None and named.is_known else "")
    return (f"{where if _REPOSITORY.fullmatch(where) else ''}#{match[2]}",)


def _comment(text: Word, task: str, refs: tuple[str, ...] = ()) -> Comment:
    content = text.text.partition(":")[2] or text.text
    if not text.is_known and not any(char.isalpha() for char in _TYPED.sub("", content)):
        return Comment(task=task, refs=refs, skipped="it is only a variable or substitution")
    return Comment(text.text, task, refs)


def _in_file(file: Word, about: Comment) -> Comment:
    if not file.is_known:
        return Comment(task=about.task, refs=about.refs, skipped="a variable or substitution names its file")
    return Comment(task=about.task, refs=about.refs, file=file.text)


def _input(command: ShellCommand, source: ShellCommand | None, about: Comment) -> Comment:
    """Return the comment that a command reads from a here document, a file or a pipe."""
    if command.fed is not None:
        return _comment(command.fed, about.task, about.refs)
    if command.reads is not None:
        return _in_file(command.reads, about)
    name, words = program_of(source.words) if source is not None else ("", [])
    if source is not None and name == "cat":
        if source.fed is not None and not words:
            return _comment(source.fed, about.task, about.refs)
        if source.reads is not None or len(words) == 1:
            return _in_file(source.reads or words[0], about)
    if name in ("echo", "printf"):
        return _comment(_echo_output(words) if name == "echo" else _printf_output(words), about.task, about.refs)
    return Comment(task=about.task, refs=about.refs, skipped="it is piped from a program")


def _echo_output(words: list[Word]) -> Word:
    flags = ""
    while words and re.fullmatch(r"-[neE]+", words[0].text):
        flags += words.pop(0).text
    text = " ".join(word.text for word in words)
    return Word(_unescape(text) if "e" in flags else text, all(word.is_known for word in words))


def _printf_output(words: list[Word]) -> Word:
    """Return what ``printf`` prints, if its format has no conversion but ``%s``."""
    if not words:
        return Word("", is_known=False)
    form, values = _unescape(words[0].text), [word.text for word in words[1:]]
    parts = re.split(r"%(s|%)", form)
    is_known = all(word.is_known for word in words) and not any("%" in part for part in parts[::2])
    for number in range(1, len(parts), 2):
        parts[number] = "%" if parts[number] == "%" else values.pop(0) if values else ""
    return Word("".join(parts), is_known and not values)


def _unescape(text: str) -> str:
    return re.sub(r"\\([nt\\r])", lambda match: _ESCAPES[match[1]], text)
