"""Show what the policy of this store changes, a setting in effect, or with --all every setting with its default.

In a pipe: tab-separated name, value, default.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json, output_options
from gitmem.cli.output import Output
from gitmem.text.own import OwnWords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.policy.edit import SettingLine

EXAMPLES = (
    "gitmem policy show",
    "gitmem policy show recall.dense",
    "gitmem policy show kinds.gotcha --json",
    "gitmem policy show --all",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``show``."""
    parser.add_argument(
        "setting", nargs="?", default="", help="a setting or a table of them: recall.dense.weight, recall"
    )
    output_options(parser).add_argument("--all", action="store_true", help="show every setting, also those not changed")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print settings."""
    from gitmem.policy.edit import settings_named, settings_of

    with open_memory(out) as memory:
        memory.repository.tip()
        policy = memory.repository.policy()
    if args.setting:
        lines = settings_named(policy, args.setting)
    else:
        lines = [line for line in settings_of(policy) if args.all or line.is_set]
    if args.json:
        out.json({"settings": [as_table(line) for line in lines]})
        return 0
    for line in lines:
        if not out.is_terminal:
            out.row(line.name, line.value, line.default)
            continue
        default = f"  (default {line.default})" if line.is_set and line.default else ""
        out.line((line.name, "key"), OwnWords(" = "), line.value, (default, "dim"))
    if not lines:
        out.note("this store changes no setting; gitmem policy show --all lists all of them")
    return 0


def as_table(line: SettingLine) -> dict[str, object]:
    """Return a setting as documented JSON."""
    return {
        "name": line.name,
        "value": line.value,
        "default": line.default,
        "is_set": line.is_set,
        "about": line.about,
    }
