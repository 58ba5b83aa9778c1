"""Change one setting of the policy. The value is checked, and other settings and comments of gitmem.toml stay.

A list is written with commas, a string without quotes; TOML is accepted as well. --add adds to a list; --unset removes
the setting, so that its default applies again.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.errors import UsageError

EXAMPLES = (
    "gitmem policy set recall.dense.weight 3",
    "gitmem policy set kinds.gotcha.ttl 90d",
    "gitmem policy set rotation.kinds learned,session",
    "gitmem policy set --add verify.folders target",
    "gitmem policy set recall.dense.weight --unset",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``set``."""
    parser.add_argument("setting", help="the setting: recall.dense.weight (gitmem policy show --all)")
    parser.add_argument("value", nargs="?", help="its new value")
    parser.add_argument("--add", action="store_true", help="add to a list instead of replacing it")
    parser.add_argument("--unset", action="store_true", help="remove the setting: its default applies again")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Change a setting, and print its name and value."""
    from gitmem.commands.policy import change_policy
    from gitmem.policy.edit import settings_named, with_more, with_setting, without_setting

    name = args.setting
    if args.unset and (args.add or args.value is not None):
        raise UsageError("--unset cannot be combined with a value or --add", hint=f"gitmem policy set {name} --unset")
    if not args.unset and args.value is None:
        raise UsageError("a value or --unset is required", hint=f"gitmem policy set {name} VALUE")

    def change(text: str) -> str:
        if args.unset:
            return without_setting(text, name)
        return with_more(text, name, args.value) if args.add else with_setting(text, name, args.value)

    with open_memory(out) as memory:
        memory.repository.tip()
        subject = f"{'unset' if args.unset else 'set'} {name}"
        commit = change_policy(memory.repository, change, subject)
        policy = memory.repository.policy()
    lines = [] if args.unset else settings_named(policy, name)
    if args.json:
        values = {line.name: line.value for line in lines}
        out.json({"setting": name, "value": values.get(name, ""), "commit": commit})
        return 0
    if args.unset:
        out.result(f"{name} is no longer set")
    elif commit:
        out.result(f"{name} is {lines[0].value}")
    else:
        out.line(f"{name} is already {lines[0].value}")
    return 0
