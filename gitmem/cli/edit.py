"""Change a memory, with options or in your editor. The rest of the file stays the same, byte for byte.

A repeatable option replaces the whole list; an empty value ('') removes the field.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import add_force, memory_options, print_change
from gitmem.cli.command_memory import open_memory
from gitmem.cli.editor import EditorFile
from gitmem.cli.input import read_text
from gitmem.cli.options import add_json, add_scope
from gitmem.cli.output import Output
from gitmem.cli.paths import code_path, code_reference
from gitmem.cli.proof import INDEPENDENT, OUTSIDE, add_check, add_judging, judging_of, verify_of
from gitmem.cli.terminal import is_interactive
from gitmem.errors import GitmemError, RefusedError, UsageError
from gitmem.frozen import frozen
from gitmem.repository.companion import holder_to_change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.document.memory_fields import EditOptions
    from gitmem.memory import Memory
    from gitmem.write.place import Change

EXAMPLES = (
    "gitmem edit auth-uses-rs256",
    'gitmem edit auth-uses-rs256 --title "Tokens are signed with EdDSA" --contains EdDSA --in src/auth/jwt.py',
    "gitmem edit deploy-needs-vpn --tag ops --tag network --ttl 90d",
)
# Options that set one text, with descriptions.
TEXTS = {
    "title": "the title, in one line",
    "kind": "learned, gotcha, pattern, decision, …",
    "ttl": "time to live: 12h, 30d, never",
    "importance": "critical, high, medium or low",
    "timeout": "time limit of the check: 30s, 5m",
    "refute": "a command that changes the code so that the check must fail",
    "task": "the task that produced it",
    "verified_by": "the role or run that verified it",
    "workspace": "the folder it was learned in",
    "parent": "of a task: its parent task",
}
# Options that set a list, with descriptions, and the field's name if it differs.
LISTS = {
    "tag": ("a tag", "tags"),
    "path": ("code files it is about", "paths"),
    "ref": ("path:line, path:line-line, a URL, a run id", "refs"),
    "requires": ("a memory or label it rests on", "requires"),
    "produces": ("a label that others can require", "produces"),
    "supersedes": ("a memory that it replaces", "supersedes"),
    "env": ("an environment variable that the check sees", "env"),
    "domain": ("a domain that projects share", "domains"),
}
# Those of the options above that name files or folders of the code.
TYPES = {"path": code_path, "ref": code_reference, "workspace": code_path}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``edit``."""
    parser.add_argument("key", help="the memory")
    memory = memory_options(parser)
    for name, about in TEXTS.items():
        flags = ("--kind", "--type") if name == "kind" else (f"--{name.replace('_', '-')}",)
        memory.add_argument(*flags, type=TYPES.get(name, str), metavar="TEXT", help=about)
    for name, (about, _) in LISTS.items():
        memory.add_argument(
            f"--{name}",
            action="append",
            type=TYPES.get(name, str),
            metavar="TEXT",
            help=about,
        )
    memory.add_argument("--confidence", type=float, metavar="0..1", help="how sure you are")
    memory.add_argument("--priority", type=int, metavar="0..4", help="of a task: 0 is the most urgent")
    memory.add_argument("--body", metavar="TEXT", help="the text under the title; - reads it from standard input")
    add_check(parser, "the check of a fact, one of")
    limits = parser.add_argument_group("how the check runs")
    limits.add_argument("--network", action="store_true", default=None, help="let the check use the network")
    limits.add_argument(
        "--no-network", dest="network", action="store_false", help="no longer let the check use the network"
    )
    limits.add_argument("--outside", action="store_true", default=None, help=OUTSIDE)
    limits.add_argument("--no-outside", dest="outside", action="store_false", help="no longer mark it so")
    limits.add_argument("--independent", action="store_true", default=None, help=INDEPENDENT)
    limits.add_argument(
        "--no-independent", dest="independent", action="store_false", help="accept verdicts by the author"
    )
    add_judging(parser)
    mark = parser.add_argument_group("how the change is marked")
    mark.add_argument(
        "--correction", action="store_true", help="mark a mere correction of the title, which makes nothing suspect"
    )
    mark.add_argument("--settled", action="store_true", help="mark the two merged versions as settled")
    add_scope(parser)
    add_force(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Change one memory and print its key."""
    plain = (*TEXTS, "confidence", "priority", "network", "outside", "independent")
    changes: dict[str, Any] = {name: value for name in plain if (value := getattr(args, name)) is not None}
    for name, (_, field) in LISTS.items():
        if getattr(args, name) is not None:
            changes[field] = [v for v in getattr(args, name) if v]
    if changes.get("kind"):
        changes["kind"] = changes["kind"].replace("-", "_")
    if args.settled:
        changes["conflict"] = ""
    check = verify_of(args)
    if check is not None:
        changes["verify"] = check
    body = read_text(args.body) if args.body else args.body
    with open_memory(out) as memory:
        if not changes and body is None:
            if not is_interactive():
                raise UsageError("nothing to change", hint="use options (gitmem edit --help), or run it in a terminal")
            change = _in_editor(memory, args.key, args.scope, _how(args, approve=True))
        else:
            how = _how(args, approve=is_interactive())
            change = memory.edit(args.key, fields=changes, body=body, scope=args.scope, **how)
        return print_change(change, memory, args, out, did="changed")


def _how(args: Arguments, *, approve: bool) -> EditOptions:
    tree = judging_of(args)
    how: EditOptions = {"correction": args.correction, "force": args.force, "approve": approve}
    return {**how, "unproven": tree["unproven"], "tree": tree["tree"]}


@frozen
class OpenedDraft:
    """A memory in a file for the user's editor.

    Attributes:
        key: The memory.
        scope: Its scope.
        old: Its original text.
        file: The file.
    """

    key: str
    scope: str
    old: str
    file: EditorFile

    def write(self, memory: Memory, how: EditOptions) -> Change:
        """Write the changes if the memory itself is unchanged, and remove the file."""
        new = self.file.read(self.key)

        def change(text: str) -> str:
            if text != self.old:
                raise RefusedError(f"someone else changed {self.key} in the meantime", hint=f"gitmem edit {self.key}")
            return new

        done = memory.edit(self.key, change, scope=self.scope, **how)
        self.file.remove()
        return done


def draft_of(memory: Memory, key: str, scope: str = "") -> OpenedDraft:
    """Return a draft: a memory in a new file."""
    store, full = holder_to_change(memory.repository, key, scope)
    old = store.text_of(full)
    return OpenedDraft(full, store.store.scope, old, EditorFile.with_text(memory.repository, old, suffix=f"-{full}.md"))


def _in_editor(memory: Memory, key: str, scope: str, how: EditOptions) -> Change:
    draft = draft_of(memory, key, scope)
    try:
        draft.file.open_editor()
        return draft.write(memory, how)
    except GitmemError as err:
        draft.file.name_in(err)
        raise
