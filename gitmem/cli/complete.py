"""Print how a command line can go on, for the completion scripts of shells.

A key press waits for it, so it imports nothing that is slow to import, and no argparse.
"""

from __future__ import annotations

import os

from gitmem.cli.arguments import ArgumentParser, Arguments, Reader
from gitmem.cli.commands import all_commands, is_command, load_command, verbs_of
from gitmem.cli.output import Output
from gitmem.config import variable
from gitmem.errors import GitmemError
from gitmem.model import STATUSES
from gitmem.store.scopes import LISTED, SCOPES
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.cli.arguments import Argument
    from gitmem.repository import OpenRepository

EXAMPLES = ("gitmem complete bash 9 show aut",)
# The most candidates that are read, because a key press waits for them.
CANDIDATES_AT_MOST = 200
# The values of $COMP_TYPE with which bash lists candidates (bash(1), COMP_TYPE): only then titles are shown.
LISTING = ("63", "33", "64")
# Options before the command, and whether they take a value.
GLOBAL = {"-C": True, "--color": True, "--no-pager": False, "--version": False, "--help": False}
# Arguments whose values are keys, by name.
KEYS = frozenset(("key", "keys", "old", "new", "requires", "supersedes", "superseded_by", "parent", "story", "moved"))
# Other arguments whose values are read from the store.
STORED = frozenset(("kind", "tag", "collection", "role", "store", "topic", "task"))
OPTIONS = (
    ("-C", "run as if started in a folder"),
    ("--color", "when output has colors"),
    ("--no-pager", "print long output without a pager"),
    ("--version", "print the version"),
    ("--help", "show help"),
)
# The width of a candidate in bash's list.
WIDEST = 100


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``complete``."""
    parser.add_argument("words", nargs="*", metavar="SHELL WORD", help="the shell, and the words up to the cursor")


def run(args: Arguments, out: Output) -> int:
    """Print the candidates."""
    return show(args.words, out)


def show(words: list[str], out: Output) -> int:
    """Print the candidates for the last word, in the format of the shell; nothing if there are none."""
    shell, *typed = words or [""]
    listing = ""
    if shell == "bash" and typed:
        listing, *typed = typed
    if shell == "tcsh":
        typed = variable("COMMAND_LINE").split(" ")[1:]
    before, last, lead = _split(typed or [""])
    try:
        found = candidates(before, last)
    except (GitmemError, OSError):
        found = []
    shown = [(value, display(about.replace("\n", " "))) for value, about in found if value.startswith(last)]
    for line in _lines(shell, listing, lead, shown):
        out.exact(line)
    return 0


def _split(words: list[str]) -> tuple[list[str], str, str]:
    """Return the words before the last, the last, and a prefix that the shell counts as part of the last word.

    bash splits ``--option=value`` into three words; in other shells it is one, and the prefix is ``--option=``.
    """
    *before, last = words
    if last == "=":
        return before, "", ""
    if len(before) > 1 and before[-1] == "=":
        return before[:-1], last, ""
    name, equals, value = last.partition("=")
    return ([*before, name], value, f"{name}=") if equals and name.startswith("--") else (before, last, "")


def _lines(shell: str, listing: str, lead: str, found: Sequence[tuple[str, str]]) -> list[str]:
    """Format candidates for a shell: with a tab before the description if the shell shows descriptions itself."""
    if shell in ("zsh", "fish"):
        return [f"{lead}{value}\t{about}" for value, about in found]
    if listing in LISTING and len(found) > 1:
        wide = max(len(value) for value, _ in found)
        return [f"{value.ljust(wide)}  ({about})"[:WIDEST] if about else value for value, about in found]
    return [value for value, _ in found]


def candidates(before: list[str], last: str) -> list[tuple[str, str]]:
    """Return the candidates for the next word with their descriptions; at most ``CANDIDATES_AT_MOST``.

    Args:
        before: The words before it, without the program.
        last: The beginning of the word, as typed so far.
    """
    while before and before[0] in GLOBAL:
        takes_value = GLOBAL[before[0]]
        if takes_value and len(before) < 2:
            return [(when, "") for when in ("auto", "always", "never")] if before[0] == "--color" else []
        if before[0] == "-C":
            os.chdir(before[1])
        before = before[1 + takes_value :]
    if not before:
        return [*_described(), *(OPTIONS if last else ())]
    name, *words = before
    if not is_command(name):
        return []
    verbs = verbs_of(name)
    if verbs and not words and not last.startswith("-"):
        return list(verbs.items())
    if words and words[0] in verbs:
        name, words = f"{name} {words[0]}", words[1:]
    return _of_command(name, words, last)


def _described() -> list[tuple[str, str]]:
    """Return the commands and nouns with their descriptions."""
    return [(name, about) for name, (_, about) in all_commands().items() if " " not in name]


def _of_command(name: str, words: list[str], last: str) -> list[tuple[str, str]]:
    reader = Reader()
    load_command(name).add_arguments(reader)
    if "--" in words:
        return []
    option = reader.options.get(words[-1]) if words else None
    if option is not None and option.takes_value and option.nargs is None:
        return _values(name, option, last)
    if last.startswith("-"):
        return [(option, argument.help) for option, argument in reader.options.items()]
    argument = _word(reader, words)
    return _values(name, argument, last) if argument is not None else []


def _word(reader: Reader, words: list[str]) -> Argument | None:
    """Return the positional argument that comes next."""
    count, rest = 0, iter(words)
    for word in rest:
        option = reader.options.get(word)
        if option is not None and option.takes_value:
            next(rest, None)
        elif not word.startswith("-"):
            count += 1
    for at, argument in enumerate(reader.words):
        if at == count or argument.nargs in ("*", "+"):
            return argument
    return None


def _values(name: str, argument: Argument, last: str) -> list[tuple[str, str]]:
    """Return the possible values of an argument; of a comma-separated list, the earlier values are kept."""
    dest, head = argument.dest, last[: last.rfind(",") + 1] if argument.choices is None else ""
    if argument.choices is not None:
        return [(str(choice), "") for choice in argument.choices]
    if dest == "about":
        from gitmem.cli.topics import TOPICS

        return [
            *_described(),
            *((name, row[0]) for name, row in TOPICS.items()),
        ]
    if dest == "what" and name == "uninstall":
        from gitmem.cli.uninstall import REMOVED

        return [(name, "") for name in REMOVED]
    plain = {"status": STATUSES, "scope": (*SCOPES, LISTED) if argument.action == "append" else SCOPES}.get(dest)
    if plain is not None:
        return [(f"{head}{word}", "") for word in plain]
    if dest not in STORED and dest not in KEYS:
        return []
    from gitmem.repository import OpenRepository

    with OpenRepository() as repository:
        if dest == "topic":
            return [(topic, "") for topic in _topics(repository)]
        if dest in ("kind", "collection", "role"):
            policy = repository.policy()
            named = {"kind": policy.kinds, "collection": policy.collections, "role": policy.roles}[dest]
            return [(f"{head}{name}", "") for name in sorted(named)]
        if dest == "store":
            return [(f"{head}{entry}", "") for entry in repository.listing().entries]
        catalog = repository.catalog()
        if dest == "tag":
            return [(f"{head}{tag}", "") for (tag,) in catalog.rows("SELECT tag FROM label ORDER BY tag")]
        archived, tasks = (
            int(name == "restore"),
            " AND kind = 'task'" if name.startswith("task ") or dest == "task" else "",
        )
        return catalog.rows(
            "SELECT key, title FROM memory WHERE key >= ? AND key < ? AND shadowed = 0 AND archived = ?"
            f"{tasks} ORDER BY created DESC, key LIMIT ?",
            (last, f"{last}\U0010ffff", archived, CANDIDATES_AT_MOST),
        )


def _topics(repository: OpenRepository) -> list[str]:
    from gitmem.agents.session.topics import list_names, workplace_of

    return list_names(workplace_of(repository))
