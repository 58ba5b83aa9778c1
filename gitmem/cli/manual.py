"""Help pages made from the parsers, as text for a terminal of any width, and as a manual page for man(1)."""

from __future__ import annotations

from inspect import cleandoc

from gitmem.cli.columns import NAMES, fill, in_columns, paragraphs, shell
from gitmem.cli.commands import FIRST_WEEK, GROUPS, all_commands
from gitmem.cli.topics import TOPICS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from typing import TypeVar

    from gitmem.cli.parser import Parser

    Item = TypeVar("Item")

ABOUT = (
    "Git-native memory: what people and agents know about a repository, as files on a branch, with proof of which facts"
    " still hold."
)
USAGE = "gitmem [-C DIR] [--color WHEN] [--no-pager] COMMAND [ARGUMENTS]"
GLOBAL = (
    ("-C DIR", "run as if started in DIR, as in git"),
    ("--color WHEN", "when output has colors: auto, always, never"),
    ("--no-pager", "print long output without a pager"),
    ("--version", "print the version"),
)


def help_of(action: argparse.Action) -> str:
    """Return the help of one argument, marked if the option is repeatable."""
    text = action.help or ""
    repeated = type(action).__name__ == "_AppendAction" and "repeat" not in text
    return f"{text} (repeatable)" if repeated else text


def word_of(action: argparse.Action) -> str:
    """Return the placeholder of a positional argument."""
    name = str(action.metavar or action.dest).upper() if not action.choices else "|".join(action.choices)
    if action.choices and (action.metavar or len(name) > NAMES):
        name = str(action.metavar or action.dest).upper()
    if action.nargs in ("*", "?"):
        return f"[{name}{'…' if action.nargs == '*' else ''}]"
    return f"{name}…" if action.nargs == "+" else name


def option_of(action: argparse.Action) -> str:
    """Return an option with all its names and its placeholder."""
    names = ", ".join(action.option_strings)
    if action.nargs == 0:
        return names
    if action.metavar is None and action.choices:
        return f"{names} {'|'.join(action.choices)}"
    value = action.metavar or action.dest.upper()
    return f"{names} {value if isinstance(value, str) else ' '.join(value)}"


def groups_of(parser: Parser) -> dict[str, list[argparse.Action]]:
    """Return the arguments and options of a command by group title; groups with the same title are merged."""
    groups: dict[str, list[argparse.Action]] = {}
    for group in parser._action_groups:
        title = {"positional arguments": "arguments"}.get(group.title or "", group.title or "")
        groups.setdefault(title, []).extend(a for a in group._group_actions if a.dest != "help")
    # Options without a group come after the groups, and output options come last.
    for title in ("options", "output"):
        groups[title] = groups.pop(title, [])
    return {title: actions for title, actions in groups.items() if actions}


def usage_of(parser: Parser) -> str:
    """Return the first line of a command's help."""
    groups = groups_of(parser)
    words = [word_of(action) for actions in groups.values() for action in actions if not action.option_strings]
    has_options = any(action.option_strings for actions in groups.values() for action in actions)
    return " ".join([parser.prog, *(["[OPTIONS]"] if has_options else []), *words])


def page(parser: Parser, width: int) -> str:
    """Return the help of one command: a description, examples, then arguments and options in groups."""
    first, _, rest = cleandoc(parser.description or "").partition("\n\n")
    lines = [*fill(f"usage: {usage_of(parser)}", width, hang=len("usage: ")), "", *paragraphs(first, width)]
    lines += ["", "examples:"]
    lines += [line for example in parser.examples for line in shell(example, width, lead=2)]
    if parser.verbs:
        lines += ["", "verbs:", *in_columns(parser.verbs.items(), width)]
    if rest:
        lines += ["", *paragraphs(rest, width)]
    for title, actions in groups_of(parser).items():
        rows = [_row(action) for action in actions]
        lines += ["", *fill(f"{title}:", width), *in_columns(rows, width)]
    return "\n".join([*lines, ""])


def _row(action: argparse.Action) -> tuple[str, str]:
    """Return an argument and its help; a long list of choices is moved to the help."""
    name, about = option_of(action) if action.option_strings else word_of(action), help_of(action)
    if len(name) <= NAMES or not action.choices:
        return name, about
    name = " ".join([", ".join(action.option_strings), action.dest.upper().replace("_", "-")]).strip()
    return name, about if all(choice in about for choice in action.choices) else f"{about}: {', '.join(action.choices)}"


def overview(width: int, here: Sequence[str]) -> str:
    """Return the output of `gitmem` alone: the commands of a first week, and the state of this memory."""
    lines = [*fill(f"usage: {USAGE}", width, hang=len("usage: ")), "", *fill(ABOUT, width, hang=0)]
    lines += ["", "Commands for a first week:", *_commands(FIRST_WEEK, width)]
    if here:
        lines += ["", "Here:", *(line for text in here for line in fill(f"  {text}", width))]
    more = (
        ("gitmem help -a", "list all commands"),
        ("gitmem help TOPIC", f"explain {', '.join(TOPICS)}"),
        ("gitmem COMMAND --help", "show examples and options; git mem COMMAND is the same command"),
    )
    return "\n".join([*lines, "", "More:", *in_columns(more, width), ""])


def format_all(width: int) -> str:
    """Return the output of `gitmem help -a`: every command by group, the topics, and the global options."""
    lines = [*fill(f"usage: {USAGE}", width, hang=len("usage: ")), "", *fill(ABOUT, width, hang=0)]
    for group, heading in GROUPS.items():
        names = [name for name, (of, _) in all_commands().items() if of == group and " " not in name]
        lines += ["", f"{heading}:", *_commands(names, width)]
    lines += ["", "Topics (gitmem help TOPIC):", *in_columns(((n, about) for n, (about, _) in TOPICS.items()), width)]
    lines += ["", "Options of every command:", *in_columns(GLOBAL, width)]
    return "\n".join([*lines, ""])


def topic(name: str, width: int) -> str:
    """Return the output of `gitmem help TOPIC`."""
    about, text = TOPICS[name]
    return "\n".join([*fill(f"{name}: {about}", width), "", *paragraphs(text, width), ""])


def _commands(names: Iterable[str], width: int) -> list[str]:
    return in_columns([(f"{name:<10}", all_commands()[name][1]) for name in names], width)


def man_page(parsers: Mapping[str, Parser]) -> str:
    """Return a manual page for all commands, for man(1).

    Source: man-pages(7), groff_man(7).
    """
    lines = [
        '.TH GIT\\-MEM 1 "" "gitmem" "gitmem"',
        *(".SH NAME", r"gitmem, git\-mem \- " + _roff(ABOUT[:1].lower() + ABOUT[1:].rstrip("."))),
        *(".SH SYNOPSIS", f".B {_roff(USAGE)}", ".br", f".B {_roff(USAGE.replace('gitmem', 'git mem', 1))}"),
        *(".SH OPTIONS", *_entries(GLOBAL)),
    ]
    shared = shared_options(parsers, _entry)
    for group, heading in GROUPS.items():
        lines.append(f'.SH "{_roff(heading.upper())}"')
        for name, (of, _) in all_commands().items():
            if of == group:
                lines += _section(parsers[name], shared)
    lines.append(".SH SHARED OPTIONS")
    for commands, entries in shared_by_commands(shared):
        lines += [".PP", f"Of {_roff(commands)}:", *_entries(entries)]
    lines.append(".SH TOPICS")
    for name, (about, text) in TOPICS.items():
        lines += [f'.SS "{name}: {_roff(about)}"', *_prose(text)]
    return "\n".join([*lines, ""])


def shared_options(parsers: Mapping[str, Parser], item_of: Callable[[argparse.Action], Item]) -> dict[Item, list[str]]:
    """Return the commands of each option that at least three commands have with the same help.

    Args:
        parsers: The parser of each command.
        item_of: Returns an option as it is printed.
    """
    options: dict[Item, list[str]] = {}
    for name, parser in parsers.items():
        for actions in groups_of(parser).values():
            for action in actions:
                if action.option_strings:
                    options.setdefault(item_of(action), []).append(name)
    return {item: names for item, names in options.items() if len(names) >= 3}


def shared_by_commands(shared: Mapping[Item, Sequence[str]], mark: str = "") -> list[tuple[str, list[Item]]]:
    """Return shared options by the commands that have them, widely shared ones first; *mark* surrounds a name."""
    sets: dict[tuple[str, ...], list[Item]] = {}
    for item, names in shared.items():
        sets.setdefault(tuple(names), []).append(item)
    return [
        (", ".join(f"{mark}{name}{mark}" for name in names) if len(names) <= 12 else "most commands", items)
        for names, items in sorted(sets.items(), key=lambda item: -len(item[0]))
    ]


def _section(parser: Parser, shared: Container[tuple[str, str]]) -> list[str]:
    lines = [f'.SS "{_roff(usage_of(parser))}"', *_prose(cleandoc(parser.description or ""))]
    lines += [".PP", "Examples:", *_code(*parser.examples)]
    named = []
    for title, actions in groups_of(parser).items():
        own = [_entry(action) for action in actions if _entry(action) not in shared]
        named += [option for a in actions if _entry(a) in shared for option in a.option_strings]
        lines += [".PP", f"{_roff(title[:1].upper() + title[1:])}:", *_entries(own)] if own else []
    return [*lines, ".PP", f"Shared options: {_roff(', '.join(named))}"] if named else lines


def _entry(action: argparse.Action) -> tuple[str, str]:
    return option_of(action) if action.option_strings else word_of(action), help_of(action)


def _entries(rows: Iterable[tuple[str, str]]) -> list[str]:
    return [line for name, about in rows for line in (".TP", f".B {_roff(name)}", _roff(about))]


def _prose(text: str) -> list[str]:
    lines: list[str] = []
    for line in paragraphs(text, 100_000):
        if line.startswith("  "):
            lines += _code(line.strip())
        elif line.startswith("- "):
            lines += [r".IP \(bu 2", _roff(line[2:])]
        elif line:
            lines += [".PP", _roff(line)]
    return lines


def _code(*lines: str) -> list[str]:
    return [".PP", ".RS 4", ".nf", *map(_roff, lines), ".fi", ".RE"]


def _roff(text: str) -> str:
    """Escape text so that roff sees no request, escape or hyphen in it."""
    plain = text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq").replace("'", r"\(aq")
    plain = "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in plain)
    return f"\\&{plain}" if plain.startswith(".") else plain
