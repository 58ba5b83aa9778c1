"""Open the policy in your editor, check what you changed, and commit it.

If it has an error, nothing is committed, your file is kept, and the message says where it is.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.editor import EditorFile
from gitmem.cli.output import Output
from gitmem.cli.terminal import is_interactive
from gitmem.errors import GitmemError, UsageError

EXAMPLES = ("gitmem policy edit",)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``edit``, which has none."""


def run(args: Arguments, out: Output) -> int:
    """Let the user edit the policy."""
    from gitmem.commands.policy import policy_text, replace_policy

    if not is_interactive():
        raise UsageError("an editor needs a terminal", hint="gitmem policy set SETTING VALUE")
    with open_memory(out) as memory:
        old = policy_text(memory.repository)
        file = EditorFile.with_text(memory.repository, old, suffix="-gitmem.toml")
        try:
            file.open_editor()
            commit = replace_policy(memory.repository, old, file.read("gitmem.toml"))
        except GitmemError as err:
            file.name_in(err)
            raise
        file.remove()
    out.result(f"changed the policy; commit {commit[:12]}" if commit else "nothing changed", is_change=bool(commit))
    return 0
