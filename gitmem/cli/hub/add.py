"""Add repositories to a hub, by the addresses that git fetches from, or change who may read them.

A repository can be read through the hub only by its readers and its team: persons, groups (@NAME), or everyone. Adding
it again replaces them and its other options; its memories stay.

With --organisation, it adds the repositories of an organisation that have a memory branch, as the forge lists them to
the token in GITMEM_HUB_FORGE_TOKEN. Without --reader, everyone may read public ones, and the group @HOST/NAME any
other: those whom the forge lets read it (gitmem hub serve --forge). What you set for a repository is kept.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.hub.options import add_database, database_of
from gitmem.cli.options import positive
from gitmem.cli.output import Output, list_of, quantity
from gitmem.config import variable
from gitmem.errors import UsageError

EXAMPLES = (
    "gitmem hub add https://git.example.org/payments/api.git --team @payments --reader everyone",
    "gitmem hub add git@git.example.org:payments/api.git /srv/git/web.git --reader alice --reader bob",
    "gitmem hub add --organisation https://github.com/acme",
    "gitmem hub add https://git.example.org/ml/train.git --team @ml --platform gpu --budget 3600",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``add``."""
    parser.add_argument("urls", metavar="URL", nargs="*", help="a repository's address, or its absolute folder")
    many = parser.add_argument_group("an organisation's repositories")
    about = "add the repositories of this organisation or group: https://HOST/NAME"
    many.add_argument("--organisation", default="", metavar="URL", help=about)
    about = "the kind of its forge, if its host name does not show it"
    many.add_argument("--forge-kind", choices=("github", "gitlab", "gitea"), default="", help=about)
    parser.add_argument("--name", default="", help="its name in the hub (the last two parts of its address)")
    parser.add_argument("--branch", default="memory", help="its memory branch (memory)")
    who = parser.add_argument_group("who may read it")
    who.add_argument(
        "--team", default="", help="the group whose repository it is, as @NAME: reads by others are logged"
    )
    about = "a person, a group as @NAME, or everyone that may read it"
    who.add_argument("--reader", dest="readers", action="append", default=[], metavar="NAME", help=about)
    work = parser.add_argument_group("verification by gitmem hub work")
    about = "only workers with this label verify it (all do)"
    work.add_argument("--platform", default="", metavar="LABEL", help=about)
    about = "worker time that it may use per day, UTC, in seconds (no limit)"
    work.add_argument("--budget", type=positive, default=None, metavar="SECONDS", help=about)
    add_database(parser)


def run(args: Arguments, out: Output) -> int:
    """Add repositories and print their names."""
    if args.name and len(args.urls) > 1:
        raise UsageError("--name works for one repository", hint="add them one by one")
    if bool(args.urls) == bool(args.organisation):
        raise UsageError("give addresses of repositories, or --organisation", hint="gitmem hub add URL")
    if args.name and args.organisation:
        raise UsageError("--name works for one repository", hint="leave it out: names are those of the forge")
    url = database_of(args)
    if args.organisation:
        return _add_organisation(args, url, out)
    from gitmem.hub import registry, schema
    from gitmem.hub.database import connected

    with connected(url) as connection:
        schema.require(connection)
        for one in args.urls:
            who = {"team": args.team, "readers": tuple(args.readers)}
            entry = registry.Entry(one, args.name, args.branch, **who, platform=args.platform, budget_s=args.budget)
            name = registry.add(connection, entry)
            out.result(name, f"added {name}")
    if not args.readers and not args.team:
        out.note(
            "it has no readers yet, so no search in the hub finds it; to allow it: gitmem hub add URL --reader NAME"
        )
    return 0


def _add_organisation(args: Arguments, url: str, out: Output) -> int:
    """Add the repositories of an organisation; return 1 if one could not be read or added."""
    from gitmem.hub import schema
    from gitmem.hub.database import connected
    from gitmem.hub.forge.listing import add_all, find_unlisted, list_remotes
    from gitmem.hub.forge.organisation import TOKEN, organisation_of
    from gitmem.hub.registry import Entry

    of = organisation_of(args.organisation.rstrip("/"), args.forge_kind)
    readers = {"team": args.team, "readers": tuple(args.readers)}
    like = Entry("", "", args.branch, **readers, platform=args.platform, budget_s=args.budget)
    without, failed = 0, 0
    with connected(url) as connection:
        schema.require(connection)
        remotes = list_remotes(of, variable(TOKEN))
        for added in add_all(connection, of, remotes, like):
            if added.has_memory and added.is_new:
                out.result(added.name, f"added {added.name}")
            elif added.problem:
                failed += 1
                out.note(f"{added.name} was not added: {added.problem}")
            without += not added.has_memory and not added.problem
        unlisted = find_unlisted(connection, of, remotes)
    if without:
        out.note(f"{quantity(without, 'repository', 'repositories')} without a branch {args.branch}")
    if unlisted:
        names = f"{list_of(unlisted[:5])}{', …' if unlisted[5:] else ''}"
        out.note(f"not listed any more: {names}; to remove one: gitmem hub remove NAME")
    return int(failed > 0)
