"""Print a completion script for your shell, or install it with --install.

It completes commands, options, keys (with titles), kinds, tags, statuses, scopes, topics and collections, for `gitmem`
and for `git mem`. --install writes it where your shell looks for completions; `gitmem uninstall completion` removes it.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.output import Output
from gitmem.commands.completion import SHELLS
from gitmem.errors import UsageError
from gitmem.text.own import OwnWords

EXAMPLES = (
    "gitmem completion --install",
    "gitmem completion zsh --install",
    "gitmem completion bash > ~/.local/share/bash-completion/completions/gitmem",
)
# Further steps for a shell that does not search the folder by default.
NEXT = {
    "bash": "bash reads it with the package bash-completion, in a new shell",
    "zsh": "zsh reads it if ~/.zshrc has, before compinit: fpath=({folder} $fpath)",
    "fish": "fish reads it in a new shell",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``completion``."""
    about = f"your shell: {', '.join(SHELLS)} (with --install: that of $SHELL)"
    parser.add_argument("shell", nargs="?", choices=SHELLS, metavar="SHELL", help=about)
    parser.add_argument("--install", action="store_true", help="write it where your shell looks for completions")


def run(args: Arguments, out: Output) -> int:
    """Print the script, or install it."""
    from gitmem.commands import completion
    from gitmem.config import variable

    shell = args.shell or (variable("SHELL").rpartition("/")[2] if args.install else "")
    if shell not in SHELLS:
        message = f"there is no completion for {shell}" if shell else "completion needs the name of a shell"
        raise UsageError(message, hint=f"choose one of {', '.join(SHELLS)}: gitmem completion bash")
    if not args.install:
        out.exact(OwnWords(completion.script(shell)))
        return 0
    if shell == "tcsh":
        raise UsageError(
            "tcsh has no folder for completions", hint="add to ~/.tcshrc what this prints: gitmem completion tcsh"
        )
    written = completion.install(shell)
    for path, is_new in written:
        out.line(("wrote  " if is_new else "exists ", "bold"), str(path))
    if any(is_new for _, is_new in written):
        out.confirm(f"installed the completion for {shell}")
    out.note(NEXT[shell].format(folder=written[0][0].parent))
    return 0
