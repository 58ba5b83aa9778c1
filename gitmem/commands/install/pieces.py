"""The pieces of an installation as text: a whole file, a section of a person's file, entries in settings. Pure.

Each can be added to a file's text and removed again; if nothing else changed in between, this restores the file byte
for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from hashlib import sha256

from gitmem.commands.install import jsonc
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The program alone, wherever it is installed: people write the full path for an environment that is not on PATH.
PROGRAM = "gitmem"
_PROGRAM = re.compile(r"(?:\S*[/\\])?(?:gitmem|git-mem)(?:\.exe)?")
# What a client's file calls the number of its format.
VERSIONS = ("version", "$version")
COMMANDS = ("command", "bash", "powershell")
# Comment markers by file extension; JSON has none.
COMMENTS = {
    ".md": ("<!-- ", " -->"),
    ".toml": ("# ", ""),
    ".yaml": ("# ", ""),
    ".ts": ("// ", ""),
}
_SUM = re.compile(r"\n[^\n]*gitmem:sum ([0-9a-f]{16})[^\n]*\n?\Z")
MARKDOWN, TOML = ("<!-- gitmem:begin -->", "<!-- gitmem:end -->"), ("# gitmem:begin", "# gitmem:end")


class FileRefusedError(ValueError):
    """The file is left unchanged; the message says why."""


@frozen
class Whole:
    """A file that belongs to gitmem completely.

    Attributes:
        path: Its path, below the project or the person's home folder.
        text: Its text; if the format has comments, a checksum line is added to detect changes.
        is_forced: Whether to overwrite a changed file.
    """

    path: str
    text: str
    is_forced: bool = False

    def apply_to(self, before: str | None) -> str:
        """Return the file's new text."""
        text = self._seal()
        if before is not None and not self._is_ours(before):
            raise FileRefusedError("was changed: use --force to overwrite it")
        return text

    def remove_from(self, before: str) -> str | None:
        """Return the remaining text: none."""
        if not self._is_ours(before):
            raise FileRefusedError("was changed: use --force to remove it")
        return None

    def is_in(self, before: str) -> bool:
        """Return whether a file was written by gitmem, in any version."""
        return before == self._seal() or _is_sealed(before) or _is_manifest(self.text, before)

    def _is_ours(self, before: str) -> bool:
        return self.is_forced or self.is_in(before)

    def _seal(self) -> str:
        begin, end = next((marks for name, marks in COMMENTS.items() if self.path.endswith(name)), ("", ""))
        if not begin:
            return self.text
        return f"{self.text}{begin}gitmem:sum {_sum(self.text)}{end}\n"


def _sum(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def _is_sealed(text: str) -> bool:
    match = _SUM.search(text)
    return match is not None and match[1] == _sum(text[: match.start() + 1])


def _is_manifest(mine: str, text: str) -> bool:
    """Return whether a text is our manifest, of any version; JSON has no comments, so it holds no checksum."""
    if not mine.startswith("{"):
        return False
    try:
        wanted, table = json.loads(mine), json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(table, dict) or "name" not in wanted:
        return False
    return table.get("name") == wanted["name"] and set(table) <= {*wanted, "mcpServers"}


@frozen
class FileSection:
    """Lines between two marks in a person's file.

    Attributes:
        path: The file's path.
        text: The text between the marks.
        marks: The lines before and after.
    """

    path: str
    text: str
    marks: tuple[str, str] = MARKDOWN

    def apply_to(self, before: str | None) -> str:
        """Return the file's new text: with the section replaced, or added at the end."""
        block = f"{self.marks[0]}\n{self.text}{self.marks[1]}"
        if before is None:
            return f"{block}\n"
        newline = "\r\n" if "\r\n" in before else "\n"
        block = block.replace("\n", newline)
        span = self._span(before)
        if span is not None:
            return before[: span[0]] + block + before[span[1] :]
        # The end of our last line records whether the file ended with a line feed (`taken`).
        if before.endswith("\n"):
            return f"{before}{newline}{block}{newline}"
        return f"{before}{newline}{newline}{block}" if before else block

    def remove_from(self, before: str) -> str | None:
        """Return the file's text without the section; None if there is no other text."""
        span = self._span(before)
        if span is None:
            return before
        head, tail = before[: span[0]], before[span[1] :]
        newline = "\r\n" if "\r\n" in before else "\n"
        if not head and tail in ("\n", "\r\n"):
            return None
        if not tail:
            return head.removesuffix(newline).removesuffix(newline)
        return (head.removesuffix(newline) if head else "") + tail.removeprefix(newline)

    def is_in(self, before: str) -> bool:
        """Return whether the section exists, in any version."""
        try:
            return self._span(before) is not None
        except FileRefusedError:
            return False

    def _span(self, text: str) -> tuple[int, int] | None:
        begins, ends = (
            [match.span() for match in re.finditer(rf"(?m)^{re.escape(mark)}(?=\r?$)", text)] for mark in self.marks
        )
        if not begins and not ends:
            return None
        if len(begins) != 1 or len(ends) != 1 or ends[0][0] < begins[0][1]:
            raise FileRefusedError(
                f"does not have exactly one section from {self.marks[0]} to {self.marks[1]}: fix that by hand"
            )
        return begins[0][0], ends[0][1]


@frozen
class Put:
    """One value in a settings file.

    Attributes:
        path: The names that lead to its container.
        value: The value.
        name: Its name if the container is an object.
    """

    path: tuple[str, ...]
    value: Any
    name: str = ""


@frozen
class Entries:
    """Hooks, or a server, in a person's JSON file.

    Attributes:
        path: The file's path.
        puts: The values to insert, in order.
        skeleton: Further content of a new file, such as its version; an existing file must have the same.
        calls: The first arguments of our commands, after the program: ``hook codex``, or ``mcp``.
    """

    path: str
    puts: tuple[Put, ...]
    calls: str
    skeleton: tuple[tuple[str, Any], ...] = ()

    def apply_to(self, before: str | None) -> str:
        """Return the file's new text; unchanged if it has everything already."""
        if before is None or not before.strip():
            fresh = f"{jsonc.format_value(dict(self.skeleton))}\n"
            return self._fill(fresh)
        root = _parse(before)
        for name, value in self.skeleton:
            if root.value.get(name) != value:
                raise FileRefusedError(f"its {name} is not {value}: fix that by hand, then install again")
        wanted = sorted(_canonical(put.path, put.name, put.value) for put in self.puts)
        there = sorted(_canonical(*found) for *found, _ in self._ours(root))
        if there == wanted:
            return before
        programs = {program for *_, place in self._ours(root) for program in _programs(_at(root.value, place))}
        return self._fill(self._without(before, root), programs.pop() if len(programs) == 1 else PROGRAM)

    def remove_from(self, before: str) -> str | None:
        """Return the file's text without our entries; None if the rest equals a new file."""
        if not before.strip():
            return before
        after = self._without(before, _parse(before))
        return None if after != before and after == f"{jsonc.format_value(dict(self.skeleton))}\n" else after

    def is_in(self, before: str) -> bool:
        """Return whether it contains gitmem's entries, in any version."""
        try:
            return bool(before.strip() and self._ours(_parse(before)))
        except FileRefusedError:
            return False

    def _fill(self, text: str, program: str = PROGRAM) -> str:
        for put in self.puts:
            value = _spell(put.value, program)
            if put.name and _has(jsonc.parse(text), (*put.path, put.name)):
                raise FileRefusedError(
                    f"already has {put.name} in its {'.'.join(put.path)}, which calls something else"
                )
            try:
                text = jsonc.insert(text, put.path, value, name=put.name)
            except jsonc.JsoncError as err:
                raise FileRefusedError(f"{err}: fix that by hand, then install again") from err
        return text

    def _without(self, text: str, root: jsonc.JsonNode) -> str:
        # From the end: a removal changes the positions of what follows.
        for *_, place in reversed(self._ours(root)):
            text = jsonc.remove(text, place)
        return text

    def _ours(self, root: jsonc.JsonNode) -> list[tuple[tuple[str, ...], str, Any, tuple[str | int, ...]]]:
        """Return our entries: container, name, value with our program's plain name, and position."""
        owned: list[tuple[tuple[str, ...], str, Any, tuple[str | int, ...]]] = []
        for path, node in jsonc.iter_paths(root):
            names = tuple(step for step in path if isinstance(step, str))
            if any(path[: len(place)] == place for *_, place in owned) or not self._calls_us(node.value):
                continue
            last = path[-1]
            if isinstance(last, str):
                owned.append((names[:-1], last, _plain(node.value), path))
            else:
                owned.append((names, "", _plain(node.value), path))
        return owned

    def _calls_us(self, value: object) -> bool:
        """Return whether a value calls only us: a hook, a group of hooks, a server."""
        if not isinstance(value, dict):
            return False
        inner = value.get("hooks")
        if isinstance(inner, list):
            return bool(inner) and all(self._calls_us(entry) for entry in inner)
        lines = [value[name] for name in COMMANDS if name in value]
        words = [_words(line, value.get("args")) for line in lines]
        return bool(words) and all(f"{word} ".startswith(f"gitmem {self.calls} ") for word in words)


def is_blank(text: str) -> bool:
    """Return whether a JSON file sets nothing: it has no comment, only empty containers and the number of its format.

    Qwen Code 0.15.10 adds ``$version`` to settings files that it migrates.
    """
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):
        return False
    is_number = {name for name in VERSIONS if isinstance(table, dict) and isinstance(table.get(name), int)}
    return isinstance(table, dict) and not any(_sets_something(table[name]) for name in table.keys() - is_number)


def _sets_something(value: object) -> bool:
    inner = value.values() if isinstance(value, dict) else value
    return not isinstance(inner, Iterable) or isinstance(value, str) or any(map(_sets_something, inner))


def _canonical(path: tuple[str, ...], name: str, value: object) -> str:
    return json.dumps([path, name, value], sort_keys=True)


def _has(node: jsonc.JsonNode, path: tuple[str, ...]) -> bool:
    for name in path:
        item = node.member(name)
        if item is None:
            return False
        node = item.node
    return True


def _words(command: object, args: object) -> str:
    """Return a command as one line, its program by its plain name."""
    parts = [*(command if isinstance(command, list) else [command]), *(args if isinstance(args, list) else [])]
    line = " ".join(part for part in parts if isinstance(part, str)).strip()
    program, _, rest = line.partition(" ")
    return f"gitmem {rest}".rstrip() if _PROGRAM.fullmatch(program.strip("\"'")) else line


def _plain(value: Any) -> Any:
    """Return a value with our program by its plain name, whatever path the person gave."""
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    plain = {name: _plain(entry) for name, entry in value.items()}
    for name in COMMANDS:
        if isinstance(value.get(name), str):
            plain[name] = _words(value[name], None)
    return plain


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def _programs(value: Any) -> set[str]:
    """Return the programs in the command lines of a hook or a group of hooks, as spelled there."""
    if isinstance(value, list):
        return {program for entry in value for program in _programs(entry)}
    if not isinstance(value, dict):
        return set()
    lines = [value[name] for name in COMMANDS if isinstance(value.get(name), str)]
    return {line.strip().partition(" ")[0] for line in lines} | _programs(value.get("hooks"))


def _spell(value: Any, program: str) -> Any:
    """Return a value whose command lines start gitmem as the person had spelled it in an older form."""
    if isinstance(value, list):
        return [_spell(entry, program) for entry in value]
    if not isinstance(value, dict):
        return value
    spelled = {name: _spell(entry, program) for name, entry in value.items()}
    for name in COMMANDS:
        line = value.get(name)
        if isinstance(line, str) and line.partition(" ")[0] == PROGRAM:
            spelled[name] = program + line.removeprefix(PROGRAM)
    return spelled


def _parse(text: str) -> jsonc.JsonNode:
    try:
        root = jsonc.parse(text)
    except jsonc.JsoncError as err:
        raise FileRefusedError(f"is not valid JSON ({err}), and was not changed: fix it, then try again") from err
    if root.kind != "{":
        raise FileRefusedError("is not a JSON object, and was not changed")
    return root


Piece = Whole | FileSection | Entries
