"""Show help: the commands for a first week and the state of this memory, all commands, one command, or a topic.

The topics are facts, environments, trust, team, ci and agents.
"""

from __future__ import annotations

from gitmem import cli
from gitmem.cli import manual
from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.commands import all_commands, is_command, load_command
from gitmem.cli.output import Output, quantity
from gitmem.cli.topics import TOPICS
from gitmem.errors import GitmemError, NoRepositoryError, UsageError
from gitmem.statuses import MARKS, describe_claims
from gitmem.store.companion import companion_code, companion_notice
from gitmem.store.proposal import proposal_notice
from gitmem.text import display
from gitmem.text.own import OwnWords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

EXAMPLES = (
    "gitmem help",
    "gitmem help -a",
    "gitmem help facts",
    "gitmem help task add",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``help``."""
    parser.add_argument("about", nargs="*", metavar="COMMAND|TOPIC", help="what to explain")
    parser.add_argument("-a", "--all", action="store_true", help="list all commands and topics")


def run(args: Arguments, out: Output) -> int:
    """Print one help page."""
    name = " ".join(args.about)
    if args.all:
        out.page(OwnWords(manual.format_all(out.width)))
    elif not name:
        # Titles may be written by other people.
        out.page(manual.overview(out.width, [display(line) for line in where_you_are()]))
    elif name in TOPICS:
        about = manual.topic(name, out.width)
        out.page(OwnWords(f"{about}\n{page_of(name, out)}" if is_command(name) else about))
    else:
        out.page(OwnWords(page_of(name, out)))
    return 0


def page_of(name: str, out: Output) -> str:
    """Return the help of a command, or of the command that a synonym means.

    Raises:
        UsageError: There is no such command or topic.
    """
    from gitmem.cli.parser import parser_of

    if name in cli.SYNONYMS:
        out.note(f"gitmem calls it {cli.SYNONYMS[name]}")
        name = cli.SYNONYMS[name]
    if not is_command(name):
        from difflib import get_close_matches

        near = get_close_matches(name, (*all_commands(), *TOPICS, *cli.SYNONYMS), n=1)
        near = [cli.SYNONYMS.get(name, name) for name in near]
        hint = f"did you mean: gitmem help {near[0]}" if near else "gitmem help -a lists all commands and topics"
        raise UsageError(f"unknown command or topic: {name}", hint=hint)
    return manual.page(parser_of(name, load_command(name)), out.width)


def where_you_are() -> list[str]:
    """Return the state of this repository's memory in a few lines: the number of facts, failures, pending decisions."""
    from gitmem.memory import Memory

    try:
        with Memory() as memory:
            if not memory.repository.find_tip():
                return ["this repository has no memory yet: gitmem init"]
            return summary(memory.status().document)
    except NoRepositoryError:
        return ["this folder is not in a git repository: git init, then gitmem init"]
    except GitmemError as err:
        return [err.message, *err.hint.split("\n")]
    except FileNotFoundError:
        return ["the current folder no longer exists: change to an existing folder"]
    except OSError as err:
        return [f"cannot read the memory: {err.strerror}"]


def summary(found: Mapping[str, Any]) -> list[str]:
    """Summarize the state of a memory (the JSON of `gitmem status`) in a few lines."""
    statuses = ", ".join(f"{number} {status}" for status, number in found["statuses"].items() if number)
    lines = [
        f"{quantity(found['memories'], 'memory', 'memories')} on the branch {found['branch']}, with "
        f"{quantity(found['kinds'].get('fact', 0), 'fact')}" + (f": {statuses}" if statuses else "")
    ]
    lines += [claims] if (claims := describe_claims(found["claims"])) else []
    lines += [f"{MARKS['failed']} {line['title']} ({line['key']})" for line in found["failed"][:3]]
    if len(found["failed"]) > 3:
        lines.append(f"… and {len(found['failed']) - 3} more failed facts")
    if found["failed"]:
        lines.append(f"to decide about a failure: gitmem settle {found['failed'][0]['key']}")
    stale, waiting = found["stale"], len(found["waiting"])
    unproven = found["statuses"].get("unproven", 0) + found["claims"].get("unproven", 0)
    due = stale["inputs"] + stale["ttl"] + max(0, unproven - waiting)
    waits = [
        (waiting, "command", "waiting for approval: gitmem trust --review"),
        (due, "fact", "due or stale: gitmem verify"),
        (stale["references"], "memory", "with changed lines of code: gitmem curate refs"),
        (len(found["to_settle"]), "memory", "in two versions: gitmem settle"),
        (len(found.get("disputes", ())), "memory", "contradicting another one: gitmem settle"),
        (found["problems"], "problem", "found: gitmem doctor"),
        (found["spool"]["refused"], "captured text", "set aside: gitmem doctor"),
    ]
    plurals = {"memory": "memories"}
    lines += [f"{quantity(number, wait, plurals.get(wait, ''))} {what}" for number, wait, what in waits if number]
    if found.get("proposal"):
        lines.append(proposal_notice(found["proposal"]))
    if branch := found.get("companion"):
        lines.append(companion_notice(companion_code(branch["branch"])))
    return lines
