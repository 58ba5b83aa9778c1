"""Merge the file of one memory as `sync` does: a git merge driver for memories on the code's own branch.

Set it up with `git config merge.gitmem.driver "gitmem merge %O %A %B %P"`, and the line `/.memory/** merge=gitmem` in
`.gitattributes`. The result is written to OURS, as git expects.

Exit status: 0 merged; 1 the file contains both versions, for you to settle.
"""

from __future__ import annotations

from pathlib import Path

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, list_of
from gitmem.errors import NotFoundError
from gitmem.store import layout
from gitmem.store.merge.memories import Version, unite
from gitmem.store.merge.policy import FileVersion, unite_policies
from gitmem.store.verdicts.buckets import unite_buckets, unite_verdicts

EXAMPLES = ("gitmem merge base.md ours.md theirs.md", "gitmem merge base.md ours.md theirs.md .memory/gotchas/a.md")
ONE, OTHER = "one side", "the other side"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``merge``."""
    parser.add_argument("base", help="the common ancestor; empty if there is none")
    parser.add_argument("ours", help="our version; the result is written there")
    parser.add_argument("theirs", help="their version")
    parser.add_argument("path", nargs="?", default="", help="the path in the branch")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Merge three files into one."""
    base, ours, theirs = (_read(name) for name in (args.base, args.ours, args.theirs))
    path = (args.path or args.ours).removeprefix(".memory/")
    place = layout.place_of(path)
    what = place.what if isinstance(place, layout.StorePath) else layout.MEMORY
    fields: tuple[str, ...] = ()
    if what == layout.VERDICT and isinstance(place, layout.StorePath):
        merged = unite_verdicts(ours, theirs, name=(place.key, place.spec), path=path)
    elif what == layout.BUCKET:
        merged = unite_buckets(base or None, ours, theirs, path=path)
    elif what == layout.POLICY:
        merged, is_open = unite_policies(base or None, FileVersion(ours, ONE), FileVersion(theirs, OTHER))
        fields = ("file",) if is_open else ()
    else:
        merged_file = unite(base or None, Version(ours, lambda: ONE), Version(theirs, lambda: OTHER), path=path)
        merged, fields = merged_file.content, merged_file.conflicts
    Path(args.ours).write_bytes(merged)
    if args.json:
        out.json({"path": path, "fields": list(fields)})
    elif fields:
        out.note(f"{path}: both versions are in the file; settle {list_of(fields)}")
    return int(bool(fields))


def _read(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as err:
        raise NotFoundError(f"{name}: {err.strerror}", hint="gitmem merge BASE OURS THEIRS [PATH]") from err
