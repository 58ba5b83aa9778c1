"""Parse a shell command line without running it: simple commands, their words and their input. Pure.

A word with a variable or substitution is unknown and stays as typed; a substitution that only prints a here document is
known, since that is how agents write long comments. A line that is not valid shell syntax has no commands.

Source: POSIX.1-2017, Shell Command Language, 2.2 to 2.10; bash(1), QUOTING (``$'…'``) and REDIRECTION (``<<<``).
"""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

# The deepest nesting of substitutions that is parsed; real commands have one or two levels.
DEPTH_AT_MOST = 8
# The most characters read; a longer line is a script, not a comment.
TEXT_LIMIT = 200_000
_BLANKS = " \t\r"
_META = frozenset(" \t\r\n|&;()<>")
_SPECIAL = frozenset("@*#?-$!_")
_OPERATORS = ("&&", "||", "|&", ";;", "|", ";", "&")
_REDIRECTS = ("<<<", "<<-", "&>>", "<<", "<&", "<>", ">>", ">&", ">|", "&>", "<", ">")
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
# Reserved words that may precede a command.
_RESERVED = frozenset(("if", "then", "elif", "else", "do", "while", "until", "!", "time", "{", "}", "fi", "done"))
_EXPANDED = r"\\([$`\\\n])|(\$(?=[A-Za-z_0-9({@*#?$!-])|`)"
_ANSI_ESCAPE = r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|([0-7]{1,3})|(.))"

# Programs that run another program, and their options that take a value.
_RUNNERS: dict[str, tuple[str, ...]] = {
    "env": ("-u", "--unset", "-C", "--chdir"),
    "sudo": ("-u", "--user", "-g", "--group", "-h", "-p", "-C", "-D"),
    "doas": ("-u", "-C"),
    "npx": ("-p", "--package", "--node-options"),
    "bunx": (),
    "command": (),
    "builtin": (),
    "exec": ("-a",),
    "nohup": (),
    "nice": ("-n", "--adjustment"),
    "timeout": ("-s", "--signal", "-k", "--kill-after"),
    "time": (),
    "stdbuf": ("-i", "-o", "-e"),
}


@frozen
class Word:
    """One word of a command.

    Attributes:
        text: Its text without quotes; a variable or substitution as typed.
        is_known: Whether the command gets exactly this text: false with a variable or substitution in it.
    """

    text: str
    is_known: bool = True


@frozen
class ShellCommand:
    """A simple command.

    Attributes:
        words: The program and its arguments, with any assignments before it.
        joined: The operator between the previous command and this one: ``|``, ``&&``, ``||``, ``;``, ``&`` or empty.
        fed: The here document or here string that it reads, or None.
        reads: The file that standard input is redirected from, or None.
        writes: The files that output is redirected to.
    """

    words: tuple[Word, ...]
    joined: str = ""
    fed: Word | None = None
    reads: Word | None = None
    writes: tuple[Word, ...] = ()


class _SyntaxError(Exception):
    """The line is not valid shell syntax."""


def list_commands(line: str) -> list[ShellCommand]:
    """Return the simple commands of a line, in order; none if it is not valid shell syntax. Never raises."""
    if len(line) > TEXT_LIMIT or "\0" in line:
        return []
    try:
        return _Reader(line).commands()
    except _SyntaxError:
        return []


class _Reader:
    """A cursor in one line."""

    def __init__(self, line: str) -> None:
        self._line = line.replace("\r\n", "\n")
        self._at = 0
        self._depth = 0

    def commands(self, *, until: str = "") -> list[ShellCommand]:
        """Return the commands from here to the end, or to the parenthesis that closes a substitution."""
        self._depth += 1
        if self._depth > DEPTH_AT_MOST:
            raise _SyntaxError
        opened, waiting = [_Open("")], list[_Here]()
        while self._at < len(self._line):
            if until and self._line[self._at] == until:
                self._at += 1
                break
            self._step(opened, waiting)
        else:
            if until:
                raise _SyntaxError
        self._read_here(waiting)
        self._depth -= 1
        closed = [one.closed() for one in opened]
        return [command for command in closed if command.words or command.fed]

    def _step(self, found: list[_Open], waiting: list[_Here]) -> None:
        """Read one word or operator."""
        char = self._line[self._at]
        if char == "\n":
            self._at += 1
            self._read_here(waiting)
            found.append(_Open(";"))
        elif char in _BLANKS or self._line.startswith("\\\n", self._at):
            self._at += 1 if char in _BLANKS else 2
        elif char == "#":
            end = self._line.find("\n", self._at)
            self._at = end if end >= 0 else len(self._line)
        elif redirect := self._match(_REDIRECTS):
            self._redirection(redirect, found[-1], waiting)
        elif operator := self._match(_OPERATORS):
            found.append(_Open("|" if operator == "|&" else operator))
        elif char in "()":
            self._at += 1
            found.append(_Open(";"))
        else:
            word = self._word()
            # A number right before a redirection is a descriptor.
            if not (word.text.isdigit() and self._line[self._at : self._at + 1] in ("<", ">")):
                found[-1].words.append(word)

    def _match(self, signs: tuple[str, ...]) -> str:
        """Consume and return the first of some operators that is here; empty if none is."""
        sign = next((sign for sign in signs if self._line.startswith(sign, self._at)), "")
        self._at += len(sign)
        return sign

    def _redirection(self, sign: str, command: _Open, waiting: list[_Here]) -> None:
        if sign in ("<", ">") and self._line.startswith("(", self._at):  # process substitution
            self._at += 1
            self.commands(until=")")
            command.words.append(Word("", is_known=False))
            return
        while self._line[self._at : self._at + 1] in (" ", "\t"):
            self._at += 1
        start = self._at
        word = self._word()
        if sign in ("<<", "<<-"):
            is_literal = any(quote in self._line[start : self._at] for quote in "'\"\\")
            waiting.append(_Here(command, word.text, sign == "<<-", is_literal))
        elif sign == "<<<":
            command.fed = Word(word.text + "\n", word.is_known)
        elif sign == "<":
            command.reads = word
        elif sign in (">", ">>", ">|", "&>", "&>>") or (sign == ">&" and not word.text.rstrip("-").isdigit()):
            command.writes.append(word)

    def _read_here(self, waiting: list[_Here]) -> None:
        """Read the here documents that begin at this line, in order."""
        for here in waiting:
            lines = []
            while self._at < len(self._line):
                end = self._line.find("\n", self._at)
                end = end if end >= 0 else len(self._line)
                line = self._line[self._at : end]
                line = line.lstrip("\t") if here.strips else line
                self._at = min(end + 1, len(self._line))
                if line == here.delimiter:
                    break
                lines.append(line + "\n")
            text = "".join(lines)
            here.command.fed = Word(text) if here.is_literal else _expand(text)
        waiting.clear()

    def _word(self) -> Word:
        """Return the word that begins here."""
        parts: list[str] = []
        is_known, start = True, self._at
        while self._at < len(self._line) and self._line[self._at] not in _META:
            char = self._line[self._at]
            if char == "\\":
                parts.append(self._line[self._at + 1 : self._at + 2].replace("\n", ""))
                self._at += 2
            elif char == "'":
                parts.append(self._until("'"))
            elif char == '"':
                text, known = self._read_quoted()
                parts.append(text)
                is_known = is_known and known
            elif char == "$" and self._line.startswith("$'", self._at):
                self._at += 1
                parts.append(self._ansi())
            elif char in "$`":
                text, known = self._expansion()
                parts.append(text)
                is_known = is_known and known
            else:
                parts.append(char)
                self._at += 1
        if self._at == start:
            raise _SyntaxError
        return Word("".join(parts), is_known)

    def _until(self, sign: str) -> str:
        """Return the text up to the next such sign, and move past that sign."""
        end = self._line.find(sign, self._at + 1)
        if end < 0:
            raise _SyntaxError
        text = self._line[self._at + 1 : end]
        self._at = end + 1
        return text

    def _read_quoted(self) -> tuple[str, bool]:
        """Return the text in double quotes, and whether it is known."""
        parts, is_known = list[str](), True
        self._at += 1
        while self._at < len(self._line):
            char = self._line[self._at]
            if char == '"':
                self._at += 1
                return "".join(parts), is_known
            if char == "\\":
                behind = self._line[self._at + 1 : self._at + 2]
                parts.append("" if behind == "\n" else behind if behind and behind in '$`"\\' else f"\\{behind}")
                self._at += 2
            elif char in "$`":
                text, known = self._expansion()
                parts.append(text)
                is_known = is_known and known
            else:
                parts.append(char)
                self._at += 1
        raise _SyntaxError

    def _ansi(self) -> str:
        """Return the text in ``$'…'``."""
        end = self._at + 1
        while end < len(self._line) and self._line[end] != "'":
            end += 2 if self._line[end] == "\\" else 1
        if end >= len(self._line):
            raise _SyntaxError
        text = self._line[self._at + 1 : end]
        self._at = end + 1
        import re  # 5 ms (measured), and hooks parse most command lines

        return re.sub(_ANSI_ESCAPE, _ansi_char, text, flags=re.DOTALL)

    def _expansion(self) -> tuple[str, bool]:
        """Return the value of a ``$`` or backquote expansion, and whether it is known; else the text as typed."""
        at = self._at
        text, is_known = self._read_expansion()
        return (text, True) if is_known else (self._line[at : self._at], False)

    def _read_expansion(self) -> tuple[str, bool]:
        line, at = self._line, self._at
        if line[at] == "`":
            self._at += 1
            while self._at < len(line) and line[self._at] != "`":
                self._at += 2 if line[self._at] == "\\" else 1
            if self._at >= len(line):
                raise _SyntaxError
            self._at += 1
            return "", False
        if line.startswith("$((", at) or line.startswith("${", at):
            end = line.find("))" if line[at + 1] == "(" else "}", at)
            if end < 0:
                raise _SyntaxError
            self._at = end + (2 if line[at + 1] == "(" else 1)
            return "", False
        if line.startswith("$(", at):
            self._at += 2
            return _printed_text(self.commands(until=")"))
        behind = line[at + 1 : at + 2]
        if behind and (behind.isalnum() or behind in _SPECIAL):
            self._at += 2
            if behind.isalpha() or behind == "_":
                while self._at < len(line) and (line[self._at].isalnum() or line[self._at] == "_"):
                    self._at += 1
            return "", False
        self._at += 1
        return "$", True


class _Open:
    """A command that is being read."""

    def __init__(self, joined: str) -> None:
        self.joined = joined
        self.words: list[Word] = []
        self.fed: Word | None = None
        self.reads: Word | None = None
        self.writes: list[Word] = []

    def closed(self) -> ShellCommand:
        """Return the command, without the reserved words before it."""
        words = self.words
        while words and words[0].text in _RESERVED:
            words = words[1:]
        return ShellCommand(tuple(words), self.joined, self.fed, self.reads, tuple(self.writes))


@frozen
class _Here:
    """A here document whose text begins on the next line."""

    command: _Open
    delimiter: str
    strips: bool
    is_literal: bool


def _printed_text(commands: list[ShellCommand]) -> tuple[str, bool]:
    """Return the output of a substitution that only prints a here document, and whether it is known."""
    if len(commands) != 1 or [word.text for word in commands[0].words] != ["cat"] or commands[0].fed is None:
        return "", False
    return commands[0].fed.text.rstrip("\n"), commands[0].fed.is_known


def _expand(text: str) -> Word:
    """Return a here document in which a shell would expand variables."""
    import re  # as above

    is_known = not any(match[2] for match in re.finditer(_EXPANDED, text))
    return Word(re.sub(_EXPANDED, lambda match: (match[1] or match[0]).replace("\n", ""), text), is_known)


def _ansi_char(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code:
        number = int(code, 16)
        return "�" if 0xD800 <= number <= 0xDFFF else chr(number)
    return chr(int(match[3], 8) & 0xFF) if match[3] else _ANSI.get(match[4], match[4])


def program_of(words: Sequence[Word]) -> tuple[str, list[Word]]:
    """Return the name of the program that is finally run, without its folder, and its arguments."""
    rest = list(words)
    while rest:
        first = rest.pop(0)
        if _assigns(first.text) or not first.text or (first.text[0] in "$`" and not first.is_known):
            continue
        name = first.text.rsplit("/", 1)[-1]
        if name not in _RUNNERS:
            return name, rest
        rest = _skip_options(name, rest)
    return "", []


def _skip_options(runner: str, words: list[Word]) -> list[Word]:
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        option = words[at].text
        at += 2 if option in _RUNNERS[runner] else 1
        if option == "--":
            break
    return words[at + (runner == "timeout") :]


def _assigns(text: str) -> bool:
    """Return whether a word sets a variable: ``NAME=value``, ``NAME+=value``."""
    name, sign, _ = text.partition("=")
    name = name.removesuffix("+")
    return bool(sign) and name.isidentifier() and name.isascii()
